"""The page on what was found."""

import numpy as np
import pandas as pd
import pytest

from coassoc.bench.ranking import ALL_DATASETS
from make_findings import write_findings
from reproduction.agreement.readings import HINDSIGHT, TABLES
from reproduction.arena import ALGORITHM, METHOD, PICKED, RIVAL, RIVALS, answer
from scored_cells import as_read

TITLES = {"a": "Paper A", "b": "Paper B"}
CLAIMS = {
    "claim": ["a-best", "b-best"],
    "paper": ["a", "b"],
    "text": ["A is best.", "B is best."],
    "data sets": ["d", "d, e"],
    "verdict": ["holds", "does not hold"],
}
#: Two papers on the yardsticks that are shown.
AGREEMENT = pd.DataFrame(
    [
        {"HGPA": "with", "paper": paper, "measure": measure, "value": 0.5, "low": 0.4, "high": 0.6}
        | {"cells": 3, "wrong": 0.2 if measure == "within 2 sd" else None, "perfect": None}
        for paper in ("a", "all")
        for measure in ("within 2 sd", "chance-corrected 2 se", "Kendall tau", "margin here")
    ]
)
MARGINS = pd.DataFrame(
    [{"unit": "a", "measure": "here", "value": -0.01, "low": -0.03, "high": 0.01}]
)
READINGS = pd.DataFrame(
    {
        "paper": "a",
        "protocol": [None, None, "scale"],
        "reading": [TABLES, HINDSIGHT, "unit"],
        "chance-corrected 2 se": [0.5, 0.61, 0.7],
        "low": [0.4, None, 0.6],
        "high": [0.6, None, 0.8],
    }
)


@pytest.fixture
def card() -> pd.DataFrame:
    verdicts = ["within 2 sd", "within 2 sd", "beyond 2 sd", "not run"]
    frame = pd.DataFrame({"paper": ["a", "a", "b", "b"], "verdict": verdicts})
    return frame.assign(
        reproduced_mean=[0.5, 0.25, 0.75, None],
        reference=["mean", None, None, None],
        run=["d/base", "d/m20/A/default", "d/m20/B/default", None],
        code=[None, "fa", "fb", None],
        fitted=[True, False, False, False],
    )


@pytest.fixture
def page(card, tmp_path):
    """Makes the page; gives its text with single blanks, and the rows of its tables."""

    def written(frames):
        for name, lines in frames.items():
            lines.to_csv(tmp_path / f"{name}.csv", index=False)
        return {name: tmp_path / f"{name}.csv" for name in frames}

    def make(codes=("fa",), arenas=(), **frames):
        files = {"ranking": None, "checked": None, "arenas": written(dict(arenas))}
        shown = {"claims": pd.DataFrame(CLAIMS), "card": card, "agreement": AGREEMENT}
        shown |= {"margins": MARGINS, "readings": READINGS}
        files |= written(shown | frames)
        path = tmp_path / "findings.md"
        write_findings(path, files, ["b-best"], TITLES, codes, ["fair", "other"])
        return as_read(path.read_text(encoding="utf-8"))

    return make


def test_the_page_counts_by_paper_and_shows_the_headlines(page):
    text, rows = page()
    assert ["measure", "a", "all"] in rows and ["cells", "3", "3"] in rows
    assert ["**chance-corrected**, %", "50 [40, 60]", "50 [40, 60]"] in rows
    assert ["Kendall's τ of the methods", ".500 [.400, .600]", ".500 [.400, .600]"] in rows
    assert "would accept 50% of these cells, but also 20% if another" in text
    assert ["a", "", "-0.010 [-0.030, +0.010]", ""] in rows
    assert ["a", "50 [40, 60]", "", "61", ""] in rows
    assert "B is best." in text and "A is best." not in text
    assert ["b", "[B is best.](claims_cells.md#b-best)", "2", "does not hold"] in rows
    assert ["a", "2", "2", "0", "0"] in rows
    assert ["all", "4", "3", "0", "1"] in rows


