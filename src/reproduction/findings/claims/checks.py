"""Checks, which turn the lines of tables and curves into the cells that decide a claim.

A claim calls one of the functions below, such as ``above("eccms_table4", [OURS], over=["LWEA"])``,
and gets a :class:`Check`. The check takes the lines of one side (the published or the reproduced
numbers), compares two numbers in each cell, and says whether they support the claim. Two reproduced
rows are compared on the repeats that both rows have, because a mean over one draw and a mean over
twenty draws are not comparable. A check also yields the cells with missing numbers, so that they
can be counted.

Numbers are arrays. The first element is the observed number. The other elements, if any, are the
numbers in bootstrap samples of the repeats, so that a claim is judged on all samples at once.
"""

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial, wraps
from itertools import pairwise, product
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
import pandas as pd
import scipy
from numpy.typing import NDArray

from coassoc.bench.statistics import LEVEL
from reproduction.findings.scorecard import named_by
from reproduction.scores.columns import LOWER_IS_BETTER
from reproduction.study.paths import Source

#: Columns of the lines that checks read.
_NUMBERS = ["mean", "std", "published_mean", "published_std"]
_LINE = ["target", "row", "dataset", "metric", "x", *_NUMBERS, "repeats", "by_repeat"]
_LINE += ["printed", "made", "run", "variant"]

#: Columns on which lines must agree to be compared with each other.
_GROUP = ["target", "where", "dataset", "metric"]

#: Largest relative deviation of a gain that still counts as the claimed gain.
_NEAR_GAIN = 0.25

#: A line of a table or curve, by its columns, with the numbers of all draws.
Line = Mapping[str, Any]
#: Lines of one row.
Lines = Sequence[Line]
#: Names of rows. The rows to compare with may be "others".
Rows = Sequence[str]
Over = Rows | Literal["others"]
#: Numbers, one for each bootstrap sample.
Numbers = NDArray[np.float64]


#: Functions that decide, by their names. These names are the kinds of checks.
_DECIDE: dict[str, Callable[..., Iterator["Decision"]]] = {}
#: Kinds that use curves, which are in figures.
ON_CURVES = ("peak", "curve_above", "rising", "near_best")
#: Arguments that name rows.
_NAMED = ("rows", "over", "but")


@dataclass(frozen=True)
class Check:
    """The check that decides a claim: lines of tables or curves, and the condition on them."""

    #: Name of the function that decides, such as "above", and its arguments.
    kind: str
    options: Mapping[str, Any]
    #: Targets such as "eccms_table4", and the lines of these targets that count, or None for all
    #: lines.
    targets: Sequence[str]
    datasets: Sequence[str] | None = None
    metrics: Sequence[str] | None = None
    #: Name of a protocol.
    variant: str = ""
    #: Whether the targets count as one table.
    together: bool = False
    #: Number of repeats behind the paper's numbers, for tests that need it.
    repeats: int | None = None

    @property
    def rows(self) -> list[str]:
        """All rows that the check names."""
        named = [self.options.get(key, ()) for key in _NAMED]
        return [row for rows in named if rows != "others" for row in rows]

    def select(self, lines: pd.DataFrame) -> pd.DataFrame:
        """The lines that the check uses."""
        lines = lines[lines["target"].isin(self.targets)]
        if self.variant:
            lines = lines[lines["variant"] == self.variant]
        datasets = {*lines["dataset"]} - {"mean"} if self.datasets is None else self.datasets
        metrics = lines["metric"].unique() if self.metrics is None else self.metrics
        lines = lines[lines["dataset"].isin(datasets) & lines["metric"].isin(metrics)]
        lines = lines.assign(where=lines["dataset"], on=lines["dataset"])
        if self.together:
            lines = lines.assign(target=" and ".join(self.targets))
            lines = lines.drop_duplicates(["row", "dataset", "metric"])
        return lines

    def decide(self, lines: pd.DataFrame) -> Iterator["Decision"]:
        """The decisions on the cells of one side."""
        return _DECIDE[self.kind](lines, **self.options)


