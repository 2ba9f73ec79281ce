"""The pages of the claims: a table of verdicts, and the cells behind them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from coassoc.results.claims.judging import Judgement
from coassoc.results.pages import write_page, write_sortable_page
from coassoc.results.tables import write_lines

#: Data sets up to which a page of claims names them.
_FEW = 4
#: Kinds of verdicts, from good to unknown.
_KINDS = (
    "holds", "tested", "holds on a part", "depends", "does not hold", "not tested",
    "cannot be tested",
)  # fmt: skip


def claims_table(judgements: Iterable[Judgement]) -> pd.DataFrame:
    """One line for each claim: what it says, what the paper's numbers and ours say, the verdict."""
    lines = [
        {
            "claim": each.name,
            **{key: each.claim[key] for key in ("paper", "place")},
            "text": each.text,
            "published": str(each.published),
            "here": str(each.here),
            "data sets": ", ".join(each.datasets(run_only=True)),
            "not run": len(each.cells) - each.here.n,
            "verdict": each.verdict,
        }
        for each in judgements
    ]
    return pd.DataFrame(lines)


def cells_table(judgements: Iterable[Judgement]) -> pd.DataFrame:
    """One line for each cell of a claim's checks, with the numbers that are compared.

    Cells of a second check begin with what it is on; they do not decide the claim.
    """
    sides = ("published", "here")
    columns = [f"{side}{what}" for side in sides for what in ("", " against", " holds")]
    answers = {True: "yes", False: "no"}
    lines = [
        (
            judgement.name,
            f"{what}: {cell.place}" if what else cell.place,
            *(cell.published or (None, None)),
            answers[cell.published_holds] if cell.published else "not printed",
            *(cell.here or (None, None)),
            answers[cell.holds] if cell.here else "not run",
        )
        for judgement in judgements
        for what, cells in {"": judgement.cells, **judgement.others}.items()
        for cell in cells
    ]
    return pd.DataFrame(lines, columns=["claim", "cell", *columns])


def verdict_counts(judgements: Iterable[Judgement]) -> pd.DataFrame:
    """How many claims of each paper have each kind of verdict."""
    kinds = [(each.claim["paper"], _kind_of_verdict(each.verdict)) for each in judgements]
    frame = pd.DataFrame(kinds, columns=["paper", "verdict"])
    counts = frame.value_counts().unstack(fill_value=0)
    shown = [kind for kind in _KINDS if kind in counts]
    return counts.reindex(index=list(dict.fromkeys(frame["paper"])), columns=shown)


def _kind_of_verdict(verdict: str) -> str:
    if verdict.startswith("holds on"):
        return "holds on a part"
    return next(kind for kind in _KINDS if verdict.startswith(kind))


def write_claims(
    paths: Mapping[str, Any], judgements: Sequence[Judgement], titles: Mapping[str, str]
) -> None:
    """Write the claims as CSV, Markdown and a web page, and likewise the cells behind them.

    Their paths are those of "csv", "md" and "html", and of "cells", "cells_md" and "cells_html".
    """
    table, cells = claims_table(judgements), cells_table(judgements)
    names = {end: Path(path).name for end, path in paths.items()}
    write_lines(paths["csv"], table)
    write_lines(paths["cells"], cells)
    texts = [
        f"[{each.text}]({names['cells_md']}#{each.name})" if each.cells else each.text
        for each in judgements
    ]
    readable = table.assign(claim=texts, **{"data sets": list(map(_tested_on, judgements))})
    readable = readable.rename(columns={"published": "by the paper's numbers", "here": "by ours"})
    shown = readable.drop(columns=["paper", "text", "not run"])
    by_paper = shown.groupby(table["paper"], sort=False)
    papers = [(titles.get(str(paper), paper), lines) for paper, lines in by_paper]
    write_page(paths["md"], "claims.md", counts=verdict_counts(judgements), papers=papers)
    shown = cells.round(4).astype(object).where(cells.notna(), "")
    by_claim = dict(iter(shown.drop(columns="claim").groupby(cells["claim"])))
    write_page(
        paths["cells_md"],
        "claims_cells.md",
        page=names["md"],
        claims=[(each, by_claim[each.name]) for each in judgements if each.cells],
    )
    links = [f'<a href="{names["cells_html"]}#{name}">{name}</a>' for name in table["claim"]]
    write_sortable_page(
        paths["html"],
        table.assign(claim=links).set_index("paper"),
        title="What the papers claim",
        caption="A claim's name links to the cells that decide it.",
        note="Counts are cells that support the claim, of those that have a number.",
    )
    anchors = cells["claim"].map(lambda name: f'<span id="{name}">{name}</span>')
    write_sortable_page(
        paths["cells_html"],
        cells.assign(claim=anchors).round(4).set_index("cell"),
        title="The cells behind the claims",
        caption="Each cell compares two numbers, as printed and as computed here.",
        note="For curves, the numbers are those of the point that decides.",
    )


def _tested_on(judgement: Judgement) -> str:
    """The data sets that our side rests on: their names if they are few, or how many of all."""
    run, wanted = judgement.datasets(run_only=True), len(judgement.datasets())
    if len(run) <= _FEW:
        return ", ".join(run)
    return f"{len(run)} of {wanted}" if len(run) < wanted else str(wanted)
