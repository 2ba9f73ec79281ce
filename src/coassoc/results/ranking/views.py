"""Ranks of methods in each view of their scores."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy.stats import rankdata, studentized_range

from coassoc.results.audits.evidence import Cells, Scores
from coassoc.results.audits.statistics import LEVEL
from coassoc.results.summaries import cell_scores, summarize

__all__ = ["ALL", "TIME", "Ranks", "View", "critical_difference", "rank_cells"]

#: Group of all data sets.
ALL = "all data sets"
#: Metric that nobody is ranked by.
TIME = "seconds"
#: Upper ends of the groups of data sets by samples and by classes.
_SAMPLES, _CLASSES = (300, 1000), (5, 10)
#: Scores that differ by less are equal.
_DIGITS = 6


class View(NamedTuple):
    """What is compared with what.

    Attributes
    ----------
    metric, group : str
        Score, and group of data sets.
    tuned : bool
        Rows tuned by the classes, or those at their defaults.
    readers : bool
        Whether methods that read the order of the samples take part.
    all_methods : bool
        What is left out where scores are missing: data sets, so that all methods take part that
        have any score in the group, or methods, so that all its data sets count.
    """

    metric: str
    group: str
    tuned: bool
    readers: bool
    all_methods: bool


class Ranks(NamedTuple):
    """Result of :func:`rank_cells`.

    Attributes
    ----------
    cells : DataFrame
        From :func:`~coassoc.results.summaries.summarize`; means over less than all repeats do not
        count, and have a reason.
    lines : DataFrame
        One line per view and row: the columns of :class:`View`, label, rank (mean over the data
        sets), mean and seconds (means over them), n_datasets, critical_difference (of two mean
        ranks, by Nemenyi's test), missing (data sets of the group without a score). Rows that are
        not ranked have no rank.
    repeats : dict
        (row, data set) → lines of the score files behind its numbers, one per repeat.
    rows, datasets : dict
        What is known of them; the data sets with all their groups.
    """

    cells: pd.DataFrame
    lines: pd.DataFrame
    repeats: Mapping[tuple[str, str], pd.DataFrame]
    rows: Mapping[str, Mapping[str, Any]]
    datasets: Mapping[str, Mapping[str, Any]]


def rank_cells(
    cells: Cells,
    scores: Scores,
    metrics: Mapping[str, str],
    rows: Mapping[str, Mapping[str, Any]],
    datasets: Mapping[str, Mapping[str, Any]],
) -> Ranks:
    """Rank methods in all views that have at least two methods.

    Parameters
    ----------
    cells : iterable of mapping
        Methods on data sets (:meth:`coassoc.plan.artefacts.Cell.as_parameters`).
    scores : mapping of str to DataFrame
        Score files by their stems.
    metrics : mapping of str to str
        Name → column of the score files; :data:`TIME` among them.
    rows, datasets : mapping
        As in :class:`coassoc.plan.wanted_ranking.Ranking`.
    """
    cells = list(cells)
    found = _whole(summarize(cells, scores, metrics))
    repeats = {
        (cell["row"], cell["dataset"]): cell_scores(cell, scores)[0]
        for cell in cells
        if not cell["not_run"]
    }
    grouped = {name: {**facts, "groups": _groups(facts)} for name, facts in datasets.items()}
    tables = {
        name: lines.pivot(index="dataset", columns="row", values="mean").reindex(
            index=list(datasets), columns=list(rows)
        )
        for name, lines in found.groupby("metric")
    }
    lines = [
        ranked.assign(**view._asdict())
        for view in _views(metrics, grouped, rows)
        if (ranked := _ranked(view, tables, rows, grouped)) is not None
    ]
    columns = [*View._fields, "label", "rank", "mean", TIME, "n_datasets"]
    columns += ["critical_difference", "missing"]
    together = pd.concat(lines, ignore_index=True) if lines else pd.DataFrame(columns=columns)
    return Ranks(found, together.reindex(columns=columns), repeats, rows, grouped)


def _whole(found: pd.DataFrame) -> pd.DataFrame:
    """Cells without the means over fewer repeats than were wanted."""
    part = (found["skipped"] > 0) & (found["repeats"] > 0)
    some = found["skipped"].astype(str) + " of the repeats have no score, " + found["reason"]
    numbers = found[["mean", "std"]].mask(part)
    return found.assign(**numbers, reason=found["reason"].mask(part, some))


def _groups(facts: Mapping[str, Any]) -> list[str]:
    """The groups of a data set: all, those of the configuration, by n and by classes."""
    groups = [ALL, *facts["groups"]]
    for what, ends in (("n", _SAMPLES), ("classes", _CLASSES)):
        if facts[what] is not None:
            groups.append(_band(what, facts[what], ends))
    return groups


def _band(what: str, value: int, ends: tuple[int, ...]) -> str:
    for low, high in itertools.pairwise((0, *ends)):
        if value <= high:
            return f"{what} ≤ {high}" if low == 0 else f"{low} < {what} ≤ {high}"
    return f"{what} > {ends[-1]}"


def _views(
    metrics: Iterable[str],
    datasets: Mapping[str, Mapping[str, Any]],
    rows: Mapping[str, Mapping[str, Any]],
) -> Iterator[View]:
    groups = dict.fromkeys(group for facts in datasets.values() for group in facts["groups"])
    tuned = sorted({facts["tuned"] for facts in rows.values()})
    names = [name for name in metrics if name != TIME]
    both = (False, True)
    for parts in itertools.product(names, groups, tuned, both, both):
        yield View(*parts)


def _ranked(
    view: View,
    tables: Mapping[str, pd.DataFrame],
    rows: Mapping[str, Mapping[str, Any]],
    datasets: Mapping[str, Mapping[str, Any]],
) -> pd.DataFrame | None:
    """Lines of one view; None where there are not two methods to compare."""
    names = [
        name
        for name, facts in rows.items()
        if facts["tuned"] == view.tuned and (view.readers or not facts["reads_order"])
    ]
    inside = [name for name, facts in datasets.items() if view.group in facts["groups"]]
    wide = tables[view.metric].loc[inside, names]
    missing = wide.isna().sum()
    kept = wide.dropna(axis="columns", how="all")
    kept = kept.dropna(axis="index" if view.all_methods else "columns", how="any")
    if kept.shape[1] < 2:
        return None
    ranks = rankdata(-kept.round(_DIGITS).to_numpy(), axis=1).mean(axis=0) if len(kept) else np.nan
    seconds = tables[TIME].loc[kept.index, kept.columns].mean(skipna=False)
    ranked = pd.DataFrame({"rank": ranks, "mean": kept.mean(), TIME: seconds}, index=kept.columns)
    ranked["critical_difference"] = critical_difference(kept.shape[1], len(kept))
    ranked = ranked.reindex(names).assign(n_datasets=len(kept), missing=missing)
    return ranked.sort_values("rank").rename_axis("label").reset_index()


def critical_difference(methods: int, blocks: int) -> float:
    """Difference of two mean ranks that Nemenyi's test finds (Demšar, JMLR 2006, Eq. in 3.2.2).

    Parameters
    ----------
    methods, blocks : int
        k methods on N data sets; undefined for N < 2.
    """
    if blocks < 2:
        return float("nan")
    return float(_quantile(methods) * np.sqrt(methods * (methods + 1) / (6 * blocks)))


@cache
def _quantile(methods: int) -> float:
    return float(studentized_range.ppf(1 - LEVEL, methods, np.inf) / np.sqrt(2))