def _check(decide: Callable[..., Iterator["Decision"]]) -> Callable[..., Check]:
    """Turn a function that decides on lines into a function that builds a check.

    The new function takes targets, such as "eccms_table4 eccms_table5", in place of the lines. It
    also accepts fields of :class:`Check`, such as datasets, as keywords.
    """
    signature = inspect.signature(decide)
    _DECIDE[decide.__name__] = decide

    @wraps(decide)
    def make(targets: str, *rows: Any, **given: Any) -> Check:
        general = ("datasets", "metrics", "variant", "together", "repeats")
        selected = {key: given.pop(key) for key in general if key in given}
        options = signature.bind(None, *rows, **given).arguments
        del options["lines"]
        for key in _NAMED:  # rows may be those of a study
            if options.get(key, "others") != "others":
                options[key] = [getattr(row, "label", row) for row in options[key]]
        return Check(decide.__name__, options, targets.split(), **selected)

    return make


class Decision(NamedTuple):
    """One cell of a check, on one side."""

    #: Target, data set, metric and row.
    place: str
    #: The data set, or several separated by commas.
    dataset: str
    #: The two compared numbers, NaN for a missing number.
    own: Numbers
    against: Numbers
    holds: NDArray[np.bool_]
    #: Number of reproduced repeats behind the numbers.
    repeats: Any = np.nan


class Cells(NamedTuple):
    """The cells of a check."""

    #: Columns are place, dataset (or several, separated by commas), for each side ("published",
    #: "here") the number, the number it is compared with (" against"; both are NaN if one is
    #: missing) and whether they support the claim (" holds"; False if a number is missing), and
    #: repeats (number of reproduced repeats).
    table: pd.DataFrame
    #: Whether a cell has reproduced numbers, and whether they support the claim (cells × samples).
    known: NDArray[np.bool_]
    holds: NDArray[np.bool_]

    @property
    def datasets(self) -> list[str]:
        """The data set of each cell, or several data sets as one name."""
        return list(self.table["dataset"])

    def at(self, which: pd.Series) -> "Cells":
        """The selected cells."""
        return Cells(*(part[which.to_numpy()] for part in self))


def read_lines(
    paths: Iterable[str | Path],
    datasets: Mapping[str, Sequence[str]],
    differences: Iterable[Mapping[str, Any]] = (),
) -> pd.DataFrame:
    """Read the lines that judge claims from CSV files ``…/{paper}/{target}.csv``.

    The function leaves out lines of data sets that a configuration puts in place of the paper's
    data sets, and published numbers that config/differences.yaml declares not comparable.
    """
    set_aside = [entry for entry in differences if entry.get("not_comparable")]
    frames = []
    for path in map(Path, paths):
        paper = path.parent.name
        frame = pd.read_csv(path).assign(target=f"{paper}_{path.stem}")
        frame = frame[frame["dataset"].isin([*datasets[paper], "mean"])]
        numbers = frame.reindex(columns=_LINE)
        numbers["printed"] = numbers["published_mean"].notna()
        numbers["made"] = numbers["mean"].notna()
        numbers["by_repeat"] = [
            np.array(values.split(" "), dtype=float) if isinstance(values, str) else None
            for values in numbers["by_repeat"]
        ]
        cells = frame.assign(paper=paper, table=path.stem, method=frame.get("label"))
        for entry in set_aside:
            numbers.loc[named_by(entry, cells), ["published_mean", "published_std"]] = np.nan
        frames.append(numbers)
    return pd.concat(frames or [pd.DataFrame(columns=_LINE)], ignore_index=True)


def decide(check: Check, lines: pd.DataFrame, n_draws: int = 1) -> Cells:
    """The cells of a check. Curves have no published numbers.

    If there are several draws, the lines have a column "draws". It contains, for each line, a
    mapping from the number of repeats to the positions of the drawn repeats (draws × repeats).
    Lines on the same ensembles share one mapping. The first draw contains all repeats in order.
    """
    lines = check.select(lines)
    in_print = {"mean": lines["published_mean"], "std": lines["published_std"]}
    printed = lines.iloc[:0] if check.kind in ON_CURVES else lines
    printed = printed.assign(**in_print, repeats=check.repeats, by_repeat=None)
    reproduced = _on_one_side("here", check, lines, n_draws)
    published = _on_one_side("published", check, printed, 1).table.iloc[:, 2:-1]
    table = reproduced.table.iloc[:, :2].join([published, reproduced.table.iloc[:, 2:]])
    table["published holds"] = table["published holds"].eq(True)
    return reproduced._replace(table=table)


