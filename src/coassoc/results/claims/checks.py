"""Checks: from the lines of tables and curves to the cells that decide a claim.

A check takes the lines of the targets that it names and its entry in config/claims.yaml, and
yields the cells. Cells whose numbers are missing are among them, so that they can be counted.
:data:`coassoc.plan.judgements.CHECKS` lists all checks.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy.stats import ttest_ind_from_stats

from coassoc.results.scorecard import named_by
from coassoc.results.tables import LOWER_IS_BETTER

#: Columns of the lines that checks read.
_LINE = ["target", "row", "dataset", "metric", "x", "mean", "std", "published_mean"]
_LINE += ["published_std", "repeats", "printed"]
#: Level of the t-tests.
_LEVEL = 0.05

Pair = tuple[float, float]
Spec = Mapping[str, Any]
Judge = Callable[[float, float], bool]


class ClaimCell(NamedTuple):
    """One comparison that decides a claim."""

    #: Target, data set, metric and row.
    place: str
    #: The data set, or several with a comma between them.
    dataset: str
    #: The two numbers that are compared, in print and as reproduced; None where one is missing.
    published: Pair | None
    here: Pair | None
    #: Whether they support the claim; False where a number is missing.
    published_holds: bool
    holds: bool


def _cell(
    place: str, dataset: str, published: Pair | None, here: Pair | None, supports: Judge
) -> ClaimCell:
    """The cell of two pairs of numbers, each of which may support the claim."""
    verdicts = [pair is not None and bool(supports(*pair)) for pair in (published, here)]
    return ClaimCell(place, dataset, published, here, *verdicts)


def read_lines(
    paths: Iterable[str | Path],
    datasets: Mapping[str, Sequence[str]],
    differences: Iterable[Mapping[str, Any]] = (),
) -> pd.DataFrame:
    """The lines of tables' and figures' CSV files (``…/{paper}/{target}.csv``) that judge claims.

    Parameters
    ----------
    paths : iterable of path
    datasets : mapping
        Paper → its data sets. Lines of other data sets, which a configuration may put in their
        place, say nothing about the paper; those of the mean do.
    differences : iterable of mapping
        Entries of config/differences.yaml. A printed number that they set aside, so that the
        scorecard does not compare it, is no evidence for a claim either.
    """
    set_aside = [entry for entry in differences if entry.get("not_comparable")]
    frames = [pd.DataFrame(columns=_LINE)]
    for path in map(Path, paths):
        paper = path.parent.name
        frame = pd.read_csv(path).assign(target=f"{paper}_{path.stem}")
        frame = frame[frame["dataset"].isin([*datasets[paper], "mean"])]
        numbers = frame.reindex(columns=_LINE)
        numbers["printed"] = numbers["published_mean"].notna()
        cells = frame.assign(paper=paper, table=path.stem, method=frame.get("label"))
        for entry in set_aside:
            numbers.loc[named_by(entry, cells), ["published_mean", "published_std"]] = np.nan
        frames.append(numbers)
    return pd.concat(frames[1:] or frames, ignore_index=True)


def _chosen(lines: pd.DataFrame, spec: Spec) -> pd.DataFrame:
    """The lines of the data sets and metrics that a check names, or of all but means."""
    datasets = spec.get("datasets", set(lines["dataset"]) - {"mean"})
    metrics = spec.get("metrics", lines["metric"].unique())
    return lines[lines["dataset"].isin(datasets) & lines["metric"].isin(metrics)]


def _groups(lines: pd.DataFrame, spec: Spec) -> Iterator[tuple[str, str, str, pd.DataFrame]]:
    """Place, data set, metric and lines of each target, data set and metric of a check."""
    keys = ["target", "dataset", "metric"]
    for (target, dataset, metric), group in _chosen(lines, spec).groupby(keys, sort=False):
        yield f"{target}, {dataset}, {metric}", dataset, metric, group


def _pair(
    group: pd.DataFrame,
    rows: Sequence[str],
    over: Sequence[str],
    columns: tuple[str, str],
    best: Callable[..., float],
) -> Pair | None:
    """The best number of some rows in one column, and the best of others in another."""
    own, others = (
        group.loc[group["row"].isin(names), column].dropna()
        for names, column in zip((rows, over), columns, strict=True)
    )
    return (best(own), best(others)) if len(own) and len(others) else None


def _over(group: pd.DataFrame, spec: Spec) -> list[str]:
    if spec["over"] != "others":
        return list(spec["over"])
    own = {*spec["rows"], *spec.get("but", [])}
    printed = group.loc[group["printed"], "row"]
    return [row for row in printed if row not in own]


def _at_least(by: float, less_is_better: bool = False) -> Judge:
    if less_is_better:
        return lambda own, other: own <= other * (1 - by)
    return lambda own, other: own >= other * (1 + by)


def _close(by: float) -> Judge:
    return lambda own, other: abs(own - other) <= by


def above(lines: pd.DataFrame, spec: Spec) -> Iterator[ClaimCell]:
    """Each of ``rows`` is at least as good as the best of ``over``, in each data set and metric.

    ``over: others`` stands for all rows that the paper prints but these and those of ``but``. With
    ``each`` they are compared one by one instead; with ``either`` the best of ``rows`` is compared.
    ``by`` asks for a relative gain; ``of: std`` compares standard deviations, where less is better.
    ``averaged`` compares means over the data sets that all rows have, ``together`` takes several
    tables as one, and ``printed_rivals`` compares our rows with the printed numbers of the others.
    """
    statistic = spec.get("of", "mean")
    rivals_here = f"published_{statistic}" if spec.get("printed_rivals") else statistic
    for place, dataset, metric, group in _compared_in(lines, spec, (statistic, rivals_here)):
        less = statistic == "std" or metric in LOWER_IS_BETTER
        best = min if less else max
        here = set(group["row"])
        over = [row for row in _over(group, spec) if row in here]
        rows = [row for row in spec["rows"] if row in here]
        for own in [rows] if spec.get("either") and rows else [[row] for row in rows]:
            for rivals in [[rival] for rival in over] if spec.get("each") else [over]:
                against = f" against {rivals[0]}" if spec.get("each") else ""
                printed = f"published_{statistic}"
                yield _cell(
                    f"{place}: {' or '.join(own)}{against}",
                    dataset,
                    _pair(group, own, rivals, (printed, printed), best),
                    _pair(group, own, rivals, (statistic, rivals_here), best),
                    _at_least(spec.get("by", 0.0), less),
                )


def _compared_in(
    lines: pd.DataFrame, spec: Spec, here: tuple[str, str]
) -> Iterator[tuple[str, str, str, pd.DataFrame]]:
    """Place, data set, metric and lines of each group inside which :func:`above` compares."""
    if spec.get("together"):
        first = ["row", "dataset", "metric"]
        lines = lines.assign(target=" and ".join(spec["in"])).drop_duplicates(first)
    if not spec.get("averaged"):
        yield from _groups(lines, spec)
        return
    for (target, metric), group in _chosen(lines, spec).groupby(["target", "metric"], sort=False):
        named = group[group["row"].isin([*spec["rows"], *_over(group, spec)])]
        mean, datasets = _averaged(named, here)
        place = f"{target}, mean over {len(datasets)} data sets, {metric}"
        yield place, ", ".join(datasets), metric, mean


def _averaged(group: pd.DataFrame, here: tuple[str, str]) -> tuple[pd.DataFrame, list[str]]:
    """Means of each row over the data sets on which no row lacks a number of ours, and these."""
    whole = group[[*here]].notna().all(axis=1).groupby(group["dataset"], sort=False).all()
    datasets = list(whole.index[whole])
    by_row = group[group["dataset"].isin(datasets)].groupby("row", sort=False)
    columns = ["mean", "std", "published_mean", "published_std"]
    numbers = by_row[columns].agg(lambda values: values.mean(skipna=False))
    return numbers.assign(printed=by_row["printed"].any()).reset_index(), datasets


def significant(lines: pd.DataFrame, spec: Spec) -> Iterator[ClaimCell]:
    """Each of ``rows`` is better than the best of ``over`` by Welch's two-sided t-test.

    The test takes means, standard deviations and numbers of repeats; ``repeats`` is that of the
    paper. Where it prints no standard deviations, its own numbers say nothing.
    """
    for place, dataset, _, group in _groups(lines, spec):
        printed = group[["row", "published_mean", "published_std"]].assign(repeats=spec["repeats"])
        sides = [
            frame.set_axis(["row", "mean", "std", "repeats"], axis=1).dropna().set_index("row")
            for frame in (printed, group[["row", "mean", "std", "repeats"]])
        ]
        over = _over(group, spec)
        for row in [row for row in spec["rows"] if row in set(group["row"])]:
            (in_print, print_holds), (here, holds) = (_t_test(side, row, over) for side in sides)
            yield ClaimCell(f"{place}: {row}", dataset, in_print, here, print_holds, holds)


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


def gain(lines: pd.DataFrame, spec: Spec) -> Iterator[ClaimCell]:
    """The mean relative gain of ``row`` over ``over`` is at least ``by``, one number per metric.

    ``mean: ratios`` averages the gains of the data sets; ``mean: scores`` takes the gain of the
    mean scores. Only data sets that have both rows count.
    """
    for metric, group in _chosen(lines, spec).groupby("metric", sort=False):
        place = f"{', '.join(spec['in'])}, {metric}: {spec['row']} over {spec['over']}"
        both = [_both(group, spec, column) for column in ("published_mean", "mean")]
        printed, here = (_gain_and(spec["by"][metric], side, spec["mean"]) for side in both)
        datasets = ", ".join(both[1].index.unique("dataset"))
        yield _cell(place, datasets, printed, here, operator.ge)


def _both(group: pd.DataFrame, spec: Spec, column: str) -> pd.DataFrame:
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


def small(lines: pd.DataFrame, spec: Spec) -> Iterator[ClaimCell]:
    """The numbers of ``rows`` are within ``by`` of ``from``, by default of 0, for distances."""
    chosen = _chosen(lines, spec)
    for line in chosen[chosen["row"].isin(spec["rows"])].itertuples():
        printed, here = (
            None if pd.isna(number) else (float(number), spec.get("from", 0.0))
            for number in (line.published_mean, line.mean)
        )
        place = f"{line.target}, {line.dataset}, {line.metric}: {line.row}"
        yield _cell(place, line.dataset, printed, here, _close(spec["by"]))


# -- checks on curves, which the papers draw without printing their numbers -----------------------


def _curves(lines: pd.DataFrame, spec: Spec) -> Iterator[tuple[str, str, pd.Series, pd.DataFrame]]:
    """Each curve: its place, its data set, its means by x in order, and the whole group."""
    for place, dataset, _, group in _groups(lines, spec):
        for row in spec["rows"]:
            points = group[(group["row"] == row) & group["x"].notna()].dropna(subset="mean")
            if len(points):
                few = " (one repeat)" if points["repeats"].min() == 1 else ""
                values = points.set_index(pd.to_numeric(points["x"]))["mean"].sort_index()
                yield f"{place}: {row}{few}", dataset, values, group


def peak(lines: pd.DataFrame, spec: Spec) -> Iterator[ClaimCell]:
    """The curves of ``rows`` are at their best, or within ``by`` of it, at one of ``at``."""
    for place, dataset, curve, _ in _curves(lines, spec):
        there = curve[curve.index.isin(spec["at"])]
        here = (float(there.max()), float(curve.max())) if len(there) else None
        yield _cell(place, dataset, None, here, _close(spec.get("by", 0.0)))


def curve_above(lines: pd.DataFrame, spec: Spec) -> Iterator[ClaimCell]:
    """Between ``from`` and ``to`` the curves of ``rows`` are nowhere below the row ``over``.

    With ``by`` it only has to stay that near to it. Where ``over`` is a curve itself, it is
    compared point by point, or with its point at ``at``, otherwise as a level line; ``over:
    others`` stands for all other curves, the best at each point. Shown is the worst point, with
    ``each`` every one.
    """
    speaks = _close(spec["by"]) if "by" in spec else _at_least(0.0)
    for place, dataset, curve, group in _curves(lines, spec):
        inside = curve.loc[spec["from"] : spec["to"]]
        rivals = spec["over"]
        if rivals == "others":
            rivals = {*group["row"]} - {*spec["rows"]}
        others = group[group["row"].isin(rivals)]
        if inside.empty or others.empty:
            continue
        if others["x"].isna().all():
            right = pd.Series(others["mean"].max(), index=inside.index)
        else:
            right = others["mean"].groupby(pd.to_numeric(others["x"])).max()
            at = [spec["at"]] * len(inside) if "at" in spec else inside.index
            right = right.reindex(at).set_axis(inside.index)
        gap = inside - right
        worst = gap.abs().idxmax() if "by" in spec else gap.idxmin()
        for x in inside.index if spec.get("each") else [worst]:
            pair = float(inside[x]), float(right[x])
            yield _cell(f"{place} at {x:g}", dataset, None, pair, speaks)


def rising(lines: pd.DataFrame, spec: Spec) -> Iterator[ClaimCell]:
    """Curves never fall by more than ``by``; with ``ends`` they are higher at the end than before.

    Shown are the two ends, the last one first.
    """
    for place, dataset, curve, _ in _curves(lines, spec):
        points = curve.iloc[[0, -1]] if spec.get("ends") else curve
        rises = bool((points.diff().dropna() >= -spec.get("by", 0.0)).all())
        ends = float(curve.iloc[-1]), float(curve.iloc[0])
        yield ClaimCell(place, dataset, None, ends, False, rises)


def stable(lines: pd.DataFrame, spec: Spec) -> Iterator[ClaimCell]:
    """A ``share`` of the points of a curve or surface lies within ``by`` of the best one."""
    for place, dataset, _, group in _groups(lines, spec):
        for row in spec["rows"]:
            values = group.loc[(group["row"] == row) & group["x"].notna(), "mean"].dropna()
            if len(values):
                pair = float((values >= values.max() - spec["by"]).mean()), spec["share"]
                yield _cell(f"{place}: {row}", dataset, None, pair, operator.ge)
