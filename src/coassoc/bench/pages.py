"""Page and tables of a comparison."""

from importlib.metadata import version
from pathlib import Path

import pandas as pd

from coassoc.bench.comparison import Comparison
from coassoc.io.display import count_of
from coassoc.pages.rendering import write_lines
from coassoc.pages.report import Section, write_report

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


def write_comparison(folder: Path, comparison: Comparison, times: pd.DataFrame) -> None:
    """Write the page of a comparison, and CSV files of its tables.

    The files are ``compare.html`` and ``compare_*.csv``, or ``compare_tuned.html`` and
    ``compare_tuned_*.csv`` for tuned rows. `times` are measured on this machine, or empty.
    """
    stem = "compare_tuned" if comparison.benchmark.tuned else "compare"
    of_metrics = {
        ("ranks", "mean ranks of all methods"): comparison.standings,
        ("datasets", "each data set"): comparison.on_datasets,
        ("tests", "comparison with every other method"): comparison.tests,
    }
    tables = {
        kind: {metric: table(metric) for metric in comparison.metrics}
        for kind, table in of_metrics.items()
    }
    failures = comparison.failures()
    repeats = pd.concat(comparison.own_scores, names=["dataset"]).reset_index(0)
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
    places = pd.DataFrame(map(comparison.place, comparison.metrics))
    sections = [Section(_introduction(comparison), _in_words(places), caption=_RANKS)]
    if len(failures):
        sections.append(Section(table=failures, heading="Failures and wrong numbers of clusters"))
    sections += [
        Section(table=_in_words(table), heading=f"{metric}: {title}")
        for (_, title), by_metric in tables.items()
        for metric, table in by_metric.items()
        if len(table)
    ]
    if len(times):
        groups = times.groupby(["method", "dataset", "n", "status"], sort=False)
        shown = groups.agg(seconds=("seconds", "median"), megabytes=("peak_mb", "max"))
        sections.append(Section(_TIMES, shown.reset_index(), heading="Time and memory"))
    sections.append(Section(_how_compared(comparison), heading="How the methods were compared"))
    title = f"{comparison.row} compared with {len(comparison.standings('ARI')) - 1} methods"
    write_report(folder / f"{stem}.html", title, sections)


def _in_words(table: pd.DataFrame) -> pd.DataFrame:
    return table.rename(columns=lambda name: name.replace("_", " "))


def _introduction(comparison: Comparison) -> str:
    benchmark, datasets = comparison.benchmark, comparison.benchmark.pools
    most = max(map(benchmark.repeats, datasets))
    sentences = [
        f"{comparison.about}\nAll methods were fitted to the same ensembles of {benchmark.m} base "
        f"clusterings ({count_of(len(datasets), 'data set')}, at most "
        f"{count_of(most, 'ensemble')} each). Methods that depend on sample order are left out, "
        "unless the own method does too."
    ]
    if benchmark.tuned:
        sentences.append(_TUNED)
    absent = (f"{name} ({reason.rstrip('.')})" for name, reason in benchmark.absent.items())
    left_out = f"\nData sets left out: {', '.join(absent)}." if benchmark.absent else ""
    return " ".join(sentences) + left_out


def _how_compared(comparison: Comparison) -> str:
    facts = comparison.benchmark.shipped.facts
    return (
        f"The scores of the other methods were archived with coassoc {facts['version']}. The "
        f"installed version is {version('coassoc')}. The base clusterings ({facts['pool']}) were "
        f"computed {facts['made']}.\nA score is the mean over the ensembles of a data set. Some "
        "slow methods were fitted to fewer ensembles. Mean ranks are averages over the data sets "
        "(1 is best). In comparisons with every other method, positive differences favour "
        f"{comparison.row}. The p-values come from Wilcoxon's signed-rank test over families of "
        "data sets, with Holm's correction over the methods. Versions of one data set, such as "
        "Tr11 and Tr12, form a family, which counts with the mean of its data sets."
    )
