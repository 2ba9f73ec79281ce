"""A page that compares numbers of clusters where no classes are known."""

from __future__ import annotations

from pathlib import Path

from coassoc.figures.selection import plot_selection
from coassoc.figures.web_page import embedded, place
from coassoc.results.pages import write_page
from coassoc.running.selecting import Comparison
from coassoc.selection import CRITERIA

__all__ = ["write_selection_page"]


def write_selection_page(path: str | Path, found: Comparison, pool: str, dataset: str) -> None:
    """Write one HTML file without links to anything else.

    Parameters
    ----------
    path : path
    found : Comparison
    pool, dataset : str
        Names, for the title.
    """
    write_page(
        path,
        "n_clusters.html",
        title=f"How many clusters? {place(pool, dataset)}",
        failures=found.failures,
        selections={
            method: (
                selection.verdict,
                selection.table.rename_axis("clusters").reset_index(),
                embedded(plot_selection(selection)),
            )
            for method, selection in found.selections.items()
        },
        criteria=CRITERIA,
    )
