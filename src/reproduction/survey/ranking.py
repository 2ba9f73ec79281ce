"""Rank the methods: a page, its numbers, and the cells and scores behind them."""

import base64
import gzip
import json
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from coassoc.bench.pools.draws import size_name
from coassoc.bench.statistics import LEVEL, family
from coassoc.bench.storage.hdf5 import MEASURES
from coassoc.bench.summaries import Scores
from reproduction.pages import write_numbers, write_rendered
from reproduction.scores.families import DRAWS, compared_with_first, drawn_times
from reproduction.scores.files import MADE_BY, SOURCE, write_scores
from reproduction.study.catalogues import Catalogues
from reproduction.study.kinds import SCORES
from reproduction.study.ranking import GROUPS
from reproduction.survey.ranks import ALL_DATASETS, TIME, Ranks, View

#: Group of data sets that are in no battery.
NO_BATTERY = "no battery"


def compared_with_the_first(ranks: Ranks, seed: int) -> pd.DataFrame:
    """The lines of the ranks, with four more columns for lines on all data sets.

    p_first is the p-value of the comparison with the first method (Wilcoxon's signed ranks over
    families of data sets, Holm-corrected over the methods). first_share is the fraction of draws of
    families in which a method is first. rank_low and rank_high are the ends of the 95 % interval of
    the mean rank over these draws. The columns are given for methods that use only labels, at their
    defaults, with a score on all data sets.
    """
    further = ["p_first", "first_share", "rank_low", "rank_high"]
    lines = ranks.lines.assign(**dict.fromkeys(further, np.nan))
    apart = ["tuned", "readers", "all_methods"]
    whole = (lines["group"] == ALL_DATASETS) & ~lines[apart].any(axis=1) & lines["rank"].notna()
    for metric, of_metric in lines[whole].groupby("metric"):
        cells = ranks.cells[ranks.cells["metric"] == metric]
        scores = cells.pivot(index="dataset", columns="row", values="mean")
        scores = scores[list(of_metric["label"])].dropna()
        _, p = compared_with_first(scores)
        by_family = scores.round(6).rank(axis=1, ascending=False).groupby(family)
        sums, sizes = by_family.sum(), by_family.size().to_numpy()
        drawn = drawn_times(len(sums), seed)
        means = drawn @ sums.to_numpy() / (drawn @ sizes)[:, None]
        times = np.bincount(means.argmin(axis=1), minlength=sums.shape[1])
        ends = np.quantile(means, [0.025, 0.975], axis=0)
        compared = pd.DataFrame([times / DRAWS, *ends], further[1:], sums.columns).T
        compared = compared.assign(p_first=p).loc[of_metric["label"], further]
        lines.loc[of_metric.index, further] = compared.to_numpy()
    return lines


def ranked_facts(lines: pd.DataFrame, catalogues: Catalogues) -> dict[str, Any]:
    """Facts about data sets and rows that the ranking shows."""
    entries = [catalogues.datasets[name] for name in lines["dataset"].unique()]
    groups = {x.name: [key for key, names in GROUPS.items() if x.name in names] for x in entries}
    if any(x.battery for x in entries):
        for x in entries:
            groups[x.name].insert(0, f"battery {x.battery}" if x.battery else NO_BATTERY)
    rows = lines.drop_duplicates("label")[["label", "method", "tune"]]
    return {
        "datasets": {
            x.name: {"n": x.n, "d": x.d, "classes": x.classes, "groups": groups[x.name]}
            for x in entries
        },
        "rows": {
            label: {
                "title": catalogues.methods[method].title,
                "tuned": tune != "",
                "reads_order": catalogues.methods[method].depends_on_sample_order,
            }
            for label, method, tune in rows.itertuples(index=False)
        },
    }


def write_ranking(paths: Mapping[str, str], ranks: Ranks) -> None:
    """Write the page ("html"), the ranks as CSV ("csv") and the cells as Parquet ("cells")."""
    cells, data = ranks.cells.drop(columns="x"), page_data(ranks)
    text = json.dumps(data, allow_nan=False)
    write_numbers(paths["csv"], ranks.lines)
    cells.to_parquet(paths["cells"])
    write_rendered(
        paths["html"],
        "ranking.html",
        title="Ranking of ensemble clustering methods",
        pools=", ".join(dict.fromkeys(cells["pool"])),
        m=size_name(cells["m"].iloc[0]),
        level=f"{LEVEL:g}",
        tuned=any(facts["tuned"] for facts in ranks.rows.values()),
        metrics=data["metrics"],
        groups=data["groups"],
        data=base64.b64encode(gzip.compress(text.encode(), mtime=0)).decode(),
    )


def write_lines_of_runs(
    path: str, scores: Scores, metrics: Iterable[str], made_by: Mapping[str, str]
) -> None:
    """Write all points and repeats of the runs behind a ranking as a file of scores."""
    unused = {*SCORES, *MEASURES}.difference(metrics, ["n_clusters_found"])
    parts = (x.assign(**{SOURCE: name, MADE_BY: made_by[name]}) for name, x in scores.items())
    together = pd.concat(parts, ignore_index=True)
    write_scores(path, together.drop(columns=list(unused), errors="ignore"))


def page_data(ranks: Ranks) -> dict[str, Any]:
    """Data that the page shows.

    Returns
    -------
    dict
        rows, datasets : facts about each; metrics, groups : names; views : for each "metric|group|"
        followed by a digit for each of tuned, readers and all_methods, the number of data sets, and
        lines of row, rank, mean, seconds, missing, rank_low, rank_high and p_first; cells :
        row → data set → scores (metric → mean, std, reason), repeats (number, status, scores), and
        for runs also run, parameters and version.
    """
    scored = _plain(ranks.cells[ranks.cells["metric"] != TIME])
    metrics = list(scored["metric"].unique())
    cells: dict[str, dict[str, dict[str, Any]]] = {name: {} for name in ranks.rows}
    for line in scored.to_dict("records"):
        cell = cells[line["row"]].setdefault(line["dataset"], {"scores": {}, "repeats": []})
        cell["scores"][line["metric"]] = [line["mean"], line["std"], line["reason"]]
        if line.get("run"):
            cell |= {"run": line["run"], "parameters": json.loads(line["parameters"])}
            cell["version"] = line.get("commit")
    columns = ["row", "dataset", "repeat", "status", *metrics]
    for row, dataset, *repeat in _plain(ranks.repeats.reindex(columns=columns)).to_numpy():
        cells[row][dataset]["repeats"].append(repeat)
    shown = ["label", "rank", "mean", TIME, "missing", "rank_low", "rank_high", "p_first"]
    ranked = _plain(ranks.lines.round({"rank": 2, "rank_low": 2, "rank_high": 2}))
    views = ranked.groupby(list(View._fields), sort=False)
    return {
        "rows": ranks.rows,
        "datasets": ranks.datasets,
        "metrics": metrics,
        "groups": list(dict.fromkeys(ranks.lines["group"])),
        "cells": cells,
        "views": {
            f"{metric}|{group}|{tuned:d}{readers:d}{all_methods:d}": {
                "n": lines["n_datasets"].iloc[0],
                "lines": lines[shown].to_numpy().tolist(),
            }
            for (metric, group, tuned, readers, all_methods), lines in views
        },
    }


def _plain(lines: pd.DataFrame) -> pd.DataFrame:
    """Numbers rounded to four digits, None for missing values."""
    rounded = lines.round(4).astype(object)
    return rounded.where(rounded.notna(), None)
