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
from coassoc.results.pages import write_sortable_page
from coassoc.results.tables import write_lines, write_markdown
from coassoc.running.provenance import commit


class Audit(NamedTuple):
    """Result of :func:`audit`."""

    kind: str
    #: Name of the score in tables; of several, the first.
    metric: str
    #: What the kind's ``compare`` returns, and its numbers, one per line.
    found: Any
    lines: pd.DataFrame
    #: The numbers as text, laid out to be read, and how they were made.
    table: pd.DataFrame
    remark: str


def audit(
    kind: str,
    cells: Cells,
    scores: Scores,
    spec: Mapping[str, Any],
    published: Sequence[Mapping[str, str]] = (),
) -> Audit:
    """Make an audit of a kind; for the other parameters see :class:`Evidence`."""
    made, evidence = located(KINDS[kind].audit), Evidence(list(cells), scores, spec, published)
    found = made.compare(evidence)
    lines, remark = getattr(found, "methods", found), made.remark(found, evidence)
    return Audit(kind, evidence.metric, found, lines, made.table(found), remark)


def write_audit(paths: Mapping[str, Any], result: Audit, spec: Mapping[str, Any]) -> None:
    """Write an audit to `paths`: as CSV (one line per number), Markdown and a web page.

    Title and caption are those of `spec`, the audit's entry in its file.
    """
    page = {"title": spec["title"], "caption": spec["caption"]}
    page["note"] = f"{result.remark} Version {commit()}."
    write_lines(paths["csv"], result.lines, index=result.lines.index.name is not None)
    write_markdown(paths["md"], result.table, **page)
    write_sortable_page(paths["html"], result.table, **page)
