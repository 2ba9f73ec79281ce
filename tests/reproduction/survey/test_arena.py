"""The arena on hand-made scores: rivals, counts, tests, and the sentences that follow from them."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from analyse_arena import analyse, further_tables, plot, remark, table
from reproduction.analyses import write_analysis
from reproduction.scores.evidence import Evidence
from reproduction.survey import arena
from scored_cells import cell, run_scores

SPEC = {"title": "T", "caption": "C.", "metrics": {"ARI": "ARI"}}
#: Two settings of an algorithm and one of another.
NAMES = ["A/1", "A/2", "B/1"]


def evidence(scores):
    """Data set → method → its score, or those of its repeats; all have the same members."""
    frames, cells = {}, []
    for dataset, of_methods in scores.items():
        for label, values in of_methods.items():
            source = f"p/{dataset}/m0/{label}/default"
            frames[source] = run_scores(*np.atleast_1d(values), commit="run")
            cells.append(cell(label, [source], dataset))
        base = {"name": NAMES, "ARI": [0.2, 0.4, 0.5], "commit": "base"}
        frames[f"p/{dataset}/base"] = pd.DataFrame(base)
        rivals = {"ensemble-picked": 0.4, "ensemble-best": 0.5}
        lines = [
            run_scores(value, value, reference=name, commit="base")
            for name, value in rivals.items()
        ]
        source = f"p/{dataset}/m0/reference"
        frames[source] = pd.concat(lines, ignore_index=True).assign(diversity=0.3)
        cells += [cell(name, [source], dataset, reference=name) for name in rivals]
    return Evidence(cells, frames, SPEC)


def test_rivals_count_members_by_their_algorithm():
    methods = analyse(evidence({"b-x": {"M": (0.6, 0.8)}})).set_index("label")
    # Of A the median is .3, so that the median over A and B is .4.
    rivals = {"picked member": 0.4, "median member": 0.4, "best member": 0.5}
    assert methods["ARI"].to_dict() == pytest.approx({"M": 0.7, "A": 0.3, "B": 0.5, **rivals})
    assert methods.loc["M", ["battery", "problem", "role"]].tolist() == ["b", "b-x", "method"]
    assert methods["commit"].to_dict() == dict.fromkeys([*rivals, "A", "B"], "base") | {"M": "run"}


def test_base_clusterings_without_names_are_k_means():
    given = evidence({"b-x": {"M": 0.7}})
    del given.scores["p/b-x/base"]["name"]
    methods = analyse(given).set_index("label")
    assert methods.loc[["k-means", "median member"], "ARI"].tolist() == [0.4, 0.4]


def test_a_data_set_with_several_numbers_of_clusters_counts_once():
    scores = {"b-x-K2": {"M": 0.2}, "b-x-K3": {"M": 0.8}, "b-y": {"M": 0.405}}
    lines = analyse(evidence(scores))
    made = arena.Arena(lines)
    assert made.scores["M"].to_dict() == {"b-x": 0.5, "b-y": 0.405}
    duel = made.duels.loc[("picked member", "M")]
    assert duel[["wins", "ties", "losses"]].tolist() == [1, 1, 0]
    assert duel["difference"] == pytest.approx((0.1 + 0.005) / 2)


def test_a_score_that_is_missing_is_named_and_not_averaged_away():
    given = evidence({"b-x-K2": {"M": (0.9, np.nan)}, "b-x-K3": {"M": 0.8}, "b-y": {"M": 0.5}})
    given.scores["p/b-x-K2/m0/M/default"]["status"] = ["ok", "skipped: too slow"]
    lines = analyse(given)
    assert np.isnan(arena.Arena(lines).scores.loc["b-x", "M"])
    assert "M on b-x-K2 (skipped: too slow)" in remark(lines, given)
    assert table(lines).loc["M", "missing"] == 1


def test_pages_have_the_answer_first_and_all_tables(tmp_path):
    gains = {"M": 0.2, "CA-SC": 0.25}
    levels = {f"b-{name}": 0.4 + 0.001 * k for k, name in enumerate("abcdefghijkl")}
    given = evidence({x: {M: level + gains[M] for M in gains} for x, level in levels.items()})
    lines = analyse(given)
    made = arena.Arena(lines)
    answer, more = arena.answer(made), further_tables(lines)
    assert "2 of 2 methods are significantly better than the median" in answer
    paths = {end: tmp_path / f"arena.{end}" for end in ("csv", "md", "html", "pdf", "png")}
    shown = table(lines), remark(lines, given), plot(lines, "ARI")
    write_analysis(SimpleNamespace(**paths), SPEC, lines, *shown, answer=answer, more=more)
    md, html = (paths[end].read_text(encoding="utf-8") for end in ("md", "html"))
    assert md.index(answer[:40]) < md.index("C.\n") < md.index("| mean ARI")
    assert md.count("\n## ") == html.count("<h2>") == 3
    written = pd.read_csv(paths["csv"])
    assert arena.answer(arena.Arena(written)) == answer
    summary = arena.summarize_arena(made)
    shown = ("data sets", "methods", "highest mean", "picked member")
    assert [summary[name] for name in shown] == [12, 2, "CA-SC 0.656", "0.400 (2, 0)"]
    half = lines[lines["dataset"].isin(["b-a", "b-b", "b-c"])].copy()
    half.loc[half["label"] == "M", "ARI"] += 0.2
    gains = arena.mean_gains(half, lines)
    assert gains[["M", "CA-SC", "picked member"]].tolist() == pytest.approx([0.2, 0, 0])


@pytest.mark.parametrize(
    ("names", "parts"), [("d", "d"), ("dc", "d c"), ("dcb", "d c b"), ("dcba", "dc b a")]
)
def test_data_sets_are_split_into_up_to_three_parts(names, parts):
    split = arena.split_by_values(pd.Series(range(len(names)), list(names)))
    assert " ".join("".join(part) for part in split) == parts
