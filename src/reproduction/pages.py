"""Pages of the study in HTML and Markdown, from the templates in ``templates/``."""

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd
from jinja2 import Environment
from markupsafe import Markup

from coassoc.bench.provenance import commit
from coassoc.io.atomic import write_text
from coassoc.pages import rendering
from coassoc.pages.rendering import html_table, write_lines

#: Characters with a meaning in Markdown. Underscores inside a word have none.
_MARKDOWN = re.compile(r"[\\\\`*<|]|(?<!\w)_|_(?!\w)")
#: Smallest length of a cell that is text in lines.
_SENTENCE = 40


@cache
def _environment() -> Environment:
    environment = rendering.environment("reproduction")
    environment.filters |= {"md": _for_markdown, "as_table": _as_table}
    environment.globals["version"] = commit()
    return environment


def _as_table(table: pd.DataFrame, index: bool = False, **options: Any) -> str:
    """A table in Markdown, with empty cells for missing values."""
    cells = table.astype(object).where(table.notna(), None)
    return cells.to_markdown(index=index, missingval="", **options)


def _for_markdown(text: object) -> str:
    """The text with Markdown's special characters escaped, also for tables."""
    return _MARKDOWN.sub(lambda match: f"\\{match[0]}", str(text))


def render(template: str, **values: Any) -> str:
    """The text of a page, from a file in ``templates`` and the values of its variables.

    Plain text is escaped in HTML. The variable ``version`` is the version of the software.
    """
    return _environment().get_template(template).render(values)


def note(template: str, **values: Any) -> str:
    """The paragraph of a file in ``templates/notes``."""
    return " ".join(render(f"notes/{template}", **values).split())


def write_rendered(path: str | Path, template: str, **values: Any) -> None:
    """Write the text of :func:`render`; the file appears only when it is complete."""
    write_text(path, render(template, **values))


def write_numbers(path: str | Path, lines: pd.DataFrame, **options: bool) -> None:
    """Write numbers as CSV. If they do not name the commits of their runs, they name this one."""
    write_lines(path, lines if "commit" in lines else lines.assign(commit=commit()), **options)


def write_table(
    paths: Mapping[str, str | Path],
    table: pd.DataFrame,
    more: Mapping[str, pd.DataFrame] = MappingProxyType({}),
    **about: str,
) -> None:
    """Write a table as a page in Markdown ("md") and as a web page ("html").

    Cells are strings, bold between ``**`` and underlined in ``<u>``. Column names, index, title,
    caption (what to look at) and note (how the numbers were computed) are plain text. The `more`
    tables follow, each below its heading.
    """
    text = _for_markdown
    tables = {
        name: x.rename(index=text, columns=text).rename_axis(text(x.index.name or ""))
        for name, x in {"": table, **more}.items()
    }
    write_rendered(paths["md"], "table.md", tables=tables, **about)
    write_sortable_page(paths["html"], table, more, **about)


def _as_html(table: pd.DataFrame) -> Markup:
    """A table in HTML with the marks of its cells, whose long cells are sentences."""
    plain = table.rename_axis(table.index.name or "").reset_index().map(_readable)
    html = str(html_table(plain))  # markup would escape the replacements
    html = re.sub(r"\*\*(.+?)\*\*", r"<b>\1</b>", html)
    html = re.sub(r"&lt;(/?u)&gt;", r"<\1>", html)
    sentence = r'<td class="sentence">\1</td>'
    return Markup(re.sub(rf"<td>([^<]{{{_SENTENCE},}})</td>", sentence, html))


def _readable(value: Any) -> Any:
    if isinstance(value, bool | np.bool_):
        return "yes" if value else "no"
    return "" if value is None else value


def write_sortable_page(
    path: str | Path,
    table: pd.DataFrame,
    more: Mapping[str, pd.DataFrame] = MappingProxyType({}),
    **about: str,
) -> None:
    """Write a table with cells as in :func:`write_table`; a click on a column sorts the rows by it.

    `about` gives the title, caption and note of the page. `more` maps headings to further tables.
    """
    write_rendered(
        path,
        "sortable.html",
        table=_as_html(table),
        more={name: _as_html(frame) for name, frame in more.items()},
        **about,
    )
