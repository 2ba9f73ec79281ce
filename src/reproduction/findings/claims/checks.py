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

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import wraps
from itertools import pairwise, product
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
import pandas as pd
import scipy
from numpy.typing import NDArray

from coassoc.bench.statistics import LEVEL
from reproduction.findings.scorecard import named_by
from reproduction.study.columns import LOWER_IS_BETTER
from reproduction.study.paths import Source

#: Columns of the lines that checks read.
_LINE = ["target", "row", "dataset", "metric", "x", "mean", "std", "published_mean"]
_LINE += ["published_std", "repeats", "by_repeat", "run", "variant", "printed", "made"]
#: Columns on which lines must agree to be compared with each other.
_GROUP = ["target", "where", "datasets", "metric"]
#: Columns of cells, see :class:`Cells`.
CELL = ["place", "dataset", "published", "published against", "published holds", "here"]
CELL += ["here against", "here holds", "repeats"]
#: Largest relative deviation of a gain that still counts as the claimed gain.
_NEAR_GAIN = 0.25

#: Lines of one row of a table or curve, by their columns, with the numbers of all draws.
Lines = Sequence[Mapping[str, Any]]
#: Names of rows. The rows to compare with may be "others".
Rows = Sequence[str]
Over = Rows | Literal["others"]
#: Numbers, one for each bootstrap sample.
Numbers = NDArray[np.float64]

#: Functions that decide, by their names. These names are the kinds of checks.
_DECIDE: dict[str, Callable[..., Iterator["Decision"]]] = {}
_MISSING = np.array([np.nan])


@dataclass(frozen=True)
class Check:
    """The check that decides a claim: lines of tables or curves, and the condition on them."""

    #: Name of the function that decides, such as "above", and its arguments.
    kind: str
    options: Mapping[str, Any]
    #: Targets such as "eccms_table4", and the values of columns of the lines that count.
    targets: Sequence[str]
    only: Mapping[str, Sequence[str]]
    #: Whether the targets count as one table.
    together: bool = False
    #: Number of repeats behind the paper's numbers, for tests that need it.
    repeats: int | None = None

    def select(self, lines: pd.DataFrame) -> pd.DataFrame:
        """The lines that the check uses."""
        lines = lines[lines["target"].isin(self.targets) & lines["dataset"].ne("mean")]
        for column, names in self.only.items():
            lines = lines[lines[column].isin(names)]
        if self.together:
            lines = lines.assign(target=" and ".join(self.targets))
            lines = lines.drop_duplicates(["row", "dataset", "metric"])
        return lines.assign(where=lines["dataset"], datasets=lines["dataset"])

    def decide(self, lines: pd.DataFrame) -> list["Decision"]:
        """The decisions on the cells of one side."""
        return list(_DECIDE[self.kind](lines, **self.options))


def _check(decide: Callable[..., Iterator["Decision"]]) -> Callable[..., Check]:
    """Turn a function that decides on lines into a function that builds a check.

    The new function takes targets, such as "eccms_table4 eccms_table5", in place of the lines. It
    also accepts data sets, metrics and the variant of a protocol as keywords.
    """
    _DECIDE[decide.__name__] = decide

    @wraps(decide)
    def make(
        targets: str,
        rows: Sequence[Any],
        datasets: Sequence[str] = (),
        metrics: Sequence[str] = (),
        variant: str = "",
        together: bool = False,
        repeats: int | None = None,
        **options: Any,
    ) -> Check:
        options["rows"] = rows
        for key in {"rows", "over", "but"} & options.keys():
            if options[key] != "others":  # rows may be those of a study
                options[key] = [getattr(row, "label", row) for row in options[key]]
        chosen = {"dataset": datasets, "metric": metrics, "variant": [variant] if variant else ()}
        only = {column: names for column, names in chosen.items() if names}
        return Check(decide.__name__, options, targets.split(), only, together, repeats)

    return make


