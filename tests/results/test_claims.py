"""Checks of claims on tables that are made up, their verdicts and their pages."""

import numpy as np
import pandas as pd
import pytest

from coassoc.results.claims.checks import read_lines
from coassoc.results.claims.judging import count, judge
from coassoc.results.claims.pages import cells_table, verdict_counts, write_claims

CLAIM = {"paper": "p", "place": "Table 1", "claim": "A is better.", "needs": "all"}


def table(path, numbers, published=None):
    """A table's CSV file: row → numbers for the data sets d0, d1, … in one metric."""
    lines = [
        {"row": row, "dataset": f"d{k}", "mean": mean, "published_mean": printed}
        for row, values in numbers.items()
        for k, (mean, printed) in enumerate(zip(values, (published or numbers)[row], strict=True))
    ]
    frame = pd.DataFrame(lines).assign(metric="ARI", x=None, std=0.05, published_std=0.1)
    path.parent.mkdir(exist_ok=True)
    frame.to_csv(path, index=False)
    return path


def curve(path, xs, values, level):
    points = [{"row": "A", "x": x, "mean": v} for x, v in zip(xs, values, strict=True)]
    points.append({"row": "L", "x": None, "mean": level})
    path.parent.mkdir(exist_ok=True)
    pd.DataFrame(points).assign(dataset="d", metric="ARI", std=0.0).to_csv(path, index=False)
    return path


def above(**spec):
    return {"above": {"in": ["p_t1"], "rows": ["A"], "over": ["C"], **spec}}


def judged(lines, kind="above", **spec):
    """A claim on all targets of some lines that one check judges, by default on row A."""
    targets = list(lines["target"].unique())
    return judge("a", {**CLAIM, kind: {"in": targets, "rows": ["A"], **spec}}, lines)


def pairs(cells, side="here"):
    """The two numbers of each cell, None where one is missing."""
    numbers = cells[[side, f"{side} against"]]
    return [tuple(pair) if pair.notna().all() else None for _, pair in numbers.iterrows()]


@pytest.fixture
def lines(tmp_path):
    nan = np.nan
    path = table(
        tmp_path / "p" / "t1.csv",
        {"A": [0.5, 0.6, nan], "B": [0.4, 0.7, 0.1], "C": [0.5, 0.1, 0.2]},
        {"A": [0.9, 0.8, 0.7], "B": [0.4, 0.8, 0.1], "C": [0.5, 0.1, 0.9]},
    )
    return read_lines([path], {"p": ["d0", "d1", "d2"]})


def test_a_row_is_compared_with_the_best_of_the_others_and_ties_count(lines):
    claim = judged(lines, over="others")
    assert str(count(claim.cells, "published")) == "2 of 3"
    assert str(count(claim.cells)) == "1 of 2"
    assert claim.verdict == "holds on 1 of 2"
    assert pairs(claim.cells) == [(0.5, 0.5), (0.6, 0.7), None]


@pytest.mark.parametrize(
    ("changes", "verdict"),
    [
        (above(over="others") | {"needs": "most"}, "holds on 1 of 2"),
        (above(over="others") | {"needs": 1}, "holds: 1 of 2"),
        (above(), "holds"),
        (above(by=0.1), "holds on 1 of 2"),
        (above(over=["B", "C"], each=True), "holds on 3 of 4"),
        (above(rows=["C"], over=["A"], datasets=["d1"]), "does not hold: 0 of 1"),
        (above(datasets=["d2"]), "not tested: none of its cells was run"),
    ],
)
def test_verdicts(lines, changes, verdict):
    assert judge("a", CLAIM | changes, lines).verdict == verdict


def test_significance_is_that_of_welch_s_t_test(tmp_path):
    numbers = {"A": [0.6, 0.6, 0.4], "B": [0.4, 0.55, 0.5], "C": [0.5, np.nan, np.nan]}
    path = table(tmp_path / "p" / "t1.csv", numbers)
    file = pd.read_csv(path).assign(repeats=10)
    file.loc[file["dataset"] == "d2", "published_std"] = np.nan
    file.to_csv(path, index=False)
    lines = read_lines([path], {"p": ["d0", "d1", "d2"]})
    cells = judged(lines, "significant", over="others", repeats=10).cells
    # d0: t = 0.1 / sqrt(2 · 0.05² / 10) = 4.5 here and 2.24 in print, p = 0.0003 and 0.04;
    # d1: t = 2.24 here and 1.12 in print; d2: worse here, no spread in print.
    assert pairs(cells) == [(0.6, 0.5), (0.6, 0.55), (0.4, 0.5)]
    assert cells["here holds"].tolist() == [True, True, False]
    assert cells["published holds"].tolist() == [True, False, False]
    assert pairs(cells, "published")[2] is None
    few = judged(lines, "significant", over="others", repeats=5).cells
    assert few["published holds"].tolist() == [False, False, False]
    assert few["here holds"].tolist() == [True, True, False]


