"""Checks of claims on tables that are made up, their verdicts and their pages."""

import numpy as np
import pandas as pd
import pytest

from make_claims import claims_table, verdicts_by_paper, write_claims
from refusals import cases
from reproduction.findings.claims.catalogue import ORDER, Claim
from reproduction.findings.claims.checks import check_of, read_lines
from reproduction.findings.claims.judging import count, judge


def table(numbers, published=None):
    """A table's file: row → numbers for the data sets d0, d1, … in one metric."""
    lines = [
        {"row": row, "label": row, "dataset": f"d{k}", "mean": mean, "published_mean": printed}
        for row, values in numbers.items()
        for k, (mean, printed) in enumerate(zip(values, (published or numbers)[row], strict=True))
    ]
    return pd.DataFrame(lines).assign(metric="ARI", x=None, std=0.05, published_std=0.1)


def curve(xs, values, level):
    """A figure's file on d0: the curve of A, and the level line of L."""
    points = pd.DataFrame({"row": "A", "x": xs, "mean": values})
    points.loc[len(xs)] = ["L", None, level]
    return points.assign(dataset="d0", metric="ARI", std=0.0)


@pytest.fixture
def read(tmp_path):
    """Writes tables and curves of a paper, and reads the lines that judge its claims."""

    def lines_of(*frames, datasets=("d0", "d1", "d2"), differences=()):
        (tmp_path / "p").mkdir(exist_ok=True)
        paths = [tmp_path / f"p/t{k}.csv" for k in range(1, len(frames) + 1)]
        for path, frame in zip(paths, frames, strict=True):
            frame.to_csv(path, index=False)
        return read_lines(paths, {"p": datasets}, differences)

    return lines_of


@pytest.fixture
def lines(read):
    numbers = {"A": [0.5, 0.6, np.nan], "B": [0.4, 0.7, 0.1], "C": [0.5, 0.1, 0.2]}
    printed = {"A": [0.9, 0.8, 0.7], "B": [0.4, 0.8, 0.1], "C": [0.5, 0.1, 0.9]}
    return read(table(numbers, printed))


def check(kind="above", rows=("A",), **options):
    """A check of row A on the first table; one that compares it takes C."""
    compares = kind in ("above", "significant", "gain", "curve_above")
    over = {"over": ["C"]} if compares else {}
    return check_of({kind: ["t1"], "rows": rows, **over, **options}, "p", "claims")


def stated(decided_by, needs="all", **more):
    """A claim."""
    return Claim("a", "p", "Table 1", "A is better.", decided_by, needs, **more)


def judged(lines, kind="above", **options):
    return judge(stated(check(kind, **options)), lines)


def pairs(cells, side="here"):
    """The two numbers of each cell, None where one is missing."""
    numbers = cells[[side, f"{side} against"]]
    return [tuple(pair) if pair.notna().all() else None for _, pair in numbers.iterrows()]


FAILS = "does not hold (0 of 1 cell)"


@cases(
    "asked, published, verdict",
    # Ties speak for a claim, and cells without a number are left out.
    (stated(check(over="others")), "2 of 3", "holds in part (1 of 2 cells)"),
    (stated(check(over="others"), "most"), "2 of 3", "holds in part (1 of 2 cells)"),
    (stated(check(over="others"), 1), "2 of 3", "holds (1 of 2 cells)"),
    (stated(check()), "2 of 3", "holds"),
    (stated(check(by=0.1)), "2 of 3", "holds in part (1 of 2 cells)"),
    (stated(check(over=["B", "C"], each=True)), "5 of 6", "holds in part (3 of 4 cells)"),
    (stated(check(rows=["C"], over=["A"], datasets=["d1"])), "0 of 1", FAILS),
    (stated(check(datasets=["d2"])), "0 of 1", "not tested: no cell has a reproduced number"),
    (stated(check("small", around=1.0, by=0.4)), "3 of 3", "holds in part (1 of 2 cells)"),
    (stated("cannot be tested: no data"), "", "cannot be tested: no data"),
    (stated("tested: x.py"), "", "tested: x.py"),
)
def test_verdicts(lines, asked, published, verdict):
    made = judge(asked, lines)
    assert (str(count(made.cells, "published")), made.verdict) == (published, verdict)


