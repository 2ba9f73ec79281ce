"""The article says what the kept results say: no number in it is typed."""

from __future__ import annotations

import html
import re
import runpy
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[1]
ARTICLE = ROOT / "docs/article/article.typ"
KEPT = ROOT / "results-published"


def prose(source: str, start: int = 0, closing: str = "") -> tuple[str, int]:
    """Typst markup from `start` up to `closing`, without code, formulas, labels and references."""
    kept, here = [], start
    while here < len(source) and (not closing or source[here] != closing):
        if match := re.compile(r"//.*|<[\w-]+>|@[\w-]+|\$[^$]*\$|`[^`]*`").match(source, here):
            here = match.end()
        elif source[here] == "#":
            said, here = code(source, here + 1)
            kept.append(said)
        elif source[here] == "[":
            said, here = prose(source, here + 1, "]")
            kept.append(f"[{said}]")
            here += 1
        else:
            kept.append(source[here])
            here += 1
    return "".join(kept), here


def code(source: str, here: int) -> tuple[str, int]:
    """Prose in the brackets of the code that begins at `here`, and where the code ends."""
    kept, depth = [], 0
    statement = re.compile(r"(let|set|show|import|context|if|for)\b").match(source, here)
    while here < len(source):
        character = source[here]
        if match := re.compile(r"//.*|\"(\\.|[^\"])*\"|\$[^$]*\$").match(source, here):
            here = match.end()
            continue
        if character == "[":
            said, here = prose(source, here + 1, "]")
            kept.append(f" {said} ")
            here += 1
            continue
        if character in "({":
            depth += 1
        elif character in ")}":
            if not depth:
                break
            depth -= 1
        elif not depth and (character == "\n" if statement else not re.match(r"[\w.-]", character)):
            break
        here += 1
    return "".join(kept), here


def test_no_number_of_the_article_is_typed():
    text, _ = prose(ARTICLE.read_text(encoding="utf-8"))
    assert "Ensemble clustering combines several clusterings" in text
    assert "Means over the data sets." in text  # of a caption
    assert re.findall(r".{0,30}\d.{0,30}", text) == []


def heading_anchors(path: Path) -> set[str]:
    """What a link to a heading of a Markdown page says, as its readers' sites have it."""
    headings = re.findall(r"^#+ (.*)$", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_every_link_of_the_article_leads_to_a_kept_result():
    page = (KEPT / "article.html").read_text(encoding="utf-8")
    links = set(re.findall(r'href="([^"#:]+)(?:#([^"]*))?"', page))
    files = {(html.unescape(link), html.unescape(anchor)) for link, anchor in links}
    assert len(files) > 10
    assert [link for link, _ in sorted(files) if not (KEPT / link).is_file()] == []
    to_headings = {link for link, anchor in files if anchor}
    anchors = {link: heading_anchors(KEPT / link) for link in to_headings}
    assert [pair for pair in sorted(files) if pair[1] and pair[1] not in anchors[pair[0]]] == []


def test_what_a_check_is_of_is_kept():
    entries = yaml.safe_load((ROOT / "codecheck.yml").read_text(encoding="utf-8"))["manifest"]
    assert len(entries) > 5
    assert [entry["file"] for entry in entries if not (ROOT / entry["file"]).is_file()] == []


@pytest.mark.slow
def test_the_kept_article_is_made_from_the_kept_results(tmp_path):
    pytest.importorskip("typst", reason="pip install 'coassoc[article]'")
    runpy.run_path(str(ROOT / "docs/article/build.py"))["build"](tmp_path)
    for name in ("article.pdf", "article.html"):
        assert (tmp_path / name).read_bytes() == (KEPT / name).read_bytes(), f"make article: {name}"