def test_the_page_says_how_many_numbers_of_methods_come_from_older_code(page, card):
    assert "All 2 numbers of methods" in page(codes=["fa", "fb", "other"])[0]
    older = "of 2 numbers of methods belong to the current"
    assert f"1 {older}" in page()[0]
    assert f"0 {older}" in page(card=card.assign(code=None))[0]


@pytest.fixture
def ranks() -> pd.DataFrame:
    """Three methods, one of which reads the order; also by another score, and in other views."""
    view = {
        "metric": "ACC",
        "group": ALL_DATASETS,
        "tuned": False,
        "readers": False,
        "all_methods": False,
    }
    numbers = {"mean": 0.5, "seconds": 0.25, "n_datasets": 9, "critical_difference": 1.5}
    numbers |= {"friedman_p": 0.001, "first_share": 0.6}
    p = {"fair": 0.3, "poor": 0.01}

    def lines(ranked, **other):
        each = {**view, **numbers, **other}
        return [{**each, "label": a, "rank": b, "p_first": p.get(a)} for a, b in ranked.items()]

    missing = {"fails": None}
    rows = lines({"good": 1.2, "fair": 2.4, "poor": 2.9} | missing)
    rows += lines({"good": 2.2, "fair": 2.9, "reader": 1.1} | missing, readers=True)
    rows += lines({"good": 1, "fails": 2}, all_methods=True) + lines({"tuned": 1}, tuned=True)
    rows += lines({"text": 1}, group="text") + lines({"other": 1}, metric="NMI")
    return pd.DataFrame(rows)


def test_the_page_names_the_best_methods_and_where_readers_would_stand(page, ranks):
    text, rows = page(ranking=ranks)
    start = rows.index(["method", "mean rank", "mean ACC", "seconds of a fit"])
    best = [["good", "1.2"], ["fair", "2.4"], ["poor", "2.9"]]
    assert [row[:2] for row in rows[start + 2 : start + 5]] == best
    assert "3 methods have a score with default parameters on all 9 data sets" in text
    assert "fair does not differ significantly from the first by Wilcoxon's signed-rank" in text
    assert "among all 3 methods would be: reader 1." in text
    assert "lack a score on at least one data set: fails." in text
    assert ["text", "9", "1", "1.5", "0.001", "text 1.0"] in rows
    assert not {"fails", "tuned", "other"} & {row[0] for row in rows if row}


def test_the_answer_of_the_arena_comes_after_what_the_papers_claim(page):
    lines = pd.DataFrame(
        {
            "problem": [f"b-{name}" for name in "abcdefghijkl"] * 6,
            "diversity": [0.1 * k for k in range(12)] * 6,
            "label": np.repeat(["M", "N", *RIVALS, "A"], 12),
            "role": np.repeat([METHOD, METHOD, RIVAL, RIVAL, RIVAL, ALGORITHM], 12),
            "ARI": [k / 100 + y for y in (0.5, 0.4, 0.3, 0.4, 0.7, 0.6) for k in range(12)],
        }
    )
    lines["dataset"] = lines["problem"]
    text, rows = page(arenas={"The arena": lines})
    assert text.index(" ".join(answer(lines, "ARI").split())) > text.index("main claims")
    (line,) = [row for row in rows if row and row[0].startswith("[The arena](")]
    # Of twelve data sets the mean of k / 100 is .055; M is above the picked member, as N is not.
    means = ["0.355", "0.455", "0.755", "M 0.555", "M 0.555"]
    assert line[1:] == ["12", "2", *means, "2, 0", "1, 0", "0, 2"]
    # Another arena with half of the data sets, where M is better than in the first.
    another = lines[lines["dataset"].isin([f"b-{name}" for name in "abcdef"])].copy()
    another.loc[another["label"] == "M", "ARI"] += 0.2
    another.loc[another["label"] == PICKED, "ARI"] -= 0.1
    text, _ = page(arenas={"The arena": lines, "Another": another})
    told = "the means of 1 of 2 methods are higher. The mean change is +0.100 for the methods and"
    assert f"{told} -0.100 for the picked member." in text
