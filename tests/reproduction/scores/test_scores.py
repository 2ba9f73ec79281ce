"""Scores: where labels are missing, and of a target, whose unchanged lines are taken over."""

import numpy as np
import pandas as pd
import pytest

from coassoc.bench.scores import score_run
from coassoc.bench.storage.hdf5 import read_pool, write_pool
from coassoc.bench.storage.records import Pool, RepeatResult, Run
from coassoc.confidence import pairwise_agreement
from coassoc.errors import DataError
from coassoc.metrics import adjusted_rand_index, contingency_table, normalized_mutual_information
from reproduction.scores.files import read_scores, write_scores
from reproduction.scores.references import score_pool, score_references
from reproduction.study.revisions import STEPS
from score import score_sources
from tasks import execute_run, noisy_pool, task

LABELS = np.array([[0, 0], [0, 0], [0, -1], [1, 1], [1, 1], [1, 0]])
CLASSES = np.array([0, 0, 1, 1, 1, 1])
FOUND = np.array([0, 0, 0, 1, 1, 1])
#: The samples that the second base clustering has.
THERE = [0, 1, 3, 4, 5]


@pytest.fixture
def pool() -> Pool:
    return Pool(LABELS, CLASSES, {2: np.array([[0, 1]])}, {"fingerprint": "p"})


def tables_of(partition):
    """The contingency tables of a partition with the base clusterings, each on its samples."""
    whole = contingency_table(partition, LABELS[:, 0])
    return whole, contingency_table(partition[THERE], LABELS[THERE, 1])


def test_base_clusterings_are_scored_on_their_samples(pool):
    lines = score_pool(pool)
    aris = [adjusted_rand_index(table) for table in tables_of(CLASSES)]
    assert [line["ARI"] for line in lines] == pytest.approx(aris)
    assert lines[1]["n_clusters"] == 2
    references = score_references(pool, 2, n_clusters=2, seed=0, names=("p", "d"))
    mean = next(line for line in references if line["reference"] == "ensemble-mean")
    assert mean["ARI"] == pytest.approx(np.mean(aris))


def test_agreement_with_base_clusterings_is_on_their_samples(pool):
    attributes = {"pool_fingerprint": "p", "m": 2, "n_clusters": 2}
    (line,) = score_run(Run([{}], [[RepeatResult(FOUND)]], attributes), pool)
    expected = np.mean([normalized_mutual_information(table) for table in tables_of(FOUND)])
    assert line["ANMI"] == pytest.approx(expected)


# -- of a target --------------------------------------------------------------------------------

RUNS = ["p/A/m6/LWEA/default", "p/A/m6/LWEA/theta=1"]
SOURCES = [*RUNS, "p/A/base", "p/A/m6/reference"]


@pytest.fixture
def scored(tmp_path, monkeypatch):
    """Scores of two runs, base clusterings and references, in a folder with what they are of."""
    monkeypatch.chdir(tmp_path)
    write_pool("data/pools/p/A.h5", noisy_pool(42, repeats=2))
    for run in RUNS:
        fit(run, 0.4)
    return score()


def fit(run: str, theta: float) -> None:
    what = task("LWEA", points=[{"theta": theta}], pool="p", dataset="A")
    execute_run(f"results/runs/{run}.h5", what, read_pool("data/pools/p/A.h5"))


def score(earlier=None):
    """Write and read the scores; earlier ones are marked by an ARI of 7."""
    marked = {source: lines.assign(ARI=7.0) for source, lines in (earlier or {}).items()}
    runs = {run: f"results/runs/{run}.h5" for run in RUNS}
    place = {"dataset": "A", "pool_file": "data/pools/p/A.h5"}
    lines = pd.DataFrame({"source": SOURCES, "run_file": [runs.get(x, "") for x in SOURCES]})
    lines = lines.assign(**place)
    scored = score_sources(lines, set(), marked, {"A": 3}, seed=0, revision=STEPS["scores"])
    scores = pd.concat(lines.assign(source=source) for source, lines in scored.items())
    write_scores("results/scores/t/one.parquet", scores)
    return read_scores("results/scores/t/one.parquet")


def test_every_source_has_the_lines_of_its_kind(scored):
    pool = read_pool("data/pools/p/A.h5")
    assert list(scored) == SOURCES
    assert scored["p/A/base"]["ARI"].tolist() == [line["ARI"] for line in score_pool(pool)]
    assert scored[RUNS[0]]["repeat"].tolist() == [0, 1] and "clustering" not in scored[RUNS[0]]
    references = scored["p/A/m6/reference"].set_index(["reference", "repeat"])
    first = references.loc["ensemble-picked", 0]
    agreement = pairwise_agreement(pool.labels[:, pool.draws[6][0]])
    assert first["diversity"] == pytest.approx(1 - (agreement.sum() - 6) / 30)
    ensembles = {f"ensemble-{name}" for name in ("mean", "best", "picked")}
    assert {*references.index.unique("reference")} == {"random", "truth", *ensembles}


def taken_over(scores) -> set[str]:
    return {source for source, lines in scores.items() if (lines["ARI"] == 7).all()}


def test_lines_of_what_has_not_changed_are_taken_over(scored, monkeypatch):
    assert taken_over(score(scored)) == set(SOURCES)
    fit(RUNS[1], 0.9)
    again = score(scored)
    assert taken_over(again) == {*SOURCES} - {RUNS[1]}
    assert again[RUNS[1]]["parameters"].tolist() == ['{"theta": 0.9}'] * 2
    monkeypatch.setitem(STEPS, "scores", 2)
    assert taken_over(score(scored)) == set()


def test_a_file_of_scores_that_was_cut_or_damaged_is_refused(scored, tmp_path):
    path = tmp_path / "results/scores/t/one.parquet"
    whole = path.read_bytes()
    damaged = [whole[:length] for length in range(0, len(whole), 50)]
    damaged += [b"", b"x", whole[:999] + b"\xff" + whole[1000:]]
    for content in damaged:
        path.write_bytes(content)
        with pytest.raises(DataError, match=r"one.parquet: .*Delete it and rerun Snakemake\.$"):
            read_scores(path)
