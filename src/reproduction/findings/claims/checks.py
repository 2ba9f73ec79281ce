"""Checks, which turn the lines of tables and curves into the cells that decide a claim.

A claim names one of the functions below, such as ``{above: [table4], rows: [Ours], over: [LWEA]}``,
which gives a :class:`Check`. The check takes the lines of one side (the published or the reproduced
numbers), compares two numbers in each cell, and says whether they support the claim. Two reproduced
rows are compared on the repeats that both rows have, because a mean over one draw and a mean over
twenty draws are not comparable. A check also yields the cells with missing numbers, so that they
can be counted.

Chance could turn a cell if its distance from the requirement is less than two standard errors of
the compared difference over the repeats. Rows on the same ensembles are paired by repeat. Numbers
without several repeats have no standard error, and count as they stand.
"""

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise, product
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
import pandas as pd
import scipy

from coassoc.bench.statistics import LEVEL
from coassoc.errors import ConfigError, check_known
from reproduction.findings.scorecard import named_by
from reproduction.study.kinds import LOWER_IS_BETTER
from reproduction.study.paths import Source, stored_pool

#: Columns of the lines that checks read.
_LINE = ["target", "row", "dataset", "metric", "x", "mean", "std", "published_mean"]
_LINE += ["published_std", "repeats", "by_repeat", "run", "variant", "printed", "made"]
#: Columns on which lines must agree to be compared with each other.
_GROUP = ["target", "where", "datasets", "metric"]
#: Columns of cells, see :func:`decide`.
CELL = ["place", "dataset", "published", "published against", "published holds", "here"]
CELL += ["here against", "here holds", "repeats", "could turn"]
#: Largest relative deviation of a gain that still counts as the claimed gain.
_NEAR_GAIN = 0.25

#: Lines of one row of a table or curve, by their columns.
Lines = Sequence[Mapping[str, Any]]
#: Names of rows. The rows to compare with may be "others".
Rows = Sequence[str]
Over = Rows | Literal["others"]


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
        return list(DECIDE[self.kind](lines, **self.options))


def check_of(entry: Mapping[str, Any], paper: str, place: str) -> Check:
    """The check of an entry of a file of claims, such as {above: [table4], rows: [A], over: [B]}.

    In addition to the function's arguments, an entry can have datasets, metrics and the variant of
    a protocol, and the further fields of :class:`Check`.
    """
    options = dict(entry)
    kind = next((name for name in DECIDE if name in options), "")
    check_known(place, "check", [kind], DECIDE)
    for key in options.keys() & {kind, "rows", "over", "but", "datasets", "metrics"}:
        if isinstance(options[key], str) and (key, options[key]) != ("over", "others"):
            raise ConfigError(f"{place}: {key} is {options[key]!r}. Write a list in brackets.")
    targets = [f"{paper}_{name}" for name in options.pop(kind)]
    variant = [options.pop("variant")] if "variant" in options else []
    chosen = {"dataset": options.pop("datasets", []), "metric": options.pop("metrics", [])}
    only = {column: names for column, names in {**chosen, "variant": variant}.items() if names}
    further = {key: options.pop(key) for key in ("together", "repeats") if key in options}
    try:
        inspect.signature(DECIDE[kind]).bind(None, **options)
    except TypeError as error:
        raise ConfigError(f"{place}: {kind}: {error}. Correct the keys of the check.") from error
    return Check(kind, options, targets, only, **further)


class Decision(NamedTuple):
    """One cell of a check, on one side; without numbers unless they are given."""

    #: Target, data set, metric and row.
    place: str
    #: The data set, or several separated by commas.
    dataset: str
    #: The two compared numbers, NaN for a missing number.
    own: Any = np.nan
    against: Any = np.nan
    holds: Any = False
    #: Number of reproduced repeats behind the numbers.
    repeats: Any = np.nan
    #: Whether chance could turn the cell.
    could_turn: bool = False


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
        texts = lines["by_repeat"].astype(object).fillna("")
        lines["by_repeat"] = [np.array(text.split(), dtype=float) for text in texts]
        cells = frame.assign(paper=paper, table=path.stem, method=frame.get("label"))
        for entry in differences:
            if entry.get("not_comparable"):
                lines.loc[named_by(entry, cells), ["published_mean", "published_std"]] = np.nan
        frames.append(lines)
    return pd.concat(frames or [pd.DataFrame(columns=_LINE)], ignore_index=True)