class Decision(NamedTuple):
    """One cell of a check, on one side; without numbers unless they are given."""

    #: Target, data set, metric and row.
    place: str
    #: The data set, or several separated by commas.
    dataset: str
    #: The two compared numbers, NaN for a missing number.
    own: Numbers = _MISSING
    against: Numbers = _MISSING
    holds: NDArray[np.bool_] = _MISSING < 0
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


def read_lines(
    paths: Iterable[str | Path],
    datasets: Mapping[str, Sequence[str]],
    differences: Iterable[Mapping[str, Any]] = (),
) -> pd.DataFrame:
    """Read the lines that judge claims from CSV files ``…/{paper}/{target}.csv``.

    The function leaves out lines of data sets that a configuration puts in place of the paper's
    data sets, and published numbers that config/differences.yaml declares not comparable.
    """
    frames = []
    for path in map(Path, paths):
        paper = path.parent.name
        frame = pd.read_csv(path).assign(target=f"{paper}_{path.stem}")
        frame = frame[frame["dataset"].isin([*datasets[paper], "mean"])]
        lines = frame.reindex(columns=_LINE)
        lines["printed"], lines["made"] = lines["published_mean"].notna(), lines["mean"].notna()
        lines["by_repeat"] = [
            np.array(values.split(" "), dtype=float) if isinstance(values, str) else None
            for values in lines["by_repeat"]
        ]
        cells = frame.assign(paper=paper, table=path.stem, method=frame.get("label"))
        for entry in differences:
            if entry.get("not_comparable"):
                lines.loc[named_by(entry, cells), ["published_mean", "published_std"]] = np.nan
        frames.append(lines)
    return pd.concat(frames or [pd.DataFrame(columns=_LINE)], ignore_index=True)


def decide(check: Check, lines: pd.DataFrame, n_draws: int = 1) -> Cells:
    """The cells of a check.

    If there are several draws, the lines have a column "draws". It contains, for each line, a
    function from the number of repeats to the positions of the drawn repeats (draws × repeats).
    Lines on the same ensembles share one function. The first draw contains all repeats in order.
    """
    lines = check.select(lines)
    in_print = {"mean": lines["published_mean"], "std": lines["published_std"]}
    published = lines.assign(**in_print, repeats=check.repeats, by_repeat=None)
    cells = _on_one_side("here", check.decide(lines), n_draws)
    printed = _on_one_side("published", check.decide(published), 1).table.iloc[:, 2:-1]
    table = cells.table.iloc[:, :2].join([printed, cells.table.iloc[:, 2:]])
    return cells._replace(table=table)


def _on_one_side(side: str, decisions: Sequence[Decision], n_draws: int) -> Cells:
    """The decisions on one side; a cell without both numbers does not count as known."""
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
    records: list[dict[Any, Any]] = lines.to_dict("records")
    for line in records:
        line |= {key: np.array([line[key]], dtype=float) for key in ("mean", "std", "repeats")}
        if not isinstance(line["by_repeat"], np.ndarray):
            line["by_repeat"] = None
        elif "draws" in line:  # the file's own numbers come first
            drawn = _numbers_of(line["by_repeat"], line["draws"])
            line |= {key: np.append(line[key], drawn[key][1:]) for key in drawn}
    return records


def _numbers_of(values: Numbers, draws: Callable[[int], NDArray[np.intp]] | None) -> dict[str, Any]:
    """Mean and standard deviation of the finite scores of repeats, in each draw."""
    drawn = values[None] if draws is None else values[draws(len(values))]
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
    common = list(map(dict, lines))
    of_repeats = [line for line in common if line["by_repeat"] is not None]
    if not of_repeats:
        return common
    n = min(len(line["by_repeat"]) for line in of_repeats)
    all_have = np.isfinite([line["by_repeat"][:n] for line in of_repeats]).all(axis=0)
    for line in of_repeats:
        # For this number of repeats, a line already has its own numbers, which the file has
        # rounded.
        if len(line["by_repeat"]) != all_have.sum():
            line["by_repeat"] = np.where(all_have, line["by_repeat"][:n], np.nan)
            line |= _numbers_of(line["by_repeat"], line.get("draws"))
    return [line | {"repeats": np.array([float(all_have.sum())])} for line in common]