def test_a_claim_that_holds_on_some_rows_only_depends_on_them(lines):
    claim = CLAIM | above()
    claim["depends"] = {"what": "the order", **above(rows=["C"], over=["A"])}
    assert judge("a", claim, lines).verdict == "depends on the order: 2 of 2, otherwise 1 of 2"
    claim["depends"] = {"what": "the order", **above()}
    assert judge("a", claim, lines).verdict == "holds"


def test_a_second_check_may_stand_beside_the_verdict(lines):
    also = {"what": "against C", **above()}
    claim = judge("a", {**CLAIM, **above(over=["B"]), "also": also}, lines)
    assert claim.verdict == "holds on 1 of 2 (against C: 2 of 2)"
    assert len(claim.cells) == 3
    cells = cells_table([claim])["cell"]
    assert list(cells.str.startswith("against C: ")) == [False] * 3 + [True] * 3


def test_means_over_the_data_sets_that_all_rows_have(lines):
    cells = judged(lines, over="others", averaged=True).cells
    # d2 has no number of A here: (0.5 + 0.6) / 2 against B's (0.4 + 0.7) / 2.
    assert cells["dataset"].tolist() == ["d0, d1"]
    assert pairs(cells) == [pytest.approx((0.55, 0.55))]
    assert pairs(cells, "published") == [pytest.approx((0.85, 0.6))]


def test_the_better_of_two_rows_and_rivals_as_printed(lines):
    claim = judged(lines, rows=["A", "C"], over=["B"], either=True)
    assert pairs(claim.cells) == [(0.5, 0.4), (0.6, 0.7), (0.2, 0.1)]
    assert claim.cells["place"].iloc[0] == "p_t1, d0, ARI: A or C"
    claim = judged(lines, over=["B", "C"], printed_rivals=True)
    assert pairs(claim.cells) == [(0.5, 0.5), (0.6, 0.8), None]


def test_rivals_of_another_table(tmp_path):
    paths = [
        table(tmp_path / "p" / "t1.csv", {"A": [0.5]}),
        table(tmp_path / "p" / "t2.csv", {"A": [0.9], "B": [0.6]}),
    ]
    cells = judged(read_lines(paths, {"p": ["d0"]}), over="others", together=True).cells
    assert cells["place"].tolist() == ["p_t1 and p_t2, d0, ARI: A"]
    assert pairs(cells) == [(0.5, 0.6)]  # A as in the first table that has it


def test_scores_near_a_number(lines):
    claim = judged(lines, "small", **{"from": 1.0, "by": 0.4})
    assert str(count(claim.cells)) == "1 of 2" and str(count(claim.cells, "published")) == "3 of 3"


def test_printed_numbers_that_are_set_aside_support_nothing(tmp_path):
    path = table(tmp_path / "p" / "t1.csv", {"A": [0.5, 0.6], "B": [0.4, 0.7]})
    pd.read_csv(path).assign(label=lambda frame: frame["row"]).to_csv(path, index=False)
    aside = {"paper": "p", "tables": ["t1"], "methods": ["B"], "datasets": ["d0"]}
    differences = [{**aside, "not_comparable": True}, {"paper": "p", "methods": ["A"]}]
    claim = judged(read_lines([path], {"p": ["d0", "d1"]}, differences), over="others")
    assert str(count(claim.cells, "published")) == "0 of 1"  # B on d0 is a misprint
    assert str(count(claim.cells)) == "1 of 2"  # and still a rival here


def test_gains_are_means_of_ratios_or_ratios_of_means(lines):
    gain = {"row": "A", "over": "B", "by": {"ARI": 0.0}}
    ratios, scores = (
        judged(lines, "gain", **gain, mean=mean).cells for mean in ("ratios", "scores")
    )
    assert set(ratios["dataset"]) == set(scores["dataset"]) == {"d0, d1"}
    assert pairs(ratios) == [pytest.approx(((0.5 / 0.4 + 0.6 / 0.7) / 2 - 1, 0.0))]
    assert pairs(scores) == [pytest.approx((1.1 / 1.1 - 1, 0.0), abs=1e-12)]
    assert pairs(scores, "published") == [pytest.approx((2.4 / 1.3 - 1, 0.0))]


