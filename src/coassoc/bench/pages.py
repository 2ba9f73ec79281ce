"""Page and tables of a comparison."""

from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path

import pandas as pd

from coassoc.bench.comparison import REGION, Comparison, format_range
from coassoc.bench.statistics import LEVEL
from coassoc.bench.summaries import hardware_note
from coassoc.display import count_of
from coassoc.pages.rendering import write_lines
from coassoc.pages.report import Section, write_report

_PLACES = (
    "Ranks and scores are means over the data sets. The method does not differ significantly from "
    "methods whose mean ranks differ by less than the critical difference. A method without a "
    "score on some data set is not ranked."
)
#: Columns of :meth:`Comparison.standings`, :meth:`Comparison.tests` and
#: :meth:`Comparison.on_datasets` → their names on the page.
_NAMES = {
    "label": "method",
    "dataset": "data set",
    "std": "standard deviation",
    "best_method": "best method",
    "missing": "data sets without a score",
    "own": "your method",
    "p_wilcoxon": "p (Wilcoxon)",
    "p_nemenyi": "p (Nemenyi)",
}
_FIRST_LOOK = (
    "With fewer than ten data sets, few methods differ significantly. Use this page only for a "
    "first look.",
    "All parameters on this page were tuned against the reference labels. The scores are "
    "therefore higher than you can expect in practice.",
)


def write_comparison(folder: Path, comparison: Comparison, times: pd.DataFrame) -> None:
    """Write the page of a comparison, and CSV files of its tables.

    The files are ``compare.html`` and ``compare_*.csv``, or ``compare_tuned.html`` and
    ``compare_tuned_*.csv`` for tuned rows. `times` are measured on this machine, or empty.
    """
    stem = "compare_tuned" if comparison.benchmark.tuned else "compare"
    failures = comparison.failures()
    repeats = [
        lines.assign(row=row, dataset=dataset)
        for (row, dataset), lines in comparison.own_scores.items()
    ]
    tables = {
        "ranks": _together(comparison, "standings"),
        "datasets": _together(comparison, "on_datasets"),
        "tests": _together(comparison, "tests"),
        "repeats": pd.concat(repeats).drop(columns=["seconds", "cpu_seconds", "peak_mb"]),
        "failures": failures,
        "times": times,
    }
    written = {f"{stem}_{name}.csv": table for name, table in tables.items() if len(table)}
    for name, table in written.items():
        write_lines(folder / name, table)
    sections = [Section(_introduction(comparison))]
    for row in comparison.own:
        sections += _row_sections(comparison, row, failures[failures["row"] == row])
    if len(times):
        sentences = (
            "Times and memory were measured on this machine, one fit at a time. Three methods of "
            "the library were refitted for comparison. Times of the archived scores come from "
            "another machine and are not shown."
        )
        sections.append(
            Section(sentences, _times(times), {}, "Time and memory", hardware_note(times))
        )
    files = f"The numbers on this page are in {', '.join(written)}."
    sections.append(
        Section(_how_compared(comparison), heading="How the methods were compared", caption=files)
    )
    n_others = len({*comparison.ranks.rows} - {*comparison.own})
    title = f"{', '.join(comparison.own)} compared with {n_others} methods"
    write_report(folder / f"{stem}.html", title, sections)


def _together(comparison: Comparison, what: str) -> pd.DataFrame:
    """A table of one kind for all own rows and all metrics."""
    tables = [
        table.assign(metric=metric, own_row=row)
        for row in comparison.own
        for metric in comparison.metrics
        if (table := getattr(comparison, what)(row, metric)) is not None
    ]
    return pd.concat(tables or [pd.DataFrame()])


def _introduction(comparison: Comparison) -> str:
    draws = format_range(comparison.benchmark.repeats(name) for name in comparison.datasets)
    few, tuned = _FIRST_LOOK
    datasets = count_of(len(comparison.datasets), "data set")
    sentences = [
        f"All methods were fitted to the same ensembles ({datasets}, {draws} "
        f"ensemble{'s' * (draws != '1')} per data set, {comparison.shipped.facts['m']} base "
        "clusterings per ensemble). A method that lacks a score on some data set is listed but not "
        "ranked.",
        *([few] if len(comparison.datasets) < 10 else []),
        *([tuned] if comparison.benchmark.tuned else []),
    ]
    absent = [
        f"{name} ({reason.rstrip('.')})" for name, reason in comparison.benchmark.absent.items()
    ]
    return " ".join(sentences) + (f"\nData sets left out: {', '.join(absent)}." if absent else "")


