"""Templates of pages, tables as HTML, and numbers as CSV."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined, select_autoescape
from markupsafe import Markup

from coassoc.io.atomic import write_text

if TYPE_CHECKING:
    import pandas as pd


@cache
def environment(package: str = "coassoc.pages") -> Environment:
    """Templates in the folder ``templates`` of a package, which may extend those of this package.

    HTML templates escape their values, and undefined names are errors.
    """
    return Environment(
        loader=ChoiceLoader([PackageLoader(package), PackageLoader("coassoc.pages")]),
        autoescape=select_autoescape(["html"]),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )


def html_table(table: pd.DataFrame) -> Markup:
    """A table as HTML without its index; missing values are empty."""
    return Markup(table.to_html(index=False, border=0, na_rep=""))


def write_lines(path: str | Path, lines: pd.DataFrame, **options: bool) -> None:
    """Write numbers as CSV, with six digits and the same line endings on all systems.

    The options are ``index`` and ``header`` of pandas, by default False and True.
    """
    options = {"index": False, **options}
    write_text(path, lines.to_csv(float_format="%.6g", lineterminator="\n", **options))
