"""Checks: from the lines of tables and curves to the cells that decide a claim.

A check takes the lines of the targets that it names and its entry in config/claims.yaml, and
returns the cells. Cells whose numbers are missing are among them, so that they can be counted.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import ttest_ind_from_stats

__all__ = ["CHECKS", "Cell", "read_lines"]

#: Columns of the lines that checks read.
_LINE = ["target", "row", "dataset", "metric", "x", "mean", "std", "published_mean"]
_LINE += ["published_std", "repeats"]
#: Level of the t-tests.
_LEVEL = 0.05
#: Metrics of which less is better.
_LESS_IS_BETTER = {"seconds", "cpu_seconds", "peak_mb"}

Pair = tuple[float, float]


@dataclass(frozen=True)
class Cell:
    """One comparison that decides a claim.

    Attributes
    ----------
    place : str
        Target, data set, metric and row.
    dataset : str
        The data set, or several with a comma between them.
    published, here : tuple of two floats or None
        The two numbers that are compared, in print and as reproduced; None where one is missing.
    published_holds, holds : bool
        Whether they speak for the claim; False where a number is missing.
    """

    place: str
    dataset: str
    published: Pair | None
    here: Pair | None
    published_holds: bool
    holds: bool

    @classmethod
    def compare(
        cls,
        place: str,
        dataset: str,
        published: Pair | None,
        here: Pair | None,
        speaks_for: Callable[[float, float], bool],
    ) -> Cell:
        """The cell of two pairs of numbers, each judged by `speaks_for`."""
        verdicts = [pair is not None and bool(speaks_for(*pair)) for pair in (published, here)]
        return cls(place, dataset, published, here, *verdicts)


def read_lines(paths: Iterable[str | Path], datasets: Mapping[str, Sequence[str]]) -> pd.DataFrame:
    """The lines of tables' and figures' CSV files that claims are judged by.

    Parameters
    ----------
    paths : iterable of path
        ``…/{paper}/{table or figure}.csv``.
    datasets : mapping
        Paper → its data sets, and "mean". Lines of other data sets, which a configuration may put
        in their place, say nothing about the paper.
    """
    frames = []
    for path in map(Path, paths):
        paper = path.parent.name
        frame = pd.read_csv(path).assign(target=f"{paper}_{path.stem}")
        frame = frame[frame["dataset"].isin([*datasets[paper], "mean"])]
        frames.append(frame.reindex(columns=_LINE))
    return pd.concat(frames, ignore_index=True) if frames else pd.DataFrame(columns=_LINE)


def _chosen(lines: pd.DataFrame, spec: Mapping[str, Any]) -> pd.DataFrame:
    """The lines of the data sets and metrics that a check names, or of all but means."""
    chosen = lines[lines["dataset"].isin(spec.get("datasets", lines["dataset"].unique()))]
    if "datasets" not in spec:
        chosen = chosen[chosen["dataset"] != "mean"]
    return chosen[chosen["metric"].isin(spec.get("metrics", lines["metric"].unique()))]


def _numbers(group: pd.DataFrame, rows: Sequence[str], column: str) -> list[float]:
    """A column's numbers in the rows that are named."""
    return group.loc[group["row"].isin(rows), column].dropna().tolist()


def _pair(
    group: pd.DataFrame, row: str, over: Sequence[str], column: str, best: Callable[..., float]
) -> tuple[float, float] | None:
    own, others = _numbers(group, [row], column), _numbers(group, over, column)
    return (own[0], best(others)) if own and others else None


def _above(lines: pd.DataFrame, spec: Mapping[str, Any]) -> list[Cell]:
    """Each of ``rows`` is at least as good as the best of ``over``, in each data set and metric.

    ``over: others`` stands for all rows that the paper prints but these and those of ``but``. With
    ``each`` they are compared one by one instead. ``by`` asks for a relative gain; ``of: std``
    compares standard deviations, where less is better.
    """
    statistic = spec.get("of", "mean")
    cells = []
    for (target, dataset, metric), group in _groups(_chosen(lines, spec)):
        less = statistic == "std" or metric in _LESS_IS_BETTER
        best = min if less else max
        better = _at_least(spec.get("by", 0.0), less)
        here = set(group["row"])
        over = [row for row in _over(group, spec) if row in here]
        for row in [row for row in spec["rows"] if row in here]:
            for rivals in [[each] for each in over] if spec.get("each") else [over]:
                printed = _pair(group, row, rivals, f"published_{statistic}", best)
                found = _pair(group, row, rivals, statistic, best)
                against = f" against {rivals[0]}" if spec.get("each") else ""
                place = f"{target}, {dataset}, {metric}: {row}{against}"
                cells.append(Cell.compare(place, dataset, printed, found, better))
    return cells