def _on_one_side(side: str, check: Check, lines: pd.DataFrame, n_draws: int) -> Cells:
    """The decisions of a check on one side; a cell without both numbers does not count as known."""
    decisions = list(check.decide(lines))
    known, holds = np.zeros((2, len(decisions), n_draws), dtype=bool)
    for k, decision in enumerate(decisions):
        known[k] = np.isfinite(decision.own) & np.isfinite(decision.against)
        holds[k] = known[k] & decision.holds
    first = [[x if isinstance(x, str) else np.ravel(x)[0] for x in each] for each in decisions]
    numbers = [side, f"{side} against"]
    table = pd.DataFrame(first, columns=["place", "dataset", *numbers, f"{side} holds", "repeats"])
    table[numbers] = table[numbers].astype(float).where(table[numbers].notna().all(axis=1))
    return Cells(table.assign(**{f"{side} holds": holds[:, 0]}), known, holds)


def _records(lines: pd.DataFrame) -> list[dict[str, Any]]:
    """The lines, with their numbers in all draws."""
    records: list[dict[Any, Any]] = lines.assign(draws=lines.get("draws")).to_dict("records")
    for line in records:
        if not isinstance(line["by_repeat"], np.ndarray):
            line["by_repeat"] = line["draws"] = None
        line.update({key: np.array([line[key]], dtype=float) for key in ("mean", "std", "repeats")})
        if line["draws"] is not None:  # the file's own numbers come first
            drawn = _numbers_of(line["by_repeat"], line["draws"])
            line.update({key: np.append(line[key], drawn[key][1:]) for key in drawn})
    return records


def _numbers_of(values: Numbers, draws: Mapping[int, NDArray[np.intp]] | None) -> dict[str, Any]:
    """Mean and standard deviation of the finite scores of repeats, in each draw."""
    drawn = values[None] if draws is None else values[draws[len(values)]]
    finite = np.isfinite(drawn)
    n = finite.sum(axis=1)
    with np.errstate(all="ignore"):  # means over no repeat, and spreads of one repeat
        mean = np.where(finite, drawn, 0.0).sum(axis=1) / n
        squares = np.where(finite, drawn - mean[:, None], 0.0) ** 2
        std = np.sqrt(squares.sum(axis=1) / np.where(n > 1, n - 1, np.nan))
    return {"mean": mean, "std": std}


def _restrict_to_common(lines: Lines) -> list[dict[str, Any]]:
    """Lines with numbers over the repeats that all lines have.

    Lines without repeats, such as published lines or lines of a pool, keep their numbers.
    """
    of_repeats = [line["by_repeat"] for line in lines if line["by_repeat"] is not None]
    if not of_repeats:
        return list(map(dict, lines))
    n = min(map(len, of_repeats))
    both = np.logical_and.reduce([np.isfinite(values[:n]) for values in of_repeats])
    common = [{**line, "repeats": np.array([float(both.sum())])} for line in lines]
    for line in common:
        values = line["by_repeat"]
        # For this number of repeats, a line already has its own numbers, which the file has
        # rounded.
        if values is not None and len(values) != both.sum():
            line["by_repeat"] = np.where(both, values[:n], np.nan)
            line.update(_numbers_of(line["by_repeat"], line["draws"]))
    return common


def _stack(numbers: Iterable[Any]) -> Numbers:
    """Numbers of several lines or comparisons, as an array (lines × draws)."""
    return np.array(np.broadcast_arrays(*numbers), dtype=float)


def _groups(lines: pd.DataFrame) -> Iterator[tuple[str, str, str, dict[str, list[dict[str, Any]]]]]:
    """Place, data set, metric, and lines by row, for each target, data set and metric."""
    groups: dict[tuple[str, ...], dict[str, list[dict[str, Any]]]] = {}
    for line in _records(lines):
        keys = tuple(line[key] for key in _GROUP)
        groups.setdefault(keys, {}).setdefault(line["row"], []).append(line)
    for (target, where, dataset, metric), by_row in groups.items():
        yield f"{target}, {where}, {metric}", dataset, metric, by_row


def _over(by_row: Mapping[str, Lines], rows: Rows, over: Over, but: Rows) -> list[str]:
    """The available rows with which `rows` are compared."""
    printed = [row for row, of_row in by_row.items() if any(line["printed"] for line in of_row)]
    return [row for row in _rivals(printed, rows, over, but) if row in by_row]


