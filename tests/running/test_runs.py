"""Runs: resumed after a kill, independent of order, failures become statuses."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import silhouette_score

from coassoc.errors import MethodError
from coassoc.methods import METHODS
from coassoc.methods.base import ConsensusClusterer
from coassoc.metrics import score_partition
from coassoc.pools.draws import make_draws
from coassoc.results.scores import score_references, score_run
from coassoc.running import runs
from coassoc.running.runs import execute_run
from coassoc.storage.hdf5 import read_pool, read_run, write_pool
from coassoc.storage.records import Pool
from ensembles import noisy_ensemble
from tasks import task


@pytest.fixture
def pool(tmp_path) -> Pool:
    labels = noisy_ensemble(60, 12, 3, seed=3)
    path = tmp_path / "pool.h5"
    write_pool(path, Pool(labels, np.repeat(np.arange(3), 20), make_draws(12, [6], 4, seed=0)))
    return read_pool(path)


POINTS = [{"theta": 0.4}, {"theta": 1.0}]


def execute(path, pool, method="LWGP", make=None, *, points=POINTS, dataset="set", **options):
    what = task(method, make, points=points, dataset=dataset)
    return execute_run(path, what, pool, **options)


def all_labels(path):
    return [[r.labels.tolist() for r in results] for results in read_run(path).results]


def stop_then_count(monkeypatch, path, pool, n_finished, **changes):
    """Stop a run after some repeats; the list returned grows by one with each later repeat."""
    calls = []
    original = runs.run_repeat

    def stops(*arguments):
        if len(calls) == n_finished:
            raise KeyboardInterrupt
        calls.append(1)
        return original(*arguments)

    monkeypatch.setattr(runs, "run_repeat", stops)
    with pytest.raises(KeyboardInterrupt):
        execute(path, pool, **changes)
    assert not path.exists()
    calls.clear()
    monkeypatch.setattr(runs, "run_repeat", lambda *a: calls.append(1) or original(*a))
    return calls


def test_a_stopped_run_resumes(tmp_path, pool, monkeypatch):
    execute(tmp_path / "undisturbed.h5", pool)
    path = tmp_path / "run.h5"
    calls = stop_then_count(monkeypatch, path, pool, 5)
    execute(path, pool)
    assert len(calls) == 3
    assert all_labels(path) == all_labels(tmp_path / "undisturbed.h5")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["pool.h5", "run.h5", "undisturbed.h5"]


@pytest.mark.parametrize("other", ["code", "features", "libraries"])
def test_nothing_is_resumed_that_something_else_made(tmp_path, pool, monkeypatch, other):
    code, X = "1", np.ones((60, 2))
    path = tmp_path / "run.h5"
    calls = stop_then_count(monkeypatch, path, pool, 3, code=code, features=X)
    if other == "code":
        code = "2"
    elif other == "features":
        X = X + 1
    else:
        monkeypatch.setattr(runs, "versions", lambda: {"numpy": "another"})
    execute(path, pool, code=code, features=X)
    assert len(calls) == 8


def test_seeds_belong_to_names(tmp_path, pool):
    seeds = []

    class Recorder(METHODS["EAC-AL"]().__class__):
        def fit(self, *arguments, **options):
            seeds.append(self.random_state)
            return super().fit(*arguments, **options)

    for dataset in ("set", "other"):
        execute(tmp_path / "a.h5", pool, make=Recorder, dataset=dataset, points=[{}])
    assert len(set(seeds)) == 8
    execute(tmp_path / "b.h5", pool, make=Recorder, points=[{}])
    assert seeds[8:] == seeds[:4]


class Picky(ConsensusClusterer):
    """Fails in every way, depending on a parameter."""

    def __init__(self, n_clusters=2, *, error=None, random_state=None):
        self.n_clusters, self.error, self.random_state = n_clusters, error, random_state

    def _consensus(self, ensemble, X, random_state):
        if self.error is not None:
            raise self.error
        return np.arange(ensemble.n_samples) % self.n_clusters


def test_failures_are_recorded_with_their_reason(tmp_path, pool):
    points = [{}, {"error": MethodError("no partition")}, {"error": KeyError("bug")}]
    execute(tmp_path / "r.h5", pool, make=Picky, points=points[:1])
    for point, status in ((points[1], "skipped: no partition"), (points[2], "failed: KeyError")):
        factory = lambda error=point["error"], **o: Picky(error=error, **o)
        run = execute(tmp_path / "r.h5", pool, make=factory, points=[{}])
        assert all(r.status.startswith(status) and r.labels is None for r in run.results[0])


def test_the_log_says_once_what_did_not_converge(tmp_path, pool, caplog):
    caplog.set_level("INFO")
    points = [{"max_iter": 2}, {"max_iter": 500}]
    run = execute(tmp_path / "r.h5", pool, "NMFC", points=points)
    said = [each for each in caplog.records if "converge" in each.getMessage()]
    assert len(said) == 4 and {each.levelname for each in said} == {"WARNING"}
    assert [[r.converged for r in results] for results in run.results] == [[False] * 4, [True] * 4]
    lines = score_run(read_run(tmp_path / "r.h5"), pool)
    assert [bool(line["converged"]) for line in lines] == [False] * 4 + [True] * 4


def test_scores_of_a_run(tmp_path, pool):
    execute(tmp_path / "r.h5", pool)
    lines = score_run(read_run(tmp_path / "r.h5"), pool)
    assert len(lines) == 8
    assert [line["repeat"] for line in lines] == [0, 1, 2, 3] * 2
    assert all(0 <= line["ARI"] <= 1 and line["seconds"] > 0 for line in lines)


def test_measures_without_classes_stand_beside_the_metrics(tmp_path, pool):
    """A choice that needs no classes can be compared with one that has them."""
    execute(tmp_path / "r.h5", pool, points=[{}])
    run = read_run(tmp_path / "r.h5")
    known = score_run(run, pool)
    pool.y = None
    for line, blind in zip(known, score_run(run, pool), strict=True):
        assert line["ANMI"] == blind["ANMI"] and line["stability"] == blind["stability"]


def test_the_norm_of_the_learned_similarity_is_kept(tmp_path, pool):
    execute(tmp_path / "r.h5", pool, "EAC-AL", points=[{}])
    lines = score_run(read_run(tmp_path / "r.h5"), pool)
    for line, draw in zip(lines, pool.draws[6], strict=True):
        labels = pool.labels[:, draw]
        together = (labels[:, None] == labels).mean(axis=2)
        assert line["similarity_norm"] == pytest.approx(np.linalg.norm(together))
    execute(tmp_path / "none.h5", pool, "SEC", points=[{}])
    assert np.isnan(score_run(read_run(tmp_path / "none.h5"), pool)[0]["similarity_norm"])


def test_scores_without_classes(tmp_path, pool):
    pool.y = None
    execute(tmp_path / "r.h5", pool)
    run = read_run(tmp_path / "r.h5")
    line = score_run(run, pool)[0]
    assert 0 < line["ANMI"] <= 1 and -1 <= line["stability"] <= 1 and "ARI" not in line
    assert np.isnan(line["silhouette"])
    truth = np.repeat(np.arange(3), 20)
    line = score_run(run, pool, features=np.eye(3)[truth])[0]
    assert line["silhouette"] == pytest.approx(
        silhouette_score(np.eye(3)[truth], run.results[0][0].labels)
    )


def references(pool, n_clusters=3, names=("pool", "set")):
    lines = score_references(pool, 6, n_clusters=n_clusters, seed=0, names=names)
    return {(line["reference"], line["repeat"]): line for line in lines}


def test_references(pool):
    found = references(pool)
    assert len(found) == 4 * 4
    for repeat, draw in enumerate(pool.draws[6]):
        single = [score_partition(pool.y, pool.labels[:, j])["ARI"] for j in draw]
        assert found["ensemble-mean", repeat]["ARI"] == pytest.approx(np.mean(single))
        assert found["ensemble-best", repeat]["ARI"] == max(single)
        assert found["truth", repeat]["ARI"] == found["truth", repeat]["ACC"] == 1
        assert abs(found["random", repeat]["ARI"]) < 0.15
    assert len({found["random", repeat]["ARI"] for repeat in range(4)}) == 4
    assert references(pool) == found
    assert references(pool, names=("pool", "other"))["random", 0] != found["random", 0]


def test_references_without_classes(pool):
    pool.y = None
    for (name, _), line in references(pool).items():
        assert "ARI" not in line
        if name == "random":
            assert line["status"] == "ok" and 0 <= line["ANMI"] < 0.2
        else:
            assert line["status"] == "skipped: the classes are unknown"
            assert np.isnan(line["ANMI"])
