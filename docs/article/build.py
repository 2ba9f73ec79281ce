"""Build the article from the archived results: one file for print, one for the web.

    python docs/article/build.py FOLDER

Links in both files lead to the archived results in the same folder. The files use Typst's own fonts
and no date, so the same results give the same files everywhere.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import typst

from coassoc.methods import METHODS
from reproduction.study import hclce
from reproduction.study.studies import STUDIES, name_of_study, targets_of, title_of

HERE = Path(__file__).parent
ROOT = HERE.parents[1]


def studies() -> dict[str, object]:
    """Titles of the studies, their targets and the methods, and HCLCE's comparable data sets."""
    titles = {
        name_of_study(study): {
            "title": title_of(study),
            "targets": {k.rpartition("/")[2]: x.title for k, x in targets_of(study).items()},
        }
        for study in STUDIES
    }
    known = dict(METHODS)
    methods = {name: {"title": x.title, "paper": x.paper} for name, x in known.items()}
    return {"titles": titles, "comparable": hclce.COMPARABLE, "methods": methods}


def build(folder: Path) -> None:
    """Write `article.pdf` and `article.html` into `folder`."""
    inputs = {"studies": json.dumps(studies())}
    for form in ("pdf", "html"):
        document = typst.compile(
            HERE / "article.typ",
            root=ROOT,
            format=form,
            ignore_system_fonts=True,
            timestamp=0,
            sys_inputs=inputs,
        )
        (folder / f"article.{form}").write_bytes(document)


if __name__ == "__main__":
    build(Path(sys.argv[1]))