def _stack(numbers: Iterable[Any]) -> Numbers:
    """Numbers of several lines or comparisons, as an array (lines × draws)."""
    return np.array(np.broadcast_arrays(*numbers), dtype=float)


def _groups(lines: pd.DataFrame) -> Iterator[tuple[str, str, str, dict[str, list[dict[str, Any]]]]]:
    """Place, data sets, metric, and lines by row, for each target, place and metric."""
    for (target, where, datasets, metric), group in lines.groupby(_GROUP, sort=False):
        by_row: dict[str, list[dict[str, Any]]] = {}
        for line in _records(group):
            by_row.setdefault(line["row"], []).append(line)
        yield f"{target}, {where}, {metric}", datasets, metric, by_row


def _over(by_row: Mapping[str, Lines], rows: Rows, over: Over, but: Rows) -> list[str]:
    """The available rows with which `rows` are compared; "others" are other published rows."""
    if over != "others":
        return [row for row in over if row in by_row]
    printed = [row for row, lines in by_row.items() if any(line["printed"] for line in lines)]
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
    all_repeats: bool = False,
) -> Iterator[Decision]:
    """Each of ``rows`` is at least as good as the best of ``over``, in each data set and metric.

    ``over="others"`` stands for all published rows except ``rows`` and ``but``. With ``each``, the
    rows of ``over`` are compared one by one. With ``either``, only the best of ``rows`` is
    compared. ``by`` requires a relative gain. ``of="std"`` compares standard deviations, of which
    smaller ones are better. ``averaged`` compares means over the data sets that all rows have.
    ``printed_rivals`` compares the reproduced ``rows`` with the published numbers of the other
    rows. ``all_repeats`` compares means over all repeats of each row, as tables print them.
    """
    if all_repeats:
        lines = lines.assign(by_repeat=None)
    if averaged:
        lines = _averaged(lines, rows, over, but)
    if printed_rivals:
        is_row = lines["row"].isin(rows)
        lines = lines.assign(
            mean=lines["mean"].where(is_row, lines["published_mean"]),
            by_repeat=lines["by_repeat"].where(is_row, None),
        )
    for place, dataset, metric, by_row in _groups(lines):
        less = of == "std" or metric in LOWER_IS_BETTER
        present = [row for row in rows if row in by_row]
        rivals = _over(by_row, rows, over, but)
        for own_rows in [present] if either and present else [[row] for row in present]:
            for others in [[rival] for rival in rivals] if each else [rivals]:
                worst = [
                    _pick([_duel(by_row[row], by_row[rival], of, by, less) for rival in others])
                    for row in own_rows
                ]
                against = f" against {others[0]}" if each else ""
                yield _decision(
                    f"{place}: {' or '.join(own_rows)}{against}", dataset, _pick(worst, np.argmax)
                )


def _averaged(lines: pd.DataFrame, rows: Rows, over: Over, but: Rows) -> pd.DataFrame:
    """The lines of data sets on which all rows have reproduced numbers, as one place."""
    frames = [lines.iloc[:0]]
    for _, group in lines.groupby(["target", "metric"], sort=False):
        by_row = {row: x.to_dict("records") for row, x in group.groupby("row", dropna=False)}
        named = group[group["row"].isin([*rows, *_over(by_row, rows, over, but)])]
        whole = named["made"].astype(bool).groupby(named["dataset"], sort=False).all()
        datasets = whole.index[whole]
        about = {"datasets": ", ".join(datasets), "where": f"mean over {len(datasets)} data sets"}
        frames.append(named[named["dataset"].isin(datasets)].assign(**about))
    return pd.concat(frames, ignore_index=True)


#: A comparison of two numbers: the excess of the first number over the requirement (NaN if one is
#: missing), both numbers, and the number of repeats. Each of the four is an array over the draws.
Duel = Sequence[Numbers]


