"""Judge the claims of the papers: verdicts, and the cells behind the verdicts."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from reproduction.findings.claims import judging
from reproduction.findings.claims.checks import CELL, read_lines
from reproduction.pages import write_numbers, write_rendered, write_sortable_page
from reproduction.running.scripting import job

#: Largest number of data sets that are listed by name.
_FEW = 4


def claims_table(judgements: Iterable[judging.Judgement]) -> pd.DataFrame:
    """A line for each claim: text, published and reproduced counts of cells, and verdict."""
    lines = []
    for judgement in judgements:
        claim, cells = judgement.claim, judgement.cells
        run = cells.dropna(subset="here")
        repeats = cells["repeats"].agg(["min", "max"]).dropna().unique()
        lines.append(
            {
                "claim": claim.name,
                "paper": claim.paper,
                "place": claim.place,
                "text": claim.text,
                "published": str(judging.count(cells, "published")),
                "here": str(judging.count(cells)),
                "data sets": ", ".join(judgement.datasets(run_only=True)),
                "repeats": "–".join(map("{:.0f}".format, repeats)),
                "not run": len(cells) - len(run),
                "of one repeat": (run["repeats"] == 1).sum(),
                "could turn": sum(judging.count(cells).turnable),
                "verdict": judgement.verdict,
            }
        )
    return pd.DataFrame(lines)


def cells_table(judgements: Iterable[judging.Judgement]) -> pd.DataFrame:
    """A line for each cell of a claim's checks, with the compared numbers.

    Repeats are those of the reproduced numbers, and are missing for numbers without repeats. Cells
    of an additional check name its comparison and do not decide the claim.
    """
    frames = [
        cells.assign(claim=judgement.claim.name, comparison=what)
        for judgement in judgements
        for what, cells in {"": judgement.cells, **judgement.others}.items()
    ]
    table = pd.concat(frames, ignore_index=True).infer_objects().rename(columns={"place": "cell"})
    for side, missing in (("published", "not printed"), ("here", "not run")):
        answer = table[f"{side} holds"].map({True: "yes", False: "no"})
        table[f"{side} holds"] = answer.where(table[side].notna(), missing)
    return table[["claim", "comparison", "cell", *CELL[2:]]]


def verdicts_by_paper(judgements: Iterable[judging.Judgement]) -> pd.DataFrame:
    """Number of claims of each paper with each kind of verdict."""
    kinds = [(judged.claim.paper, judging.kind_of_verdict(judged.verdict)) for judged in judgements]
    frame = pd.DataFrame(kinds, columns=["paper", "verdict"])
    counts = pd.crosstab(frame["paper"], frame["verdict"]).rename_axis(columns="verdict")
    shown = [kind for kind in judging.KINDS_OF_VERDICTS if kind in counts]
    return counts.loc[frame["paper"].unique(), shown]


def write_claims(
    paths: Mapping[str, Any], judgements: Sequence[judging.Judgement], titles: Mapping[str, str]
) -> None:
    """Write the claims ("csv", "md", "html"), and the cells behind them ("cells", "cells_md")."""
    table, cells = claims_table(judgements), cells_table(judgements)
    page, page_of_cells = (Path(paths[end]).name for end in ("md", "cells_md"))
    write_numbers(paths["csv"], table)
    write_numbers(paths["cells"], cells)
    readable = table.assign(**{"data sets": list(map(_count_datasets, judgements))})
    write_rendered(
        paths["md"],
        "claims.md",
        counts=verdicts_by_paper(judgements),
        page=page_of_cells,
        papers=[
            (titles.get(str(paper), paper), lines.to_dict("records"))
            for paper, lines in readable.groupby("paper", sort=False)
        ],
    )
    by_claim = _readable_cells(cells).groupby(cells["claim"])
    claims = [
        (judged, by_claim.get_group(judged.claim.name).groupby(cells["comparison"], sort=False))
        for judged in judgements
        if len(judged.cells)
    ]
    write_rendered(paths["cells_md"], "claims_cells.md", page=page, claims=claims)
    first = ["paper", "claim", "verdict"]
    write_sortable_page(
        paths["html"],
        table[[*first, *table.columns.difference(first, sort=False)]].set_index("paper"),
        title="What the papers claim",
        caption=f"{page_of_cells} lists the cells that decide each claim.",
        note="Counts are the cells that support the claim, out of all cells with a number.",
    )


def _readable_cells(cells: pd.DataFrame) -> pd.DataFrame:
    """The cells with both numbers of each side in one column, and whether the claim holds there."""
    numbers = cells.round(4).astype(object).where(cells.notna(), "").astype(str)
    sides = {
        name: (numbers[side] + " / " + numbers[f"{side} against"]).str.removesuffix(" / ")
        + ("; " + cells[f"{side} holds"]).where(cells[side].notna(), "")
        for side, name in (("published", "published"), ("here", "reproduced"))
    }
    turns = cells["could turn"].map({True: "yes"}).fillna("")
    return cells[["cell"]].assign(**sides, repeats=numbers["repeats"], turns=turns)


def _count_datasets(judgement: judging.Judgement) -> str:
    """Names of the data sets with a reproduced number, or their number if there are many."""
    run, n_datasets = judgement.datasets(run_only=True), len(judgement.datasets())
    number = f"{len(run)} of {n_datasets}" if len(run) < n_datasets else str(n_datasets)
    return ", ".join(run) if len(run) <= _FEW else number


if __name__ == "__main__":
    with job(snakemake.log[0]):
        given = snakemake.params.given
        lines = read_lines(snakemake.input.numbers, given["datasets"], given["differences"])
        judgements = [judging.judge(claim, lines) for claim in snakemake.params.claims]
        write_claims(dict(snakemake.output.items()), judgements, given["titles"])
