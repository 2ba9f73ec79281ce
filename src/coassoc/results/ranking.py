"""Every method against every other: mean ranks, critical differences, mean scores and times.

:func:`rank_cells` ranks the methods in each *view*: by one metric, on one group of data sets, with
or without methods that read the order of the samples, at their defaults or tuned by the classes.
No view mixes tuned rows with others, and none averages over different data sets: a method without
a score on one of a view's data sets is left out of it, or the data set is. Both views are there,
and what was left out is named. :func:`write_ranking` puts all of it on one web page.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy.stats import rankdata, studentized_range

from coassoc.results.audits.statistics import LEVEL
from coassoc.results.pages import write_lines, write_page
from coassoc.results.summaries import Cell, Scores, lines_of, summarize

#: Group of all data sets.
ALL = "all data sets"
#: Metric that nobody is ranked by.
TIME = "seconds"
#: Upper ends of the groups of data sets by samples and by classes.
_BANDS = {"n": (300, 1000), "classes": (5, 10)}
#: Scores that differ by less are equal.
_DIGITS = 6

Facts = Mapping[str, Mapping[str, Any]]


class View(NamedTuple):
    """What is compared with what."""

    metric: str
    #: Of data sets.
    group: str
    #: Whether rows are those tuned by the classes, or those at their defaults.
    tuned: bool
    #: Whether methods that read the order of the samples take part.
    readers: bool
    #: Where scores are missing, whether data sets are left out, or methods.
    all_methods: bool


class Ranks(NamedTuple):
    """Result of :func:`rank_cells`."""

    #: As summarised; means over less than all repeats do not count, and have a reason.
    cells: pd.DataFrame
    #: One line per view and row: the columns of :class:`View`, label, rank (mean over the data
    #: sets), mean and seconds (means over them), n_datasets, critical_difference (of two mean
    #: ranks, by Nemenyi's test), missing (data sets of the group without a score). Rows that are
    #: not ranked have no rank.
    lines: pd.DataFrame
    #: (row, data set) → lines of the score files behind its numbers, one per repeat.
    repeats: Mapping[tuple[str, str], pd.DataFrame]
    rows: Facts
    #: With all their groups.
    datasets: Facts


def rank_cells(
    cells: Iterable[Cell], scores: Scores, metrics: Mapping[str, str], rows: Facts, datasets: Facts
) -> Ranks:
    """Rank methods in all views that have at least two methods.

    The cells are summarised (:func:`~coassoc.results.summaries.summarize`), :data:`TIME` among
    their metrics; rows and data sets are those of
    :func:`coassoc.plan.ranked.ranking_of`.
    """
    cells = list(cells)
    found = _whole(summarize(cells, scores, metrics))
    repeats = dict(iter(lines_of(cells, scores).groupby(["row", "dataset"], sort=False)))
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
    bands = (_band(what, facts[what]) for what in _BANDS if facts[what] is not None)
    return [ALL, *facts["groups"], *bands]


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
    view: View, tables: Mapping[str, pd.DataFrame], rows: Facts, datasets: Facts
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


@cache
def critical_difference(methods: int, blocks: int) -> float:
    """Difference of two mean ranks that Nemenyi's test finds (Demšar, JMLR 2006, Sec. 3.2.2).

    Undefined on a single data set (`blocks`).
    """
    if blocks < 2:
        return float("nan")
    quantile = studentized_range.ppf(1 - LEVEL, methods, np.inf) / np.sqrt(2)
    return float(quantile * np.sqrt(methods * (methods + 1) / (6 * blocks)))


# -- the page ---------------------------------------------------------------------------------


def write_ranking(paths: Mapping[str, str], found: Ranks) -> None:
    """Write the page ("html"), and ranks and cells as CSV and Parquet.

    Their paths are those of "csv" and "parquet", "cells" and "cells_parquet".
    """
    cells = found.cells.drop(columns="x")
    for lines, csv, parquet in (
        (found.lines, "csv", "parquet"),
        (cells, "cells", "cells_parquet"),
    ):
        write_lines(paths[csv], lines)
        lines.to_parquet(paths[parquet])
    write_page(
        paths["html"],
        "ranking.html",
        title="Ranking of ensemble clustering methods",
        pools=", ".join(dict.fromkeys(cells["pool"])),
        m=cells["m"].iloc[0],
        level=LEVEL,
        data=page_data(found),
    )


def page_data(found: Ranks) -> dict[str, Any]:
    """What the page shows: rows, data sets, cells and their repeats, and ranks of each view."""
    scored = found.cells[found.cells["metric"] != TIME]
    metrics = list(scored["metric"].unique())
    rows = list(found.rows)
    return {
        "rows": [{"name": name, **facts} for name, facts in found.rows.items()],
        "datasets": [{"name": name, **facts} for name, facts in found.datasets.items()],
        "metrics": metrics,
        "groups": list(dict.fromkeys(found.lines["group"])),
        "cells": {
            metric: _grid(
                found,
                lines,
                lambda line: [_number(line["mean"]), _number(line["std"]), line["reason"]],
                [None, None, "not asked for"],
            )
            for metric, lines in scored.groupby("metric", sort=False)
        },
        "origins": _grid(
            found,
            found.cells.dropna(subset="run").drop_duplicates(["row", "dataset"]),
            lambda run: _origin(run, found.repeats[run["row"], run["dataset"]], metrics),
        ),
        "views": {
            _key(View(*parts)): {
                "cd": _number(lines["critical_difference"].max()),
                "n": int(lines["n_datasets"].iloc[0]),
                "lines": [_ranked_row(line, rows) for line in lines.itertuples()],
            }
            for parts, lines in found.lines.groupby(list(View._fields), sort=False)
        },
    }


def _key(view: View) -> str:
    """Name of a view, as the page puts it together."""
    flags = "".join(str(int(flag)) for flag in (view.tuned, view.readers, view.all_methods))
    return f"{view.metric}|{view.group}|{flags}"


def _ranked_row(line: Any, rows: list[str]) -> list[Any]:
    """Number of the row, its rank, mean score and seconds, and how many scores it lacks."""
    numbers = [_number(line.rank, 2), _number(line.mean), _number(line.seconds)]
    return [rows.index(line.label), *numbers, int(line.missing)]


def _grid(found: Ranks, lines: pd.DataFrame, shown: Any, missing: Any = None) -> list[list[Any]]:
    """What is shown of the line of each row (down) and data set (across)."""
    places = zip(lines["row"], lines["dataset"], strict=True)
    filled = dict(zip(places, map(shown, lines.to_dict("records")), strict=True))
    return [[filled.get((row, name), missing) for name in found.datasets] for row in found.rows]


def _origin(run: Mapping[str, Any], repeats: pd.DataFrame, metrics: list[str]) -> dict[str, Any]:
    """The file of a run, and for each repeat [number, what became of it, scores]."""
    lines = repeats.reindex(columns=["repeat", "status", *metrics]).itertuples(index=False)
    return {
        "run": run["run"],
        "parameters": json.loads(run["parameters"]),
        "version": run.get("commit", ""),
        "repeats": [[int(r), status, *map(_number, scores)] for r, status, *scores in lines],
    }


def _number(value: float, digits: int = 4) -> float | None:
    return round(float(value), digits) if np.isfinite(value) else None