def _row_sections(comparison: Comparison, row: str, failures: pd.DataFrame) -> Iterator[Section]:
    """The sections on an own row."""
    places = pd.DataFrame([comparison.place(row, metric) for metric in comparison.metrics])
    yield Section(_about_row(comparison, row), _places(places), heading=row, caption=_PLACES)
    if len(failures):
        table = pd.DataFrame(
            {
                "data set": failures["dataset"],
                "fits": _out_of(failures["fits"], failures["of"]),
                "result": failures["what"],
            }
        )
        yield Section(table=table, heading=f"{row}: failures and wrong numbers of clusters")
    for metric in comparison.metrics:
        ranks = comparison.standings(row, metric)
        ranks = ranks.assign(revision=ranks["label"].map(comparison.made_by))
        names = {"place": "rank", "rank": "mean rank", "mean": f"mean {metric}"}
        ranks = ranks.drop(columns=["critical_difference", "n_datasets"]).rename(columns=names)
        yield Section(table=_shown(ranks), heading=f"{row}: mean ranks of all methods by {metric}")
    for metric in comparison.metrics:
        table = comparison.on_datasets(row, metric)
        table["place"] = _out_of(table["place"], table.pop("of"))
        table = table.rename(columns={"place": "rank", "median": "median method"})
        yield Section(table=_shown(table), heading=f"{row}: {metric} on each data set")
    for metric in comparison.metrics:
        heading, tests = (
            f"{row} compared with every other method by {metric}",
            comparison.tests(row, metric),
        )
        if tests is None:
            reason = f"Not tested: {row} lacks a score on some data sets, and a test would "
            yield Section(f"{reason}ignore these data sets.", heading=heading)
        else:
            tests = tests.rename(columns={"rank": "mean rank", "mean": f"mean {metric}"})
            yield Section(comparison.power(len(tests)), _shown(tests), heading=heading)


def _places(places: pd.DataFrame) -> pd.DataFrame:
    """The place of an own row by each metric."""
    return _shown(
        pd.DataFrame(
            {
                "metric": places["metric"],
                "rank": _out_of(places["place"], places["of"]),
                "mean rank": places["rank"],
                "critical difference": places["critical_difference"],
                "not significantly different": [
                    count_of(number, "method") for number in places["alike"]
                ],
                "mean score": places["mean"],
                "missing": places["missing"],
            }
        )
    )


def _out_of(numbers: pd.Series, total: pd.Series) -> list[str]:
    """Text such as "3 of 62"; empty where there is no number."""
    pairs = zip(numbers, total, strict=True)
    return ["" if number != number else f"{number:.0f} of {of:.0f}" for number, of in pairs]


def _shown(table: pd.DataFrame) -> pd.DataFrame:
    """A table without the columns that say nothing, and with names in words."""
    said = [
        name
        for name in table
        if not (table[name].isna() | table[name].eq("")).all()
        and not (name == "missing" and table[name].eq(0).all())
    ]
    return table[said].rename(columns=_NAMES)


def _about_row(comparison: Comparison, row: str) -> str:
    facts = comparison.own[row]
    sentences = [f"{facts['title']}."]
    if facts["order"]:
        answer, evidence = facts["order"].answer.capitalize(), facts["order"].evidence
        sentences.append(
            f"Does the method depend on the order of the samples? {answer}. {evidence}"
        )
    sentences.append(
        "The method is ranked among all methods, including those that depend on sample order."
        if facts["reads_order"]
        else "The tables below leave out methods that depend on sample order."
    )
    return " ".join(sentences)


def _times(times: pd.DataFrame) -> pd.DataFrame:
    """Median seconds and largest memory of each row (down) and data set (across)."""
    groups = times.groupby(["row", "dataset"], sort=False)
    shown = {
        key: f"{lines['seconds'].median():.2g} s, {lines['peak_mb'].max():.0f} MB"
        if (lines["status"] == "ok").all()
        else lines.loc[lines["status"] != "ok", "status"].iloc[0]
        for key, lines in groups
    }
    table = pd.Series(shown).unstack(sort=False)
    sizes = times.groupby("dataset")["n"].first()
    table.columns = [f"{name} (n = {sizes[name]})" for name in table.columns]
    return table.rename_axis("method").reset_index()


def _how_compared(comparison: Comparison) -> str:
    facts = comparison.shipped.facts
    codes = (
        f"The scores of {count_of(len(comparison.outdated), 'row')}, marked in the last column of "
        "the tables of mean ranks, were computed with a version of the code that differs from the "
        "installed version."
        if comparison.outdated
        else "The scores were computed with the installed version of the code."
    )
    return (
        f"The scores of the other methods were archived with coassoc {facts['version']}. The "
        f"installed version is {version('coassoc')}. {codes} The base clusterings "
        f"({facts['pool']}) were computed {facts['made']}.\nA score is the mean over the ensembles "
        "of a data set. Some slow methods were fitted to fewer ensembles. Mean ranks are averages "
        "over the data sets (1 is best). Two mean ranks differ significantly if their difference "
        f"exceeds the critical difference (Nemenyi's test at {LEVEL}). In the pairwise tables, "
        f"positive numbers, wins and “better” favour {', '.join(comparison.own)}. Effects are "
        "rank-biserial correlations from −1 to 1. Better, alike and worse are probabilities of "
        f"the Bayesian signed-rank test, which treats a mean difference within {REGION} as no "
        "difference. A data set counts as won or lost if the two methods differ significantly "
        "over the repeats after Holm's correction. This test needs six repeats."
    )
