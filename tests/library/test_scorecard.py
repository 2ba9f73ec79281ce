"""Verdicts, ranks and the summary of the scorecard."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from coassoc.scorecard import rank_agreement, scorecard, summary_page


@pytest.fixture
def card() -> pd.DataFrame:
    methods = ["A", "B", "C", "D", "E"]
    shared = {"paper": "p", "table": "t", "dataset": "x", "metric": "ARI"}
    published = pd.DataFrame(
        [
            {**shared, "method": m, "mean": mean, "std": std}
            for m, mean, std in zip(
                methods, [0.5, 0.6, 0.7, 0.8, 0.9], [0.1, np.nan, 0.01, 0.01, 0.01], strict=True
            )
        ]
    )
    found = pd.DataFrame(
        [
            {**shared, "label": m, "mean": mean, "std": std, "repeats": 20}
            for m, mean, std in zip(
                methods[:4], [0.6, 0.65, 0.60, 0.99], [0.0, 0.05, 0.01, 0.01], strict=True
            )
        ]
    ).assign(reason="", pool="q", parameters="{}", run="r")
    return scorecard(published, found)


def test_rows_that_no_paper_prints_do_not_count(card):
    published = card[["paper", "table", "dataset", "method", "metric", "mean", "std"]]
    columns = ["paper", "table", "dataset", "metric", "repeats", "reason", "pool", "parameters"]
    found = card[[*columns, "run"]].assign(
        label=card["method"], mean=card["reproduced_mean"], std=card["reproduced_std"]
    )
    control = found.iloc[:1].assign(label="Random labels", mean=0.0, std=0.0)
    again = scorecard(published, pd.concat([found, control], ignore_index=True))
    pd.testing.assert_frame_equal(again, card, check_like=True)
    pd.testing.assert_frame_equal(rank_agreement(again), rank_agreement(card))


def test_verdicts(card):
    assert list(card["verdict"]) == ["reproduced", "reproduced", "worse", "better", "not run"]


def test_z_uses_both_spreads(card):
    z = dict(zip(card["method"], card["z"], strict=True))
    assert z["A"] == pytest.approx(0.1 / 0.1)
    assert z["B"] == pytest.approx(0.05 / np.hypot(0.05, 0.05))
    assert z["C"] == pytest.approx(-0.1 / np.hypot(0.01, 0.01))


def test_seconds_are_not_compared(card):
    timed = card.assign(metric="seconds")
    from coassoc.scorecard import verdicts

    assert set(verdicts(timed)) == {"not comparable", "not run"}


def test_rank_agreement(card):
    (line,) = rank_agreement(card).to_dict("records")
    assert line["methods"] == 4
    assert line["tau"] == pytest.approx(0.548, abs=1e-3)  # C ties with A, and B is above both


def test_summary_names_the_numbers(card):
    page = summary_page(card, rank_agreement(card), {"p": "A paper"})
    assert "Of 5 published cells 4 were compared; 2 are reproduced" in page
    assert "A paper" in page
