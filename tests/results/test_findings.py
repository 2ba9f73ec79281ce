"""The page on what was found."""

from __future__ import annotations

import pandas as pd
import pytest

from coassoc.results.findings import findings_page, write_findings
from coassoc.results.ranking.views import ALL
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
    page = findings_page(claims, card, None, ["b-best"], {"a": "Paper A", "b": "Paper B"})
    assert "B is best." in page and "A is best." not in page
    assert "Of 4 printed numbers 3 were compared with ours; 2 lie" in page
    rows = [[part.strip() for part in line.split("|")[1:-1]] for line in page.splitlines()]
    assert ["b", "[B is best.](claims_cells.md#b-best)", "2", "does not hold"] in rows
    assert ["a", "2", "2", "0", "0", "0", "1"] in rows
    assert ["all", "4", "2", "1", "0", "1", "1"] in rows
    assert "ranking" not in page
    assert "Made by versions 0a, 12e45 of the software." in page


def test_the_page_is_made_from_files(claims, card, tmp_path):
    claims.to_csv(tmp_path / "claims.csv")
    card.drop(columns="commit").to_csv(tmp_path / "card.csv")
    files = tmp_path / "findings.md", tmp_path / "claims.csv", tmp_path / "card.csv"
    write_findings(*files, None, ["a-best"], {"a": "Paper A", "b": "Paper B"})
    page = files[0].read_text(encoding="utf-8")
    assert "| all" in page and "made by several versions" in page


@pytest.fixture
def ranks() -> pd.DataFrame:
    """Three methods, one of which reads the order; also by another score, and in other views."""
    view = {"metric": "ACC", "group": ALL, "tuned": False, "readers": False, "all_methods": False}
    numbers = {"mean": 0.5, "seconds": 0.25, "n_datasets": 9, "critical_difference": 1.5}

    def lines(ranked, **other):
        return [{**view, **numbers, **other, "label": a, "rank": b} for a, b in ranked.items()]

    missing = {"fails": None}
    found = lines({"good": 1.2, "fair": 2.4, "poor": 2.9} | missing)
    found += lines({"good": 2.2, "fair": 2.9, "reader": 1.1} | missing, readers=True)
    found += lines({"good": 1, "fails": 2}, all_methods=True) + lines({"tuned": 1}, tuned=True)
    found += lines({"text": 1}, group="text") + lines({"other": 1}, metric="NMI")
    return pd.DataFrame(found)


def test_the_page_names_the_best_methods_and_where_readers_of_the_order_would_stand(
    claims, card, ranks
):
    page = findings_page(claims, card, ranks, ["b-best"], {"a": "Paper A", "b": "Paper B"})
    rows = [[part.strip() for part in line.split("|")[1:-1]] for line in page.splitlines()]
    start = rows.index(["method", "mean rank", "mean ACC", "seconds of a fit"])
    assert [row[:2] for row in rows[start + 2 : start + 5]] == [
        ["good", "1.2"],
        ["fair", "2.4"],
        ["poor", "2.9"],
    ]
    assert "3 methods have a score at their defaults on all of its 9 data sets" in page
    assert "less than 1.5 cannot be told apart" in page
    assert "as near to the best are 1 of the others." in page
    assert "among all 3 they would have the places: reader 1." in page
    assert not {"fails", "tuned", "text", "other"} & {row[0] for row in rows if row}
