"""The page on what was found."""

from __future__ import annotations

import pandas as pd
import pytest

from coassoc.results.findings import findings_page, write_findings
from coassoc.results.scorecard import YARDSTICKS


@pytest.fixture
def claims() -> pd.DataFrame:
    lines = [
        ("a-best", "a", "A is best.", "d", "holds"),
        ("b-best", "b", "B is best.", "d, e", "does not hold"),
    ]
    return pd.DataFrame(lines, columns=["claim", "paper", "text", "data sets", "verdict"])


@pytest.fixture
def card() -> pd.DataFrame:
    verdicts = ["reproduced", "reproduced", "differs", "not run"]
    frame = pd.DataFrame({"paper": ["a", "a", "b", "b"], "verdict": verdicts})
    return frame.assign(
        **{YARDSTICKS[-1]: [True, False, False, None]}, commit=["12e45", "12e45", "0a", None]
    )


def test_the_page_counts_by_paper_and_shows_the_headlines(claims, card):
    page = findings_page(claims, card, ["b-best"], {"a": "Paper A", "b": "Paper B"})
    assert "B is best." in page and "A is best." not in page
    assert "Of 4 printed numbers 3 were compared with ours; 2 lie" in page
    rows = [[part.strip() for part in line.split("|")[1:-1]] for line in page.splitlines()]
    assert ["b", "[B is best.](claims_cells.md#b-best)", "2", "does not hold"] in rows
    assert ["a", "2", "2", "0", "0", "0", "1"] in rows
    assert ["all", "4", "2", "1", "0", "1", "1"] in rows
    assert "Made by versions 0a, 12e45 of the software." in page


def test_the_page_is_made_from_files(claims, card, tmp_path):
    claims.to_csv(tmp_path / "claims.csv")
    card.drop(columns="commit").to_csv(tmp_path / "card.csv")
    files = tmp_path / "findings.md", tmp_path / "claims.csv", tmp_path / "card.csv"
    write_findings(*files, ["a-best"], {"a": "Paper A", "b": "Paper B"})
    page = files[0].read_text(encoding="utf-8")
    assert "| all" in page and "made by several versions" in page