def _groups(lines: pd.DataFrame) -> Any:
    return lines.groupby(["target", "dataset", "metric"], sort=False)


def _over(group: pd.DataFrame, spec: Mapping[str, Any]) -> list[str]:
    if spec["over"] != "others":
        return list(spec["over"])
    own = {*spec["rows"], *spec.get("but", [])}
    printed = group.loc[group["published_mean"].notna(), "row"]
    return [row for row in printed if row not in own]


def _at_least(by: float, less_is_better: bool) -> Callable[[float, float], bool]:
    if less_is_better:
        return lambda own, other: own <= other * (1 - by)
    return lambda own, other: own >= other * (1 + by)


def _significant(lines: pd.DataFrame, spec: Mapping[str, Any]) -> list[Cell]:
    """Each of ``rows`` is better than the best of ``over`` by Welch's two-sided t-test.

    The test takes means, standard deviations and numbers of repeats; ``repeats`` is that of the
    paper. Where it prints no standard deviations, its own numbers say nothing.
    """
    cells = []
    for (target, dataset, metric), group in _groups(_chosen(lines, spec)):
        printed = group[["row", "published_mean", "published_std"]].assign(repeats=spec["repeats"])
        sides = [
            frame.set_axis(["row", "mean", "std", "repeats"], axis=1).dropna().set_index("row")
            for frame in (printed, group[["row", "mean", "std", "repeats"]])
        ]
        over = _over(group, spec)
        for row in [row for row in spec["rows"] if row in set(group["row"])]:
            (in_print, print_holds), (here, holds) = (_t_test(side, row, over) for side in sides)
            place = f"{target}, {dataset}, {metric}: {row}"
            cells.append(Cell(place, dataset, in_print, here, print_holds, holds))
    return cells


def _t_test(numbers: pd.DataFrame, row: str, over: Sequence[str]) -> tuple[Pair | None, bool]:
    """The means of a row and of the best of others, and whether it is significantly better."""
    rivals = numbers[numbers.index.isin(over)]
    if row not in numbers.index or rivals.empty:
        return None, False
    own, best = numbers.loc[row], rivals.loc[rivals["mean"].idxmax()]
    with np.errstate(all="ignore"):  # two rows without any spread
        test = ttest_ind_from_stats(*own, *best, equal_var=False)
    pair = float(own["mean"]), float(best["mean"])
    return pair, bool(pair[0] > pair[1] and test.pvalue < _LEVEL)


def _gain(lines: pd.DataFrame, spec: Mapping[str, Any]) -> list[Cell]:
    """The mean relative gain of ``row`` over ``over`` is at least ``by``, one number per metric.

    ``mean: ratios`` averages the gains of the data sets; ``mean: scores`` takes the gain of the
    mean scores. Only data sets that have both rows count.
    """
    cells = []
    for metric, group in _chosen(lines, spec).groupby("metric", sort=False):
        wanted = spec["by"][metric]
        printed, here = (_both(group, spec, column) for column in ("published_mean", "mean"))
        place = f"{', '.join(spec['in'])}, {metric}: {spec['row']} over {spec['over']}"
        datasets = ", ".join(here.index.unique("dataset"))
        pairs = [_gain_and(wanted, both, spec["mean"]) for both in (printed, here)]
        cells.append(Cell.compare(place, datasets, pairs[0], pairs[1], operator.ge))
    return cells


def _both(group: pd.DataFrame, spec: Mapping[str, Any], column: str) -> pd.DataFrame:
    """A column's numbers of ``row`` and of ``over``, where there are both: a line per data set."""
    wide = group.pivot_table(
        index=["target", "dataset"], columns="row", values=column, sort=False, dropna=False
    )
    return wide.reindex(columns=[spec["row"], spec["over"]]).dropna()


def _gain_and(wanted: float, both: pd.DataFrame, mean: str) -> Pair | None:
    """The mean relative gain of the first column over the second, and the wanted one."""
    if both.empty:
        return None
    own, other = both.iloc[:, 0], both.iloc[:, 1]
    ratio = own.mean() / other.mean() if mean == "scores" else (own / other).mean()
    return float(ratio - 1), wanted


def _small(lines: pd.DataFrame, spec: Mapping[str, Any]) -> list[Cell]:
    """The numbers of ``rows``, which are distances from another row, are at most ``by`` in size."""
    chosen = _chosen(lines, spec)
    cells = []
    for line in chosen[chosen["row"].isin(spec["rows"])].itertuples():
        printed, here = (
            None if pd.isna(number) else (float(number), 0.0)
            for number in (line.published_mean, line.mean)
        )
        place = f"{line.target}, {line.dataset}, {line.metric}: {line.row}"
        cells.append(Cell.compare(place, line.dataset, printed, here, _close(spec["by"])))
    return cells