def _rivals(printed: Iterable[str], rows: Rows, over: Over, but: Rows) -> list[str]:
    """The rows with which `rows` are compared; "others" stands for the other published rows."""
    if over != "others":
        return list(over)
    return [row for row in printed if row not in {*rows, *but}]


@_check
def above(
    lines: pd.DataFrame,
    rows: Rows,
    over: Over,
    *,
    but: Rows = (),
    each: bool = False,
    either: bool = False,
    by: float = 0.0,
    of: str = "mean",
    averaged: bool = False,
    printed_rivals: bool = False,
) -> Iterator[Decision]:
    """Each of ``rows`` is at least as good as the best of ``over``, in each data set and metric.

    ``over="others"`` stands for all published rows except ``rows`` and ``but``. With ``each``, the
    rows of ``over`` are compared one by one. With ``either``, only the best of ``rows`` is
    compared. ``by`` requires a relative gain. ``of="std"`` compares standard deviations, of which
    smaller ones are better. ``averaged`` compares means over the data sets that all rows have.
    ``printed_rivals`` compares the reproduced ``rows`` with the published numbers of the other
    rows.
    """
    if averaged:
        lines = _averaged(lines, rows, over, but)
    if printed_rivals:
        lines = _with_printed_rivals(lines, rows)
    for place, dataset, metric, by_row in _groups(lines):
        less = of == "std" or metric in LOWER_IS_BETTER
        duel = partial(_duel, statistic=of, by=by, less=less)
        present = [row for row in rows if row in by_row]
        rivals = _over(by_row, rows, over, but)
        for own_rows in [present] if either and present else [[row] for row in present]:
            for others in [[rival] for rival in rivals] if each else [rivals]:
                against = f" against {others[0]}" if each else ""
                worst = [
                    _pick([duel(by_row[row], by_row[rival]) for rival in others], np.argmin)
                    for row in own_rows
                ]
                picked = _pick(worst, np.argmax)
                yield picked.decision(f"{place}: {' or '.join(own_rows)}{against}", dataset)


def _averaged(lines: pd.DataFrame, rows: Rows, over: Over, but: Rows) -> pd.DataFrame:
    """The lines of data sets on which all rows have reproduced numbers, as one place."""
    frames = [lines.iloc[:0]]
    for _, group in lines.groupby(["target", "metric"], sort=False):
        printed = group.loc[group["printed"].astype(bool), "row"].unique()
        named = group[group["row"].isin([*rows, *_rivals(printed, rows, over, but)])]
        whole = named["made"].astype(bool).groupby(named["dataset"], sort=False).all()
        datasets = whole.index[whole]
        counted = named[named["dataset"].isin(datasets)]
        about = {"dataset": ", ".join(datasets), "where": f"mean over {len(datasets)} data sets"}
        frames.append(counted.assign(**about))
    return pd.concat(frames, ignore_index=True)


def _with_printed_rivals(lines: pd.DataFrame, rows: Rows) -> pd.DataFrame:
    """The lines, with the published numbers of all rows other than `rows`."""
    is_row = lines["row"].isin(rows)
    in_print = {name: lines[f"published_{name}"] for name in ("mean", "std")}
    lines = lines.assign(**{name: lines[name].where(is_row, in_print[name]) for name in in_print})
    return lines.assign(by_repeat=lines["by_repeat"].where(is_row, None))


class _Duel(NamedTuple):
    """A comparison of two rows in a cell, with the excess of the first row over the requirement."""

    #: The excess; NaN if one of the rows lacks a number.
    margin: Numbers
    own: Numbers
    against: Numbers
    repeats: Numbers

    def decision(self, place: str, dataset: str) -> Decision:
        """The decision on a claim."""
        return Decision(place, dataset, self.own, self.against, self.margin >= 0, self.repeats)


#: The comparison in a cell without numbers.
_NO_DUEL = _Duel(*[np.array([np.nan])] * 4)


def _pick(duels: Sequence[_Duel], of_margins: Callable[..., Any]) -> _Duel:
    """The comparison with the smallest (``np.argmin``) or largest margin, in each draw."""
    return _Duel(*_compare_with_first(duels, of_margins)) if duels else _NO_DUEL


