"""Build the article from the kept results: one file for print, one for the web, one of its means.

    python docs/article/build.py FOLDER

The links of both lead to the kept results beside them. The fonts are those that Typst brings, and
the date is left out, so that the same results give the same files everywhere.
"""

from __future__ import annotations

import csv
import json
import sys
from pathlib import Path

import typst

HERE = Path(__file__).parent
ROOT = HERE.parents[1]


def build(folder: Path) -> None:
    """Write `article.pdf`, `article.html` and their means, `means.csv`, into `folder`."""
    means = json.loads(typst.query(HERE / "article.typ", "<mean>", field="value", root=ROOT))
    with (folder / "means.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, ["of", "mean", "table", "lines"], lineterminator="\n")
        writer.writeheader()
        writer.writerows({each["of"]: each for each in means}.values())
    for form in ("pdf", "html"):
        document = typst.compile(
            HERE / "article.typ", root=ROOT, format=form, ignore_system_fonts=True, timestamp=0
        )
        (folder / f"article.{form}").write_bytes(document)


if __name__ == "__main__":
    build(Path(sys.argv[1]))
