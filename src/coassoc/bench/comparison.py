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
from coassoc.bench.ranking import ALL_DATASETS, TIME, Ranks, View, rank_cells
from coassoc.bench.significance import compare_methods
from coassoc.bench.storage.records import Cell
from coassoc.bench.summaries import with_values

#: Region of practical equivalence: mean differences of scores within ± this are negligible.
REGION = 0.01


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
        archived = shipped.cells(self.benchmark.pools)
        others = [cell for cell in archived if shipped.rows[cell.label]["tuned"] == tuned]
        tune = "ARI" if tuned else None
        own = [shipped.cell(self.row, name, sources=[name], tune=tune) for name in self.own_scores]
        return others + own

    @cached_property
    def scores(self) -> dict[str, pd.DataFrame]:
        """Lines of scores by their source, which is the data set for the own row."""
        archived = self.benchmark.shipped.scores(self.benchmark.pools, self.benchmark.n_draws)
        return {**archived, **self.own_scores}

    @cached_property
    def ranks(self) -> Ranks:
        """Ranks in all views, without times, because these were measured on another machine."""
        shipped = self.benchmark.shipped
        own = {"tuned": self.benchmark.tuned, "reads_order": self.reads_order}
        names = dict.fromkeys(cell.label for cell in self.cells)
        rows = {name: shipped.rows.get(name, own) for name in names}
        datasets = {name: shipped.datasets[name] for name in self.benchmark.pools}
        metrics = {name: name for name in (*self.metrics, TIME)}
        return rank_cells(self.cells, self.scores, metrics, rows, datasets)

    def _means(self, metric: str) -> pd.DataFrame:
        """Mean scores on each data set (down) by each row (across)."""
        cells = self.ranks.cells[self.ranks.cells["metric"] == metric]
        wide = cells.pivot(index="dataset", columns="row", values="mean")
        return wide.loc[[*self.benchmark.pools]]

    def standings(self, metric: str) -> pd.DataFrame:
        """Methods with which the own row is ranked, best first, and then those without a rank.

        Columns method, rank, mean_rank, mean and missing (data sets without a score).
        """
        tuned, readers = self.benchmark.tuned, self.reads_order
        view = View(metric, ALL_DATASETS, tuned, readers, all_methods=False)
        lines = self.ranks.lines
        lines = lines[(lines[[*View._fields]] == [*view]).all(axis=1)]
        lines = lines.rename(columns={"label": "method", "rank": "mean_rank"})
        lines = lines.assign(rank=lines["mean_rank"].rank(method="min")).sort_values("mean_rank")
        return lines[["method", "rank", "mean_rank", "mean", "missing"]]

    def place(self, metric: str) -> dict[str, Any]:
        """The line of the own row in :meth:`standings`, with metric and of (ranked rows)."""
        table = self.standings(metric).set_index("method")
        return {"metric": metric, **table.loc[self.row], "of": table["rank"].count()}

    def on_datasets(self, metric: str) -> pd.DataFrame:
        """The own row on each data set, compared with the best and the median of the others."""
        wide = self._means(metric)[self.standings(metric)["method"]]
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

        Columns method, rank, difference (own − other), wins, ties, losses (numbers of data sets on
        which the repeats differ significantly or not), better, alike, worse (probabilities from the
        Bayesian signed-rank test, for the own method), p_wilcoxon (Holm-corrected) and p_nemenyi.
        """
        standings = self.standings(metric)
        ranked = list(standings.loc[standings["rank"].notna(), "method"])
        if self.row not in ranked or len(ranked) < 2:
            return pd.DataFrame()
        repeats = self.ranks.repeats
        values = with_values(repeats[repeats["label"].isin(ranked)], metric)
        others = compare_methods(values, self.row, REGION).methods.drop(index=self.row)
        turned = {"wins": "losses", "losses": "wins", "better": "worse", "worse": "better"}
        table = others.rename(columns={**turned, "rank": "mean_rank"})
        table["difference"] *= -1
        shown = ["mean_rank", "mean", "difference", "wins", "ties", "losses"]
        shown += ["better", "alike", "worse", "p_wilcoxon", "p_nemenyi"]
        return table[shown].reset_index()

    def failures(self) -> pd.DataFrame:
        """Fits without a partition or with a wrong number of clusters.

        Columns dataset, what, fits and of.
        """
        flaws = [
            {"dataset": dataset, "what": what, "fits": count, "of": len(lines)}
            for dataset, lines in self.own_scores.items()
            for what, count in _flaws(lines).value_counts().items()
        ]
        return pd.DataFrame(flaws, columns=["dataset", "what", "fits", "of"])


def _flaws(lines: pd.DataFrame) -> pd.Series:
    """Reasons why repeats failed, and notes on wrong numbers of clusters."""
    notes = lines["note"] if "note" in lines else pd.Series(index=lines.index, dtype=object)
    return lines["status"].where(lines["status"] != "ok", notes)
