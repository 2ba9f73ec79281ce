"""Computation of the numbers of a table or figure from scores, for each cell and metric."""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from coassoc.bench.storage.records import LABEL_FREE, ORIGIN, Cell, Outcome
from coassoc.errors import DataError
from coassoc.metrics import METRICS

#: Lines of score files by their stems.
Scores = Mapping[str, pd.DataFrame]

_PLACE = ("row", "label", "dataset", "pool", "m", "x", "reference", "variant")
#: Columns of the origin, which are equal on all lines of a cell.
_COMMON = ("parameters", "run", "raced", "cpu", "cores", "threads", *ORIGIN)


def cell_lines(cell: Cell, scores: Scores) -> pd.DataFrame:
    """The rows of scores for a cell, with the columns run (their stem) and parameters (JSON).

    After successive halving of a grid, the column raced has the number of fits out of all fits.
    """
    frames = [scores[stem].assign(run=stem) for stem in cell.sources]
    if cell.reference:
        (frame,) = frames
        if "reference" in frame:
            frame = frame[frame["reference"] == cell.reference]
        return frame.assign(parameters="{}")
    point = (cell.point or {}).items()
    points = [
        frame[frame["parameters"] == text]
        for frame in frames
        for text in frame["parameters"].unique()
        # Parameters that are left out are at their defaults, which are the values of the point.
        if {**dict(point), **json.loads(text)}.items() >= point
    ]
    if cell.tune:
        return _best_point(points, cell.tune)
    if len(points) != 1:
        raise DataError(
            f"{cell.label} on {cell.dataset}: there are {len(points)} grid points in "
            f"{', '.join(cell.sources)}. Keep exactly one point."
        )
    return points[0]


def _best_point(points: Sequence[pd.DataFrame], score: str) -> pd.DataFrame:
    """The point with the largest mean score (the first of equal points) among the finalists.

    Without successive halving, all points are finalists. If the score is unknown, no point can be
    chosen, and the repeats are skipped.
    """
    skipped = [int((lines["status"] == Outcome.LEFT_THE_RACE.value).sum()) for lines in points]
    finalists = [lines for lines, fits in zip(points, skipped, strict=True) if not fits]
    means = [_ok(lines).get(score, pd.Series(dtype=float)).mean() for lines in finalists]
    if not np.isfinite(means).any():
        reason = f"{Outcome.REFUSED.value}it is tuned by {score}, which is unknown"
        first = finalists[0]
        return first.assign(status=first["status"].where(first["status"] != "ok", reason))
    # Rounded, so that equal points do not differ by the last bits of a sum.
    best = finalists[int(np.nanargmax(np.round(means, 12)))]
    total = sum(map(len, points))
    return best.assign(raced=f"{total - sum(skipped)} of {total} fits") if any(skipped) else best


def _ok(lines: pd.DataFrame) -> pd.DataFrame:
    """Lines of successful repeats; all lines if there is no status, as for base clusterings."""
    return lines[lines["status"] == "ok"] if "status" in lines else lines


def lines_of(cells: Iterable[Cell], scores: Scores) -> pd.DataFrame:
    """The rows of all computed cells, with row, label, dataset, pool, m, x and variant."""
    run_cells = [cell for cell in cells if not cell.not_run]
    if not run_cells:
        return pd.DataFrame(columns=_PLACE)
    places = pd.DataFrame(map(_place, run_cells))
    lines = pd.concat(
        [cell_lines(cell, scores) for cell in run_cells], keys=places.index
    ).droplevel(1)
    lines = lines.drop(columns=[*_PLACE], errors="ignore")
    return lines.join(places).reset_index(drop=True)


def with_values(lines: pd.DataFrame, column: str) -> pd.DataFrame:
    """Rows of scores with one of their columns as ``value``; NaN if a repeat failed."""
    lines = lines.assign(value=lines.get(column, np.nan))
    return lines.assign(value=lines["value"].where(lines["status"] == "ok"))


def _place(cell: Cell) -> dict[str, Any]:
    return {"row": cell.label, **{key: getattr(cell, key) for key in _PLACE[1:]}}