def _duel(own: Lines, rival: Lines, of: str = "mean", by: float = 0.0, less: bool = False) -> Duel:
    """Compare the lines of two rows on each data set, over their common repeats."""
    others = {line["dataset"]: line for line in rival}
    pairs = [_restrict_to_common((line, others[line["dataset"]])) for line in own]
    left, right = (_stack(pair[i][of] for pair in pairs).mean(axis=0) for i in (0, 1))
    margin = right * (1 - by) - left if less else left - right * (1 + by)
    fewest = np.fmin.reduce([line["repeats"] for pair in pairs for line in pair], dtype=float)
    numbers = (margin, left, right, fewest)
    return [np.where(np.isnan(margin), np.nan, number) for number in numbers]


def _pick(duels: Sequence[Duel], which: Callable[..., Any] = np.argmin) -> Duel:
    """The comparison with the smallest or largest (``np.argmax``) margin, in each draw."""
    if not duels:
        return [_MISSING] * 4
    numbers = _stack(number for duel in duels for number in duel)
    numbers = numbers.reshape(len(duels), len(duels[0]), -1)
    last = np.inf if which is np.argmin else -np.inf
    at = which(np.where(np.isnan(numbers[:, 0]), last, numbers[:, 0]), axis=0)
    return list(np.take_along_axis(numbers, at[None, None], axis=0)[0])


def _decision(place: str, dataset: str, duel: Duel) -> Decision:
    margin, own, against, repeats = duel
    return Decision(place, dataset, own, against, margin >= 0, repeats)


@_check
def significant(
    lines: pd.DataFrame, rows: Rows, over: Over, *, but: Rows = ()
) -> Iterator[Decision]:
    """Each of ``rows`` is better than the best of ``over`` by Welch's two-sided t-test.

    The test uses means, standard deviations and numbers of repeats. If the paper prints no standard
    deviations, its numbers decide nothing.
    """
    for place, dataset, _, by_row in _groups(lines):
        rivals = [_sample(by_row[row]) for row in _over(by_row, rows, over, but)]
        best = _pick(rivals, np.argmax)[:3]
        for row in [row for row in rows if row in by_row]:
            own = _sample(by_row[row])
            with np.errstate(all="ignore"):  # both rows may have no spread
                p = scipy.stats.ttest_ind_from_stats(*own, *best, equal_var=False).pvalue
            holds = (own[0] > best[0]) & (p < LEVEL)
            yield Decision(
                f"{place}: {row}", dataset, own[0], best[0], holds, np.minimum(own[2], best[2])
            )


def _sample(lines: Lines) -> list[Numbers]:
    """Mean, standard deviation and number of repeats; NaN where one of them is missing."""
    numbers = _stack(lines[0][key] for key in ("mean", "std", "repeats"))
    return list(np.where(np.isfinite(numbers).all(axis=0), numbers, np.nan))


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
    pairs: dict[tuple[str, str], dict[str, Duel]] = {}
    for _, dataset, metric, by_row in _groups(lines.dropna(subset="mean")):
        rivals = [by_row[row] for row in _over(by_row, rows, over, but)]
        for row in rows if rivals else ():
            if row in by_row:
                # The best rival is the one with the largest mean.
                duels = [[rival[0]["mean"], *_duel(by_row[row], rival)[1:]] for rival in rivals]
                pairs.setdefault((row, metric), {})[dataset] = _pick(duels, np.argmax)
    targets = ", ".join(lines["target"].unique())
    others = over if over == "others" else " or ".join(over)
    for row, metric in product(rows, lines["metric"].unique()):
        common = pairs.get((row, metric), {})
        place, datasets = f"{targets}, {metric}: {row} over {others}", ", ".join(common)
        if not common:
            yield Decision(place, datasets)
            continue
        left, right = (_stack(duel[i] for duel in common.values()) for i in (1, 2))
        scores = left.mean(axis=0) / right.mean(axis=0)
        gains = (scores if mean == "scores" else (left / right).mean(axis=0)) - 1
        near = np.abs(gains - by[metric]) <= _NEAR_GAIN * abs(by[metric])
        repeats = min(float(np.min(duel[3])) for duel in common.values())
        yield Decision(place, datasets, gains, np.array([by[metric]]), near, repeats)


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
    """Each curve, with its place, its data set, its lines ordered by x, and the lines of all rows.

    The numbers of the curve use the repeats that all its lines have. Points and lines that were not
    run are left out.
    """
    for place, dataset, _, by_row in _groups(lines):
        run = {row: [x for x in by_row[row] if not np.isnan(x["mean"]).all()] for row in by_row}
        for row in rows:
            if any(pd.notna(line["x"]) for line in by_row.get(row, [])):
                points = [line for line in run[row] if pd.notna(line["x"])]
                points.sort(key=lambda line: line["x"])
                curve = {float(line["x"]): line for line in _restrict_to_common(points)}
                yield f"{place}: {row}", dataset, curve, [x for each in run.values() for x in each]