def decide(check: Check, lines: pd.DataFrame) -> pd.DataFrame:
    """The cells of a check.

    Columns are place, dataset (or several, separated by commas), for each side ("published",
    "here") the number, the number it is compared with (" against"; both are NaN if one is missing)
    and whether they support the claim (" holds"; False if a number is missing), repeats (number of
    reproduced repeats) and "could turn" (whether chance could turn the reproduced cell).
    """
    lines = check.select(lines)
    in_print = {"mean": lines["published_mean"], "std": lines["published_std"]}
    published = lines.assign(**in_print, repeats=check.repeats, by_repeat=_no_repeats(lines))
    cells = _on_one_side("here", check.decide(lines))
    printed = _on_one_side("published", check.decide(published)).iloc[:, 2:-2]
    return cells.iloc[:, :2].join([printed, cells.iloc[:, 2:]])


def _on_one_side(side: str, decisions: Sequence[Decision]) -> pd.DataFrame:
    numbers, flags = [side, f"{side} against"], [f"{side} holds", "could turn"]
    columns = ["place", "dataset", *numbers, flags[0], "repeats", flags[1]]
    table = pd.DataFrame(decisions, columns=columns)
    known = np.isfinite(table[numbers].astype(float)).all(axis=1)
    table[numbers] = table[numbers].astype(float).where(known)
    return table.assign(**{name: table[name].astype(bool) & known for name in flags})


def _no_repeats(lines: pd.DataFrame) -> pd.Series:
    return pd.Series([np.empty(0)] * len(lines), lines.index, dtype=object)


def _restrict_to_common(lines: Lines) -> list[dict[str, Any]]:
    """Lines with numbers over the repeats that all lines have.

    Lines without repeats, such as published lines or lines of a pool, keep their numbers.
    """
    common = list(map(dict, lines))
    of_repeats = [line for line in common if len(line["by_repeat"])]
    if not of_repeats:
        return common
    n = min(len(line["by_repeat"]) for line in of_repeats)
    values = np.array([line["by_repeat"][:n] for line in of_repeats])
    values = values[:, np.isfinite(values).all(axis=0)]
    n = values.shape[1]
    for line, own in zip(of_repeats, values, strict=True):
        # For this number of repeats, a line already has its own numbers, which the file has
        # rounded.
        if len(line["by_repeat"]) != n:
            line["mean"] = own.mean() if n else np.nan
            line["std"] = own.std(ddof=1) if n > 1 else np.nan
        line["by_repeat"] = own
    return [line | {"repeats": float(n)} for line in common]


def _error(
    own: Mapping[str, Any], rival: Mapping[str, Any], of: str = "mean", factor: float = 1.0
) -> float:
    """Standard error of the difference of two numbers, the second one multiplied by a factor."""
    left, right = own["by_repeat"], rival["by_repeat"]
    if not len(left) * len(right) or of == "std" or _ensembles(own) != _ensembles(rival):
        error = np.hypot(_error_alone(own), factor * _error_alone(rival))
        # The error of a standard deviation is smaller than that of the mean by a factor of √2.
        return float(error / np.sqrt(2 if of == "std" else 1))
    return _error_of_mean(left - factor * right)


def _error_alone(line: Mapping[str, Any]) -> float:
    values = line["by_repeat"]
    return _error_of_mean(values) if len(values) else line.get("error", 0.0)


def _error_of_mean(values: Any) -> float:
    return float(values.std(ddof=1) / np.sqrt(len(values))) if len(values) > 1 else 0.0


def _ensembles(line: Mapping[str, Any]) -> Any:
    """Name of the ensembles of a line, which does not change if the samples are shuffled."""
    source = Source.parse(str(line["run"]))
    return stored_pool(source.pool), source.dataset, source.m


def _could_turn(margins: Any, errors: Any, share: float = 0.0) -> bool:
    """Whether two standard errors change that a fraction of margins above `share` is positive."""
    margins, reach = np.atleast_1d(margins), 2 * np.atleast_1d(errors)
    high, low = ((margins + side * reach >= 0).mean() for side in (1, -1))
    return bool((high > share) != (low > share))


