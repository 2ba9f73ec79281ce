"""Pages of the study from the templates in ``templates/``: HTML, and Markdown."""

import re
from collections.abc import Mapping
from functools import cache, partial
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd
from jinja2 import Environment
from markupsafe import Markup

from coassoc.atomic import write_text
from coassoc.pages import rendering
from coassoc.pages.rendering import html_table
from coassoc.provenance import commit

#: Underscores count in Markdown unless they are inside a word.
_MARKDOWN = re.compile(r"[\\\\`*<|]|(?<!\w)_|_(?!\w)")
#: Patterns of markup and of a word, and the length from which a cell of words is broken into lines.
_MARKUP, _WORD, _SENTENCE = re.compile(r"<[^>]*>"), re.compile(r"[^\W\d_]{2}"), 40


@cache
def _environment() -> Environment:
    environment = rendering.environment("reproduction")
    as_table = partial(pd.DataFrame.to_markdown, index=False)
    environment.filters |= {"md": _for_markdown, "as_table": as_table}
    environment.globals["version"] = commit()
    return environment


def _for_markdown(text: object) -> str:
    """The text as Markdown shows it, in a table too, whatever its characters mean."""
    return _MARKDOWN.sub(lambda match: f"\\{match[0]}", str(text))


def render(template: str, **values: Any) -> str:
    """The text of a page from a file in ``templates`` and the values that it names.

    Plain text is escaped in HTML. The version of the software is ``version``.
    """
    return _environment().get_template(template).render(values)


def write_rendered(path: str | Path, template: str, **values: Any) -> None:
    """Write :func:`render`'s text; the file appears when it is whole."""
    write_text(path, render(template, **values))


def write_table(
    paths: Mapping[str, str | Path],
    table: pd.DataFrame,
    more: Mapping[str, pd.DataFrame] = MappingProxyType({}),
    **about: str,
) -> None:
    """Write a table as a page in Markdown ("md") and as a web page ("html").

    Cells are texts, bold between ``**`` and underlined in ``<u>``; columns, index, and title,
    caption (what to look at) and note (how the numbers were made) are plain text. `more` tables
    follow below their headings.
    """
    tables = {name: _named(frame, _for_markdown) for name, frame in {"": table, **more}.items()}
    write_rendered(paths["md"], "table.md", tables=tables, **about)
    write_sortable_page(paths["html"], table, more, **about)


def _named(table: pd.DataFrame, escaped: Any) -> pd.DataFrame:
    named = table.rename(index=escaped, columns=escaped)
    return named.rename_axis(index=escaped(table.index.name or ""))


def _for_html(text: object) -> str:
    return str(Markup.escape(str(text)))


def _cell(value: Any) -> Any:
    if isinstance(value, bool | np.bool_):
        return "yes" if value else "no"
    if value is None:
        return ""
    return _for_html(value) if isinstance(value, str) else value


def _safe(table: pd.DataFrame) -> pd.DataFrame:
    """A table with its texts as HTML shows them, and its marks as markup."""
    marked = {r"\*\*(.+?)\*\*": r"<b>\1</b>", r"&lt;u&gt;(.+?)&lt;/u&gt;": r"<u>\1</u>"}
    return _named(table.map(_cell).replace(marked, regex=True), _for_html).reset_index()


def write_sortable_page(
    path: str | Path,
    table: pd.DataFrame,
    more: Mapping[str, pd.DataFrame] = MappingProxyType({}),
    **about: str,
) -> None:
    """Write a table, cells as of :func:`write_table`; a click on a column sorts by it.

    The page has the title, caption and note that `about` gives. Of `more` tables, by their
    headings, only the first column has words.
    """
    safe = _safe(table)
    words = [k for k in range(safe.shape[1]) if k == 0 or _mostly_words(safe.iloc[:, k])]
    for k in words:
        long = safe.iloc[:, k].astype(str).str.len() >= _SENTENCE
        broken = '<div class="sentence">' + safe.iloc[:, k].astype(str) + "</div>"
        safe.isetitem(k, safe.iloc[:, k].mask(long, broken))
    write_rendered(
        path,
        "sortable.html",
        words=", ".join(f"tr > :nth-child({k + 1})" for k in words),
        table=html_table(safe, escape=False),
        more={name: html_table(_safe(frame), escape=False) for name, frame in more.items()},
        **about,
    )


def _mostly_words(column: pd.Series) -> bool:
    cells = [_MARKUP.sub("", str(cell)) for cell in column.dropna()]
    worded = [bool(_WORD.search(cell)) for cell in cells if cell]
    return 2 * sum(worded) > len(worded)