def _compare_with_first(
    several: Sequence[tuple[Numbers, ...]], which: Callable[..., Any]
) -> NDArray[Any]:
    """The tuple with the smallest (``np.argmin``) or largest first number in each draw."""
    numbers = _stack(number for each in several for number in each)
    numbers = numbers.reshape(len(several), len(several[0]), -1)
    last = np.inf if which is np.argmin else -np.inf
    at = which(np.where(np.isnan(numbers[:, 0]), last, numbers[:, 0]), axis=0)
    return np.take_along_axis(numbers, at[None, None], axis=0)[0]


def _duel(own: Lines, rival: Lines, statistic: str, by: float, less: bool) -> _Duel:
    """Compare the lines of two rows on each data set, over their common repeats."""
    others = {line["on"]: line for line in rival}
    pairs = [_restrict_to_common((line, others[line["on"]])) for line in own]
    left, right = (_stack(pair[i][statistic] for pair in pairs).mean(axis=0) for i in (0, 1))
    margin = right * (1 - by) - left if less else left - right * (1 + by)
    has_margin = ~np.isnan(margin)
    fewest = np.fmin.reduce([line["repeats"] for pair in pairs for line in pair], dtype=float)
    return _Duel(
        *(np.where(has_margin, numbers, np.nan) for numbers in (margin, left, right, fewest))
    )


@_check
def significant(
    lines: pd.DataFrame, rows: Rows, over: Over, *, but: Rows = ()
) -> Iterator[Decision]:
    """Each of ``rows`` is better than the best of ``over`` by Welch's two-sided t-test.

    The test uses means, standard deviations and numbers of repeats. If the paper prints no standard
    deviations, its numbers decide nothing.
    """
    for place, dataset, _, by_row in _groups(lines):
        rivals = [_sample(by_row[row][0]) for row in _over(by_row, rows, over, but)]
        best = _compare_with_first(rivals, np.argmax) if rivals else [np.array([np.nan])] * 3
        for row in [row for row in rows if row in by_row]:
            own_sample = _sample(by_row[row][0])
            with np.errstate(all="ignore"):  # both rows may have no spread
                p = scipy.stats.ttest_ind_from_stats(*own_sample, *best, equal_var=False).pvalue
            holds = (own_sample[0] > best[0]) & (p < LEVEL)
            repeats = np.minimum(own_sample[2], best[2])
            yield Decision(f"{place}: {row}", dataset, own_sample[0], best[0], holds, repeats)


def _sample(line: Line) -> tuple[Numbers, ...]:
    """Mean, standard deviation and number of repeats; NaN where one of them is missing."""
    numbers = np.broadcast_arrays(line["mean"], line["std"], line["repeats"])
    finite = np.isfinite(numbers).all(axis=0)
    return tuple(np.where(finite, number, np.nan) for number in numbers)


@_check
def gain(
    lines: pd.DataFrame,
    rows: Rows,
    over: Over,
    *,
    by: Mapping[str, float],
    mean: Literal["ratios", "scores"] = "ratios",
    but: Rows = (),
) -> Iterator[Decision]:
    """The mean relative gain of ``rows`` over the best of ``over`` in each metric is near ``by``.

    The gain may differ from the claimed gain by a quarter of the claimed gain. A much larger gain
    therefore does not support the claim either. ``over`` and ``but`` are as in :func:`above`.

    ``mean="ratios"`` averages the gains of the data sets; ``mean="scores"`` takes the gain of the
    mean scores. Only data sets that have both rows count.
    """
    lines = lines[lines["metric"].isin(by)]
    pairs: dict[tuple[str, str], list[tuple[str, _Duel]]] = {}
    for _, dataset, metric, by_row in _groups(lines.dropna(subset="mean")):
        rivals = [by_row[row][0] for row in _over(by_row, rows, over, but)]
        for row in rows if rivals else ():
            if row in by_row:
                pair = dataset, _with_best(by_row[row][0], rivals)
                pairs.setdefault((row, metric), []).append(pair)
    targets = ", ".join(lines["target"].unique())
    others = over if over == "others" else " or ".join(over)
    for row, metric in product(rows, lines["metric"].unique()):
        common = pairs.get((row, metric), [])
        place = f"{targets}, {metric}: {row} over {others}"
        datasets = ", ".join(dict.fromkeys(dataset for dataset, _ in common))
        if not common:
            yield _NO_DUEL.decision(place, datasets)
            continue
        left, right = (_stack(pair[i] for _, pair in common) for i in (1, 2))
        scores = left.mean(axis=0) / right.mean(axis=0)
        gains = (scores if mean == "scores" else (left / right).mean(axis=0)) - 1
        near = np.abs(gains - by[metric]) <= _NEAR_GAIN * abs(by[metric])
        repeats = min(float(np.min(pair.repeats)) for _, pair in common)
        yield Decision(place, datasets, gains, np.array([by[metric]]), near, repeats)