def _close(by: float) -> Callable[[float, float], bool]:
    return lambda own, other: abs(own - other) <= by


# -- checks on curves, which the papers draw without printing their numbers -----------------------


def _curves(
    lines: pd.DataFrame, spec: Mapping[str, Any]
) -> Iterable[tuple[str, str, pd.DataFrame, Any]]:
    """Each curve: its place, its data set, its points with numeric x, and the whole group."""
    for (target, dataset, metric), group in _groups(_chosen(lines, spec)):
        points = group[(group["row"] == spec["row"]) & group["x"].notna()]
        points = points.assign(x=pd.to_numeric(points["x"])).dropna(subset=["mean"])
        if len(points):
            few = " (one repeat)" if points["repeats"].min() == 1 else ""
            place = f"{target}, {dataset}, {metric}: {spec['row']}{few}"
            yield place, dataset, points.sort_values("x"), group


def _peak(lines: pd.DataFrame, spec: Mapping[str, Any]) -> list[Cell]:
    """The curve of ``row`` is at its best, or within ``by`` of it, at one of ``at``."""
    cells = []
    for place, dataset, points, _ in _curves(lines, spec):
        best = points["mean"].max()
        there = points.loc[points["x"].isin(spec["at"]), "mean"]
        here = (float(there.max()), float(best)) if len(there) else None
        by = spec.get("by", 0.0)
        cells.append(Cell.compare(place, dataset, None, here, _close(by)))
    return cells


def _curve_above(lines: pd.DataFrame, spec: Mapping[str, Any]) -> list[Cell]:
    """Between ``from`` and ``to`` the curve of ``row`` is nowhere below the row ``over``.

    With ``by`` it only has to stay that near to it. Where ``over`` is a curve itself, it is
    compared point by point, otherwise as a level line; ``over: others`` stands for all other
    curves, the best at each point. Shown is the worst point, with ``each`` every one.
    """
    cells = []
    for place, dataset, points, group in _curves(lines, spec):
        inside = points[points["x"].between(spec["from"], spec["to"])]
        rivals = {*group["row"]} - {spec["row"]} if spec["over"] == "others" else spec["over"]
        other = group[group["row"].isin(rivals)]
        if inside.empty or other.empty:
            continue
        level = other["mean"].max() if other["x"].isna().all() else None
        right = inside["x"].map(
            lambda x, other=other, level=level: (
                level
                if level is not None
                else other.loc[pd.to_numeric(other["x"]) == x, "mean"].max()
            )
        )
        gap = inside["mean"] - right
        speaks = _close(spec["by"]) if "by" in spec else _at_least(0.0, False)
        worst = gap.abs().idxmax() if "by" in spec else gap.idxmin()
        for point in inside.index if spec.get("each") else [worst]:
            pair = float(inside["mean"][point]), float(right[point])
            at = f" at {inside['x'][point]:g}"
            cells.append(Cell.compare(place + at, dataset, None, pair, speaks))
    return cells


def _rising(lines: pd.DataFrame, spec: Mapping[str, Any]) -> list[Cell]:
    """The curve of ``row`` never falls by more than ``by``; shown are its two ends."""
    cells = []
    for place, dataset, points, _ in _curves(lines, spec):
        values = points["mean"]
        rises = bool((values.diff().dropna() >= -spec.get("by", 0.0)).all())
        ends = float(values.iloc[-1]), float(values.iloc[0])
        cells.append(Cell(place, dataset, None, ends, False, rises))
    return cells


def _stable(lines: pd.DataFrame, spec: Mapping[str, Any]) -> list[Cell]:
    """A ``share`` of the points of a curve or surface lies within ``by`` of the best one."""
    cells = []
    for (target, dataset, metric), group in _groups(_chosen(lines, spec)):
        values = group.loc[(group["row"] == spec["row"]) & group["x"].notna(), "mean"].dropna()
        if len(values):
            share = float((values >= values.max() - spec["by"]).mean())
            place = f"{target}, {dataset}, {metric}: {spec['row']}"
            pair = share, spec["share"]
            cells.append(Cell.compare(place, dataset, None, pair, operator.ge))
    return cells


#: Kinds of checks by their key in config/claims.yaml.
CHECKS: dict[str, Callable[[pd.DataFrame, Mapping[str, Any]], list[Cell]]] = {
    "above": _above,
    "significant": _significant,
    "gain": _gain,
    "small": _small,
    "peak": _peak,
    "curve_above": _curve_above,
    "rising": _rising,
    "stable": _stable,
}
