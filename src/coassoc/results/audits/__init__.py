"""Audits: comparisons that no paper makes, as lines of numbers and as tables to read.

:data:`KINDS` holds all kinds by their names in the configuration, each in a module of that name;
:func:`audit` makes one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import pandas as pd

from coassoc.results.audits import (
    comparison,
    n_clusters,
    order,
    protocol,
    scaling,
    significance,
)
from coassoc.results.audits.evidence import Cells, Evidence, Scores
from coassoc.results.audits.significance import Significance
from coassoc.results.audits.statistics import LEVEL
from coassoc.results.pages import write_sortable_page
from coassoc.results.tables import write_lines, write_markdown
from coassoc.running.provenance import commit

__all__ = ["KINDS", "LEVEL", "Audit", "Evidence", "Kind", "Significance", "audit", "write_audit"]


class Kind(NamedTuple):
    """How audits of one kind are made.

    Attributes
    ----------
    compare : callable
        From the evidence to what is found.
    table : callable
        From what is found to its numbers as text, laid out to be read.
    remark : callable
        From what is found and the evidence to how the numbers were made.
    lines : callable
        From what is found to a DataFrame with one line per number.
    """

    compare: Callable[[Evidence], Any]
    table: Callable[[Any], pd.DataFrame]
    remark: Callable[[Any, Evidence], str]
    lines: Callable[[Any], pd.DataFrame] = lambda found: found


KINDS = {
    # Each method in several settings: parameters or base clusterings.
    "comparison": Kind(comparison.compare, comparison.table, comparison.remark),
    # What is left of each method's gain as more of the samples are shuffled.
    "order": Kind(order.compare, order.table, order.remark),
    # Printed cells, made in each of the ways that a paper leaves open.
    "protocol": Kind(protocol.compare, protocol.table, protocol.remark),
    # Methods against each other over all data sets: ranks, tests, corrections.
    "significance": Kind(
        significance.compare,
        significance.table,
        significance.remark,
        lambda found: found.methods,
    ),
    # Time and memory against the number of samples, with fitted exponents.
    "scaling": Kind(scaling.compare, scaling.table, scaling.remark),
    # How often criteria that need no classes find the number of classes.
    "n_clusters": Kind(n_clusters.compare, n_clusters.table, n_clusters.remark),
}


class Audit(NamedTuple):
    """Result of :func:`audit`.

    Attributes
    ----------
    kind : str
        Its key in :data:`KINDS`.
    metric : str
        Name of the score in tables; of several, the first.
    found : DataFrame or Significance
        What the kind's function returns.
    lines : DataFrame
        One line per number.
    table : DataFrame
        The numbers as text, laid out to be read.
    remark : str
        How the numbers were made.
    """

    kind: str
    metric: str
    found: Any
    lines: pd.DataFrame
    table: pd.DataFrame
    remark: str


def audit(
    kind: str,
    cells: Cells,
    scores: Scores,
    spec: Mapping[str, Any],
    published: Sequence[Mapping[str, str]] = (),
) -> Audit:
    """Make one audit.

    Parameters
    ----------
    kind : str
        A key of :data:`KINDS`.
    cells, scores, spec, published
        See :class:`~coassoc.results.audits.evidence.Evidence`.
    """
    made, evidence = KINDS[kind], Evidence(list(cells), scores, spec, published)
    found = made.compare(evidence)
    remark = made.remark(found, evidence)
    return Audit(kind, evidence.metric, found, made.lines(found), made.table(found), remark)


def write_audit(paths: Mapping[str, Any], result: Audit, spec: Mapping[str, Any]) -> None:
    """Write an audit as CSV (one line per number), Markdown and a web page.

    Parameters
    ----------
    paths : mapping
        Paths for "csv", "md" and "html".
    result : Audit
    spec : mapping
        The audit's entry in its file: title, caption.
    """
    page = {"title": spec["title"], "caption": spec["caption"]}
    page["note"] = f"{result.remark} Version {commit()}."
    write_lines(paths["csv"], result.lines, index=result.lines.index.name is not None)
    write_markdown(paths["md"], result.table, **page)
    write_sortable_page(paths["html"], result.table, **page)
