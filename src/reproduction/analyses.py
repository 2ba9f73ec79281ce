"""Analyses: comparisons that no paper makes, each with a script and a table."""

from collections.abc import Callable
from typing import Any

import pandas as pd

from coassoc.bench.provenance import commit
from reproduction.pages import write_numbers, write_table
from reproduction.running.scripting import job
from reproduction.scores.evidence import Evidence, read_evidence


def make_analysis(
    snakemake: Any,
    analyse: Callable[[Evidence], pd.DataFrame],
    table: Callable[[pd.DataFrame], pd.DataFrame],
    remark: Callable[[pd.DataFrame, Evidence], str],
    answer: Callable[[pd.DataFrame], str] = lambda lines: "",
    more: Callable[[pd.DataFrame], dict[str, pd.DataFrame]] = lambda lines: {},
) -> None:
    """Run the job of a rule: analyse, and write the numbers ("csv") and the page ("md", "html").

    The remark says how the numbers were computed. An answer in words comes before the caption, and
    `more` tables, by their headings, follow the table.
    """
    with job(snakemake.log[0]):
        evidence = read_evidence(snakemake)
        lines, spec = analyse(evidence), evidence.spec
        paths = dict(snakemake.output.items())
        write_numbers(paths["csv"], lines)
        write_table(
            paths,
            table(lines),
            more=more(lines),
            title=spec["title"],
            caption=f"{answer(lines)}\n\n{spec['caption']}".strip(),
            note=f"{remark(lines, evidence)} Version {commit()} of the software wrote this page.",
        )


def numbers_of(values: pd.DataFrame, keys: list[str]) -> pd.DataFrame:
    """Number of values ("repeats"), mean and std (n − 1) of each group, and the group's origin."""
    names = ("pool", "m", "parameters", "run", "raced", "commit")
    origin = [name for name in names if name in values]
    groups = values.groupby(keys, sort=False)
    numbers = groups["value"].agg(repeats="count", mean="mean", std="std")
    return groups[origin].first().join(numbers)
