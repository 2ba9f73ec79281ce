"""A user's methods ranked among the methods of the archive: ranks, differences, significance.

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
from coassoc.bench.summaries import with_values
from coassoc.storage.records import Cell

#: Region of practical equivalence: mean differences of scores within ± this are negligible.
REGION = 0.01


@dataclass(frozen=True)
class Comparison:
    """Own rows among the archived rows, all tuned or all with default parameters."""

    benchmark: Benchmark
    #: Lines of scores of each of the user's rows on each data set.
    own_scores: Mapping[tuple[str, str], pd.DataFrame]
    #: The user's row → sentences about it, whether it is tuned, and whether it depends on the order
    #: of the samples.
    own: Mapping[str, Mapping[str, Any]]

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
        return others + [
            shipped.cell(*key, sources=[_own_source(*key)], tune=tune) for key in self.own_scores
        ]

    @cached_property
    def scores(self) -> dict[str, pd.DataFrame]:
        """Lines of scores by their source."""
        own = {_own_source(*key): lines for key, lines in self.own_scores.items()}
        return self.benchmark.shipped.scores(self.benchmark.pools, self.benchmark.n_draws) | own

    @cached_property
    def ranks(self) -> Ranks:
        """Ranks in all views, without times, because these were measured on another machine."""
        names = dict.fromkeys(cell.label for cell in self.cells)
        rows = {name: self.own.get(name) or self.benchmark.shipped.rows[name] for name in names}
        datasets = {name: self.benchmark.shipped.datasets[name] for name in self.benchmark.pools}
        metrics = {name: name for name in (*self.metrics, TIME)}
        return rank_cells(self.cells, self.scores, metrics, rows, datasets)

    def _means(self, metric: str) -> pd.DataFrame:
        """Mean scores on each data set (down) by each row (across)."""
        cells = self.ranks.cells[self.ranks.cells["metric"] == metric]
        wide = cells.pivot(index="dataset", columns="row", values="mean")
        return wide.loc[[*self.benchmark.pools]]

    def standings(self, row: str, metric: str) -> pd.DataFrame:
        """Methods with which a row is ranked, best first; methods without a rank at the end.

        Columns method, rank, mean_rank, mean, critical_difference (of mean ranks) and missing (data
        sets without a score).
        """
        readers = self.own[row]["reads_order"]
        view = View(metric, ALL_DATASETS, self.benchmark.tuned, readers, all_methods=False)
        lines = self.ranks.lines
        lines = lines[(lines[[*View._fields]] == [*view]).all(axis=1)]
        lines = lines.rename(columns={"label": "method", "rank": "mean_rank"})
        lines = lines.assign(rank=lines["mean_rank"].rank(method="min")).sort_values("mean_rank")
        return lines[["method", "rank", "mean_rank", "mean", "critical_difference", "missing"]]

    def place(self, row: str, metric: str) -> dict[str, Any]:
        """The line of a row in :meth:`standings`, with metric and of (number of ranked rows)."""
        table = self.standings(row, metric).set_index("method")
        return {"metric": metric, **table.loc[row], "of": table["rank"].count()}

    def on_datasets(self, row: str, metric: str) -> pd.DataFrame:
        """A row on each data set, compared with the best and the median of the other methods."""
        wide = self._means(metric)
        names = self.standings(row, metric)["method"]
        others, mean = wide[[name for name in names if name not in self.own]], wide[row]
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

    def tests(self, row: str, metric: str) -> pd.DataFrame:
        """A row against every method with scores on all data sets; empty if the row lacks one.

        Columns method, rank, difference (own − other), wins, ties, losses (numbers of data sets on
        which the repeats differ significantly or not), better, alike, worse (probabilities from the
        Bayesian signed-rank test, for the own method), p_wilcoxon (Holm-corrected) and p_nemenyi.
        """
        standings = self.standings(row, metric)
        ranked = list(standings.loc[standings["rank"].notna(), "method"])
        if row not in ranked or len(ranked) < 2:
            return pd.DataFrame()
        repeats = self.ranks.repeats
        values = with_values(repeats[repeats["label"].isin(ranked)], metric)
        others = compare_methods(values, row, REGION).methods.drop(index=row)
        turned = {"wins": "losses", "losses": "wins", "better": "worse", "worse": "better"}
        table = others.rename(columns={**turned, "rank": "mean_rank"}).assign(
            difference=-others["difference"]
        )
        shown = ["mean_rank", "mean", "difference", "wins", "ties", "losses"]
        shown += ["better", "alike", "worse", "p_wilcoxon", "p_nemenyi"]
        return table[shown].reset_index()

    def failures(self) -> pd.DataFrame:
        """Fits of own rows without a partition or with a wrong number of clusters.

        Columns row, dataset, what, fits and of.
        """
        flaws = [
            {"row": row, "dataset": dataset, "what": what, "fits": count, "of": len(lines)}
            for (row, dataset), lines in self.own_scores.items()
            for what, count in _flaws(lines).value_counts().items()
        ]
        return pd.DataFrame(flaws, columns=["row", "dataset", "what", "fits", "of"])


def _own_source(row: str, dataset: str) -> str:
    return f"{row} on {dataset}"


def _flaws(lines: pd.DataFrame) -> pd.Series:
    """Reasons why repeats failed, and notes on wrong numbers of clusters."""
    notes = lines["note"] if "note" in lines else pd.Series(index=lines.index, dtype=object)
    return lines["status"].where(lines["status"] != "ok", notes)
