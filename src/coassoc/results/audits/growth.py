"""Time and memory against the number of samples, with fitted exponents."""

from __future__ import annotations

import numpy as np
import pandas as pd
from scipy.stats import linregress

from coassoc.results.audits.evidence import Cells, Scores
from coassoc.results.summaries import cell_scores
from coassoc.results.tables import hardware_note

__all__ = ["SMALLEST_PEAK", "fit_growth", "growth_remark", "growth_table"]

#: Megabytes below which a measured peak is noise of the memory allocator.
SMALLEST_PEAK = 1.0


def fit_growth(cells: Cells, scores: Scores) -> pd.DataFrame:
    """Exponents b of time and memory, fitted as a nᵇ by least squares of the logarithms.

    Parameters
    ----------
    cells : iterable of mapping
    scores : mapping of str to DataFrame
        Files of :meth:`coassoc.running.timing.Stopwatch.measure_scaling` by their stems.

    Returns
    -------
    DataFrame
        One line per method, data set and n: label, dataset, n, n_micro, seconds and peak_mb
        (medians over the repeats), their spreads seconds_std and peak_mb_std; and the same on all
        lines of a method: seconds_exponent, seconds_error, peak_mb_exponent, peak_mb_error, and
        cpu, cores, threads, pool, m, commit.
    """
    lines = []
    for cell in cells:
        frame, _ = cell_scores(cell, scores)
        good = frame[frame["status"] == "ok"]
        by_n = good.groupby("n")
        points = by_n[["n_micro", "seconds", "peak_mb"]].median()
        spread = by_n[["seconds", "peak_mb"]].std().add_suffix("_std")
        fitted = {
            f"{name}_{part}": value
            for name, least in (("seconds", 0.0), ("peak_mb", SMALLEST_PEAK))
            for part, value in _exponent(points[name], least).items()
        }
        origin = {key: cell[key] for key in ("label", "dataset", "pool", "m")}
        machine = {key: frame[key].iloc[0] for key in ("cpu", "cores", "threads", "commit")}
        lines.append(points.join(spread).reset_index().assign(**fitted, **origin, **machine))
    return pd.concat(lines, ignore_index=True)


def _exponent(values: pd.Series, least: float) -> dict[str, float]:
    """Slope of log(values) against log(n), and its standard error; needs three sizes."""
    large = values[values > least]
    if len(large) < 3:
        return {"exponent": np.nan, "error": np.nan}
    fit = linregress(np.log(large.index.to_numpy(dtype=float)), np.log(large))
    return {"exponent": float(fit.slope), "error": float(fit.stderr)}


def growth_table(found: pd.DataFrame) -> pd.DataFrame:
    """Seconds at each n, the memory at the largest, and both exponents."""
    rows = {}
    for label, lines in found.groupby("label", sort=False):
        largest = lines.loc[lines["n"].idxmax()]
        seconds = zip(lines["n"], lines["seconds"], strict=True)
        row = {f"seconds, n = {n}": f"{value:.3g}" for n, value in seconds}
        row["exponent of time"] = _exponent_text(largest, "seconds")
        row[f"MB, n = {found['n'].max()}"] = (
            f"{largest['peak_mb']:.3g}" if largest["n"] == found["n"].max() else ""
        )
        row["exponent of memory"] = _exponent_text(largest, "peak_mb")
        rows[label] = row
    columns = [
        *(f"seconds, n = {n}" for n in sorted(found["n"].unique())),
        "exponent of time",
        f"MB, n = {found['n'].max()}",
        "exponent of memory",
    ]
    table = pd.DataFrame.from_dict(rows, orient="index").reindex(columns=columns)
    return table.fillna("").rename_axis("method")


def _exponent_text(line: pd.Series, name: str) -> str:
    if not np.isfinite(line[f"{name}_exponent"]):
        return ""
    return f"{line[f'{name}_exponent']:.2f}±{line[f'{name}_error']:.2f}"


def growth_remark(found: pd.DataFrame) -> str:
    """What was fitted, and where it was measured."""
    datasets = ", ".join(dict.fromkeys(found["dataset"]))
    return (
        f"Random shares of {datasets}, m = {found['m'].iloc[0]}; medians over the repeats; time "
        "and memory fitted as a power of n, with the standard error of the exponent. Memory is "
        f"what a fit adds to the process; less than {SMALLEST_PEAK:g} MB is not fitted. "
        f"{hardware_note(found)}"
    )
