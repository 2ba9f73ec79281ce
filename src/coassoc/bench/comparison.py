"""A user's method ranked among the methods of the archive: ranks, differences, significance.

All averages are over the same data sets: a method that lacks a score on one is listed but not
ranked. Rows tuned against the classes are compared only with one another.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import pandas as pd

from coassoc.bench.benchmark import Benchmark
from coassoc.bench.statistics import tested_over_families
from coassoc.bench.storage.records import Cell
from coassoc.bench.summaries import summarize


@dataclass(frozen=True)
class Comparison:
    """An own row among the archived rows, all tuned or all with default parameters."""

    benchmark: Benchmark
    #: Name of the own row.
    row: str
    #: Lines of scores of the own row on each data set.
    own_scores: Mapping[str, pd.DataFrame]
    #: Sentences about the own row.
    about: str
    #: Whether its labels depend on the order of the samples.
    reads_order: bool

    @property
    def metrics(self) -> list[str]:
        """Scores to compare, beginning with the ARI."""
        return sorted(self.benchmark.shipped.facts["metrics"], key=lambda name: name != "ARI")

    @cached_property
    def cells(self) -> list[Cell]:
        """Cells of all rows that can be compared."""
        shipped, tuned = self.benchmark.shipped, self.benchmark.tuned
        others = [
            cell
            for cell in shipped.cells(self.benchmark.pools)
            if shipped.rows[cell.label]["tuned"] == tuned
            and (self.reads_order or not shipped.rows[cell.label]["reads_order"])
        ]
        tune = "ARI" if tuned else None
        own = [shipped.cell(self.row, name, sources=[name], tune=tune) for name in self.own_scores]
        return others + own

    @cached_property
    def scores(self) -> dict[str, pd.DataFrame]:
        """Lines of scores by their source, which is the data set for the own row."""
        archived = self.benchmark.shipped.scores(self.benchmark.pools, self.benchmark.n_draws)
        return {**archived, **self.own_scores}

    @cached_property
    def _summary(self) -> pd.DataFrame:
        return summarize(self.cells, self.scores, {name: name for name in self.metrics})

    def means(self, metric: str) -> pd.DataFrame:
        """Mean scores by data set (down) and row (across); NaN if a repeat has no score."""
        cells = self._summary[self._summary["metric"] == metric]
        cells = cells.assign(mean=cells["mean"].mask(cells["skipped"] > 0))
        wide = cells.pivot(index="dataset", columns="row", values="mean")
        return wide.loc[[*self.benchmark.pools], cells["row"].unique()]

    def standings(self, metric: str) -> pd.DataFrame:
        """Methods with which the own row is ranked, best first, and then those without a rank.

        Columns method, rank, mean_rank, mean and missing (data sets without a score).
        """
        means = self.means(metric)
        ranked = means.dropna(axis="columns")
        table = pd.DataFrame(index=means.columns.rename("method"))
        table["mean_rank"] = ranked.round(6).rank(axis=1, ascending=False).mean()
        table.insert(0, "rank", table["mean_rank"].rank(method="min"))
        table = table.assign(mean=ranked.mean(), missing=means.isna().sum())
        return table.sort_values("mean_rank", kind="stable").reset_index()

    def place(self, metric: str) -> dict[str, Any]:
        """The line of the own row in :meth:`standings`, with metric and of (ranked rows)."""
        table = self.standings(metric).set_index("method")
        return {"metric": metric, **table.loc[self.row], "of": table["rank"].count()}

    def on_datasets(self, metric: str) -> pd.DataFrame:
        """The own row on each data set, compared with the best and the median of the others."""
        wide = self.means(metric)[self.standings(metric)["method"]]
        others, mean = wide.drop(columns=self.row), wide[self.row]
        rank = 1 + others.round(6).gt(mean.round(6), axis=0).sum(axis=1)
        table = pd.DataFrame(
            {
                "mean": mean,
                "rank": rank.where(mean.notna()),
                "of": 1 + others.notna().sum(axis=1),
                "best": others.max(axis=1),
                "best_method": others.idxmax(axis=1),
                "median": others.median(axis=1),
            }
        )
        return table.reset_index()

    def tests(self, metric: str) -> pd.DataFrame:
        """The own row against methods with scores on all data sets; empty if it lacks one.

        Columns method, mean_rank, mean, difference (own − other) and p
        (:func:`~coassoc.bench.statistics.tested_over_families`).
        """
        others = self.standings(metric).dropna(subset="rank").set_index("method")
        if self.row not in others.index or len(others) < 2:
            return pd.DataFrame()
        others = others.drop(index=self.row)[["mean_rank", "mean"]]
        means = self.means(metric)
        changes = means[others.index].rsub(means[self.row], axis=0)
        return others.assign(
            difference=changes.mean(), p=tested_over_families(changes)
        ).reset_index()

    def failures(self) -> pd.DataFrame:
        """Fits without a partition or with a wrong number of clusters.

        Columns dataset, what, fits and of.
        """
        flaws = []
        for dataset, lines in self.own_scores.items():
            whats = lines["status"].where(lines["status"] != "ok", lines.get("note"))
            for what, count in whats.value_counts().items():
                flaws.append({"dataset": dataset, "what": what, "fits": count, "of": len(lines)})
        return pd.DataFrame(flaws, columns=["dataset", "what", "fits", "of"])