def _groups(lines: pd.DataFrame) -> Iterator[tuple[str, str, str, dict[str, list[dict[str, Any]]]]]:
    """Place, data sets, metric, and lines by row, for each target, place and metric."""
    for (target, where, datasets, metric), group in lines.groupby(_GROUP, sort=False):
        by_row: dict[str, list[dict[str, Any]]] = {}
        for line in group.to_dict("records"):
            by_row.setdefault(line["row"], []).append(line)
        yield f"{target}, {where}, {metric}", datasets, metric, by_row


def _over(by_row: Mapping[str, Lines], rows: Rows, over: Over, but: Rows) -> list[str]:
    """The available rows with which `rows` are compared; "others" are other published rows."""
    if over != "others":
        return [row for row in over if row in by_row]
    printed = [row for row, lines in by_row.items() if any(line["printed"] for line in lines)]
    return [row for row in printed if row not in {*rows, *but}]


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
        lines = lines.assign(by_repeat=_no_repeats(lines))
    if averaged:
        lines = _averaged(lines, rows, over, but)
    if printed_rivals:
        is_row = lines["row"].isin(rows)
        lines = lines.assign(
            mean=lines["mean"].where(is_row, lines["published_mean"]),
            by_repeat=lines["by_repeat"].where(is_row, _no_repeats(lines)),
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
                    f"{place}: {' or '.join(own_rows)}{against}", dataset, _pick(worst, max)
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


class Duel(NamedTuple):
    """A comparison of two numbers."""

    #: Excess of the first number over the requirement; NaN if a number is missing.
    margin: float = np.nan
    own: float = np.nan
    against: float = np.nan
    repeats: float = np.nan
    #: Standard error of the margin.
    error: float = 0.0


def _duel(own: Lines, rival: Lines, of: str = "mean", by: float = 0.0, less: bool = False) -> Duel:
    """Compare the lines of two rows on each data set, over their common repeats."""
    others = {line["dataset"]: line for line in rival}
    pairs = [_restrict_to_common((line, others[line["dataset"]])) for line in own]
    left, right = (float(np.mean([pair[i][of] for pair in pairs])) for i in (0, 1))
    factor = 1 - by if less else 1 + by
    margin = right * factor - left if less else left - right * factor
    if np.isnan(margin):
        return Duel()
    errors = [_error(first, second, of, factor) for first, second in pairs]
    repeats = np.fmin.reduce([line["repeats"] for pair in pairs for line in pair], dtype=float)
    return Duel(margin, left, right, repeats, float(np.linalg.norm(errors)) / len(pairs))


def _pick(duels: Sequence[Duel], which: Callable[..., Any] = min) -> Duel:
    """The comparison with the smallest or largest (``max``) margin."""
    known = [duel for duel in duels if not np.isnan(duel.margin)]
    return which(known, key=lambda duel: duel.margin) if known else Duel()


def _decision(place: str, dataset: str, duel: Duel) -> Decision:
    close = _could_turn(duel.margin, duel.error)
    return Decision(place, dataset, *duel[1:3], duel.margin >= 0, duel.repeats, close)


def significant(
    lines: pd.DataFrame, rows: Rows, over: Over, *, but: Rows = ()
) -> Iterator[Decision]:
    """Each of ``rows`` is better than the best of ``over`` by Welch's two-sided t-test.

    The test uses means, standard deviations and numbers of repeats. If the paper prints no standard
    deviations, its numbers decide nothing.
    """
    for place, dataset, _, by_row in _groups(lines):
        rivals = [_sample(by_row[row]) for row in _over(by_row, rows, over, but)]
        best = max([x for x in rivals if np.isfinite(x).all()], default=(np.nan,) * 3)
        for row in [row for row in rows if row in by_row]:
            own = _sample(by_row[row])
            with np.errstate(all="ignore"):  # both rows may have no spread
                p = scipy.stats.ttest_ind_from_stats(*own, *best, equal_var=False).pvalue
            tested = np.isfinite(own).all()
            holds = own[0] > best[0] and p < LEVEL
            numbers = (own[0] if tested else np.nan), best[0], holds, min(own[2], best[2])
            yield Decision(f"{place}: {row}", dataset, *numbers)


def _sample(lines: Lines) -> tuple[float, float, float]:
    """Mean, standard deviation and number of repeats."""
    line = lines[0]
    return line["mean"], line["std"], line["repeats"]


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
    pairs: dict[tuple[str, str], dict[str, tuple[Lines, Lines]]] = {}
    for _, dataset, metric, by_row in _groups(lines.dropna(subset="mean")):
        rivals = [by_row[row] for row in _over(by_row, rows, over, but)]
        for row in rows if rivals else ():
            if row in by_row:
                best = max(rivals, key=lambda rival: rival[0]["mean"])
                pairs.setdefault((row, metric), {})[dataset] = by_row[row], best
    targets = ", ".join(lines["target"].unique())
    others = over if over == "others" else " or ".join(over)
    for row, metric in product(rows, lines["metric"].unique()):
        common = pairs.get((row, metric), {})
        place, datasets = f"{targets}, {metric}: {row} over {others}", ", ".join(common)
        duels = [_duel(*pair) for pair in common.values()]
        if not duels or any(np.isnan(duel.margin) for duel in duels):
            yield Decision(place, datasets)
            continue
        _, left, right, repeats, _ = np.array(duels).T
        ratios = left / right
        if mean == "scores":
            ratios = np.full(len(duels), left.mean() / right.mean())
        gains = ratios.mean() - 1
        # The error of a ratio is that of the difference from its multiple of the rival's score.
        errors = [_duel(*x, by=r - 1).error for x, r in zip(common.values(), ratios, strict=True)]
        errors /= right.mean() if mean == "scores" else right
        margin = _NEAR_GAIN * abs(by[metric]) - abs(gains - by[metric])
        error = float(np.linalg.norm(errors)) / len(duels)
        numbers = margin, gains, by[metric], repeats.min(), error
        yield _decision(place, datasets, Duel(*numbers))


def small(
    lines: pd.DataFrame, rows: Rows, *, by: float, around: float = 0.0, x: float | None = None
) -> Iterator[Decision]:
    """The numbers of ``rows``, such as distances, are within ``by`` of ``around``.

    For a curve, ``x`` selects the point.
    """
    named = lines["row"].isin(rows) & (True if x is None else lines["x"].eq(x))
    for line in lines[named].to_dict("records"):
        place = f"{line['target']}, {line['dataset']}, {line['metric']}: {line['row']}"
        margin = by - abs(line["mean"] - around)
        (line,) = _restrict_to_common([line])
        numbers = margin, line["mean"], around, line["repeats"], _error_alone(line)
        yield _decision(place, line["dataset"], Duel(*numbers))


# -- checks on curves, which the papers draw without printing their numbers -----------------------


def _curves(
    lines: pd.DataFrame, rows: Rows
) -> Iterator[tuple[str, str, dict[float, dict[str, Any]], list[dict[str, Any]]]]:
    """Each curve, with its place, its data set, its lines ordered by x, and the lines of all rows.

    The numbers of the curve use the repeats that all its lines have. Points and lines that were not
    run are left out.
    """
    for place, dataset, _, by_row in _groups(lines):
        run = {row: [x for x in by_row[row] if not np.isnan(x["mean"])] for row in by_row}
        for row in rows:
            if any(pd.notna(line["x"]) for line in by_row.get(row, [])):
                points = [line for line in run[row] if pd.notna(line["x"])]
                points.sort(key=lambda line: line["x"])
                curve = {float(line["x"]): line for line in _restrict_to_common(points)}
                yield f"{place}: {row}", dataset, curve, [x for each in run.values() for x in each]


def _fewest(lines: Iterable[Mapping[str, Any]]) -> float:
    """The smallest number of repeats among the lines."""
    return float(np.fmin.reduce([line["repeats"] for line in lines], dtype=float))


def peak(
    lines: pd.DataFrame, rows: Rows, *, at: Sequence[float], by: float = 0.0
) -> Iterator[Decision]:
    """The curves of ``rows`` reach their best value, or come within ``by`` of it, at one of ``at``.

    Curves with points only at ``at`` decide nothing, because their other points were not run.
    """
    for place, dataset, curve, _ in _curves(lines, rows):
        parts: list[list[Any]] = [[], []]
        for x, line in curve.items():
            parts[x in at].append(line)
        if not all(parts):
            yield Decision(place, dataset)
            continue
        outside, inside = (max(part, key=lambda line: line["mean"]) for part in parts)
        margin = inside["mean"] - outside["mean"] + by
        numbers = inside["mean"], max(inside["mean"], outside["mean"]), _fewest(curve.values())
        yield _decision(place, dataset, Duel(margin, *numbers, _error(inside, outside)))


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
    strict: bool = False,
) -> Iterator[Decision]:
    """In the range ``between``, the curves of ``rows`` are nowhere below the row ``over``.

    With ``by``, the curves only need to stay within this distance of the row. If ``over`` is a
    curve, the comparison is point by point, or with its point at ``at``. Otherwise ``over`` is a
    horizontal line. ``over="others"`` stands for the best of all other curves at each point. The
    decision shows the worst point or, with ``each``, every point. With ``share``, the curves must
    be above or equal at more than this fraction of the points, and the decision shows the fraction.
    With ``strict``, equal points do not count in this fraction.
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
            known = [duel for duel in duels.values() if not np.isnan(duel.margin)]
            margins, errors = ([duel[k] for duel in known] for k in (0, -1))
            if strict:
                margins = list(np.nextafter(margins, -np.inf))
            fraction = np.mean(np.array(margins) >= 0)
            close = _could_turn(margins, errors, share)
            numbers = fraction, share, fraction > share, _fewest(inside.values())
            yield Decision(place, dataset, *numbers, close)
        elif each:
            for x, duel in duels.items():
                yield _decision(f"{place} at {x:g}", dataset, duel)
        else:
            worst = min(duels, key=lambda x: np.nan_to_num(duels[x].margin, nan=np.inf))
            yield _decision(f"{place} at {worst:g}", dataset, _pick([*duels.values()]))


def _duel_at(
    x: float, own: Mapping[str, Any], others: Lines, by: float | None, at: float | None
) -> Duel:
    """Compare a point of a curve with other curves at the same x or at `at`, or with lines."""
    if any(pd.notna(line["x"]) for line in others):
        others = [line for line in others if line["x"] == (x if at is None else at)]
    if at is not None:  # its ensembles differ
        others = [{**x, "by_repeat": np.empty(0), "error": _error_alone(x)} for x in others]
    duels = [_duel([own], [line]) for line in others]
    if by is not None:
        duels = [duel._replace(margin=by - abs(duel.margin)) for duel in duels]
    return _pick(duels)


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
            steps = list(pairwise(curve[x] for x in part))
            rises = [after[of] - before[of] + by for before, after in steps]
            k = int(np.argmin(rises))  # the worst step decides, or a missing one
            numbers = curve[part[-1]][of], curve[part[0]][of], _fewest(curve.values())
            yield _decision(name, dataset, Duel(rises[k], *numbers, _error(*steps[k], of)))


def near_best(lines: pd.DataFrame, rows: Rows, *, by: float, share: float) -> Iterator[Decision]:
    """A fraction ``share`` of the points of a curve or surface is within ``by`` of the best point.

    A curve that has only a part of its grid decides nothing, because points between are missing.
    """
    for place, dataset, _, by_row in _groups(lines):
        for row in [row for row in rows if row in by_row]:
            points = by_row[row]
            run = [line for line in points if not np.isnan(line["mean"])]
            if not run or any(Source.parse(x["run"]).points for x in points if pd.notna(x["run"])):
                yield Decision(f"{place}: {row}", dataset)
                continue
            best = max(run, key=lambda line: line["mean"])
            margins = np.array([line["mean"] - best["mean"] + by for line in run])
            near = (margins >= 0).mean()
            # The share must be reached, not exceeded.
            close = _could_turn(margins, [_error(line, best) for line in run], share - 1e-9)
            numbers = near, share, near >= share, _fewest(points)
            yield Decision(f"{place}: {row}", dataset, *numbers, close)


#: Functions that decide, by their names. These names are the kinds of checks.
DECIDE: dict[str, Callable[..., Iterator[Decision]]] = {
    decide.__name__: decide
    for decide in (above, significant, gain, small, peak, curve_above, rising, near_best)
}
