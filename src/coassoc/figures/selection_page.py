"""A page that compares numbers of clusters where no classes are known."""

from __future__ import annotations

import html
from collections.abc import Iterator
from pathlib import Path

from coassoc.figures.selection import plot_selection
from coassoc.figures.web_page import as_table, picture, place, write_page
from coassoc.running.selecting import Comparison
from coassoc.selection import CRITERIA, Selection

__all__ = ["write_selection_page"]

_CAUTION = (
    "On data sets with classes none of these criteria finds their number in more than one case of "
    "ten. Take them as views of the base clusterings, and say n_clusters when you have decided."
)


def write_selection_page(path: str | Path, found: Comparison, pool: str, dataset: str) -> None:
    """Write one HTML file without links to anything else.

    Parameters
    ----------
    path : path
    found : Comparison
    pool, dataset : str
        Names, for the title.
    """
    write_page(path, f"How many clusters? {place(pool, dataset)}", _blocks(found))


def _blocks(found: Comparison) -> Iterator[str]:
    for method, reason in found.failures.items():
        yield f"<p>{html.escape(method)}: {html.escape(reason)}</p>"
    for method, selection in found.selections.items():
        yield f"<h2>{html.escape(method)}</h2>"
        yield f"<p>{html.escape(selection.verdict)}</p>"
        yield _table(selection)
        yield picture(plot_selection(selection), f"Criteria for the number of clusters, {method}")
    yield f"<p>A star stands where a criterion chooses. {html.escape(_criteria())} {_CAUTION}</p>"


def _criteria() -> str:
    return "; ".join(f"{name}: {what}" for name, what in CRITERIA.items()) + "."


def _table(selection: Selection) -> str:
    text = selection.table
    rows = [(str(c), *line) for c, line in zip(text.index, text.to_numpy(), strict=True)]
    return as_table(("clusters", *text.columns), rows)
