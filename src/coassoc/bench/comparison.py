"""A user's methods ranked among the methods of the archive: ranks, differences, significance.

All averages are over the same data sets: a method that lacks a score on one is listed but not
ranked. Rows tuned against the classes are compared only with one another.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import pandas as pd

from coassoc.bench.benchmark import Benchmark
from coassoc.bench.ranking import ALL_DATASETS, TIME, Ranks, View, rank_cells
from coassoc.bench.shipped import Shipped
from coassoc.bench.significance import compare_methods
from coassoc.bench.statistics import LEVEL, power, rank_biserial, smallest_p
from coassoc.bench.summaries import with_values
from coassoc.display import count_of
from coassoc.methods import METHODS
from coassoc.storage.records import Cell

#: Region of practical equivalence: mean differences of scores within ± this are negligible.
REGION = 0.01
#: Methods whose scores on each data set are shown for comparison.
_BESIDE = ("LWEA", "CA-SC")


@dataclass(frozen=True)
class Comparison:
    """Own rows among the archived rows, all tuned or all with default parameters."""

    benchmark: Benchmark
    #: Lines of scores of each of the user's rows on each data set.
    own_scores: Mapping[tuple[str, str], pd.DataFrame]
    #: The user's row → title, whether it is tuned, and whether it depends on the order of the
    #: samples.
    own: Mapping[str, Mapping[str, Any]]

    @property
    def shipped(self) -> Shipped:
        """The archive with which the own rows are compared."""
        return self.benchmark.shipped

    @property
    def datasets(self) -> list[str]:
        """Names of the data sets."""
        return list(self.benchmark.pools)

    @property
    def metrics(self) -> list[str]:
        """Scores to compare; the tests are shown for the first one."""
        return sorted(self.shipped.facts["metrics"], key=lambda name: name != "ARI")

    @cached_property
    def cells(self) -> list[Cell]:
        """Cells of all rows that can be compared."""
        others = [
            cell
            for cell in self.shipped.cells(self.datasets)
            if self.shipped.rows[cell.label]["tuned"] == self.benchmark.tuned
        ]
        return others + [
            self.shipped.cell(
                row,
                dataset,
                sources=[_own_source(row, dataset)],
                tune="ARI" if lines["point"].nunique() > 1 else None,
            )
            for (row, dataset), lines in self.own_scores.items()
        ]

    @cached_property
    def scores(self) -> dict[str, pd.DataFrame]:
        """Lines of scores by their source."""
        own = {_own_source(*key): lines for key, lines in self.own_scores.items()}
        return self.shipped.scores(self.datasets, self.benchmark.n_draws) | own

    @cached_property
    def ranks(self) -> Ranks:
        """Ranks in all views, without times, because these were measured on another machine."""
        names = dict.fromkeys(cell.label for cell in self.cells)
        rows = {name: self.own.get(name) or self.shipped.rows[name] for name in names}
        datasets = {name: self.shipped.datasets[name] for name in self.datasets}
        metrics = {name: name for name in (*self.metrics, TIME)}
        return rank_cells(self.cells, self.scores, metrics, rows, datasets)

    def standings(self, row: str, metric: str) -> pd.DataFrame:
        """Methods with which a row is ranked, best first; methods without a rank at the end.

        Columns label, place, rank, mean, critical_difference, n_datasets, missing, own.
        """
        readers = self.own[row]["reads_order"]
        view = View(metric, ALL_DATASETS, self.benchmark.tuned, readers, all_methods=False)
        lines = self.ranks.lines
        lines = lines[(lines[[*View._fields]] == [*view]).all(axis=1)]
        place = lines["rank"].rank(method="min")
        shown = ["label", "place", "rank", "mean", "critical_difference", "n_datasets", "missing"]
        is_own = lines["label"].isin(list(self.own))
        return lines.assign(place=place, own=is_own)[[*shown, "own"]].sort_values("rank")

    def place(self, row: str, metric: str) -> dict[str, Any]:
        """The line of a row in :meth:`standings`, with metric, of (ranked rows) and alike."""
        table = self.standings(row, metric).set_index("label")
        ranked, of_row = table[table["rank"].notna()], table.loc[row]
        near = (ranked["rank"] - of_row["rank"]).abs() < of_row["critical_difference"]
        return {"metric": metric, **of_row, "of": len(ranked), "alike": int(near.sum()) - 1}

    def on_datasets(self, row: str, metric: str) -> pd.DataFrame:
        """A row on each data set, compared with the best, the median and some methods.

        Columns dataset, mean, std, place, of, best, best_method, median, those of some methods,
        repeats, reason.
        """
        cells = self.ranks.cells
        cells = cells[cells["metric"] == metric]
        wide = cells.pivot(index="dataset", columns="row", values="mean").loc[list(self.datasets)]
        rivals = [name for name in self.standings(row, metric)["label"] if name not in self.own]
        others, mine = wide[rivals], wide[row]
        of_row = cells[cells["row"] == row].set_index("dataset").loc[list(self.datasets)]
        beside = [name for name in rivals if name.removesuffix(" (tuned)") in _BESIDE]
        table = pd.DataFrame(
            {
                "mean": mine,
                "std": of_row["std"],
                "place": 1 + others.round(6).gt(mine.round(6), axis=0).sum(axis=1),
                "of": 1 + others.notna().sum(axis=1),
                "best": others.max(axis=1),
                "best_method": others.idxmax(axis=1),
                "median": others.median(axis=1),
                **{name: wide[name] for name in beside},
                "repeats": of_row["repeats"],
                "reason": of_row["reason"],
            }
        )
        table["place"] = table["place"].where(mine.notna())
        return table.reset_index()

    def tests(self, row: str, metric: str) -> pd.DataFrame | None:
        """A row against every method with scores on all data sets; None if the row lacks one.

        Columns method, rank, difference (own − other), wins, ties, losses (numbers of data sets on
        which the repeats differ significantly or not), better, alike, worse (probabilities from the
        Bayesian signed-rank test, for the own method), p_wilcoxon (Holm-corrected), effect
        (rank-biserial correlation) and p_nemenyi.
        """
        standings = self.standings(row, metric)
        ranked = list(standings.loc[standings["rank"].notna(), "label"])
        if row not in ranked or len(ranked) < 2:
            return None
        repeats = self.ranks.repeats
        values = with_values(repeats[repeats["label"].isin(ranked)], metric)
        methods = compare_methods(values, row, REGION).methods
        wide = self.ranks.cells[self.ranks.cells["metric"] == metric]
        wide = wide.pivot(index="dataset", columns="row", values="mean")
        others = methods.drop(index=row)
        turned = {"wins": "losses", "losses": "wins", "better": "worse", "worse": "better"}
        table = others.rename(columns=turned).assign(
            difference=-others["difference"],
            effect=[rank_biserial(wide[row] - wide[other]) for other in others.index],
        )
        shown = ["rank", "mean", "difference", "wins", "ties", "losses", "better", "alike", "worse"]
        return table[[*shown, "p_wilcoxon", "effect", "p_nemenyi"]].reset_index()

    def power(self, comparisons: int) -> str:
        """Power of Wilcoxon's test with this number of data sets, as a sentence."""
        blocks = len(self.datasets)
        least = smallest_p(blocks, comparisons)
        start = f"With {count_of(blocks, 'data set')} and {count_of(comparisons, 'method')}"
        if least >= LEVEL:
            return f"{start}, Wilcoxon's test cannot reach significance at {LEVEL:g}."
        share = power(blocks, comparisons, 1.0)
        return (
            f"{start}, the simulated power of Wilcoxon's test is {100 * share:.0f} % for a mean "
            "difference of one standard deviation."
        )

    def failures(self) -> pd.DataFrame:
        """Fits of own rows without a partition or with a wrong number of clusters.

        Columns row, dataset, fits, of and what.
        """
        lines = [
            {"row": row, "dataset": dataset, **flaw}
            for dataset in self.datasets
            for row in self.own
            for flaw in _flaws(self.own_scores[row, dataset])
        ]
        return pd.DataFrame(lines, columns=["row", "dataset", "fits", "of", "what"])

    def made_by(self, row: str) -> str:
        """Revision of the code behind a row's scores, and a remark on them."""
        if row in self.own:
            return str(self.own[row].get("code", ""))
        facts = self.shipped.rows[row]
        old = "differs from the installed code" if row in self.outdated else ""
        return "; ".join(filter(None, [", ".join(facts["codes"]), old, facts["note"]]))

    @cached_property
    def outdated(self) -> list[str]:
        """Archived rows whose scores were computed with different code."""
        present = {
            name: METHODS.method(name).code
            for name in {facts["method"] for facts in self.shipped.rows.values()} & set(METHODS)
        }
        rows = self.shipped.rows.items()
        return [row for row, facts in rows if facts["codes"] != [present.get(facts["method"])]]


def _own_source(row: str, dataset: str) -> str:
    return f"{row} on {dataset}"


def _flaws(lines: pd.DataFrame) -> Iterator[dict[str, Any]]:
    """Flaws in the fits of a run: reasons of failures, and wrong numbers of clusters."""
    failed = lines["status"][lines["status"] != "ok"]
    for what, count in failed.value_counts().items():
        yield {"fits": count, "of": len(lines), "what": what}
    for what, count in lines.get("note", pd.Series(dtype=object)).value_counts().items():
        yield {"fits": count, "of": len(lines), "what": what}


def format_range(numbers: Iterable[int]) -> str:
    """The smallest and the largest of some numbers, in words."""
    ordered = sorted(numbers)
    return " to ".join(map(str, dict.fromkeys((ordered[0], ordered[-1]))))
