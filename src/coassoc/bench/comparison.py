"""A user's method ranked among the methods of the archive: ranks, differences, significance.

All averages are over the same data sets: a method that lacks a score on one is listed but not
ranked. Rows tuned against the classes are compared only with one another.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib.metadata import version
from operator import methodcaller
from typing import Any

import pandas as pd

from coassoc.bench.benchmark import Benchmark
from coassoc.bench.statistics import tested_over_families
from coassoc.bench.storage.records import Cell
from coassoc.bench.summaries import summarize
from coassoc.io.display import count_of

_RANKS = (
    "Ranks and scores are means over the data sets. A method that lacks a score on some data set "
    "is neither ranked nor tested."
)
_TIMES = (
    "Median seconds and largest memory of three fits on this machine, one fit at a time. Three "
    "methods of the library were refitted for comparison."
)
_TUNED = (
    "All parameters on this page were tuned against the reference labels. The scores are therefore "
    "higher than you can expect in practice."
)


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

    def write(self, times: pd.DataFrame) -> None:
        """Write a page, and CSV files of its tables, to the folder of the benchmark.

        The files are ``compare.html`` and ``compare_*.csv``, or ``compare_tuned.html`` and
        ``compare_tuned_*.csv`` for tuned rows. `times` are measured on this machine, or empty.
        """
        from coassoc.pages.rendering import write_lines
        from coassoc.pages.report import Section, write_report

        folder = self.benchmark.folder
        stem = "compare_tuned" if self.benchmark.tuned else "compare"
        of_metrics = {
            ("ranks", "mean ranks of all methods"): self.standings,
            ("datasets", "each data set"): self.on_datasets,
            ("tests", "comparison with every other method"): self.tests,
        }
        tables = {
            kind: {metric: table(metric) for metric in self.metrics}
            for kind, table in of_metrics.items()
        }
        failures = self.failures()
        repeats = pd.concat(self.own_scores, names=["dataset"]).reset_index(0)
        files = {
            name: pd.concat(by_metric, names=["metric"]).reset_index(0)
            for (name, _), by_metric in tables.items()
        }
        files |= {
            "repeats": repeats.drop(columns=["seconds", "cpu_seconds", "peak_mb"]),
            "failures": failures,
            "times": times,
        }
        for name, table in files.items():
            if len(table):
                write_lines(folder / f"{stem}_{name}.csv", table)
        in_words = methodcaller("replace", "_", " ")
        places = pd.DataFrame(map(self.place, self.metrics))
        sections = [Section(self._introduction(), places.rename(columns=in_words), caption=_RANKS)]
        if len(failures):
            sections.append(
                Section(table=failures, heading="Failures and wrong numbers of clusters")
            )
        sections += [
            Section(table=table.rename(columns=in_words), heading=f"{metric}: {title}")
            for (_, title), by_metric in tables.items()
            for metric, table in by_metric.items()
            if len(table)
        ]
        if len(times):
            groups = times.groupby(["method", "dataset", "n", "status"], sort=False)
            shown = groups.agg(seconds=("seconds", "median"), megabytes=("peak_mb", "max"))
            sections.append(Section(_TIMES, shown.reset_index(), heading="Time and memory"))
        sections.append(Section(self._how_compared(), heading="How the methods were compared"))
        title = f"{self.row} compared with {len(self.standings('ARI')) - 1} methods"
        write_report(folder / f"{stem}.html", title, sections)

    def _introduction(self) -> str:
        benchmark, datasets = self.benchmark, self.benchmark.pools
        most = max(map(benchmark.repeats, datasets))
        sentences = [
            f"{self.about}\nAll methods were fitted to the same ensembles of {benchmark.m} base "
            f"clusterings ({count_of(len(datasets), 'data set')}, at most "
            f"{count_of(most, 'ensemble')} each). Methods that depend on sample order are "
            "left out, unless the own method does too."
        ]
        if benchmark.tuned:
            sentences.append(_TUNED)
        absent = (f"{name} ({reason.rstrip('.')})" for name, reason in benchmark.absent.items())
        left_out = f"\nData sets left out: {', '.join(absent)}." if benchmark.absent else ""
        return " ".join(sentences) + left_out

    def _how_compared(self) -> str:
        facts = self.benchmark.shipped.facts
        return (
            f"The scores of the other methods were archived with coassoc {facts['version']}. The "
            f"installed version is {version('coassoc')}. The base clusterings ({facts['pool']}) "
            f"were computed {facts['made']}.\nA score is the mean over the ensembles of a data "
            "set. Some slow methods were fitted to fewer ensembles. Mean ranks are averages over "
            "the data sets (1 is best). In comparisons with every other method, positive "
            f"differences favour {self.row}. The p-values come from Wilcoxon's signed-rank test "
            "over families of data sets, with Holm's correction over the methods. Versions of one "
            "data set, such as Tr11 and Tr12, form a family, which counts with the mean of its "
            "data sets."
        )