def _with_best(own: Line, rivals: Lines) -> _Duel:
    """Compare a line with the best of other lines, over their common repeats."""
    duels = [_duel([own], [rival], "mean", 0.0, False) for rival in rivals]
    best = [duel._replace(margin=rival["mean"]) for duel, rival in zip(duels, rivals, strict=True)]
    return _pick(best, np.argmax)


@_check
def small(
    lines: pd.DataFrame, rows: Rows, *, by: float, around: float = 0.0, x: float | None = None
) -> Iterator[Decision]:
    """The numbers of ``rows``, such as distances, are within ``by`` of ``around``.

    For a curve, ``x`` selects the point.
    """
    named = lines["row"].isin(rows) & (True if x is None else lines["x"].eq(x))
    start = np.array([around])
    for line in _records(lines[named]):
        place = f"{line['target']}, {line['dataset']}, {line['metric']}: {line['row']}"
        near = np.abs(line["mean"] - start) <= by
        yield Decision(place, line["dataset"], line["mean"], start, near, line["repeats"])


# -- checks on curves, which the papers draw without printing their numbers -----------------------


def _curves(
    lines: pd.DataFrame, rows: Rows
) -> Iterator[tuple[str, str, dict[float, dict[str, Any]], list[dict[str, Any]]]]:
    """Each curve, with its place, its data set, its lines ordered by x, and the whole group.

    The numbers of the lines use the repeats that all lines have. A curve that was not run has no
    lines.
    """
    for place, dataset, _, by_row in _groups(lines):
        group = [line for of_row in by_row.values() for line in of_row]
        for row in rows:
            points = [line for line in by_row.get(row, []) if pd.notna(line["x"])]
            if points:
                run = _restrict_to_common(
                    [line for line in points if not np.isnan(line["mean"]).all()]
                )
                curve = {float(line["x"]): line for line in run}
                yield f"{place}: {row}", dataset, dict(sorted(curve.items())), group


def _fewest(lines: Iterable[Line]) -> float:
    """The smallest number of repeats among the lines."""
    return float(np.fmin.reduce([line["repeats"].min() for line in lines]))


@_check
def peak(
    lines: pd.DataFrame, rows: Rows, *, at: Sequence[float], by: float = 0.0
) -> Iterator[Decision]:
    """The curves of ``rows`` reach their best value, or come within ``by`` of it, at one of ``at``.

    Curves with points only at ``at`` decide nothing, because their other points were not run.
    """
    for place, dataset, curve, _ in _curves(lines, rows):
        inside = [x for x in curve if x in at]
        if len(inside) in (0, len(curve)):
            yield _NO_DUEL.decision(place, dataset)
            continue
        best = _stack(line["mean"] for line in curve.values()).max(axis=0)
        highest = _stack(curve[x]["mean"] for x in inside).max(axis=0)
        near = best - highest <= by
        yield Decision(place, dataset, highest, best, near, _fewest(curve.values()))


