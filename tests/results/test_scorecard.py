"""Verdicts, ranks and the summary of the scorecard."""

import numpy as np
import pandas as pd
import pytest

from make_scorecard import rank_agreement, summary_page, what_remains
from reproduction.scorecard import YARDSTICKS, limits_of_agreement, read_tables, scorecard
from scored_cells import as_read

SHARED = {"paper": "p", "table": "t", "dataset": "x", "metric": "ARI"}


@pytest.fixture
def published() -> pd.DataFrame:
    numbers = {"mean": [0.5, 0.6, 0.7, 0.8, 0.9], "std": [0.1, np.nan, 0.01, 0.01, 0.01]}
    other = {"same_as": list("ABCDE"), "fitted": False, "why": ""}
    return pd.DataFrame({**SHARED, "method": list("ABCDE"), **numbers, **other})


@pytest.fixture
def reproduced() -> pd.DataFrame:
    numbers = {"mean": [0.6, 0.65, 0.60, 0.99], "std": [0.0, 0.05, 0.01, 0.01], "repeats": 20}
    made = {"reason": "", "pool": "q", "m": 20, "parameters": "{}", "run": "q/x/m20/A/default"}
    return pd.DataFrame({**SHARED, "label": list("ABCD"), **numbers, **made})


@pytest.fixture
def card(published, reproduced) -> pd.DataFrame:
    return scorecard(published, reproduced)


def page_of(card, titles=(), own=()):
    return as_read(summary_page(card, dict(titles), dict(own)))


def test_rows_that_no_paper_prints_do_not_count(published, reproduced, card):
    control = reproduced.iloc[:1].assign(label="Random labels", mean=0.0, std=0.0)
    again = scorecard(published, pd.concat([reproduced, control], ignore_index=True))
    pd.testing.assert_frame_equal(again, card)
    pd.testing.assert_frame_equal(rank_agreement(again), rank_agreement(card))


def test_a_number_that_the_configuration_makes_otherwise_is_not_compared(published, reproduced):
    published.loc[0, "why"] = "other data sets"
    again = scorecard(published, reproduced)[["verdict", "reason"]]
    assert again[:2].to_numpy().tolist() == [["not run", "other data sets"], ["within 2 sd", ""]]


def test_verdicts_yardsticks_and_z_by_both_spreads(card):
    expected = ["within 2 sd", "within 2 sd", "beyond 2 sd", "beyond 2 sd", "not run"]
    assert list(card["verdict"]) == expected
    assert list(card["reason"]) == ["", "", "", "", "the table was built without this cell"]
    spreads = np.array([0.1, np.hypot(0.05, 0.05), np.hypot(0.01, 0.01)])
    assert card["z"].to_numpy()[:3] == pytest.approx(np.array([0.1, 0.05, -0.1]) / spreads)
    passed = card[list(YARDSTICKS)]
    assert passed.iloc[:4].notna().all(axis=None) and passed.iloc[4].isna().all()
    # C is 0.1 off: ten standard deviations, and more than any absolute yardstick.
    assert not passed.iloc[2].any()


def test_a_number_that_is_printed_twice_has_one_verdict(published, reproduced):
    again = published.iloc[[2, 2]].assign(table="u", method=["C", "C2"], std=np.nan)
    numbers = pd.concat([published, again], ignore_index=True)
    near = reproduced.iloc[2:3].assign(table="u", mean=0.7)
    card = scorecard(numbers, pd.concat([reproduced, near], ignore_index=True))
    assert list(card["repeats_cell"]) == [""] * 5 + ["t: C"] * 2
    shown = card.loc[5:, ["table", "method", "verdict", "reproduced_mean", "std"]]
    same = ["beyond 2 sd", 0.6, 0.01]
    assert shown.to_numpy().tolist() == [["u", "C", *same], ["u", "C2", *same]]
    assert "2 cells repeat a number" in page_of(card)[0]


def test_a_repeated_number_is_judged_where_it_was_run_with_the_spread_that_is_printed(
    published, reproduced
):
    first = published.iloc[4:]  # E was not run
    again = first.assign(table="u", method="A", std=np.nan)
    here = reproduced.iloc[:1].assign(table="u", mean=0.91)
    card = scorecard(pd.concat([first, again], ignore_index=True), here)
    shown = card[["verdict", "repeats_cell", "std"]].to_numpy().tolist()
    assert shown == [["within 2 sd", "u: A", 0.01], ["within 2 sd", "", 0.01]]


def test_agreement_is_of_the_order_of_methods_which_distances_do_not_have(
    published, reproduced, card
):
    (line,) = rank_agreement(card).to_dict("records")
    assert line["methods"] == 4
    assert line["tau"] == pytest.approx(0.548, abs=1e-3)  # C ties with A, and B is above both
    card = scorecard(published, reproduced.assign(distance=[False, True, True, True]))
    assert rank_agreement(card).empty


def test_seconds_are_not_compared(published, reproduced):
    card = scorecard(published.assign(metric="seconds"), reproduced.assign(metric="seconds"))
    assert set(card["verdict"]) == {"not comparable"}
    assert set(card["reason"]) == {"time on another machine"}


