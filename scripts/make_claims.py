"""Judge the claims of the papers: verdicts, and the cells behind the verdicts."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from coassoc.pages.rendering import write_lines
from reproduction.findings.claims.checks import read_lines
from reproduction.findings.claims.judging import (
    KINDS_OF_VERDICTS,
    Judgement,
    count,
    judge,
    kind_of_verdict,
    single_fits,
)
from reproduction.findings.claims.papers import CLAIMS
from reproduction.findings.claims.stability import DRAWS, with_draws
from reproduction.pages import write_rendered, write_sortable_page
from reproduction.running.scripting import job

#: Largest number of data sets that are listed by name.
_FEW = 4
_SIDES = ["published", "published against", "published holds", "here", "here against", "here holds"]


def claims_table(judgements: Iterable[Judgement]) -> pd.DataFrame:
    """A line for each claim: text, published and reproduced counts of cells, and verdict."""
    lines = [
        {
            "claim": judgement.claim.name,
            "paper": judgement.claim.paper,
            "place": judgement.claim.place,
            "text": judgement.claim.text,
            "published": str(count(judgement.cells, "published")),
            "here": str(count(judgement.cells)),
            "data sets": ", ".join(judgement.datasets(run_only=True)),
            "repeats": _range(judgement.cells),
            "not run": len(judgement.cells) - count(judgement.cells).n,
            "of one repeat": single_fits(judgement.cells),
            "stability": judgement.stability,
            "draws": None if judgement.stability is None else DRAWS,
            "verdict": judgement.verdict,
        }
        for judgement in judgements
    ]
    return pd.DataFrame(lines)


def cells_table(judgements: Iterable[Judgement]) -> pd.DataFrame:
    """A line for each cell of a claim's checks, with the compared numbers.

    Repeats are those of the reproduced numbers, and are missing for numbers without repeats. Cells
    of an additional check name its comparison and do not decide the claim.
    """
    frames = []
    for judgement in judgements:
        for what, cells in {"": judgement.cells, **judgement.others}.items():
            if len(cells):
                names = {"claim": judgement.claim.name, "comparison": what}
                frames.append(cells.assign(**names, cell=cells["place"]))
    table = pd.concat(frames, ignore_index=True) if frames else pd.DataFrame()
    table = table.reindex(columns=["claim", "comparison", "cell", *_SIDES, "repeats"])
    for side, missing in (("published", "not printed"), ("here", "not run")):
        answer = table[f"{side} holds"].map({True: "yes", False: "no"})
        table[f"{side} holds"] = answer.where(table[side].notna(), missing)
    return table


def _range(cells: pd.DataFrame) -> str:
    """The smallest and the largest number of reproduced repeats behind a cell."""
    counts = cells.reindex(columns=["repeats"])["repeats"].dropna()
    if counts.empty:
        return ""
    few, many = int(counts.min()), int(counts.max())
    return f"{few}–{many}" if few < many else str(few)


def verdicts_by_paper(judgements: Iterable[Judgement]) -> pd.DataFrame:
    """Number of claims of each paper with each kind of verdict."""
    kinds = [(judged.claim.paper, kind_of_verdict(judged.verdict)) for judged in judgements]
    frame = pd.DataFrame(kinds, columns=["paper", "verdict"])
    counts = frame.value_counts().unstack(fill_value=0)
    shown = [kind for kind in KINDS_OF_VERDICTS if kind in counts]
    counts = counts.reindex(index=frame["paper"].unique(), columns=shown)
    return counts


def write_claims(
    paths: Mapping[str, Any], judgements: Sequence[Judgement], titles: Mapping[str, str]
) -> None:
    """Write the claims ("csv", "md", "html"), and the cells behind them ("cells", "cells_md")."""
    table, cells = claims_table(judgements), cells_table(judgements)
    names = {end: Path(path).name for end, path in paths.items()}
    write_lines(paths["csv"], table)
    write_lines(paths["cells"], cells)
    shown = cells.round(4).astype(object).where(cells.notna(), "")
    texts = [
        f"[{claims.text}]({names['cells_md']}#{claims.name})" if len(judged.cells) else claims.text
        for judged in judgements
        for claims in [judged.claim]
    ]
    readable = table.assign(claim=texts, **{"data sets": list(map(_count_datasets, judgements))})
    readable = readable.rename(columns={"here": "reproduced"})
    readable = readable.drop(columns=["paper", "text", "not run"])
    write_rendered(
        paths["md"],
        "claims.md",
        counts=verdicts_by_paper(judgements),
        papers=[
            (titles.get(str(paper), paper), lines)
            for paper, lines in readable.groupby(table["paper"], sort=False)
        ],
    )
    further = shown["comparison"].ne("")
    shown["cell"] = (shown["comparison"] + ": ").where(further, "") + shown["cell"]
    shown = shown.drop(columns=["claim", "comparison"])
    by_claim = dict(iter(shown.groupby(cells["claim"])))
    write_rendered(
        paths["cells_md"],
        "claims_cells.md",
        page=names["md"],
        claims=[
            (judged, by_claim[judged.claim.name]) for judged in judgements if len(judged.cells)
        ],
    )
    first = ["paper", "claim", "verdict"]
    write_sortable_page(
        paths["html"],
        table[[*first, *table.columns.difference(first, sort=False)]].set_index("paper"),
        title="What the papers claim",
        caption=f"{names['cells_md']} lists the cells that decide each claim.",
        note="Counts are the cells that support the claim, out of all cells with a number.",
    )


def _count_datasets(judgement: Judgement) -> str:
    """Names of the data sets with a reproduced number, or their number if there are many."""
    run, n_datasets = judgement.datasets(run_only=True), len(judgement.datasets())
    if len(run) <= _FEW:
        return ", ".join(run)
    return f"{len(run)} of {n_datasets}" if len(run) < n_datasets else str(n_datasets)


if __name__ == "__main__":
    with job(snakemake.log[0]):
        given = snakemake.params.given
        lines = read_lines(snakemake.input.numbers, given["datasets"], given["differences"])
        lines = with_draws(lines, snakemake.params.seed)
        judgements = [judge(claim, lines) for claim in CLAIMS.values()]
        write_claims(dict(snakemake.output.items()), judgements, given["titles"])
