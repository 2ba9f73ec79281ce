"""Verdicts, ranks and the summary of the scorecard."""

import numpy as np
import pandas as pd
import pytest

from make_scorecard import summary_page
from reproduction.scorecard import read_tables, scorecard

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


def test_rows_that_no_paper_prints_do_not_count(published, reproduced, card):
    control = reproduced.iloc[:1].assign(label="Random labels", mean=0.0, std=0.0)
    again = scorecard(published, pd.concat([reproduced, control], ignore_index=True))
    pd.testing.assert_frame_equal(again, card)


def test_a_number_that_the_configuration_makes_otherwise_is_not_compared(published, reproduced):
    published.loc[0, "why"] = "other data sets"
    again = scorecard(published, reproduced)[["verdict", "reason"]]
    assert again[:2].to_numpy().tolist() == [["not run", "other data sets"], ["within 2 sd", ""]]


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


def test_it_says_why_a_cell_was_not_run(published, reproduced, tmp_path):
    published.loc[0, "why"] = "the method is not available"
    path = tmp_path / "p" / "t.csv"
    path.parent.mkdir()
    skipped = {"row": "B", "mean": np.nan, "std": np.nan, "repeats": 0}
    lines = reproduced[reproduced["label"] == "B"].assign(**skipped, reason="skipped: too large")
    lines.drop(columns=["paper", "table"]).to_csv(path, index=False)
    card = scorecard(published, read_tables([path]))
    assert set(card["verdict"]) == {"not run"}
    first, second, third = card["reason"][:3]
    assert (first, second) == ("the method is not available", "skipped: too large")
    assert third == "the table was built without this cell"
    nothing = scorecard(published, read_tables([]))
    assert list(nothing["reason"][:2]) == ["the method is not available", "the table was not built"]
    assert "- the table was not built: 4" in summary_page(nothing, {}, {})