@pytest.mark.parametrize(
    ("kind", "spec", "verdict"),
    [
        ("peak", {"at": [2]}, "holds"),
        ("peak", {"at": [3]}, "does not hold: 0 of 1"),
        ("peak", {"at": [3], "by": 0.11}, "holds"),
        ("curve_above", {"over": ["L"], "from": 2, "to": 4}, "holds"),
        ("curve_above", {"over": ["L"], "from": 1, "to": 4}, "does not hold: 0 of 1"),
        ("curve_above", {"over": ["L"], "from": 4, "to": 9, "by": 0.02}, "holds"),
        ("curve_above", {"over": "others", "from": 2, "to": 4, "each": True}, "holds"),
        ("curve_above", {"over": "others", "from": 1, "to": 4, "each": True}, "holds on 3 of 4"),
        ("rising", {}, "does not hold: 0 of 1"),
        ("rising", {"by": 0.1}, "holds"),
        ("rising", {"ends": True}, "holds"),
        ("curve_above", {"over": "others", "from": 3, "to": 3, "at": 1}, "holds"),
        ("curve_above", {"over": ["L"], "from": 1, "to": 4, "share": 0.7}, "holds"),
        (
            "curve_above",
            {"over": ["L"], "from": 1, "to": 4, "share": 0.75},
            "does not hold: 0 of 1",
        ),
        ("stable", {"by": 0.1, "share": 0.5}, "holds"),
        ("stable", {"by": 0.1, "share": 0.6}, "does not hold: 0 of 1"),
    ],
)
def test_curves(tmp_path, kind, spec, verdict):
    path = curve(tmp_path / "p" / "f1.csv", [1, 2, 3, 4], [0.3, 0.6, 0.5, 0.41], 0.4)
    assert judged(read_lines([path], {"p": ["d"]}), kind, **spec).verdict == verdict


def test_curves_at_a_part_of_their_grid_do_not_show_that_all_points_are_near(tmp_path):
    path = curve(tmp_path / "p" / "f1.csv", [1, 4], [0.5, 0.5], 0.4)
    for run, verdict in (("x=1+4", "holds"), ("x=1+4~points=2of7", "not tested")):
        pd.read_csv(path).assign(run=f"p/d/m20/A/{run}").to_csv(path, index=False)
        claim = judged(read_lines([path], {"p": ["d"]}), "stable", by=0.1, share=1)
        assert claim.verdict.startswith(verdict)


def test_other_curves_are_compared_at_each_point(tmp_path):
    path = curve(tmp_path / "p" / "f1.csv", [1, 2], [0.5, 0.6], 0.0)
    rival = pd.DataFrame({"row": "B", "x": [1, 2], "mean": [0.4, 0.7], "dataset": "d"})
    pd.concat([pd.read_csv(path), rival.assign(metric="ARI")]).to_csv(path, index=False)

    def compared(**spec):
        spec = {"over": "others", "from": 1, "to": 2, "each": True, **spec}
        return judged(read_lines([path], {"p": ["d"]}), "curve_above", **spec)

    claim = compared()
    assert pairs(claim.cells) == [(0.5, 0.4), (0.6, 0.7)]
    assert claim.cells["place"].tolist() == ["p_f1, d, ARI: A at 1", "p_f1, d, ARI: A at 2"]
    assert claim.verdict == "holds on 1 of 2" and claim.datasets(run_only=True) == ["d"]
    assert pairs(compared(to=1, at=2).cells) == [(0.5, 0.7)]
    pd.read_csv(path).assign(repeats=1).to_csv(path, index=False)
    assert compared().cells["place"].iloc[0] == "p_f1, d, ARI: A (one repeat) at 1"


def test_claims_without_cells_say_why(lines):
    cannot = judge("a", {**CLAIM, "cannot": "no data"}, lines)
    proven = judge("b", {**CLAIM, "tested_by": "tests/x.py"}, lines)
    assert cannot.verdict == "cannot be tested: no data"
    assert proven.verdict == "tested: tests/x.py"
    counts = verdict_counts([cannot, proven])
    assert counts.loc["p"].to_dict() == {"tested": 1, "cannot be tested": 1}


def test_pages_link_each_claim_with_its_cells(lines, tmp_path):
    claim = judged(lines, over="others")
    paths = {end: tmp_path / f"c.{end}" for end in ("csv", "md", "html")}
    paths |= {"cells": tmp_path / "k.csv", "cells_md": tmp_path / "k.md"}
    write_claims(paths, [claim], {"p": "A paper"})
    assert "A is better." in paths["html"].read_text()
    page = paths["md"].read_text()
    assert "## A paper" in page and "[A is better.](k.md#a)" in page and "| d0, d1 " in page
    assert "\n## a\n" in paths["cells_md"].read_text()
    assert pd.read_csv(paths["csv"])["not run"].tolist() == [1]
    cells = pd.read_csv(paths["cells"])
    assert list(cells["here holds"]) == ["yes", "no", "not run"]
    assert list(cells["published holds"]) == ["yes", "yes", "no"]
    write_claims(paths, [judge("b", {**CLAIM, "cannot": "no data"}, lines)], {})
    assert pd.read_csv(paths["cells"]).empty


def test_other_data_sets_say_nothing_about_the_paper(tmp_path):
    path = table(tmp_path / "p" / "t1.csv", {"A": [0.5, 0.6], "B": [0.4, 0.7]})

    def verdict(*paths, datasets=()):
        return judge("a", CLAIM | above(over=["B"]), read_lines(paths, {"p": datasets})).verdict

    assert verdict(path, datasets=["d1"]) == "does not hold: 0 of 1"
    assert verdict(path) == verdict() == "not tested: none of its cells was run"