def of_repeats(**rows):
    """A table's file of rows on the same ensembles: values by repeat, and the table's numbers."""
    by_repeat = pd.DataFrame({row: pd.Series(values) for row, values in rows.items()})
    lines = by_repeat.agg(["mean", "std", "count"]).T.rename(columns={"count": "repeats"})
    lines["by_repeat"] = [" ".join(map(str, map(float, values))) for values in rows.values()]
    lines["run"] = [f"q/d0/m5/{row}/default" for row in rows]
    about = {"dataset": "d0", "metric": "ACC", "published_mean": 0.5, "published_std": 0.1}
    return lines.assign(**about).rename_axis("row").reset_index()


def test_points_of_curves_are_of_the_same_repeats_too(read):
    first, second = of_repeats(A=[0.5, 0.9], B=[0.6, 0.1]), of_repeats(A=[0.4], B=[0.5])
    lines = read(pd.concat([first.assign(x=1), second.assign(x=2)]))
    assert pairs(judged(lines, "rising", ends=True).cells) == [(0.4, 0.5)]
    assert judged(lines, "rising", of="std").verdict.startswith("not tested")  # of one repeat
    assert pairs(judged(lines, "peak", at=[1]).cells) == [(0.5, 0.5)]
    spec = {"over": ["B"], "each": True}
    assert pairs(judged(lines, "curve_above", **spec).cells) == [(0.5, 0.6), (0.4, 0.5)]
    # Ensembles of another size have nothing in common: all of their repeats count.
    other_size = judged(lines, "curve_above", **spec, at=1, between=(2, 2))
    assert pairs(other_size.cells) == [(0.4, 0.35)]


ABOVE_L = {"over": ["L"], "between": (1, 4)}
OTHERS = {"over": "others", "each": True}


@cases(
    "kind, spec, verdict",
    ("peak", {"at": [2]}, "holds"),
    ("peak", {"at": [3]}, FAILS),
    ("peak", {"at": [3], "by": 0.11}, "holds"),
    ("curve_above", ABOVE_L, FAILS),
    ("curve_above", {"over": ["L"], "between": (4, 9), "by": 0.02}, "holds"),
    ("curve_above", OTHERS, "holds in part (3 of 4 cells)"),
    ("rising", {}, FAILS),
    ("rising", {"by": 0.1}, "holds"),
    ("rising", {"ends": True, "backwards": True}, FAILS),
    ("rising", {"backwards": True, "each": True}, "holds in part (2 of 3 cells)"),
    ("curve_above", {"over": "others", "between": (3, 3), "at": 1}, "holds"),
    ("curve_above", {**ABOVE_L, "share": 0.7}, "holds"),
    ("curve_above", {**ABOVE_L, "share": 0.75}, FAILS),
    ("curve_above", {"over": ["T"], "share": 0.7}, "holds"),
    ("curve_above", {"over": ["T"], "share": 0.7, "strict": True}, FAILS),
    ("near_best", {"by": 0.1, "share": 0.6}, FAILS),
)
def test_curves(read, kind, spec, verdict):
    made = curve([1, 2, 3, 4], [0.3, 0.6, 0.5, 0.41], 0.4)
    tied = made[made["row"] == "L"].assign(row="T", mean=0.41)
    lines = read(pd.concat([made, tied]) if spec.get("over") == ["T"] else made)
    assert judged(lines, kind, **spec).verdict == verdict


def test_a_single_point_does_not_rise(read):
    assert judged(read(curve([1], [0.3], 0.4)), "rising").verdict.startswith("not tested")


@cases("run, verdict", ("x=1+4", "holds"), ("x=1+4~points=2of7", "not tested"))
def test_curves_at_a_part_of_their_grid_do_not_show_that_all_points_are_near(read, run, verdict):
    lines = read(curve([1, 4], [0.5, 0.5], 0.4).assign(run=f"p/d0/m20/A/{run}"))
    made = judged(lines, "near_best", by=0.1, share=1)
    assert made.verdict.startswith(verdict)
    assert claims_table([made])["not run"].tolist() == [int(verdict == "not tested")]


