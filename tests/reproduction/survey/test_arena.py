"""The arena on hand-made scores: rivals, counts, tests, and the sentences that follow from them."""

import re
from functools import partial

import numpy as np
import pandas as pd
import pytest

from analyse_arena import analyse, further_tables, remark, table
from analyse_arena import answer as answer_of
from coassoc import DataError, Ensemble
from coassoc.bench.pools.making import make_pool
from coassoc.bench.pools.settings import PoolSettings
from coassoc.bench.storage.hdf5 import read_pool, write_pool
from coassoc.bench.storage.records import Dataset, Pool
from coassoc.confidence import sample_silhouette
from coassoc.methods import METHODS
from coassoc.selection import consensus_distribution, select_n_clusters
from ensembles import groups
from refusals import cases
from reproduction.analyses import make_analysis
from reproduction.scores.evidence import Evidence
from reproduction.survey import arena
from scored_cells import analysis_job, cell, run_scores
from select_n_clusters import criteria_of_numbers, numbers_up_to
from tasks import noisy_pool, task

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
        lines = [run_scores(x, x, reference=name, commit="base") for name, x in rivals.items()]
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
    made = arena.Arena(analyse(evidence(scores)))
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


def test_pages_have_the_answer_first_and_all_tables(tmp_path, monkeypatch):
    gains = {"M": 0.2, "CA-SC": 0.25}
    levels = {f"b-{name}": 0.4 + 0.001 * k for k, name in enumerate("abcdefghijkl")}
    given = evidence({x: {M: level + gains[M] for M in gains} for x, level in levels.items()})
    lines = analyse(given)
    made = arena.Arena(lines)
    answer = arena.answer(made)
    assert "2 of 2 methods are significantly better than the median" in answer
    paths, job = analysis_job(tmp_path, given, monkeypatch)
    make_analysis(job, analyse, table, remark, answer_of, further_tables)
    md, html = (paths[end].read_text(encoding="utf-8") for end in ("md", "html"))
    assert md.index(answer[:40]) < md.index("C.\n") < md.index("| mean ARI")
    assert md.count("\n## ") == html.count("<h2>") == 3
    assert arena.answer(arena.Arena(pd.read_csv(paths["csv"]))) == answer
    summary = arena.summarize_arena(made)
    shown = ("data sets", "methods", "highest mean", "picked member")
    assert [summary[name] for name in shown] == [12, 2, "CA-SC 0.656", "0.400 (2, 0)"]
    half = lines[lines["dataset"].isin(["b-a", "b-b", "b-c"])].copy()
    half.loc[half["label"] == "M", "ARI"] += 0.2
    gains = arena.mean_gains(half, lines)
    assert gains[["M", "CA-SC", "picked member"]].tolist() == pytest.approx([0.2, 0, 0])


@cases("names, parts", ("d", "d"), ("dc", "d c"), ("dcb", "d c b"), ("dcba", "dc b a"))
def test_data_sets_are_split_into_up_to_three_parts(names, parts):
    split = arena.split_by_values(pd.Series(range(len(names)), list(names)))
    assert " ".join("".join(part) for part in split) == parts


# -- SELECTING -------------------------------------------------------------------------------------

# Looks at numbers of clusters on the ensembles of a pool.


pytestmark = pytest.mark.filterwarnings("ignore:The criteria disagree")


@pytest.fixture
def pool() -> Pool:
    return noisy_pool(120, repeats=3)


def test_lines_are_the_criteria_of_each_ensemble(pool):
    what = task("LWEA", points=[{"theta": 0.3}])
    lines = pd.DataFrame(criteria_of_numbers(what, pool, repeats=2, draws=3, largest=6))
    assert set(lines["status"]) == {"ok"} and set(lines["classes"]) == {3}
    assert set(lines["parameters"]) == {'{"theta": 0.3}'}
    assert lines.groupby("repeat")["n_clusters"].apply(list).tolist() == [[2, 3, 4, 5, 6]] * 2
    for repeat, criteria in lines.groupby("repeat"):
        expected = select_n_clusters(
            pool.labels[:, pool.draws[6][repeat]],
            partial(METHODS["LWEA"], theta=0.3),
            range(2, 7),
            n_draws=3,
            random_state=what.repeat_seed(repeat),
        ).criteria
        criteria = criteria.set_index("n_clusters")[expected.columns]
        pd.testing.assert_frame_equal(criteria, expected, check_exact=True)


def test_a_pool_for_each_k_has_its_own_base_clusterings(tmp_path):
    """Those of k have k clusters, and their matrix is what PAC is of (Monti et al. 2003)."""
    X, y = groups()
    settings = PoolSettings(name="each", size=24, for_each_k=5, sizes=(20,), repeats=2, samples=0.8)
    write_pool(tmp_path / "p.h5", make_pool(Dataset(X, y), settings, name="d"))
    pool = read_pool(tmp_path / "p.h5")
    assert pool.labels.shape == (90, 24 * 4)
    assert pool.labels.max(axis=0).tolist() == [k for k in range(1, 5) for _ in range(24)]
    assert pool.attributes["k_rule"] == "each from 2 to 5"
    effort = {"repeats": 2, "draws": 3, "largest": 50}
    lines = pd.DataFrame(criteria_of_numbers(task("EAC-AL", m=20), pool, **effort))
    for _, line in lines.iterrows():
        k = line["n_clusters"]
        columns = (k - 2) * 24 + pool.draws[20][line["repeat"]]
        own = Ensemble(pool.labels[:, columns])
        assert line["PAC"] == consensus_distribution(own).pac()
        fit = METHODS["EAC-AL"](n_clusters=k, random_state=0).fit(own)
        assert line["silhouette"] == sample_silhouette(own, fit.labels_).mean()
    assert lines.groupby("repeat")["n_clusters"].apply(list).tolist() == [[2, 3, 4, 5]] * 2
    with pytest.raises(DataError, match="a different ensemble for each number of clusters"):
        task("EAC-AL", m=20).ensemble(pool, 0)


def test_the_range_ends_at_the_root_of_n_or_earlier():
    assert numbers_up_to(50, n_samples=120) == range(2, 11)
    assert numbers_up_to(50, n_samples=10_000) == range(2, 51)
    assert numbers_up_to(50, n_samples=5) == range(2, 3)


def test_classes_may_be_unknown(pool):
    pool.y = None
    lines = criteria_of_numbers(task("LWEA"), pool, repeats=1, draws=2, largest=3)
    assert {line["classes"] for line in lines} == {None}


def test_a_repeat_that_fails_says_why(pool):
    pool.draws = {1: np.array([[0], [1]])}
    lines = criteria_of_numbers(task("LWEA", m=1), pool, repeats=2, draws=2, largest=3)
    assert [line["repeat"] for line in lines] == [0, 1]
    for line in lines:
        assert re.match("skipped: .*only one base clustering", line["status"])
