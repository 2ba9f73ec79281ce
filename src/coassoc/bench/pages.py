"""Page and tables of a comparison."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path

import pandas as pd

from coassoc.bench.comparison import REGION, Comparison, from_to
from coassoc.bench.statistics import LEVEL
from coassoc.bench.summaries import hardware_note
from coassoc.pages.rendering import write_lines
from coassoc.pages.report import Section, format_number, write_report

_FIRST_LOOK = (
    "With fewer than ten data sets, few methods differ significantly. Use this page for a first "
    "look.",
    "The parameters of all rows on this page were tuned by the reference labels. The scores show "
    "what is possible, not what to expect.",
)


def write_comparison(folder: Path, found: Comparison, times: pd.DataFrame) -> None:
    """Write the page of a comparison, and CSV files of all that it shows.

    The files are ``compare.html`` and ``compare_*.csv``, of tuned rows ``compare_tuned.html`` and
    ``compare_tuned_*.csv``. `times` are measured ones of this machine, or empty.
    """
    stem = "compare_tuned" if found.benchmark.tuned else "compare"
    failures = found.failures()
    repeats = [
        found.scores[cell.sources[0]].assign(row=cell.row, dataset=cell.dataset)
        for cell in found.own_scores.cells
    ]
    tables = {
        "ranks": _together(found, "standings"),
        "datasets": _together(found, "on_datasets"),
        "tests": _together(found, "tests"),
        "repeats": pd.concat(repeats).drop(columns=["seconds", "cpu_seconds", "peak_mb"]),
        "failures": failures,
        "times": times,
    }
    written = {f"{stem}_{name}.csv": table for name, table in tables.items() if len(table)}
    for name, table in written.items():
        write_lines(folder / name, table)
    sections = [Section(_introduction(found))]
    for row in found.own:
        sections += _row_sections(found, row, failures[failures["row"] == row])
    if len(times):
        sentences = (
            "Measured on this machine, one fit at a time. Three methods of the library were "
            "refitted for comparison. Times of the archived scores come from another machine "
            "and are not shown."
        )
        sections.append(
            Section(sentences, _times(times), {}, "Time and memory", hardware_note(times))
        )
    files = f"The numbers are in {', '.join(written)}."
    sections.append(
        Section(_how_compared(found), heading="How the methods were compared", caption=files)
    )
    title = (
        f"{', '.join(found.own)} compared with {len({*found.ranks.rows} - {*found.own})} methods"
    )
    write_report(folder / f"{stem}.html", title, sections)


def _together(found: Comparison, what: str) -> pd.DataFrame:
    """One table of what is shown of all own rows by all metrics."""
    tables = [
        table.assign(metric=metric, own_row=row)
        for row in found.own
        for metric in found.metrics
        if (table := getattr(found, what)(row, metric)) is not None
    ]
    return pd.concat(tables or [pd.DataFrame()])


def _introduction(found: Comparison) -> str:
    draws = from_to(found.benchmark.repeats(name) for name in found.datasets)
    few, tuned = _FIRST_LOOK
    sentences = [
        f"All methods were fitted to the same ensembles: {len(found.datasets)} data sets, {draws} "
        f"ensembles of each, {found.shipped.facts['m']} base clusterings in an ensemble. A method "
        "without a score on one of the data sets is listed but not ranked.",
        *([few] if len(found.datasets) < 10 else []),
        *([tuned] if found.benchmark.tuned else []),
    ]
    absent = [f"{name} ({reason.rstrip('.')})" for name, reason in found.benchmark.absent.items()]
    return " ".join(sentences) + (f"\nLeft out: {', '.join(absent)}." if absent else "")


def _row_sections(found: Comparison, row: str, failures: pd.DataFrame) -> Iterator[Section]:
    """All that is shown of an own row."""
    yield Section(_about_row(found, row), _places(found, row), heading=row)
    if len(failures):
        table = failures.drop(columns="row")
        yield Section(table=table, heading=f"{row}: failures and unrequested numbers of clusters")
    for metric in found.metrics:
        ranks = _ranks(found, row, metric)
        yield Section(table=ranks, heading=f"{row}: all mean ranks by {metric}")
    for metric in found.metrics:
        table = _on_datasets(found, row, metric)
        yield Section(table=table, heading=f"{row}: {metric} on each data set")
    for metric in found.metrics:
        heading, tests = f"{row} compared with each method by {metric}", found.tests(row, metric)
        if tests is None:
            reason = (
                f"Not tested: {row} lacks a score on some data sets, and a test on the other data "
                "sets would "
            )
            yield Section(f"{reason}ignore them.", heading=heading)
        else:
            yield Section(found.power(len(tests)), _tests(tests), heading=heading)


def _about_row(found: Comparison, row: str) -> str:
    facts = found.own[row]
    sentences = [f"{facts['title']}."]
    if facts["order"]:
        answer, evidence = facts["order"].answer.capitalize(), facts["order"].evidence
        sentences.append(f"Does it depend on the order of the samples? {answer}. {evidence}")
    sentences.append(
        "It is ranked among all methods, including those that depend on the order of the samples."
        if facts["reads_order"]
        else "The tables below leave out methods that depend on that order."
    )
    return " ".join(sentences)


def _places(found: Comparison, row: str) -> pd.DataFrame:
    lines = []
    for metric in found.metrics:
        place = found.place(row, metric)
        if place["missing"]:
            of = f"{place['missing']} of {len(found.datasets)} data sets"
            lines.append({"score": metric, "place": f"not ranked: no score on {of}"})
            continue
        lines.append(
            {
                "score": metric,
                "place": f"{place['place']:.0f} of {place['of']}",
                "mean rank": format_number(place["rank"], ".2f"),
                "not significantly different from": f"{place['alike']} methods",
                "critical difference": format_number(place["critical_difference"], ".2f"),
                "mean score": format_number(place["mean"]),
            }
        )
    return pd.DataFrame(lines)


def _ranks(found: Comparison, row: str, metric: str) -> pd.DataFrame:
    table = found.standings(row, metric)
    ranked = table["rank"].notna()
    missing = "not ranked: no score on " + table["missing"].astype(str)
    return pd.DataFrame(
        {
            "method": table["label"].mask(table["own"], "▸ " + table["label"]),
            "place": table["place"].map("{:.0f}".format).where(ranked, missing),
            "mean rank": _numbers(table["rank"], ".2f"),
            f"mean {metric}": _numbers(table["mean"]).where(ranked, ""),
            "revision": table["label"].map(found.made_by),
        }
    )


def _on_datasets(found: Comparison, row: str, metric: str) -> pd.DataFrame:
    table = found.on_datasets(row, metric)
    scored = table["mean"].notna()
    score = _numbers(table["mean"]) + " ± " + _numbers(table["std"])
    place = table["place"].map("{:.0f}".format) + " of " + table["of"].astype(str)
    return pd.DataFrame(
        {
            "data set": table["dataset"],
            row: score.where(scored, table["reason"]),
            "place": place.where(scored, ""),
            "best": _numbers(table["best"]) + " " + table["best_method"].fillna(""),
            "median": _numbers(table["median"]),
            **{name: _numbers(table[name]) for name in table.columns[8:-2]},
        }
    )


def _tests(table: pd.DataFrame) -> pd.DataFrame:
    counts = (_numbers(table[name], ".0f") for name in ("wins", "ties", "losses"))
    shares = (_numbers(table[name], ".2f") for name in ("better", "alike", "worse"))
    return pd.DataFrame(
        {
            "method": table["method"],
            "difference": _numbers(table["difference"], "+.3f"),
            "effect size": _numbers(table["effect"], "+.2f"),
            "better / alike / worse on": [*map(" / ".join, zip(*counts, strict=True))],
            f"probability better / within {REGION} / worse": [
                *map(" / ".join, zip(*shares, strict=True))
            ],
            "p (Wilcoxon, Holm)": _numbers(table["p_wilcoxon"]),
            "p (Nemenyi)": _numbers(table["p_nemenyi"]),
        }
    )


def _numbers(column: pd.Series, form: str = ".3f") -> pd.Series:
    return column.map(lambda value: format_number(value, form))


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


def _how_compared(found: Comparison) -> str:
    facts = found.shipped.facts
    codes = (
        f"The scores of {len(found.outdated)} rows were computed by other code than the installed "
        "one. The last column of the mean ranks marks them."
        if found.outdated
        else "The installed code is the code that computed them."
    )
    return (
        f"The scores of the other methods were archived with coassoc {facts['version']}. The "
        f"installed version is {version('coassoc')}. {codes} The base clusterings "
        f"({facts['pool']}) were computed {facts['made']}.\n"
        "A score is the mean over the ensembles of a data set. Some slow methods were fitted to "
        "fewer ensembles. Mean ranks are taken over the data sets, and 1 is best. Two mean ranks "
        "differ significantly if they are the critical difference apart (Nemenyi's test at "
        f"{LEVEL}). In the pairwise tables, positive numbers and “better” are in favour of "
        f"{', '.join(found.own)}. Effect sizes are rank-biserial correlations, from −1 to 1. "
        "Probabilities come from the Bayesian signed-rank test, which counts a mean difference "
        f"within {REGION} as none. A data set counts as better or worse if the two methods differ "
        "significantly over the repeats after Holm's correction, which needs six repeats."
    )
