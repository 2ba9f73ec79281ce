"""Pages from templates: self-contained HTML."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined, select_autoescape
from markupsafe import Markup

from coassoc.atomic import write_text
from coassoc.ensemble import Ensemble

if TYPE_CHECKING:
    import pandas as pd

#: Texts and whole numbers by the names of columns: what takes the place of a table of pandas, which
#: takes longer to load than a small page to make.
Columns = Mapping[str, Sequence[Any]]
#: Lines of a table up to which a page shows it at once.
_OPEN = 30


@cache
def environment(package: str = "coassoc.pages") -> Environment:
    """Templates of a package, from its folder ``templates``; they may build on those of this one.

    Templates of HTML escape what they are given; undefined names are errors.
    """
    made = Environment(
        loader=ChoiceLoader([PackageLoader(package), PackageLoader("coassoc.pages")]),
        autoescape=select_autoescape(["html"]),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    made.filters["as_html"] = _framed
    made.filters["constant"] = _constant
    return made


def html_table(table: pd.DataFrame, escape: bool = True) -> Markup:
    """A table as HTML without its index; missing values are empty."""
    return Markup(table.to_html(index=False, escape=escape, border=0, na_rep=""))


def _framed(table: pd.DataFrame | Columns) -> Markup:
    """A table in a frame that scrolls where the screen is narrow; a long one has to be opened."""
    if isinstance(table, dict):
        rows = [*zip(*table.values(), strict=True)]
        n_lines = len(rows)
        html = environment().get_template("table.html").render(names=table, rows=rows)
    else:
        n_lines, html = len(table), html_table(table)
    frame = Markup('<div class="frame">{}</div>').format(Markup(html))
    if n_lines <= _OPEN:
        return frame
    summary = f"Table of {n_lines:,} lines"
    return Markup("<details><summary>{}</summary>{}</details>").format(summary, frame)


def _constant(ensemble: Ensemble) -> list[Any]:
    """Names of the base clusterings with a single cluster."""
    single = ensemble.n_clusters_per_clustering == 1
    return [ensemble.clusterings[j] for j in single.nonzero()[0]]


def write_page(path: str | Path, template: str, **values: Any) -> None:
    """Write a page from a file in ``templates`` and the values that it names.

    Plain text is escaped in HTML.
    """
    write_text(path, environment().get_template(template).render(values))


def write_lines(path: str | Path, lines: pd.DataFrame, **options: bool) -> None:
    """Write numbers as CSV, with six digits and the same line ends everywhere.

    Options are ``index`` and ``header`` of pandas, by default False and True.
    """
    options = {"index": False, **options}
    write_text(path, lines.to_csv(float_format="%.6g", lineterminator="\n", **options))
