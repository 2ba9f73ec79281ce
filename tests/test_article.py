"""The article says what the kept results say: no number in it is typed."""

import html
import re
import runpy
from pathlib import Path

import pytest
import yaml

from coassoc.bench.storage.configuration import load_yaml
from reproduction.study.plan import Plan

ROOT = Path(__file__).parents[1]
KEPT = ROOT / "results-published"


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


def manifest(name: str) -> list[str]:
    entries = yaml.safe_load((ROOT / name).read_text(encoding="utf-8"))["manifest"]
    return [entry["file"] for entry in entries]


def test_a_check_is_of_all_numbers_that_the_default_makes():
    asked, plan = manifest("codecheck.yml"), Plan(load_yaml(ROOT / "config/config.yaml"))
    cells = plan.cells(sorted(plan.wanted))
    numbers = map(plan.numbers_of, cells[cells["not_run"].eq("")]["target"].unique())
    assert sorted(asked) == sorted([*numbers, "results/agreement.csv"])
    kept = {str(path.relative_to(ROOT / "codecheck")) for path in ROOT.glob("codecheck/*/**/*.csv")}
    assert kept == set(asked)


def test_a_check_of_the_article_is_of_files_that_are_kept():
    files = manifest("codecheck/published.yml")
    assert len(files) > 10 and [file for file in files if not (ROOT / file).is_file()] == []


def test_a_check_names_what_is_not_as_expected(tmp_path):
    mistakes = runpy.run_path(str(ROOT / "release/check.py"))["mistakes"]
    made, expected = tmp_path / "made.csv", tmp_path / "expected.csv"
    expected.write_text("row,mean,p,commit\nEAC,0.5,,a\nLWEA,0.6,0.1,a\n")
    made.write_text("row,mean,p,commit\nEAC,0.5009,,b\nLWEA,0.6,0.1,b\n")
    assert mistakes(made, expected, 0.001) == []
    made.write_text("row,mean,p,commit\nEAC,0.502,0.1,b\nLWEB,0.6,,b\n")
    assert mistakes(made, expected, 0.001) == [
        "line 3, row: expected LWEA, found LWEB",
        "line 2, mean: expected 0.5, found 0.502",
        "line 2, p: expected nan, found 0.1",
        "line 3, p: expected 0.1, found nan",
    ]
    made.write_text("row,mean,p,commit\nEAC,0.5,,b\n")
    assert "(1, 3)" in mistakes(made, expected, 0.001)[0]
    assert mistakes(made, tmp_path / "none.csv", 0.001) == []
    assert mistakes(tmp_path / "none.csv", expected, 0.001) == ["file not found"]


@pytest.mark.slow
def test_the_kept_article_is_made_from_the_kept_results(tmp_path):
    pytest.importorskip("typst", reason="pip install 'coassoc[article]'")
    runpy.run_path(str(ROOT / "docs/article/build.py"))["build"](tmp_path)
    for name in ("article.pdf", "article.html"):
        assert (tmp_path / name).read_bytes() == (KEPT / name).read_bytes(), f"make article: {name}"