def test_pages_link_each_claim_with_its_cells(lines, tmp_path):
    made = judged(lines, over="others")
    paths = {end: tmp_path / f"c.{end}" for end in ("csv", "md", "html")}
    paths |= {"cells": tmp_path / "k.csv", "cells_md": tmp_path / "k.md"}
    write_claims(paths, [made], {"p": "A paper"})
    assert "A is better." in paths["html"].read_text()
    page = paths["md"].read_text()
    assert "## A paper" in page and "[A is better.](k.md#a)" in page and "data sets: d0, d1" in page
    assert "\n## a\n" in paths["cells_md"].read_text()
    assert pd.read_csv(paths["csv"])["not run"].tolist() == [1]
    cells = pd.read_csv(paths["cells"])
    assert list(cells["here holds"]) == ["yes", "no", "not run"]
    assert list(cells["published holds"]) == ["yes", "yes", "no"]
    write_claims(paths, [judge(stated("cannot be tested: no data"), lines)], {})
    assert pd.read_csv(paths["cells"]).empty


def test_other_data_sets_say_nothing_about_the_paper(read):
    frame = table({"A": [0.5, 0.6], "B": [0.4, 0.7]})

    def verdict(*frames, datasets=()):
        return judged(read(*frames, datasets=datasets), over=["B"]).verdict

    assert verdict(frame, datasets=["d1"]) == FAILS
    assert verdict(frame) == verdict() == "not tested: no cell has a reproduced number"


NOISE = np.random.default_rng(0).normal(0, 0.1, (2, 10))


def test_a_verdict_that_changes_without_cells_that_chance_could_turn_is_undecided(read):
    made = judged(read(of_repeats(A=0.51 + NOISE[0], C=0.5 + NOISE[1])))
    assert made.verdict == "undecided (1 of 1 cell; chance could turn 1)"
    assert claims_table([made]).loc[0, ["could turn", "of one repeat"]].tolist() == [1, 0]
    assert verdicts_by_paper([made])["undecided"].tolist() == [1]
    # On the same ensembles A is always better by as much.
    paired = of_repeats(A=0.51 + NOISE[0], C=0.5 + NOISE[0])
    assert judged(read(paired)).verdict == "holds"
    assert judged(read(paired), by=0.05).verdict == FAILS
    # Other ensembles are not paired, shuffled samples are.
    for pool, verdict in (
        ("r", "undecided (1 of 1 cell; chance could turn 1)"),
        ("q-shuffled", "holds"),
    ):
        runs = ["q/d0/m5/A/default", f"{pool}/d0/m5/C/default"]
        assert judged(read(paired.assign(run=runs))).verdict == verdict


def test_the_standard_error_is_that_of_the_compared_difference(read):
    """A is better on three of four repeats, by as much as it is worse on the last: t = 1."""
    lines = read(of_repeats(A=[0.6, 0.6, 0.6, 0.4], C=[0.5] * 4))
    gap, error = 0.05, 0.05
    for by, turns in ((0.0, True), (gap - 2.1 * error, False), (gap - 1.9 * error, True)):
        assert judged(lines, by=by / 0.5).cells["could turn"].tolist() == [turns], by
    assert (
        judged(lines, "small", around=0.5, by=gap + 2.1 * error).cells["could turn"].eq(False).all()
    )
    spread = judged(lines, of="std").cells  # 0.1 and 0, with an error of 0.035
    assert spread["could turn"].tolist() == [False] and spread["here holds"].tolist() == [False]


def test_what_a_claim_depends_on_is_judged_too(read):
    noise = NOISE[0]
    lines = read(of_repeats(A=0.6 + noise, B=0.595 - noise, C=0.5 + noise))
    near = judge(stated(check(), depends={ORDER: check(over=["B"])}), lines)
    assert near.verdict == "holds"  # the other condition is undecided
    turned = stated(check(), depends={ORDER: check(rows=["C"], over=["A"])})
    assert judge(turned, lines).verdict == (
        f"depends on {ORDER}. It holds in 1 of 1 cell in the order of the file and in 0 of "
        "1 cell with shuffled samples."
    )