def _fewest(lines: Iterable[Mapping[str, Any]]) -> float:
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
        inside = [curve[x]["mean"] for x in curve if x in at]
        if len(inside) in (0, len(curve)):
            yield Decision(place, dataset)
            continue
        best = _stack(line["mean"] for line in curve.values()).max(axis=0)
        highest = _stack(inside).max(axis=0)
        yield Decision(place, dataset, highest, best, best - highest <= by, _fewest(curve.values()))


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
        if not inside or not others:
            yield Decision(place, dataset)
            continue
        duels = {x: _duel_at(x, line, others, by, at) for x, line in inside.items()}
        if share is not None:
            margins = _stack(margin for margin, *_ in duels.values())
            fraction = (margins >= 0).sum(axis=0) / np.isfinite(margins).sum(axis=0)
            least, repeats = np.array([share]), _fewest(inside.values())
            yield Decision(place, dataset, fraction, least, fraction > least, repeats)
        elif each:
            for x, duel in duels.items():
                yield _decision(f"{place} at {x:g}", dataset, duel)
        else:
            worst = min(duels, key=lambda x: np.nan_to_num(duels[x][0][0], nan=np.inf))
            yield _decision(f"{place} at {worst:g}", dataset, _pick([*duels.values()]))


def _duel_at(
    x: float, own: Mapping[str, Any], others: Lines, by: float | None, at: float | None
) -> Duel:
    """Compare a point of a curve with other curves at the same x or at `at`, or with lines."""
    if any(pd.notna(line["x"]) for line in others):
        others = [line for line in others if line["x"] == (x if at is None else at)]
    if at is not None:  # its ensembles differ
        others = [{**line, "by_repeat": None} for line in others]
    duels = [_duel([own], [line]) for line in others]
    if by is not None:
        duels = [[by - np.abs(margin), *numbers] for margin, *numbers in duels]
    return _pick(duels)


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
            yield Decision(place, dataset)
            continue
        xs = list(curve)[::-1] if backwards else list(curve)
        xs = [xs[0], xs[-1]] if ends else xs
        parts = {f"{place} from {a:g} to {b:g}": (a, b) for a, b in pairwise(xs)}
        for name, part in parts.items() if each else [(place, xs)]:
            points = _stack(curve[x][of] for x in part)
            rises = np.all(np.diff(points, axis=0) >= -by, axis=0)
            yield Decision(name, dataset, points[-1], points[0], rises, _fewest(curve.values()))


@_check
def near_best(lines: pd.DataFrame, rows: Rows, *, by: float, share: float) -> Iterator[Decision]:
    """A fraction ``share`` of the points of a curve or surface is within ``by`` of the best point.

    A curve that has only a part of its grid decides nothing, because points between are missing.
    """
    for place, dataset, _, by_row in _groups(lines):
        for row in [row for row in rows if row in by_row]:
            points = by_row[row]
            run = [line["mean"] for line in points if not np.isnan(line["mean"]).all()]
            if not run or any(Source.parse(x["run"]).points for x in points if pd.notna(x["run"])):
                yield Decision(f"{place}: {row}", dataset)
                continue
            values, least = _stack(run), np.array([share])
            near = (values >= values.max(axis=0) - by).mean(axis=0)
            yield Decision(f"{place}: {row}", dataset, near, least, near >= least, _fewest(points))
