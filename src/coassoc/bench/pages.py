"""Page and tables of a comparison."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from coassoc.bench.comparison import REGION, Comparison, from_to
from coassoc.bench.statistics import LEVEL
from coassoc.bench.summaries import hardware_note
from coassoc.pages.rendering import write_lines, write_page


def write_comparison(folder: Path, found: Comparison, times: pd.DataFrame) -> None:
    """Write the page of a comparison, and CSV files of all that it shows.

    The files are ``compare.html`` and ``compare_*.csv``, of tuned rows ``compare_tuned.html`` and
    ``compare_tuned_*.csv``. `times` are measured ones of this machine, or empty.
    """
    stem = "compare_tuned" if found.benchmark.tuned else "compare"
    rows = {row: _row(found, row) for row in found.own}
    failures = found.failures()
    repeats = [
        found.scores[cell.sources[0]].assign(row=cell.row, dataset=cell.dataset)
        for cell in found.own_scores.cells
    ]
    tables = {
        "ranks": _together(rows, "standings"),
        "datasets": _together(rows, "datasets"),
        "tests": _together(rows, "tests"),
        "repeats": pd.concat(repeats).drop(columns=["seconds", "cpu_seconds", "peak_mb"]),
        "failures": failures,
        "times": times,
    }
    for name, table in tables.items():
        if len(table):
            write_lines(folder / f"{stem}_{name}.csv", table)
    write_page(
        folder / f"{stem}.html",
        "compare.html",
        title=f"{', '.join(found.own)} beside {len({*found.ranks.rows} - {*found.own})} methods",
        found=found,
        rows=rows,
        failures=failures,
        times=_times(times),
        hardware=hardware_note(times),
        absent=found.benchmark.absent,
        draws=from_to(found.benchmark.repeats(name) for name in found.datasets),
        facts=found.shipped.facts,
        level=LEVEL,
        files=[f"{stem}_{name}.csv" for name, table in tables.items() if len(table)],
        installed=version("coassoc"),
        number=number_text,
        percent=_place_of,
        region=REGION,
    )


def number_text(value: Any, digits: int = 3, sign: bool = False) -> str:
    """A number as the page shows it; a dash where there is none."""
    if value is None or not np.isfinite(value):
        return "–"
    return (f"{value:+.{digits}f}" if sign else f"{value:.{digits}f}").replace("-", "−")


def _row(comparison: Comparison, row: str) -> dict[str, Any]:
    """All that is shown of an own row, by metric."""
    return {
        "places": [comparison.place(row, metric) for metric in comparison.metrics],
        "standings": {metric: comparison.standings(row, metric) for metric in comparison.metrics},
        "datasets": {metric: comparison.on_datasets(row, metric) for metric in comparison.metrics},
        "tests": {metric: comparison.tests(row, metric) for metric in comparison.metrics},
        "facts": comparison.own[row],
    }


def _together(rows: Mapping[str, dict[str, Any]], what: str) -> pd.DataFrame:
    """One table of what is shown of all own rows by all metrics."""
    tables = [
        table.assign(metric=metric, own_row=row)
        for row, shown in rows.items()
        for metric, table in shown[what].items()
        if table is not None
    ]
    return pd.concat(tables or [pd.DataFrame()])


def _times(times: pd.DataFrame) -> pd.DataFrame:
    """Median seconds and largest memory of each row (down) and data set (across)."""
    if times.empty:
        return times
    groups = times.groupby(["row", "dataset"], sort=False)
    shown = {
        key: f"{lines['seconds'].median():.2g} s, {lines['peak_mb'].max():.0f} MB"
        if (lines["status"] == "ok").all()
        else lines.loc[lines["status"] != "ok", "status"].iloc[0]
        for key, lines in groups
    }
    table = pd.Series(shown).unstack(sort=False)
    sizes = times.groupby("dataset")["n"].first()
    table.columns = [f"{name} (n = {sizes[name]})" for name in table.columns]
    return table.rename_axis("method").reset_index()


def _place_of(rank: float, count: int) -> float:
    """Where a mean rank lies between 1 and the number of methods, in hundredths."""
    return round(100 * (min(max(rank, 1), count) - 1) / max(count - 1, 1), 1)
