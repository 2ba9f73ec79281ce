"""Tables as web pages that sort by a click and need nothing but the file itself."""

from __future__ import annotations

import html
import re
from pathlib import Path

import pandas as pd

__all__ = ["write_sortable_page"]

_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>{title}</title>
<style>
body {{ font: 14px/1.45 sans-serif; margin: 1.5em; color: #111; background: #fff; }}
h1 {{ font-size: 1.2em; }}
p {{ max-width: 60em; }}
table {{ border-collapse: collapse; font-variant-numeric: tabular-nums; }}
th, td {{ padding: .25em .7em; text-align: right; vertical-align: top; white-space: nowrap; }}
{words} {{ text-align: left; }}
.sentence {{ white-space: normal; min-width: 20em; }}
thead th {{ position: sticky; top: 0; background: #eee; cursor: pointer; }}
thead th {{ vertical-align: bottom; white-space: normal; }}
thead th:hover {{ background: #ddd; }}
tbody tr {{ background: #fff; }}
tbody tr:nth-child(even) {{ background: #f7f7f7; }}
th:first-child, td:first-child {{ position: sticky; left: 0; background: inherit; }}
thead th:first-child {{ z-index: 1; background: #eee; }}
small {{ color: #666; }}
</style>
</head>
<body>
<h1>{title}</h1>
<p>{caption}</p>
{table}
<p><small>{note} A click on the head of a column sorts by it, another turns it round.</small></p>
<script>
const body = document.querySelector("tbody");
const value = (row, column) => {{
  const text = row.cells[column].innerText.trim();
  const number = parseFloat(text);
  return isNaN(number) ? text : number;
}};
const compare = (a, b) =>
  typeof a === typeof b ? (a < b ? -1 : a > b ? 1 : 0) : typeof a === "number" ? -1 : 1;
document.querySelectorAll("thead th").forEach((head, column) => {{
  let sign = column ? -1 : 1;
  head.addEventListener("click", () => {{
    const rows = [...body.rows];
    rows.sort((a, b) => sign * compare(value(a, column), value(b, column)));
    body.append(...rows);
    sign = -sign;
  }});
}});
</script>
</body>
</html>
"""


#: Markup; a word; and the length from which a cell of words is broken into lines.
_MARKUP, _WORD, _SENTENCE = re.compile(r"<[^>]*>"), re.compile(r"[^\W\d_]{2}"), 40


def write_sortable_page(
    path: str | Path, table: pd.DataFrame, *, title: str, caption: str, note: str
) -> None:
    """Write a table as one HTML file without links to anything else.

    Parameters
    ----------
    path : path
    table : DataFrame
        Cells as HTML; columns and index as plain text.
    title, caption, note : str
        Plain text: heading, what to look at, and how the numbers were made.
    """
    safe = table.rename(index=_escape, columns=_escape)
    safe = safe.rename_axis(_escape(table.index.name or "")).reset_index()
    words = _columns_of_words(safe)
    for k in words:
        safe.isetitem(k, safe.iloc[:, k].map(_broken))
    page = _PAGE.format(
        title=_escape(title),
        caption=_escape(caption),
        note=_escape(note),
        words=", ".join(f"tr > :nth-child({k + 1})" for k in words),
        table=safe.to_html(index=False, escape=False, border=0, na_rep=""),
    )
    Path(path).write_text(page, encoding="utf-8")


def _columns_of_words(table: pd.DataFrame) -> list[int]:
    """Places of the first column and of those with words in most of their cells."""
    return [k for k in range(table.shape[1]) if k == 0 or _mostly_words(table.iloc[:, k])]


def _mostly_words(column: pd.Series) -> bool:
    cells = [_MARKUP.sub("", str(cell)) for cell in column.dropna()]
    found = [bool(_WORD.search(cell)) for cell in cells if cell]
    return 2 * sum(found) > len(found)


def _broken(cell: object) -> object:
    """A cell whose text is broken into lines where it is long."""
    if len(str(cell)) < _SENTENCE:
        return cell
    return f'<div class="sentence">{cell}</div>'


def _escape(text: object) -> str:
    return html.escape(str(text))