def test_summary_names_the_numbers(card):
    page, rows = page_of(card, {"p": "A paper"}, {"p": ["A"]})
    assert "compares 4 of 5 published cells. 2 (50%) are within 2 combined standard" in page
    assert "A paper" in page
    heads = [k for k, row in enumerate(rows) if row[:1] == ["paper"]]
    yardsticks, winner, tables = (rows[k + 2] for k in heads[:3])
    assert tables[:7] == ["p", "t", "5", "2", "2", "0", "1"]
    assert yardsticks == ["p", "4", "2", "1", "0", "0"]
    # D is best in print and here; A, the paper's own, is last in print and shares the last place.
    assert winner == ["p", "1", "1", "4.0", "3.0"]


def test_differences_set_cells_aside_or_explain_them(published, reproduced):
    entries = [
        {"methods": ["A"], "not_comparable": True, "because": "a misprint", "shown_by": "x"},
        {"methods": ["C", "B"], "because": "other data", "shown_by": "y"},
        {"because": "unknown", "shown_by": "open"},
    ]
    card = scorecard(published, reproduced, [{"paper": "p", **entry} for entry in entries])
    assert card.loc[:3, ["verdict", "reason"]].to_numpy().tolist() == [
        ["not comparable", "a misprint (shown by: x)"],
        ["within 2 sd", ""],
        ["beyond 2 sd", "other data (shown by: y)"],
        ["beyond 2 sd", "unknown (shown by: open)"],
    ]
    assert card["verdict"].iloc[4] == "not run" and card["within 0.05"].iloc[0] is None


def test_what_remains_different_is_grouped_by_cause(card):
    other = card.assign(paper="q", reason="other data")
    (p, q) = what_remains(pd.concat([card, other])).to_dict("records")
    known = {"paper": "p", "methods": "C, D", "data sets": "x", "cells": 2, "why": "not explained"}
    assert p == known | {"mean difference": pytest.approx((-0.1 + 0.19) / 2)}
    assert (q["paper"], q["why"]) == ("q", "other data")
    page, _ = page_of(card)
    assert "## Remaining differences" in page and "+0.045" in page


def test_it_says_why_a_cell_was_not_run(published, reproduced, tmp_path):
    published.loc[0, "why"] = "the method is not available"
    path = tmp_path / "p" / "t.csv"
    path.parent.mkdir()
    skipped = {"row": "B", "mean": np.nan, "std": np.nan, "repeats": 0}
    lines = reproduced[reproduced["label"] == "B"].assign(**skipped, reason="skipped: too large")
    lines.drop(columns=["paper", "table"]).to_csv(path, index=False)
    card = scorecard(published, read_tables([path]))
    assert set(card["verdict"]) == {"not run"}
    reasons = [
        "the method is not available",
        "skipped: too large",
        "the table was built without this cell",
    ]
    assert list(card["reason"][:3]) == reasons
    nothing = scorecard(published, read_tables([]))
    assert list(nothing["reason"][:2]) == ["the method is not available", "the table was not built"]
    page, _ = page_of(nothing)
    assert "- the table was not built: 4" in page and "Largest gaps" not in page


def test_cells_made_with_fewer_fits_are_counted(published, reproduced, card):
    grids = ["lam=1+2~race=ARI", "lam=1~race=ARI~repeats=5", "lam=1+2~repeats=5~points=2of7"]
    reproduced["run"] = [f"q/x/m20/A/{block}" for block in ("default", *grids)]
    shorter = scorecard(published, reproduced.assign(repeats=[20, 20, 5, 5]))
    fewer = ["race", "race, 5 repeats", "5 repeats, 2 of 7 points"]
    assert shorter["shortened"].tolist() == ["", *fewer, ""]
    page, _ = page_of(shorter)
    assert "3 of the compared numbers come from fewer fits" in page
    assert "(5 repeats, 2 of 7 points: 1; race: 1; race, 5 repeats: 1)" in page
    assert "fewer fits" not in page_of(card)[0]


def test_limits_of_agreement_are_of_scores_printed_once_with_intervals_over_data_sets():
    """Data sets that are off as a whole leave the mean in more doubt than cells one by one."""
    rng = np.random.default_rng(0)
    names = np.repeat([f"d{i}" for i in range(10)], 40)
    line = {"verdict": "within 2 sd", "metric": "ACC", "distance": False, "repeats_cell": ""}
    cells = pd.DataFrame({**line, "paper": "p", "dataset": names})
    apart = cells.assign(difference=rng.normal(0, 0.1, 400))
    whole = cells.assign(paper="q", difference=np.repeat(rng.normal(0, 0.1, 10), 40))
    others = [{"metric": "seconds"}, {"distance": True}, {"verdict": "not run"}]
    others += [{"repeats_cell": "t: C"}]
    aside = [apart.assign(difference=9.0, **other) for other in others]
    limits = limits_of_agreement(pd.concat([apart, whole, *aside], ignore_index=True))
    assert set(limits["cells"]) == {400} and set(limits["data sets"]) == {10}
    found = limits.set_index(["paper", "measure"])
    mean, sd = apart["difference"].mean(), apart["difference"].std(ddof=0)
    for measure, times in (("mean difference", 0), ("lower limit", -1.96), ("upper limit", 1.96)):
        assert found.loc[("p", measure), "value"] == pytest.approx(mean + times * sd)
    width = found["high"] - found["low"]
    # Standard errors are a twentieth of 0.1 for 400 cells, and more than six times that for ten.
    assert width["p", "mean difference"] == pytest.approx(4 * 0.005, rel=0.5)
    assert width["q", "mean difference"] > 4 * width["p", "mean difference"]