def summarize(
    cells: Iterable[Cell],
    scores: Scores,
    metrics: Mapping[str, str],
    relative_to: str | None = None,
) -> pd.DataFrame:
    """Mean and standard deviation over the repeats, for each cell and metric.

    Metrics are names in the table → columns of the scores; the ``columns`` of a cell come before
    them. Rows other than `relative_to` show their distance from it, repeat by repeat: differences
    of scores, and relative changes |x − x₀| / x₀ of other quantities.

    Returns
    -------
    DataFrame
        Columns row, label, dataset, pool, m, x, reference, variant, metric, column (of the scores),
        mean, std (with n − 1), by_repeat (the values themselves, with spaces between, of all
        repeats in their order), repeats, skipped, reason, parameters (JSON), run, distance (whether
        the numbers are distances from `relative_to`); for measured times, also cpu, cores and
        threads; for runs, commit and code; note if partitions do not have the requested number of
        clusters; raced, the number of fits out of all fits after successive halving.
    """
    lines: list[dict[str, Any]] = []
    reference: dict[str, pd.DataFrame] = {}
    cells = sorted(cells, key=lambda cell: cell.label != relative_to) if relative_to else cells
    for cell in cells:
        place = _place(cell)
        if cell.not_run:
            nothing = {"mean": np.nan, "std": np.nan, "repeats": 0, "skipped": 0}
            reason = f"not run: {cell.not_run}"
            lines += [{**place, **nothing, "reason": reason, "metric": name} for name in metrics]
            continue
        frame = cell_lines(cell, scores)
        good = _ok(frame)
        if cell.label == relative_to:
            reference[cell.dataset] = good
        place |= _repeats(frame, good)
        place["distance"] = relative_to is not None and cell.label != relative_to
        columns = {**metrics, **cell.columns}
        for name, column in _available(columns, frame).items():
            values = good.get(column, pd.Series(dtype=float))
            if place["distance"]:
                values = _distance(good, reference.get(cell.dataset, good.iloc[:0]), column)
            best = cell.reference == "best"
            mean, std = (values.max(), np.nan) if best else (values.mean(), values.std())
            line = {**place, "metric": name, "column": column}
            line |= {"mean": float(mean), "std": float(std)}
            if "repeat" in frame and not place["distance"]:
                in_order = values.reindex(frame.sort_values("repeat").index)
                line["by_repeat"] = " ".join(map("{:.6g}".format, in_order))
            if column not in frame and not place["reason"]:
                line["reason"] = f"no score: {cell.label} has no {name} on {cell.dataset}"
            lines.append(line)
    return pd.DataFrame(lines)


def _repeats(frame: pd.DataFrame, good: pd.DataFrame) -> dict[str, Any]:
    """Numbers of repeats and their common origin; `good` are the successful ones."""
    bad = frame.drop(good.index)
    common: dict[str, Any] = {"repeats": len(good), "skipped": len(bad)}
    common["reason"] = str(bad["status"].iloc[0]) if len(bad) else ""
    common |= {name: frame[name].iloc[0] for name in _COMMON if name in frame and len(frame)}
    if "note" in good and good["note"].notna().any():
        common["note"] = ", ".join(dict.fromkeys(good["note"].dropna()))
    return common


def _distance(lines: pd.DataFrame, reference: pd.DataFrame, column: str) -> pd.Series:
    """Distance from the reference in the repeats that both have."""
    both = lines.merge(reference, on="repeat", suffixes=("", "_reference"))
    change = both[column] - both[f"{column}_reference"]
    return change if column in METRICS else change.abs() / both[f"{column}_reference"]


def _available(metrics: Mapping[str, str], frame: pd.DataFrame) -> Mapping[str, str]:
    """The metrics, or label-free measures if there were no classes; neither without partitions."""
    without_classes = [name for name in LABEL_FREE if name in frame]
    has_classes = any(name in frame for name in METRICS)
    unknown = frame[without_classes].isna().all(axis=None)
    if has_classes or unknown or not any(c in METRICS for c in metrics.values()):
        return metrics
    return {name: name for name in without_classes}


def hardware_note(lines: pd.DataFrame) -> str:
    """The hardware on which times were measured; empty for scores."""
    if "cpu" not in lines:
        return ""
    machines = lines[["cpu", "cores", "threads"]].dropna().drop_duplicates()
    return " ".join(
        f"Times were measured one job at a time on {cpu}, using {threads:g} of {cores:g} cores."
        for cpu, cores, threads in machines.itertuples(index=False)
    )
