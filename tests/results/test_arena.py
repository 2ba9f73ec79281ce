"""The arena on hand-made scores: rivals, counts, tests, and the sentences that follow from them."""

import numpy as np
import pandas as pd
import pytest

from coassoc.figures.audits import plot_audit
from coassoc.results.audits import arena, make_audit
from coassoc.results.audits.evidence import Evidence
from scored_cells import cell, score_frame

METRICS = {"ARI": "ARI"}
SPEC = {"title": "T", "caption": "C.", "metrics": METRICS}
#: Two settings of an algorithm and one of another.
NAMES = ["A/1", "A/2", "B/1"]


def run(*values, status="ok"):
    return score_frame([({}, values)]).assign(status=status)


def evidence(scores, members=(0.2, 0.4, 0.5), picked=0.4):
    """Methods by data set: (M, dataset) → frame of its run; each data set has the same members."""
    frames, cells = {}, []
    for (label, dataset), frame in scores.items():
        source = f"p/{dataset}/m0/{label}/default"
        frames[source] = frame
        cells.append(cell(label, [source], dataset))
    for dataset in dict.fromkeys(dataset for _, dataset in scores):
        frames[f"p/{dataset}/base"] = pd.DataFrame({"name": NAMES, "ARI": members})
        rivals = {"ensemble-picked": picked, "ensemble-best": max(members)}
        lines = [run(value, value).assign(reference=name) for name, value in rivals.items()]
        source = f"p/{dataset}/m0/reference"
        frames[source] = pd.concat(lines, ignore_index=True).assign(diversity=0.3)
        cells += [cell(name, [source], dataset, reference=name) for name in rivals]
    return Evidence(cells, frames, SPEC)


def test_rivals_count_members_by_their_algorithm():
    methods = arena.compare(evidence({("M", "b-x"): run(0.6, 0.8)})).methods.set_index("label")
    assert methods["ARI"].to_dict() == pytest.approx(
        # Of A the median is .3, so that the median over A and B is .4.
        {"M": 0.7, "picked member": 0.4, "A": 0.3, "B": 0.5, "median member": 0.4}
        | {"best member": 0.5}
    )
    assert methods.loc["M", ["battery", "problem", "role"]].tolist() == ["b", "b-x", "method"]


def test_base_clusterings_without_names_are_k_means():
    given = evidence({("M", "b-x"): run(0.7)})
    del given.scores["p/b-x/base"]["name"]
    methods = arena.compare(given).methods.set_index("label")
    assert methods.loc[["k-means", "median member"], "ARI"].tolist() == [0.4, 0.4]


def test_a_data_set_with_several_numbers_of_clusters_counts_once():
    scores = {("M", "b-x-K2"): run(0.2), ("M", "b-x-K3"): run(0.8), ("M", "b-y"): run(0.405)}
    comparison = arena.compare(evidence(scores))
    assert arena.by_problem(comparison.methods, "ARI")["M"].to_dict() == {"b-x": 0.5, "b-y": 0.405}
    duel = arena.duels(comparison.methods, "ARI").loc[("M", "picked member")]
    assert duel[["wins", "ties", "losses"]].tolist() == [1, 1, 0]
    assert duel["difference"] == pytest.approx((0.1 + 0.005) / 2)


def test_a_score_that_is_missing_is_named_and_not_averaged_away():
    skipped = run(0.9, np.nan, status=["ok", "skipped: too slow"])
    scores = {("M", "b-x-K2"): skipped, ("M", "b-x-K3"): run(0.8), ("M", "b-y"): run(0.5)}
    given = evidence(scores)
    comparison = arena.compare(given)
    assert np.isnan(arena.by_problem(comparison.methods, "ARI").loc["b-x", "M"])
    assert "M on b-x-K2 (skipped: too slow)" in arena.remark(comparison, given)
    assert arena.table(comparison).loc["M", "missing"] == 1


def many(gains):
    """Methods whose scores on 12 data sets lie above the picked member by their gains."""
    return evidence(
        {
            (name, f"b-{k}"): run(0.4 + gain + 0.001 * k)
            for name, gain in gains.items()
            for k in range(12)
        }
    )


def test_the_answer_follows_the_numbers():
    up = arena.compare(many({"M": 0.2, "N": 0.3, "EAC-AL": 0.2, "CA-SC": 0.2})).answer
    assert "4 of 4 methods are better than the median member" in up
    down = arena.compare(many({"M": -0.2, "N": -0.1, "EAC-AL": -0.2, "CA-SC": -0.2})).answer
    assert "0 of 4 methods are better than the median member" in down and up != down


def test_each_battery_has_a_panel_with_its_data_sets_and_members():
    given = evidence({("M", "b-x"): run(0.7), ("M", "b-y"): run(0.5), ("M", "c-z"): run(0.1)})
    figure = plot_audit("arena", arena.compare(given), "ARI")
    names = [[text.get_text() for text in axis.get_yticklabels()] for axis in figure.axes]
    assert sorted(map(sorted, names)) == [["b-x", "b-y"], ["c-z"]]
    members = [sorted(axis.lines[0].get_xdata()) for axis in figure.axes]
    assert members == [pytest.approx([0.3, 0.3, 0.5, 0.5]), pytest.approx([0.3, 0.5])]


def test_pages_have_the_answer_first_and_all_tables(tmp_path):
    paths = {end: tmp_path / f"arena.{end}" for end in ("csv", "md", "html")}
    given = many({"M": 0.2, "CA-SC": 0.25})
    result = make_audit("arena", given, paths)
    md, html = (paths[end].read_text(encoding="utf-8") for end in ("md", "html"))
    assert md.index(result.answer[:40]) < md.index("C.\n") < md.index("| mean ARI")
    assert md.count("\n## ") == html.count("<h2>") == 3
    kept = pd.read_csv(paths["csv"])
    assert arena.answer(kept, "ARI") == result.answer
