"""Pages of HTML with their pictures in them, without links to anything else."""

from __future__ import annotations

import base64
import html
from collections.abc import Iterable, Sequence
from pathlib import Path

from matplotlib.figure import Figure

from coassoc.figures.style import as_png

__all__ = ["as_table", "picture", "place", "write_page"]

_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>{title}</title>
<style>
body {{ font: 15px/1.5 sans-serif; margin: 1.5em auto; max-width: 60em; color: #111; }}
table {{ border-collapse: collapse; font-variant-numeric: tabular-nums; }}
th, td {{ padding: .25em .8em; text-align: right; border-bottom: 1px solid #ddd; }}
tr > :first-child {{ text-align: left; }}
img {{ max-width: 100%; vertical-align: top; }}
</style>
</head>
<body>
{body}
</body>
</html>
"""


def write_page(path: str | Path, title: str, blocks: Iterable[str]) -> None:
    """Write one file.

    Parameters
    ----------
    path : path
    title : str
        Plain text.
    blocks : iterable of str
        HTML, one below the other.
    """
    safe = html.escape(title)
    body = "\n".join([f"<h1>{safe}</h1>", *blocks])
    Path(path).write_text(_PAGE.format(title=safe, body=body), encoding="utf-8")


def place(pool: str, dataset: str) -> str:
    """What a title says a page is about; a pool of labels may be a data set by itself."""
    return pool if dataset == pool else f"{pool} on {dataset}"


def as_table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table of plain texts."""
    lines = [_cells("th", head), *(_cells("td", row) for row in rows)]
    return "<table>\n" + "\n".join(lines) + "\n</table>"


def _cells(tag: str, texts: Sequence[str]) -> str:
    return f"<tr>{''.join(f'<{tag}>{html.escape(text)}</{tag}>' for text in texts)}</tr>"


def picture(figure: Figure, text: str) -> str:
    """An image that stands in the page itself; `text` is for those who do not see it."""
    data = base64.b64encode(as_png(figure)).decode()
    return f'<img src="data:image/png;base64,{data}" alt="{html.escape(text)}">'
