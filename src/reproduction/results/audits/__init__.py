"""Audits: comparisons that no paper makes, as lines of numbers and as tables to read.

Each kind of :data:`reproduction.plan.kinds.KINDS` is a module with the functions ``compare``, from the
evidence to a result, ``table``, from it to numbers as text, and ``remark``, how they were made.
"""

from collections.abc import Mapping
from typing import Any

from coassoc.provenance import commit
from reproduction.plan.kinds import KINDS, imported
from reproduction.results.audits.evidence import Evidence
from reproduction.results.pages import write_lines, write_table


def make_audit(kind: str, evidence: Evidence, paths: Mapping[str, Any]) -> Any:
    """Make an audit, and write it as CSV (one line per number), Markdown and a web page.

    What the kind's ``compare`` returns is handed on to its figure. Lines of numbers are this, or
    its attribute ``methods``; it may have an ``answer`` in words, which begins the caption, and
    ``more`` tables by their headings.
    """
    made = imported(KINDS[kind].audit)
    result = made.compare(evidence)
    lines = getattr(result, "methods", result)
    write_lines(paths["csv"], lines, index=lines.index.name is not None)
    about = {key: evidence.spec[key] for key in ("title", "caption")}
    about["caption"] = f"{getattr(result, 'answer', '')}\n\n{about['caption']}".strip()
    about["note"] = f"{made.remark(result, evidence)} Version {commit()}."
    more = getattr(result, "more", {})
    write_table(paths, made.table(result), more=more, **about)
    return result
