"""Analyses: comparisons that no paper makes, each a table and a figure by a script of its own."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from coassoc.bench.significance import with_values
from coassoc.bench.summaries import Scores, lines_of
from coassoc.pages.rendering import write_lines
from coassoc.pages.style import save
from coassoc.provenance import commit
from coassoc.storage.records import Cell
from reproduction.pages import write_table
from reproduction.running.scripting import job
from reproduction.scores.files import read_measured, read_scores
from reproduction.study.paths import below_prefix
from reproduction.study.plan import Plan


@dataclass(frozen=True)
class Evidence:
    """What one analysis is made from."""

    cells: Sequence[Cell]
    #: Measured times for "scaling", criteria at several numbers of clusters for "n_clusters", and
    #: scores otherwise.
    scores: Scores
    #: Its entry in the file of its study: metrics, and relative_to for "order" and "significance".
    spec: Mapping[str, Any]
    #: For "protocol", the published numbers.
    published: Sequence[Mapping[str, str]] = ()

    @property
    def metric(self) -> str:
        """Name of the score in tables; of several, the first; empty if none is asked for."""
        return next(iter(self.spec.get("metrics", {})), "")

    @property
    def reference(self) -> str:
        """Label of the row that others are compared with."""
        return next(cell.label for cell in self.cells if cell.row == self.spec["relative_to"])

    @cached_property
    def lines(self) -> pd.DataFrame:
        """Score lines of all cells, failed repeats included, with label, dataset, … and run."""
        return lines_of(self.cells, self.scores)

    @property
    def values(self) -> pd.DataFrame:
        """The score lines with the analysis's score as ``value``, NaN where a repeat failed."""
        return with_values(self.lines, self.spec["metrics"][self.metric])


def read_evidence(snakemake: Any) -> Evidence:
    """Read the scores or measurements that the rule of an analysis shows."""
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
    """Compare, and write the lines of numbers as a table, a note and a figure: a rule's job."""
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

    The lines of numbers go to "csv", the table and `more` tables by their headings to "md" and
    "html", and the figure to "pdf" and "png". The note says how the numbers were made; an answer
    in words comes before the caption.
    """
    write_lines(paths.csv, lines, index=lines.index.name is not None)
    about = {
        "title": spec["title"],
        "caption": f"{answer}\n\n{spec['caption']}".strip(),
        "note": f"{note} Version {commit()}.",
    }
    write_table({"md": paths.md, "html": paths.html}, table, more=more, **about)
    save(figure, {"pdf": paths.pdf, "png": paths.png})


def numbers_of(values: pd.DataFrame, keys: list[str]) -> pd.DataFrame:
    """Number of values ("repeats"), mean and std (n − 1) of each group, with its origin."""
    origin = [name for name in ("pool", "m", "parameters", "run", "raced") if name in values]
    groups = values.groupby(keys, sort=False)
    numbers = groups["value"].agg(repeats="count", mean="mean", std="std")
    return groups[origin].first().join(numbers)
