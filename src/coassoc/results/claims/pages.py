"""The pages of the claims: a table of verdicts, and the cells behind them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from coassoc.results.claims.judging import Judgement
from coassoc.results.pages import write_sortable_page
from coassoc.results.tables import write_lines

__all__ = ["cells_table", "claims_table", "verdict_counts", "write_claims"]

#: Data sets up to which a page of claims names them.
_FEW = 4


def claims_table(judgements: Iterable[Judgement]) -> pd.DataFrame:
    """One line for each claim: what it says, what the paper's numbers and ours say, the verdict."""
    return pd.DataFrame(
        [
            {
                "claim": each.name,
                "paper": each.claim["paper"],
                "place": each.claim["place"],
                "text": " ".join(each.claim["claim"].split()),
                "published": str(each.published),
                "here": str(each.here),
                "data sets": ", ".join(each.run_datasets),
                "not run": each.not_run,
                "verdict": each.verdict,
            }
            for each in judgements
        ]
    )


def cells_table(judgements: Iterable[Judgement]) -> pd.DataFrame:
    """One line for each cell that decides a claim, with the numbers that are compared."""
    lines = []
    for each in judgements:
        for cell in each.cells:
            line: dict[str, Any] = {"claim": each.name, "cell": cell.place}
            for side, pair, holds in (
                ("published", cell.published, cell.published_holds),
                ("here", cell.here, cell.holds),
            ):
                own, other = pair or (None, None)
                verdict = ("yes" if holds else "no") if pair else "not run"
                line |= {f"{side}": own, f"{side} against": other, f"{side} holds": verdict}
            if cell.published is None:
                line["published holds"] = "not printed"
            lines.append(line)
    return pd.DataFrame(lines)


def verdict_counts(judgements: Iterable[Judgement]) -> pd.DataFrame:
    """How many claims of each paper have each kind of verdict."""
    kinds = [(each.claim["paper"], _kind_of_verdict(each.verdict)) for each in judgements]
    frame = pd.DataFrame(kinds, columns=["paper", "verdict"])
    counts = frame.value_counts().unstack(fill_value=0)
    return counts.reindex(
        index=list(dict.fromkeys(frame["paper"])),
        columns=[kind for kind in _KINDS if kind in counts],
    )


#: Kinds of verdicts, from good to unknown.
_KINDS = (
    "holds", "tested", "holds on a part", "depends", "does not hold", "not tested",
    "cannot be tested",
)  # fmt: skip


def _kind_of_verdict(verdict: str) -> str:
    if verdict.startswith("holds on"):
        return "holds on a part"
    return next(kind for kind in _KINDS if verdict.startswith(kind))


def write_claims(
    paths: Mapping[str, Any], judgements: Sequence[Judgement], titles: Mapping[str, str]
) -> None:
    """Write the claims as CSV, Markdown and a web page, and the cells behind them.

    Parameters
    ----------
    paths : mapping
        Paths for "csv", "md", "html", "cells" (CSV), "cells_md" and "cells_html".
    judgements : sequence of Judgement
    titles : mapping
        Titles of the papers.
    """
    table, cells = claims_table(judgements), cells_table(judgements)
    write_lines(paths["csv"], table)
    write_lines(paths["cells"], cells)
    link = _markdown_link(Path(paths["cells_md"]).name)
    page = _markdown(judgements, table, titles, link)
    Path(paths["md"]).write_text(page, encoding="utf-8")
    page = _markdown_cells(judgements, cells, Path(paths["md"]).name)
    Path(paths["cells_md"]).write_text(page, encoding="utf-8")
    links = table["claim"].map(_link(Path(paths["cells_html"]).name))
    write_sortable_page(
        paths["html"],
        table.assign(claim=links).set_index("paper"),
        title="What the papers claim",
        caption="A claim's name leads to the cells that decide it.",
        note="Counts are cells that speak for the claim, of those that have a number.",
    )
    anchors = cells["claim"].map(lambda name: f'<span id="{name}">{name}</span>')
    write_sortable_page(
        paths["cells_html"],
        cells.assign(claim=anchors).round(4).set_index("cell"),
        title="The cells behind the claims",
        caption="Each cell compares two numbers, as printed and as computed here.",
        note="For curves, the numbers are those of the point that decides.",
    )


def _link(page: str) -> Callable[[str], str]:
    return lambda name: f'<a href="{page}#{name}">{name}</a>'


def _markdown_link(page: str) -> Callable[[Judgement], str]:
    """A claim's text as a link to its cells, where it has any."""

    def link(judgement: Judgement) -> str:
        text = " ".join(judgement.claim["claim"].split())
        return f"[{text}]({page}#{judgement.name})" if judgement.cells else text

    return link


def _markdown(
    judgements: Sequence[Judgement],
    table: pd.DataFrame,
    titles: Mapping[str, str],
    link: Callable[[Judgement], str],
) -> str:
    parts = ["# What the papers claim, and what holds", verdict_counts(judgements).to_markdown()]
    table = table.assign(text=list(map(link, judgements)))
    table["data sets"] = list(map(_tested_on, judgements))
    for paper, group in table.groupby("paper", sort=False):
        shown = group[["text", "place", "published", "here", "data sets", "verdict"]]
        shown = shown.rename(
            columns={"text": "claim", "published": "by the paper's numbers", "here": "by ours"}
        )
        parts += [f"## {titles.get(str(paper), paper)}", shown.to_markdown(index=False)]
    parts.append(
        "Counts are cells that speak for a claim, of those that have a number; the data sets are "
        "those with a number of ours. A claim leads to its cells, which claims_cells.csv has too. "
        "config/claims.yaml says how each claim is judged."
    )
    return "\n\n".join(parts) + "\n"


def _tested_on(judgement: Judgement) -> str:
    """The data sets that our side rests on: their names if they are few, or how many of all."""
    run, wanted = judgement.run_datasets, len(judgement.datasets)
    if len(run) <= _FEW:
        return ", ".join(run)
    return f"{len(run)} of {wanted}" if len(run) < wanted else str(wanted)


def _markdown_cells(judgements: Sequence[Judgement], cells: pd.DataFrame, page: str) -> str:
    """A section of cells for each claim that has any."""
    parts = ["# The cells behind the claims"]
    parts.append(f"The claims are in [{page}]({page}). Each cell compares two numbers.")
    for each in judgements:
        if each.cells:
            own = cells[cells["claim"] == each.name].drop(columns="claim").round(4)
            text = " ".join(each.claim["claim"].split())
            parts += [f"## {each.name}", f"{text} Verdict: {each.verdict}."]
            parts.append(own.astype(object).where(own.notna(), "").to_markdown(index=False))
    return "\n\n".join(parts) + "\n"
