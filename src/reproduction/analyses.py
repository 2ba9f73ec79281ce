"""Analyses: comparisons that no paper makes, each with a script, a table and a figure."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from coassoc.bench.provenance import commit
from reproduction.figures.layout import write_figure
from reproduction.pages import write_table
from reproduction.running.scripting import job
from reproduction.scores.evidence import Evidence, read_evidence


def make_analysis(
    snakemake: Any,
    analyse: Callable[[Evidence], pd.DataFrame],
    table: Callable[[pd.DataFrame], pd.DataFrame],
    remark: Callable[[pd.DataFrame, Evidence], str],
    plot: Callable[[pd.DataFrame, str], Figure],
    **further: Callable[[pd.DataFrame], Any],
) -> None:
    """Run the job of a rule: analyse, and write the numbers, the table, the note and the figure."""
    with job(snakemake.log[0]):
        evidence = read_evidence(snakemake)
        lines = analyse(evidence)
        shown = table(lines), remark(lines, evidence), plot(lines, evidence.metric)
        written = {name: make(lines) for name, make in further.items()}
        write_analysis(snakemake.output, evidence.spec, lines, *shown, **written)


def write_analysis(
    paths: Any,
    spec: Mapping[str, Any],
    lines: pd.DataFrame,
    table: pd.DataFrame,
    note: str,
    figure: Figure,
    answer: str = "",
    more: Mapping[str, pd.DataFrame] = MappingProxyType({}),
) -> None:
    """Write the outputs of an analysis's rule.

    The lines of numbers go to "csv", the table and the `more` tables (by their headings) to "md"
    and "html", and the figure to "pdf" and "png". The note says how the numbers were computed. An
    answer in words comes before the caption.
    """
    about = {
        "title": spec["title"],
        "caption": f"{answer}\n\n{spec['caption']}".strip(),
        "note": f"{note} Version {commit()} of the software wrote this page.",
    }
    write_table({"md": paths.md, "html": paths.html}, table, more=more, **about)
    write_figure(paths, figure, lines)


def numbers_of(values: pd.DataFrame, keys: list[str]) -> pd.DataFrame:
    """Number of values ("repeats"), mean and std (n − 1) of each group, and the group's origin."""
    names = ("pool", "m", "parameters", "run", "raced", "commit")
    origin = [name for name in names if name in values]
    groups = values.groupby(keys, sort=False)
    numbers = groups["value"].agg(repeats="count", mean="mean", std="std")
    return groups[origin].first().join(numbers)
