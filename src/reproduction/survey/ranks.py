"""Every method against every other: mean ranks, mean scores and times.

:func:`rank_cells` ranks the methods in each *view*: by one metric, on one group of data sets, with
or without methods that depend on sample order, with default parameters or tuned against the
classes. All averages in a view are over the same data sets. If a method lacks a score on a data
set, one view leaves out the method, another view leaves out the data set, and both name what they
left out.
"""

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from coassoc.bench.storage.records import Cell
from coassoc.bench.summaries import Scores, lines_of, summarize

#: Group of all data sets.
ALL_DATASETS = "all data sets"
#: Metric that is not used for ranking.
TIME = "seconds"
#: Upper ends of the groups of data sets by samples, features and classes.
_BANDS = {"n": (300, 1000, 3000), "d": (3,), "classes": (5, 10)}
#: Data sets of up to this many samples are groups too, so that slower methods are ranked.
_SMALL = (1000, 3000)
#: Scores whose difference is smaller count as equal.
_DIGITS = 6

Facts = Mapping[str, Mapping[str, Any]]


class View(NamedTuple):
    """Which scores, data sets and rows a ranking compares."""

    metric: str
    #: Group of data sets.
    group: str
    #: Whether rows are tuned against the classes or at their defaults.
    tuned: bool
    #: Whether to include methods that depend on sample order.
    readers: bool
    #: Whether a missing score excludes the data set or the method.
    all_methods: bool


class Ranks(NamedTuple):
    """Result of :func:`rank_cells`."""

    #: The summarised scores. A mean over fewer than all repeats does not count and has a reason.
    cells: pd.DataFrame
    #: One line per view and row: the columns of :class:`View`, label, rank and mean (averages over
    #: the data sets), seconds (average of the medians over repeats, because the first repeat of
    #: earlier versions includes imports), n_datasets and missing (number of data sets of the group
    #: without a score). Rows that are not ranked have no rank.
    lines: pd.DataFrame
    #: The scores of all repeats of all rows and data sets.
    repeats: pd.DataFrame
    rows: Facts
    #: The data sets with all their groups.
    datasets: Facts


def rank_cells(
    cells: Iterable[Cell],
    scores: Scores,
    metrics: Mapping[str, str],
    rows: Facts,
    datasets: Facts,
) -> Ranks:
    """Rank methods in all views that have at least two methods.

    The cells are summarised (:func:`~coassoc.bench.summaries.summarize`), :data:`TIME` among their
    metrics. Each row has the columns tuned (against the classes) and reads_order (dependence on
    sample order), and each data set has n, d, classes and groups.
    """
    cells = list(cells)
    summary = _mask_incomplete_means(summarize(cells, scores, metrics))
    grouped = {name: {**facts, "groups": _groups(facts)} for name, facts in datasets.items()}
    # Medians are not a number where there are no repeats, or some are missing.
    medians = summary["by_repeat"].map(lambda text: np.median(np.array(str(text).split(), float)))
    shown = summary.assign(mean=summary["mean"].where(summary["metric"] != TIME, medians))
    wide = shown.pivot(index="dataset", columns=["metric", "row"], values="mean")
    wide = wide.reindex(list(datasets))
    tables = {name: wide[name].reindex(columns=list(rows)) for name in wide.columns.unique(0)}
    columns = [*View._fields, "label", "rank", "mean", TIME, "n_datasets", "missing"]
    requested = summary.groupby("row")["dataset"].unique()
    ranked = [
        lines.assign(**view._asdict())
        for view in _views(metrics, grouped, rows)
        if len(lines := _ranked(view, tables, rows, grouped, requested))
    ]
    lines = pd.concat(ranked, ignore_index=True) if ranked else pd.DataFrame()
    return Ranks(summary, lines.reindex(columns=columns), lines_of(cells, scores), rows, grouped)


def _mask_incomplete_means(summary: pd.DataFrame) -> pd.DataFrame:
    """The cells; means over an incomplete set of repeats are dropped, with a reason."""
    part = (summary["skipped"] > 0) & (summary["repeats"] > 0)
    some = summary["skipped"].astype(str) + " repeats have no score: " + summary["reason"]
    numbers = summary[["mean", "std"]].mask(part)
    return summary.assign(**numbers, reason=summary["reason"].mask(part, some))


def _groups(facts: Mapping[str, Any]) -> list[str]:
    """The groups of a data set: all, those of the configuration, by n, by d and by classes."""
    bands = [_band(what, facts[what]) for what in _BANDS if facts.get(what) is not None]
    small = [f"n ≤ {most}" for most in _SMALL if (facts["n"] or np.inf) <= most]
    return [ALL_DATASETS, *facts["groups"], *small, *bands]


def _band(what: str, value: int) -> str:
    for low, high in itertools.pairwise((0, *_BANDS[what])):
        if value <= high:
            return f"{what} ≤ {high}" if low == 0 else f"{low} < {what} ≤ {high}"
    return f"{what} > {_BANDS[what][-1]}"


def _views(metrics: Mapping[str, str], datasets: Facts, rows: Facts) -> Iterator[View]:
    groups = dict.fromkeys(group for facts in datasets.values() for group in facts["groups"])
    tuned = sorted({facts["tuned"] for facts in rows.values()})
    names = [name for name in metrics if name != TIME]
    both = (False, True)
    return itertools.starmap(View, itertools.product(names, groups, tuned, both, both))


def _ranked(
    view: View,
    tables: Mapping[str, pd.DataFrame],
    rows: Facts,
    datasets: Facts,
    requested_by_row: Mapping[str, Sequence[str]],
) -> pd.DataFrame:
    """Lines of one view, on data sets requested for its rows; none with fewer than two methods."""
    names = [
        name
        for name, facts in rows.items()
        if facts["tuned"] == view.tuned and (view.readers or not facts["reads_order"])
    ]
    requested = set(itertools.chain.from_iterable(requested_by_row[name] for name in names))
    inside = [
        x for x, facts in datasets.items() if view.group in facts["groups"] and x in requested
    ]
    wide = tables[view.metric].loc[inside, names]
    kept = wide.dropna(axis="columns", how="all")
    kept = kept.dropna(axis="index" if view.all_methods else "columns", how="any")
    if kept.shape[1] < 2:
        return pd.DataFrame()
    ranked = pd.DataFrame(
        {
            "rank": kept.round(_DIGITS).rank(axis=1, ascending=False).mean(),
            "mean": kept.mean(),
            TIME: tables[TIME].loc[kept.index, kept.columns].mean(skipna=False),
        }
    )
    ranked = ranked.reindex(names).assign(n_datasets=len(kept), missing=wide.isna().sum())
    return ranked.sort_values("rank").rename_axis("label").reset_index()