@_check
def curve_above(
    lines: pd.DataFrame,
    rows: Rows,
    over: Over,
    *,
    between: tuple[float, float] = (-np.inf, np.inf),
    by: float | None = None,
    at: float | None = None,
    each: bool = False,
    share: float | None = None,
) -> Iterator[Decision]:
    """In the range ``between``, the curves of ``rows`` are nowhere below the row ``over``.

    With ``by``, the curves only need to stay within this distance of the row. If ``over`` is a
    curve, the comparison is point by point, or with its point at ``at``. Otherwise ``over`` is a
    horizontal line. ``over="others"`` stands for the best of all other curves at each point. The
    decision shows the worst point or, with ``each``, every point. With ``share``, the curves must
    be above or equal at more than this fraction of the points, and the decision shows the fraction.
    """
    for place, dataset, curve, group in _curves(lines, rows):
        inside = {x: line for x, line in curve.items() if between[0] <= x <= between[1]}
        rivals = {line["row"] for line in group} - {*rows} if over == "others" else over
        others = [line for line in group if line["row"] in rivals]
        others = [line for line in others if not np.isnan(line["mean"]).all()]
        if not inside or not others:
            yield _NO_DUEL.decision(place, dataset)
            continue
        duels = {x: _duel_at(x, line, others, by, at) for x, line in inside.items()}
        if share is not None:
            margins = _stack(duel.margin for duel in duels.values())
            finite = np.isfinite(margins)
            fraction = (margins >= 0).sum(axis=0) / finite.sum(axis=0)
            least, repeats = np.array([share]), _fewest(inside.values())
            yield Decision(place, dataset, fraction, least, fraction > least, repeats)
        elif each:
            for x, duel in duels.items():
                yield duel.decision(f"{place} at {x:g}", dataset)
        else:
            worst = min(duels, key=lambda x: np.nan_to_num(duels[x].margin[0], nan=np.inf))
            duel = _pick(list(duels.values()), np.argmin)
            yield duel.decision(f"{place} at {worst:g}", dataset)


def _duel_at(x: float, own: Line, others: Lines, by: float | None, at: float | None) -> _Duel:
    """Compare a point of a curve with other curves at the same x or at `at`, or with lines."""
    places = [np.nan if pd.isna(line["x"]) else float(line["x"]) for line in others]
    level, point = np.isnan(places).all(), x if at is None else at
    at_point = [line for line, place in zip(others, places, strict=True) if level or place == point]
    if at is not None:  # its ensembles differ
        at_point = [{**line, "by_repeat": None} for line in at_point]
    duels = [_duel([own], [line], "mean", 0.0, False) for line in at_point]
    if by is not None:
        duels = [duel._replace(margin=by - np.abs(duel.margin)) for duel in duels]
    return _pick(duels, np.argmin)


@_check
def rising(
    lines: pd.DataFrame,
    rows: Rows,
    *,
    by: float = 0.0,
    of: str = "mean",
    ends: bool = False,
    each: bool = False,
    backwards: bool = False,
) -> Iterator[Decision]:
    """Curves never fall by more than ``by``; with ``ends`` they do not end lower than they start.

    The decision shows both ends (the last first) or, with ``each``, every step. With ``backwards``,
    the curves are read from the largest x to the smallest x. ``of="std"`` checks standard
    deviations. A curve with a single point decides nothing.
    """
    for place, dataset, curve, _ in _curves(lines, rows):
        if len(curve) < 2:
            yield _NO_DUEL.decision(place, dataset)
            continue
        xs = list(curve)[::-1] if backwards else list(curve)
        xs = [xs[0], xs[-1]] if ends else xs
        points = _stack(curve[x][of] for x in xs)
        repeats = _fewest(curve.values())
        parts = {place: points}
        if each:
            parts = {
                f"{place} from {a:g} to {b:g}": points[i : i + 2]
                for i, (a, b) in enumerate(pairwise(xs))
            }
        for name, part in parts.items():
            rises = np.all(np.diff(part, axis=0) >= -by, axis=0)
            yield Decision(name, dataset, part[-1], part[0], rises, repeats)


@_check
def near_best(lines: pd.DataFrame, rows: Rows, *, by: float, share: float) -> Iterator[Decision]:
    """A fraction ``share`` of the points of a curve or surface is within ``by`` of the best point.

    A curve that has only a part of its grid decides nothing, because points between are missing.
    """
    for place, dataset, _, by_row in _groups(lines):
        for row in rows:
            lines_of_row = [line for line in by_row.get(row, []) if pd.notna(line["x"])]
            run = [line for line in lines_of_row if not np.isnan(line["mean"]).all()]
            if not lines_of_row:
                continue
            runs = [Source.parse(line["run"]) for line in lines_of_row if pd.notna(line["run"])]
            if not run or any(each.points for each in runs):
                yield _NO_DUEL.decision(f"{place}: {row}", dataset)
                continue
            values = _stack(line["mean"] for line in run)
            near = (values >= values.max(axis=0) - by).mean(axis=0)
            least = np.array([share])
            yield Decision(
                f"{place}: {row}", dataset, near, least, near >= least, _fewest(lines_of_row)
            )
