"""Audits: comparisons that no paper makes, as lines of numbers and as tables to read.

:func:`audit` makes one, of any of the six kinds:

:func:`~coassoc.results.audits.variants.compare_variants`
    Each method in several settings: parameters at their defaults and tuned, base clusterings of
    one pool and of another.
:func:`~coassoc.results.audits.order.compare_orders`
    What is left of each method's gain over a plain one as more of the samples are shuffled.
:func:`~coassoc.results.audits.significance.compare_methods`
    Methods against each other over all data sets: ranks, tests, corrections.
:func:`~coassoc.results.audits.growth.fit_growth`
    Time and memory against the number of samples, with fitted exponents.
:func:`~coassoc.results.audits.protocols.compare_protocols`
    Printed cells, made in each of the ways that a paper leaves open.
:func:`~coassoc.results.audits.n_clusters.count_finds`
    How often criteria that need no classes find the number of classes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import pandas as pd

from coassoc.results.audits.evidence import LEVEL, Cells, Scores
from coassoc.results.audits.growth import fit_growth, growth_remark, growth_table
from coassoc.results.audits.n_clusters import count_finds, finds_remark, finds_table
from coassoc.results.audits.order import compare_orders, order_remark, order_table
from coassoc.results.audits.protocols import compare_protocols, protocol_remark, protocol_table
from coassoc.results.audits.significance import (
    Significance,
    compare_methods,
    significance_remark,
    significance_table,
)
from coassoc.results.audits.variants import compare_variants, variants_remark, variants_table
from coassoc.results.pages import write_sortable_page
from coassoc.results.tables import write_lines, write_markdown
from coassoc.running.provenance import commit

__all__ = ["LEVEL", "Audit", "Significance", "audit", "write_audit"]


class Audit(NamedTuple):
    """Result of :func:`audit`.

    Attributes
    ----------
    kind : str
        "comparison", "order", "protocol", "significance", "scaling" or "n_clusters".
    metric : str
        Name of the score in tables; of several, the first.
    found : DataFrame or Significance
        What the kind's function returns.
    table : DataFrame
        The numbers as text, laid out to be read.
    remark : str
        How the numbers were made.
    """

    kind: str
    metric: str
    found: Any
    table: pd.DataFrame
    remark: str

    @property
    def lines(self) -> pd.DataFrame:
        """One line per number."""
        return self.found.methods if self.kind == "significance" else self.found


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
    kind : {"comparison", "order", "protocol", "significance", "scaling", "n_clusters"}
    cells : iterable of mapping
        Cells of the audit (:meth:`coassoc.plan.artefacts.Cell.as_parameters`).
    scores : mapping of str to DataFrame
        Score files, for "scaling" files of measured times, for "n_clusters" of looks at numbers of
        clusters, by their stems.
    spec : mapping
        The audit's entry in its file: metrics, and for "order" and "significance" relative_to.
    published : sequence of mapping
        For "protocol", the published numbers.
    """
    if kind == "scaling":
        growth = fit_growth(cells, scores)
        return Audit(kind, "seconds", growth, growth_table(growth), growth_remark(growth))
    if kind == "n_clusters":
        finds = count_finds(cells, scores)
        return Audit(kind, "n_clusters", finds, finds_table(finds), finds_remark(finds))
    metric, column = next(iter(spec["metrics"].items()))
    if kind == "protocol":
        found = compare_protocols(cells, scores, spec["metrics"], published)
        return Audit(kind, metric, found, protocol_table(found), protocol_remark(found))
    if kind == "order":
        cells = list(cells)
        reference = _reference(cells, spec)
        orders = compare_orders(cells, scores, column, reference)
        remark = order_remark(orders, metric, reference)
        return Audit(kind, metric, orders, order_table(orders), remark)
    if kind == "significance":
        cells = list(cells)
        reference = _reference(cells, spec)
        tests = compare_methods(cells, scores, column, reference, spec["rope"])
        return Audit(kind, metric, tests, significance_table(tests), significance_remark(tests))
    variants = compare_variants(cells, scores, column)
    remark = variants_remark(variants, metric)
    return Audit(kind, metric, variants, variants_table(variants), remark)


def _reference(cells: Cells, spec: Mapping[str, Any]) -> str:
    """Label of the row that others are compared with."""
    return next(cell["label"] for cell in cells if cell["row"] == spec["relative_to"])


def write_audit(paths: Mapping[str, Any], result: Audit, spec: Mapping[str, Any]) -> None:
    """Write an audit as CSV (one line per number), Markdown and a web page.

    Parameters
    ----------
    paths : mapping
        Paths for "csv", "md" and "html".
    result : Audit
        What was found.
    spec : mapping
        The audit's entry in its file: title, caption.
    """
    title, caption, table = spec["title"], spec["caption"], result.table
    note = f"{result.remark} Version {commit()}."
    index = result.lines.index.name is not None
    write_lines(paths["csv"], result.lines, index)
    write_markdown(paths["md"], table, title=title, caption=caption, note=note)
    write_sortable_page(paths["html"], table, title=title, caption=caption, note=note)
