"""Verdicts, ranks and the summary of the scorecard."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from coassoc.results.scorecard import (
    YARDSTICKS,
    rank_agreement,
    read_tables,
    scorecard,
    summary_page,
    verdicts,
    what_remains,
)


@pytest.fixture
def card() -> pd.DataFrame:
    methods = ["A", "B", "C", "D", "E"]
    shared = {"paper": "p", "table": "t", "dataset": "x", "metric": "ARI"}
    published = pd.DataFrame(
        [
            {**shared, "method": m, "mean": mean, "std": std, "why": ""}
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
    ).assign(reason="", pool="q", m=20, parameters="{}", run="r")
    return scorecard(published, found)


def test_rows_that_no_paper_prints_do_not_count(card):
    published = card[["paper", "table", "dataset", "method", "metric", "mean", "std"]]
    published = published.assign(why="")
    columns = ["paper", "table", "dataset", "metric", "repeats", "reason", "pool", "m"]
    found = (
        card[[*columns, "parameters", "run"]]
        .dropna(subset="repeats")
        .assign(label=card["method"], mean=card["reproduced_mean"], std=card["reproduced_std"])
    )
    control = found.iloc[:1].assign(label="Random labels", mean=0.0, std=0.0)
    again = scorecard(published, pd.concat([found, control], ignore_index=True))
    pd.testing.assert_frame_equal(again, card, check_like=True)
    pd.testing.assert_frame_equal(rank_agreement(again), rank_agreement(card))


def test_a_number_that_the_configuration_makes_otherwise_is_not_compared(card):
    published = card[["paper", "table", "dataset", "method", "metric", "mean", "std"]]
    published = published.assign(why=["other data sets", "", "", "", ""])
    found = card.dropna(subset="repeats").rename(columns={"method": "label"})
    found = found.drop(columns=["mean", "std"]).rename(
        columns={"reproduced_mean": "mean", "reproduced_std": "std"}
    )
    again = scorecard(published, found)
    assert again["verdict"].iloc[0] == "not run" and again["reason"].iloc[0] == "other data sets"
    assert again["verdict"].iloc[1] == "reproduced"


def test_verdicts(card):
    expected = ["reproduced", "reproduced", "differs", "differs", "not run"]
    assert list(card["verdict"]) == expected
    assert list(card["reason"]) == ["", "", "", "", "the table was made without the cell"]


def test_z_uses_both_spreads(card):
    z = dict(zip(card["method"], card["z"], strict=True))
    assert z["A"] == pytest.approx(0.1 / 0.1)
    assert z["B"] == pytest.approx(0.05 / np.hypot(0.05, 0.05))
    assert z["C"] == pytest.approx(-0.1 / np.hypot(0.01, 0.01))


def test_seconds_are_not_compared(card):
    assert set(verdicts(card.assign(metric="seconds"))) == {"not comparable", "not run"}


def test_rank_agreement(card):
    (line,) = rank_agreement(card).to_dict("records")
    assert line["methods"] == 4
    assert line["tau"] == pytest.approx(0.548, abs=1e-3)  # C ties with A, and B is above both


def test_summary_names_the_numbers(card):
    page = summary_page(card, rank_agreement(card), {"p": "A paper"}, {"p": ["A"]})
    assert "Of 5 published cells 4 were compared; 2 (50%) are reproduced" in page
    assert "A paper" in page
    yardsticks, winner, tables = (part.splitlines()[2] for part in page.split("| paper ")[1:4])
    assert words(tables)[:7] == ["p", "t", "5", "2", "2", "0", "1"]
    assert words(yardsticks) == ["p", "4", "2", "1", "0", "0"]
    # D is best in print and here; A, the paper's own, is last in print and shares the last place.
    assert words(winner) == ["p", "1", "1", "4.0", "3.0"]


def words(line):
    return [cell.strip() for cell in line.strip("|").split("|")]


def test_yardsticks_are_empty_where_nothing_is_compared(card):
    assert card["verdict"].iloc[4] == "not run"
    assert card[list(YARDSTICKS)].iloc[4].isna().all()
    assert card[list(YARDSTICKS)].iloc[:4].notna().all(axis=None)
    # C is 0.1 off: ten standard deviations, and more than any absolute yardstick.
    assert not card[list(YARDSTICKS)].iloc[2].any()


def test_differences_set_cells_aside_or_explain_them(card):
    published = card[["paper", "table", "dataset", "method", "metric", "mean", "std"]]
    published = published.assign(why="")
    found = card.dropna(subset="repeats").rename(columns={"method": "label"})
    found = found.drop(columns=["mean", "std"]).rename(
        columns={"reproduced_mean": "mean", "reproduced_std": "std"}
    )
    again = scorecard(
        published,
        found.assign(reason=""),
        [
            {"paper": "p", **entry}
            for entry in [
                {
                    "methods": ["A"],
                    "not_comparable": True,
                    "because": "a misprint",
                    "shown_by": "x",
                },
                {"methods": ["C", "B"], "because": "other data", "shown_by": "y"},
                {"because": "unknown", "shown_by": "open"},
            ]
        ],
    )
    assert list(again["verdict"]) == [
        "not comparable", "reproduced", "differs", "differs", "not run",
    ]  # fmt: skip
    assert again["reason"].iloc[0] == "a misprint (shown by: x)"
    assert again["reason"].iloc[1] == ""
    assert again["reason"].iloc[2] == "other data (shown by: y)"
    assert again["reason"].iloc[3] == "unknown (shown by: open)"
    assert again["within 0.05"].iloc[0] is None


def test_what_remains_different_is_grouped_by_cause(card):
    other = card.assign(paper="q", reason="other data")
    (p, q) = what_remains(pd.concat([card, other])).to_dict("records")
    assert p == {
        "paper": "p",
        "methods": "C, D",
        "data sets": "x",
        "cells": 2,
        "mean difference": pytest.approx((-0.1 + 0.19) / 2),
        "why": "not explained",
    }
    assert (q["paper"], q["why"]) == ("q", "other data")
    page = summary_page(card, rank_agreement(card), {}, {})
    assert "## What remains different" in page and "+0.045" in page


def test_it_says_why_a_cell_was_not_run(card, tmp_path):
    published = card.loc[:, ["paper", "table", "dataset", "method", "metric", "mean", "std"]]
    published = published.assign(why="")
    published.loc[0, "why"] = "method not available"
    path = tmp_path / "p" / "t1.csv"
    path.parent.mkdir()
    skipped = {"row": "B", "label": "B", "dataset": "x", "metric": "ARI", "mean": np.nan}
    skipped |= {"std": np.nan, "repeats": 0, "reason": "skipped: too large", "pool": "q", "m": 20}
    pd.DataFrame([{**skipped, "parameters": "{}", "run": "r"}]).to_csv(path, index=False)
    found = scorecard(published, read_tables([path], {"p/t1": "t"}))
    assert set(found["verdict"]) == {"not run"}
    assert list(found["reason"][:3]) == [
        "method not available",
        "skipped: too large",
        "the table was made without the cell",
    ]
    nothing = scorecard(published, read_tables([], {}))
    assert list(nothing["reason"][:2]) == ["method not available", "table not made"]
    page = summary_page(nothing, rank_agreement(nothing), {}, {})
    assert "- table not made: 4" in page and "Largest gaps" not in page


def test_cells_made_with_fewer_fits_are_counted(card):
    published = card.assign(why="")[
        ["paper", "table", "dataset", "metric", "method", "mean", "std", "why"]
    ]
    found = card.rename(columns={"method": "label"}).drop(columns=["mean", "std"])
    found = found.rename(columns={"reproduced_mean": "mean", "reproduced_std": "std"})
    found = found.dropna(subset=["mean"]).drop(columns=["z", "verdict", "difference", "shortened"])
    names = [
        "default",
        "lam=1+2~race=ARI",
        "lam=1~race=ARI~repeats=5",
        "lam=1+2~repeats=5~points=2of7",
    ]
    found = found.assign(run=[f"q/x/m20/A/{name}" for name in names], repeats=[20, 20, 5, 5])
    shorter = scorecard(published, found.drop(columns=list(YARDSTICKS)))
    fewer = ["race", "race, 5 repeats", "5 repeats, 2 of 7 points"]
    assert shorter["shortened"].tolist() == ["", *fewer, ""]
    page = summary_page(shorter, rank_agreement(shorter), {}, {})
    assert "3 of them were made with fewer fits" in page
    assert "(5 repeats, 2 of 7 points: 1; race: 1; race, 5 repeats: 1)" in page
    assert "fewer fits" not in summary_page(card, rank_agreement(card), {}, {})
