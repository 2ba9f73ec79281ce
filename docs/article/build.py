"""Build the article from the kept results: one file for print, one for the web.

    python docs/article/build.py FOLDER

The links of both lead to the kept results beside them. The fonts are those that Typst brings, and
the date is left out, so that the same results give the same files everywhere.
"""

from __future__ import annotations

import sys
from pathlib import Path

import typst

HERE = Path(__file__).parent
ROOT = HERE.parents[1]


def build(folder: Path) -> None:
    """Write `article.pdf` and `article.html` into `folder`."""
    for form in ("pdf", "html"):
        document = typst.compile(
            HERE / "article.typ", root=ROOT, format=form, ignore_system_fonts=True, timestamp=0
        )
        (folder / f"article.{form}").write_bytes(document)


if __name__ == "__main__":
    build(Path(sys.argv[1]))
