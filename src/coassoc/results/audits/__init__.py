"""Audits: comparisons that no paper makes, as lines of numbers and as tables to read.

Each kind is a module of its name with the functions ``compare``, from the evidence to what is
found, ``table``, from this to its numbers as text, and ``remark``, how the numbers were made;
:data:`coassoc.plan.kinds.KINDS` lists them, and :func:`audit` makes one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import pandas as pd

from coassoc.plan.kinds import KINDS, located
from coassoc.results.audits.evidence import Cells, Evidence, Scores
from coassoc.results.audits.significance import Significance
from coassoc.results.audits.statistics import LEVEL
from coassoc.results.pages import write_sortable_page
from coassoc.results.tables import write_lines, write_markdown
from coassoc.running.provenance import commit

__all__ = ["LEVEL", "Audit", "Evidence", "Significance", "audit", "write_audit"]


class Audit(NamedTuple):
    """Result of :func:`audit`.

    Attributes
    ----------
    kind : str
        Its key in :data:`~coassoc.plan.kinds.KINDS`.
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
        A key of :data:`~coassoc.plan.kinds.KINDS`.
    cells, scores, spec, published
        See :class:`~coassoc.results.audits.evidence.Evidence`.
    """
    made, evidence = located(KINDS[kind].audit), Evidence(list(cells), scores, spec, published)
    found = made.compare(evidence)
    lines, remark = getattr(found, "methods", found), made.remark(found, evidence)
    return Audit(kind, evidence.metric, found, lines, made.table(found), remark)


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
