"""From the lines of tables and curves to the cells that decide a claim.

A check takes the lines of one side, the numbers in print or ours, and its entry in
config/claims.yaml. It compares two numbers in each cell, and says whether they speak for the claim.
Two rows of ours are compared on the repeats that both have: means over one draw and over twenty
differ by chance, and in more than their spread. Cells whose numbers are missing are among what a
check yields, so that they can be counted.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy.stats import ttest_ind_from_stats

from coassoc.bench.statistics import LEVEL
from reproduction.plan.judgements import ON_CURVES
from reproduction.plan.keys import Source
from reproduction.scorecard import named_by
from reproduction.scores.columns import LOWER_IS_BETTER

#: Columns of the lines that checks read.
_NUMBERS = ["mean", "std", "published_mean", "published_std"]
_LINE = ["target", "row", "dataset", "metric", "x", *_NUMBERS, "repeats", "by_repeat"]
_LINE += ["printed", "run", "variant"]

#: What lines that are compared with each other have in common.
_GROUP = ["target", "where", "dataset", "metric"]

#: By what share of it a gain may be off that counts as the one that is claimed.
_NEAR_GAIN = 0.25

Spec = Mapping[str, Any]
#: Lines of one row.
Lines = Sequence[Mapping[str, Any]]


class Decision(NamedTuple):
    """One cell of a check, on one side."""

    #: Target, data set, metric and row.
    place: str
    #: The data set, or several with a comma between them.
    dataset: str
    #: The two numbers that are compared; NaN where one is missing.
    own: float
    against: float
    holds: bool
    #: How many repeats of ours the numbers are of.
    repeats: float = np.nan


def read_lines(
    paths: Iterable[str | Path],
    datasets: Mapping[str, Sequence[str]],
    differences: Iterable[Mapping[str, Any]] = (),
) -> pd.DataFrame:
    """The lines of tables' and figures' CSV files (``…/{paper}/{target}.csv``) that judge claims.

    Left out are lines of others than the paper's data sets, which a configuration may put in their
    place, and printed numbers that an entry of config/differences.yaml sets aside.
    """
    set_aside = [entry for entry in differences if entry.get("not_comparable")]
    frames = []
    for path in map(Path, paths):
        paper = path.parent.name
        frame = pd.read_csv(path).assign(target=f"{paper}_{path.stem}")
        frame = frame[frame["dataset"].isin([*datasets[paper], "mean"])]
        numbers = frame.reindex(columns=_LINE)
        numbers["printed"] = numbers["published_mean"].notna()
        numbers["by_repeat"] = [
            np.array(values.split(" "), dtype=float) if isinstance(values, str) else None
            for values in numbers["by_repeat"]
        ]
        cells = frame.assign(paper=paper, table=path.stem, method=frame.get("label"))
        for entry in set_aside:
            numbers.loc[named_by(entry, cells), ["published_mean", "published_std"]] = np.nan
        frames.append(numbers)
    return pd.concat(frames or [pd.DataFrame(columns=_LINE)], ignore_index=True)


def decide(kind: str, lines: pd.DataFrame, spec: Spec) -> pd.DataFrame:
    """The cells of a check of a kind.

    Columns are place, dataset, and for each side ("published", "here") the number, the one it is
    compared with (" against"; both NaN where one is missing) and whether they support the claim
    (" holds", False where a number is missing); and repeats, those of ours. Curves are not in
    print.
    """
    lines = _asked(lines, spec)
    in_print = {"mean": lines["published_mean"], "std": lines["published_std"]}
    printed = lines.iloc[:0] if kind in ON_CURVES else lines
    printed = printed.assign(**in_print, repeats=spec.get("repeats"), by_repeat=None)
    about = ["place", "dataset", "repeats"]
    here = _on_one_side("here", kind, _ours(lines, spec), spec)
    there = _on_one_side("published", kind, printed, spec).drop(columns=about)
    cells = here[about[:2]].join([there, here.drop(columns=about[:2])])
    return cells.assign(**{"published holds": cells["published holds"].eq(True)})


def decide_here(kind: str, lines: pd.DataFrame, spec: Spec) -> pd.DataFrame:
    """The cells as :func:`decide` has them, by our numbers alone."""
    return _on_one_side("here", kind, _ours(_asked(lines, spec), spec), spec)


def _asked(lines: pd.DataFrame, spec: Spec) -> pd.DataFrame:
    """The lines that a check is on."""
    lines = lines[lines["target"].isin(spec["in"])]
    if "variant" in spec:
        lines = lines[lines["variant"] == spec["variant"]]
    datasets = spec.get("datasets", set(lines["dataset"]) - {"mean"})
    metrics = spec.get("metrics", lines["metric"].unique())
    lines = lines[lines["dataset"].isin(datasets) & lines["metric"].isin(metrics)]
    lines = lines.assign(where=lines["dataset"], on=lines["dataset"])
    if spec.get("together"):
        lines = lines.assign(target=" and ".join(spec["in"]))
        lines = lines.drop_duplicates(["row", "dataset", "metric"])
    return _averaged(lines, spec) if spec.get("averaged") else lines


def _ours(lines: pd.DataFrame, spec: Spec) -> pd.DataFrame:
    """The lines with our numbers, of rivals the printed ones where a check asks for these."""
    if not spec.get("printed_rivals"):
        return lines
    own = lines["row"].isin(spec["rows"])
    in_print = {name: lines[f"published_{name}"] for name in ("mean", "std")}
    lines = lines.assign(**{name: lines[name].where(own, in_print[name]) for name in in_print})
    return lines.assign(by_repeat=lines["by_repeat"].where(own, None))


def _on_one_side(side: str, kind: str, lines: pd.DataFrame, spec: Spec) -> pd.DataFrame:
    """The decisions of a check on one side; a pair that lacks a number is dropped."""
    cells = pd.DataFrame(_DECIDE[kind](lines, spec), columns=Decision._fields)
    numbers = ["own", "against"]
    both = cells[numbers].notna().all(axis=1)
    cells["holds"] = cells["holds"].astype(bool) & both
    cells[numbers] = cells[numbers].astype(float).where(both)
    names = [side, f"{side} against", f"{side} holds"]
    return cells.set_axis(["place", "dataset", *names, "repeats"], axis=1)


def _averaged(lines: pd.DataFrame, spec: Spec) -> pd.DataFrame:
    """The lines of data sets on which no row lacks a number of ours, put together as one place."""
    statistic = spec.get("of", "mean")
    ours = [statistic, f"published_{statistic}"] if spec.get("printed_rivals") else [statistic]
    frames = [lines.iloc[:0]]
    for _, group in lines.groupby(["target", "metric"], sort=False):
        named = group[group["row"].isin([*spec["rows"], *_over(group, spec)])]
        whole = named[ours].notna().all(axis=1).groupby(named["dataset"], sort=False).all()
        datasets = whole.index[whole]
        counted = named[named["dataset"].isin(datasets)]
        about = {"dataset": ", ".join(datasets), "where": f"mean over {len(datasets)} data sets"}
        frames.append(counted.assign(**about))
    return pd.concat(frames, ignore_index=True)


def _in_common(lines: pd.DataFrame) -> pd.DataFrame:
    """Lines with the numbers of the repeats that all of them have, as :func:`_of_common`."""
    records = _of_common(lines.to_dict("records"))
    return pd.DataFrame(records, index=lines.index, columns=lines.columns)


def _of_common(lines: Lines) -> list[dict[str, Any]]:
    """Lines with the numbers of the repeats that all of them have.

    Lines that are not of repeats, as printed ones or those of a pool, keep their numbers.
    """
    of_repeats = [values for line in lines if _is_array(values := line["by_repeat"])]
    if not of_repeats:
        return list(map(dict, lines))
    n = min(map(len, of_repeats))
    both = np.logical_and.reduce([np.isfinite(values[:n]) for values in of_repeats])
    found = [{**line, "repeats": float(both.sum())} for line in lines]
    for line in found:
        values = line["by_repeat"]
        # Of as many repeats a line has its own numbers, which a file has rounded.
        if _is_array(values) and len(values) != both.sum():
            kept = line["by_repeat"] = values[:n][both]
            line["mean"] = kept.mean() if len(kept) else np.nan
            line["std"] = kept.std(ddof=1) if len(kept) > 1 else np.nan
    return found


def _is_array(values: Any) -> bool:
    return isinstance(values, np.ndarray)


def _groups(lines: pd.DataFrame) -> Iterator[tuple[str, str, str, pd.DataFrame]]:
    """Place, data set, metric and lines of each target, data set and metric."""
    for (target, where, dataset, metric), group in lines.groupby(_GROUP, sort=False):
        yield f"{target}, {where}, {metric}", dataset, metric, group


def _rows_of_groups(
    lines: pd.DataFrame,
) -> Iterator[tuple[str, str, str, dict[str, list[dict[str, Any]]]]]:
    """What :func:`_groups` has, the lines as records by their rows."""
    groups: dict[tuple[str, ...], dict[str, list[dict[str, Any]]]] = {}
    for line in lines.to_dict("records"):
        keys = tuple(line[key] for key in _GROUP)
        groups.setdefault(keys, {}).setdefault(line["row"], []).append(line)
    for (target, where, dataset, metric), by_row in groups.items():
        yield f"{target}, {where}, {metric}", dataset, metric, by_row


def _over(group: pd.DataFrame, spec: Spec) -> list[str]:
    """The rows of a group that others are compared with."""
    return _rivals(group.loc[group["printed"].astype(bool), "row"].unique(), spec)


def _rivals(printed: Iterable[str], spec: Spec) -> list[str]:
    """The rows that others are compared with; "others" are those in print."""
    if spec["over"] != "others":
        return list(spec["over"])
    own = {*spec["rows"], *spec.get("but", [])}
    return [row for row in printed if row not in own]


def above(lines: pd.DataFrame, spec: Spec) -> Iterator[Decision]:
    """Each of ``rows`` is at least as good as the best of ``over``, in each data set and metric.

    ``over: others`` stands for all rows that the paper prints but these and those of ``but``. With
    ``each`` they are compared one by one instead; with ``either`` the best of ``rows`` is compared.
    ``by`` asks for a relative gain; ``of: std`` compares standard deviations, where less is better.
    ``averaged`` compares means over the data sets that all rows have, ``together`` takes several
    tables as one, and ``printed_rivals`` compares our rows with the printed numbers of the others.
    """
    statistic = spec.get("of", "mean")
    for place, dataset, metric, by_row in _rows_of_groups(lines):
        less = statistic == "std" or metric in LOWER_IS_BETTER
        duel = partial(_duel, statistic=statistic, by=spec.get("by", 0.0), less=less)
        rows = [row for row in spec["rows"] if row in by_row]
        printed = [row for row, own in by_row.items() if any(line["printed"] for line in own)]
        over = [row for row in _rivals(printed, spec) if row in by_row]
        for own in [rows] if spec.get("either") and rows else [[row] for row in rows]:
            for rivals in [[rival] for rival in over] if spec.get("each") else [over]:
                against = f" against {rivals[0]}" if spec.get("each") else ""
                worst = [
                    min((duel(by_row[row], by_row[rival]) for rival in rivals), default=_NO_DUEL)
                    for row in own
                ]
                found = max((one for one in worst if one is not _NO_DUEL), default=_NO_DUEL)
                yield found.decision(f"{place}: {' or '.join(own)}{against}", dataset)


class _Duel(NamedTuple):
    """Two rows of one cell, and by how much the first one is better than it must be."""

    margin: float
    own: float
    against: float
    repeats: float

    def decision(self, place: str, dataset: str) -> Decision:
        """What it says of a claim."""
        return Decision(place, dataset, self.own, self.against, self.margin >= 0, self.repeats)


#: Of rows that lack a number; larger than any other, so that other rivals decide.
_NO_DUEL = _Duel(np.inf, np.nan, np.nan, np.nan)


def _duel(own: Lines, rival: Lines, statistic: str, by: float, less: bool) -> _Duel:
    """The lines of a row, on each data set against those of another, on their common repeats."""
    others = {line["on"]: line for line in rival}
    pairs = [_of_common((line, others[line["on"]])) for line in own]
    left, right = (float(np.mean([pair[i][statistic] for pair in pairs])) for i in (0, 1))
    if np.isnan([left, right]).any():
        return _NO_DUEL
    margin = right * (1 - by) - left if less else left - right * (1 + by)
    fewest = np.fmin.reduce([line["repeats"] for pair in pairs for line in pair], dtype=float)
    return _Duel(margin, left, right, float(fewest))


def significant(lines: pd.DataFrame, spec: Spec) -> Iterator[Decision]:
    """Each of ``rows`` is better than the best of ``over`` by Welch's two-sided t-test.

    The test takes means, standard deviations and numbers of repeats; ``repeats`` is that of the
    paper. Where it prints no standard deviations, its own numbers say nothing.
    """
    for place, dataset, _, group in _groups(lines):
        numbers = group.set_index("row")[["mean", "std", "repeats"]].astype(float).dropna()
        rivals = numbers[numbers.index.isin(_over(group, spec))]
        best = rivals.loc[rivals["mean"].idxmax()] if len(rivals) else rivals.mean()
        for row in [row for row in spec["rows"] if row in set(group["row"])]:
            own = numbers.reindex([row]).iloc[0]
            with np.errstate(all="ignore"):  # two rows without any spread
                p = ttest_ind_from_stats(*own, *best, equal_var=False).pvalue
            holds = own["mean"] > best["mean"] and p < LEVEL
            means, repeats = (own["mean"], best["mean"]), min(own["repeats"], best["repeats"])
            yield Decision(f"{place}: {row}", dataset, *means, holds, repeats)


def gain(lines: pd.DataFrame, spec: Spec) -> Iterator[Decision]:
    """The mean relative gain of ``row`` over the best of ``over`` is ``by``, one number per metric.

    It may be off by a quarter of that to either side: a gain that is much larger than what is
    claimed is another one, too. ``over`` and ``but`` are as in :func:`above`.

    ``mean: ratios`` averages the gains of the data sets; ``mean: scores`` takes the gain of the
    mean scores. Only data sets that have both rows count.
    """
    spec = {**spec, "rows": [spec["row"]]}
    for metric, group in lines.groupby("metric", sort=False):
        cells = group.dropna(subset="mean").groupby(["target", "dataset"], sort=False)
        pairs = [_with_best(cell, spec) for _, cell in cells]
        common = [_in_common(pair) for pair in pairs if len(pair) == 2]
        over = spec["over"] if spec["over"] == "others" else " or ".join(spec["over"])
        place = f"{', '.join(spec['in'])}, {metric}: {spec['row']} over {over}"
        datasets = ", ".join(dict.fromkeys(pair["dataset"].iloc[0] for pair in common))
        repeats = min((pair["repeats"].min() for pair in common), default=np.nan)
        # Of no pair there is no gain.
        own, other = np.array([pair["mean"] for pair in common] or [[np.nan] * 2]).T
        mean = own.mean() / other.mean() if spec["mean"] == "scores" else (own / other).mean()
        by = spec["by"][metric]
        near = abs(mean - 1 - by) <= _NEAR_GAIN * abs(by)
        yield Decision(place, datasets, mean - 1, by, near, repeats)


def _with_best(cell: pd.DataFrame, spec: Spec) -> pd.DataFrame:
    """Of the lines of a cell that of the row, and that of the best of those it is compared with."""
    rivals = cell[cell["row"].isin(_over(cell, spec))]
    return pd.concat([cell[cell["row"] == spec["row"]], rivals.nlargest(1, "mean")])


def small(lines: pd.DataFrame, spec: Spec) -> Iterator[Decision]:
    """The numbers of ``rows`` are within ``by`` of ``from``, by default of 0, for distances.

    Of a curve it is the point at ``x``.
    """
    named = lines["row"].isin(spec["rows"]) & (lines["x"].eq(spec["x"]) if "x" in spec else True)
    for line in lines[named].itertuples():
        place = f"{line.target}, {line.dataset}, {line.metric}: {line.row}"
        start = spec.get("from", 0.0)
        near = abs(line.mean - start) <= spec["by"]
        yield Decision(place, line.dataset, line.mean, start, near, line.repeats)


# -- checks on curves, which the papers draw without printing their numbers -----------------------


def _curves(
    lines: pd.DataFrame, spec: Spec
) -> Iterator[tuple[str, str, pd.DataFrame, pd.DataFrame]]:
    """Each curve: its place, its data set, its lines by x in order, and the whole group.

    The numbers of the lines are of the repeats that all of them have.
    """
    for place, dataset, _, group in _groups(lines):
        for row in spec["rows"]:
            points = group[(group["row"] == row) & group["x"].notna()].dropna(subset="mean")
            if len(points):
                curve = _in_common(points).set_index(pd.to_numeric(points["x"])).sort_index()
                yield f"{place}: {row}", dataset, curve, group


def peak(lines: pd.DataFrame, spec: Spec) -> Iterator[Decision]:
    """The curves of ``rows`` are at their best, or within ``by`` of it, at one of ``at``.

    Curves with points at ``at`` alone decide nothing and are left out.
    """
    for place, dataset, curve, _ in _curves(lines, spec):
        inside = curve.index.isin(spec["at"])
        if inside.all():
            continue
        there, best = curve.loc[inside, "mean"].max(), curve["mean"].max()
        near = best - there <= spec.get("by", 0.0)
        yield Decision(place, dataset, there, best, near, curve["repeats"].min())


def curve_above(lines: pd.DataFrame, spec: Spec) -> Iterator[Decision]:
    """Between ``from`` and ``to`` the curves of ``rows`` are nowhere below the row ``over``.

    With ``by`` it only has to stay that near to it. Where ``over`` is a curve itself, it is
    compared point by point, or with its point at ``at``, otherwise as a level line; ``over:
    others`` stands for all other curves, the best at each point. Shown is the worst point, with
    ``each`` every one. With ``share`` they are above, or equal, at more than that share of the
    points, which is shown.
    """
    for place, dataset, curve, group in _curves(lines, spec):
        inside = curve.loc[spec["from"] : spec["to"]]
        rivals = spec["over"]
        if rivals == "others":
            rivals = {*group["row"]} - {*spec["rows"]}
        others = group[group["row"].isin(rivals)].dropna(subset="mean")
        if inside.empty or others.empty:
            continue
        duels = {x: _duel_at(x, inside.loc[[x]], others, spec) for x in inside.index}
        repeats = min(duel.repeats for duel in duels.values())
        if "share" in spec:
            margins, share = [duel.margin for duel in duels.values()], spec["share"]
            above = float(np.mean([margin >= 0 for margin in margins if np.isfinite(margin)]))
            yield Decision(place, dataset, above, share, above > share, repeats)
            continue
        worst = min(duels, key=lambda x: duels[x].margin)
        for x in duels if spec.get("each") else [worst]:
            yield duels[x].decision(f"{place} at {x:g}", dataset)


def _duel_at(x: float, own: pd.DataFrame, others: pd.DataFrame, spec: Spec) -> _Duel:
    """A point of a curve against the other curves there, or at another x, or level lines."""
    places = pd.to_numeric(others["x"])
    there = others[places.isna() if places.isna().all() else places == spec.get("at", x)]
    if "at" in spec:
        there = there.assign(by_repeat=None)  # its ensembles are others
    here = own.to_dict("records")
    duels = [_duel(here, [line], "mean", 0.0, False) for line in there.to_dict("records")]
    duels = [duel for duel in duels if duel is not _NO_DUEL]
    if "by" in spec:
        duels = [duel._replace(margin=spec["by"] - abs(duel.margin)) for duel in duels]
    return min(duels, default=_NO_DUEL)


def rising(lines: pd.DataFrame, spec: Spec) -> Iterator[Decision]:
    """Curves never fall by more than ``by``; with ``ends`` they do not end lower than they start.

    Shown are the two ends, the last one first; with ``each`` every step. With ``backwards`` the
    curves are read from the largest x to the smallest. ``of: std`` looks at standard deviations.
    Single points are left out.
    """
    for place, dataset, curve, _ in _curves(lines, spec):
        if len(curve) < 2:
            continue
        points = curve[spec.get("of", "mean")]
        points = points[::-1] if spec.get("backwards") else points
        if spec.get("ends"):
            points = points.iloc[[0, -1]]
        parts = {place: points}
        if spec.get("each"):
            steps = (points.iloc[i : i + 2] for i in range(len(points) - 1))
            parts = {f"{place} from {x.index[0]:g} to {x.index[1]:g}": x for x in steps}
        for name, part in parts.items():
            rises = (part.diff().dropna() >= -spec.get("by", 0.0)).all()
            repeats = curve["repeats"].min()
            yield Decision(name, dataset, part.iloc[-1], part.iloc[0], rises, repeats)


def stable(lines: pd.DataFrame, spec: Spec) -> Iterator[Decision]:
    """A ``share`` of the points of a curve or surface lies within ``by`` of the best one.

    Curves at a part of their grid are left out: they do not show what lies between.
    """
    for place, dataset, _, group in _groups(lines):
        for row in spec["rows"]:
            here = group[(group["row"] == row) & group["x"].notna()]
            values = here["mean"].dropna()
            if len(values) and not here["run"].map(_in_part).any():
                near, share = (values >= values.max() - spec["by"]).mean(), spec["share"]
                fewest = here["repeats"].min()
                yield Decision(f"{place}: {row}", dataset, near, share, near >= share, fewest)


def _in_part(run: Any) -> bool:
    """Whether a run has only a part of its grid."""
    return isinstance(run, str) and Source.parse(run).points is not None


#: The checks by their keys in config/claims.yaml.
_DECIDE = {
    check.__name__: check
    for check in (above, significant, gain, small, peak, curve_above, rising, stable)
}
