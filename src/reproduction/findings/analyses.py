"""Analyses: comparisons that no paper makes, each with a script, a table and a figure."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from coassoc.bench.significance import with_values
from coassoc.bench.summaries import Scores, lines_of
from coassoc.provenance import commit
from coassoc.storage.records import Cell
from reproduction.figures.layout import write_figure
from reproduction.pages import write_table
from reproduction.running.scripting import job
from reproduction.scores.files import read_measured, read_scores
from reproduction.study.paths import below_prefix
from reproduction.study.plan import Plan


@dataclass(frozen=True)
class Evidence:
    """Inputs of one analysis."""

    cells: Sequence[Cell]
    #: Measured times for "scaling", criteria at several numbers of clusters for "n_clusters", and
    #: scores otherwise.
    scores: Scores
    #: Entry of the analysis in its study file: metrics, and relative_to for "order" and
    #: "significance".
    spec: Mapping[str, Any]
    #: For "protocol", the published numbers.
    published: Sequence[Mapping[str, str]] = ()

    @property
    def metric(self) -> str:
        """Name of the (first) score in tables; empty if the analysis requests no score."""
        return next(iter(self.spec.get("metrics", {})), "")

    @property
    def reference(self) -> str:
        """Label of the row with which the other rows are compared."""
        return str(self.spec["relative_to"])

    @cached_property
    def lines(self) -> pd.DataFrame:
        """Score lines of all cells, including failed repeats, with label, dataset, … and run."""
        return lines_of(self.cells, self.scores)

    @property
    def values(self) -> pd.DataFrame:
        """The score lines with the analysis's score as ``value``; NaN for failed repeats."""
        return with_values(self.lines, self.spec["metrics"][self.metric])


def read_evidence(snakemake: Any) -> Evidence:
    """Read the scores or measurements of an analysis from the inputs of its rule."""
    plan, target = Plan(snakemake.config), snakemake.wildcards.target
    spec, published = plan.spec(target), plan.published(target)
    return Evidence(plan.cells(target), scores_of(plan, target), spec, published)


def scores_of(plan: Plan, target: str) -> dict[str, pd.DataFrame]:
    """Scores or measurements of a table or analysis, by the stems of the sources."""
    made_of = plan.made_of(target)
    if "scores" in made_of:
        return read_scores(below_prefix(made_of["scores"]))
    return read_measured(plan.measured(target))


def make_analysis(
    snakemake: Any,
    analyse: Callable[[Evidence], pd.DataFrame],
    table: Callable[[pd.DataFrame], pd.DataFrame],
    remark: Callable[[pd.DataFrame, Evidence], str],
    plot: Callable[[pd.DataFrame, str], Figure],
) -> None:
    """Run the job of a rule: analyse, and write the numbers, the table, the note and the figure."""
    with job(snakemake.log[0]):
        evidence = read_evidence(snakemake)
        lines = analyse(evidence)
        shown = table(lines), remark(lines, evidence), plot(lines, evidence.metric)
        write_analysis(snakemake.output, evidence.spec, lines, *shown)


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
    origin = [name for name in ("pool", "m", "parameters", "run", "raced") if name in values]
    groups = values.groupby(keys, sort=False)
    numbers = groups["value"].agg(repeats="count", mean="mean", std="std")
    return groups[origin].first().join(numbers)
