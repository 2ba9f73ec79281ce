"""Runs: resumed after a kill, independent of order, failures become statuses."""

import sys
import warnings
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from itertools import chain
from types import SimpleNamespace
from unittest.mock import DEFAULT, Mock

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score, rand_score, silhouette_score

from coassoc import Ensemble, MethodError
from coassoc.bench import fits, runs
from coassoc.bench.fits import ensemble_of
from coassoc.bench.limits import Limits
from coassoc.bench.provenance import commit, kernel
from coassoc.bench.racing import fits_of_race, race, rounds
from coassoc.bench.runs import execute_runs, run_repeat
from coassoc.bench.scores import partition_scores, score_run
from coassoc.bench.storage.hdf5 import read_inputs, read_run, write_dataset, write_pool
from coassoc.bench.storage.records import Dataset, Outcome, Pool, RepeatResult, Run
from coassoc.bench.timing import measure_run, measure_scaling, subset
from coassoc.methods import METHODS, integer
from coassoc.methods.base import ConsensusClusterer
from coassoc.methods.pta import PTA
from coassoc.methods.rsec import RSEC
from coassoc.metrics import score_partition
from refusals import cases
from reproduction.scores.references import score_references
from snakemake_runs import MEASURED
from tasks import execute_run, noisy_pool, task


@pytest.fixture
def pool() -> Pool:
    return noisy_pool()


POINTS = [{"theta": 0.4}, {"theta": 1.0}]


def execute(
    path, pool, method="LWGP", make=None, *, points=POINTS, dataset="set", code="", **options
):
    what = task(method, make, points=points, dataset=dataset, code=code)
    return execute_run(path, what, pool, **options)


def content(run: Run):
    """Everything in a run but what is measured, and differs from run to run."""
    return run.points, [vars(repeat) | dict.fromkeys(MEASURED) for repeat in chain(*run.results)]


@pytest.fixture
def fitted(monkeypatch) -> Mock:
    """Counts what is fitted alone."""
    monkeypatch.setattr(runs, "run_repeat", Mock(wraps=runs.run_repeat))
    return runs.run_repeat


@contextmanager
def stopped(step: Mock, n_finished: int):
    """Interrupt after some calls of a step; these are not counted."""
    step.side_effect = [DEFAULT] * n_finished + [KeyboardInterrupt]
    with pytest.raises(KeyboardInterrupt):
        yield
    step.reset_mock(side_effect=True)


def n_ok(results) -> int:
    return sum(result.status == "ok" for result in results)


class Aim(ConsensusClusterer):
    """The classes of the fixture `pool`, with more wrong labels the farther `aim` is from 5."""

    aim: int = integer(5)

    def _consensus(self, ensemble, X, random_state):
        labels = np.repeat(np.arange(3), 20)
        labels[: 2 * abs(self.aim - 5)] = 2
        return labels


#: Of nine points over the four repeats of the pool.
RACE = task("Aim", Aim, points=[{"aim": aim} for aim in range(9)], race="ARI")


STOPPED = {"run": (task(points=POINTS), 2 * 4, 5), "race": (RACE, fits_of_race(9, 4), 20)}


@pytest.mark.parametrize(("what", "n_fits", "finished"), STOPPED.values(), ids=STOPPED)
def test_a_stopped_run_resumes(tmp_path, pool, fitted, what, n_fits, finished):
    undisturbed = execute_run(tmp_path / "undisturbed.h5", what, pool)
    path = tmp_path / "run.h5"
    with stopped(fitted, finished):
        execute_run(path, what, pool)
    assert not path.exists()
    execute_run(path, what, pool)
    assert fitted.call_count == n_fits - finished
    np.testing.assert_equal(content(read_run(path, history=True)), content(undisturbed))
    assert sorted(p.name for p in tmp_path.iterdir()) == ["run.h5", "undisturbed.h5"]


OTHERS = {"code": {"code": "2"}, "features": {"features": np.zeros((60, 2))}, "libraries": {}}


@pytest.mark.parametrize("other", OTHERS)
def test_nothing_is_resumed_that_something_else_made(tmp_path, pool, monkeypatch, fitted, other):
    made_of = {"code": "1", "features": np.ones((60, 2))}
    with stopped(fitted, 3):
        execute(tmp_path / "run.h5", pool, **made_of)
    if other == "libraries":
        monkeypatch.setattr(runs, "versions", lambda: {"numpy": "another"})
    execute(tmp_path / "run.h5", pool, **made_of | OTHERS[other])
    assert fitted.call_count == 8


def test_what_is_made_already_is_not_fitted_again(tmp_path, pool, fitted):
    path = tmp_path / "run.h5"
    execute(path, pool, code="LWGP 1")
    made = path.read_bytes()
    # The pool was made again, by other code, and came out the same.
    pool.attributes["made"] = "in another way"
    run = execute(path, pool, code="LWGP 1")
    assert fitted.call_count == 8 and path.read_bytes() == made
    np.testing.assert_equal(content(run), content(read_run(path, history=True)))
    execute(path, pool, code="LWGP 2")
    assert fitted.call_count == 16
    pool.attributes["fingerprint"] = "another pool"
    execute(path, pool, code="LWGP 2")
    assert fitted.call_count == 24


@cases(
    "changed, n_fits",
    ({"location": "moved:PTA"}, 0),
    ({"location": "moved:Other"}, 4),
    ({"fixed": {"linkage": "single"}}, 4),
)
def test_runs_stay_when_the_class_moves_and_not_if_it_is_another(
    tmp_path, pool, fitted, monkeypatch, changed, n_fits
):
    """Several classes of a user's file have the same hash of the file in their code."""
    path, what = tmp_path / "run.h5", task("PTA-AL", code="PTA-AL 1")
    execute_run(path, what, pool)
    monkeypatch.setitem(sys.modules, "moved", SimpleNamespace(PTA=PTA, Other=PTA))
    fitted.reset_mock()
    execute_run(path, replace(what, estimator={**what.estimator, **changed}), pool)
    assert fitted.call_count == n_fits


def test_points_race_for_repeats(tmp_path, pool, fitted):
    run = execute_run(tmp_path / "run.h5", RACE, pool)
    made = [n_ok(results) for results in run.results]
    assert made == [2, 2, 2, 4, 4, 4, 4, 4, 2]
    assert fitted.call_count == sum(made) == fits_of_race(9, 4)
    spared = {result.status for results in run.results for result in results} - {"ok"}
    assert spared == {Outcome.LEFT_THE_RACE.value}
    lines = score_run(run, pool)
    assert len(lines) == 9 * 4 and [line["ARI"] for line in lines if line["point"] == 5] == [1] * 4


def test_better_points_get_more_repeats():
    assert rounds(70, 20) == [(70, 2), (35, 4), (18, 8), (9, 16), (5, 20)]
    assert rounds(7, 20) == [(7, 2), (4, 4), (3, 20)] and rounds(3, 20) == [(3, 20)]
    assert rounds(70, 1) == [(70, 1)]


def test_the_first_repeats_are_those_of_the_whole_run(tmp_path, pool):
    whole = execute_run(tmp_path / "whole.h5", task(points=POINTS), pool)
    first = execute_run(tmp_path / "first.h5", task(points=POINTS, repeats=2), pool)
    whole.results = [results[:2] for results in whole.results]
    np.testing.assert_equal(content(first), content(whole))


def test_the_norm_of_the_learned_similarity_is_kept(tmp_path, pool):
    made = (execute(tmp_path / "r.h5", pool, name, points=[{}]) for name in ("PTA-AL", "EAC-AL"))
    learned, none = (score_run(run, pool) for run in made)
    for line, draw in zip(learned, pool.draws[6], strict=True):
        similarity = PTA(2).fit(pool.labels[:, draw]).affinity_
        assert line["similarity_norm"] == pytest.approx(np.linalg.norm(similarity))
    assert np.isnan(none[0]["similarity_norm"])


def test_scores_of_a_run_with_and_without_classes(tmp_path, pool):
    """A choice that needs no classes can be compared with one that has them."""
    run = execute(tmp_path / "r.h5", pool)
    known = score_run(run, pool)
    assert [line["repeat"] for line in known] == [0, 1, 2, 3] * 2
    assert {(line["commit"], line["code"]) for line in known} == {(commit(), "")}
    assert all(0 <= line["ARI"] <= 1 and line["seconds"] > 0 for line in known)
    partitions = [result.labels for result in run.results[0]]
    for r, line in enumerate(known[:4]):
        others = partitions[:r] + partitions[r + 1 :]
        agreement = [adjusted_rand_score(other, partitions[r]) for other in others]
        assert line["stability"] == pytest.approx(np.mean(agreement))
    pool.y = None
    for line, blind in zip(known, score_run(run, pool), strict=True):
        assert line["ANMI"] == blind["ANMI"] and line["stability"] == blind["stability"]
        assert 0 < line["ANMI"] <= 1 and -1 <= line["stability"] <= 1
        assert "ARI" not in blind and np.isnan(blind["silhouette"])
    truth = np.repeat(np.arange(3), 20)
    silhouette = score_run(run, pool, features=np.eye(3)[truth])[0]["silhouette"]
    expected = silhouette_score(np.eye(3)[truth], run.results[0][0].labels)
    assert silhouette == pytest.approx(expected)


def test_the_silhouette_is_that_of_2000_samples_and_of_two_clusters_or_more():
    features = np.random.default_rng(0).normal(size=(2100, 2))
    halves = (features[:, 0] > 0).astype(int)
    pool = Pool(halves[:, None], None)

    def score(partition):
        return partition_scores(0, [partition], pool, np.array([0]), features)["silhouette"]

    some = silhouette_score(features, halves, sample_size=2000, random_state=0)
    assert score(halves) == pytest.approx(some, abs=1e-12)
    assert np.isnan(score(np.zeros(2100, dtype=int)))


def references(pool, names=("pool", "set")):
    lines = score_references(pool, 6, n_clusters=3, seed=0, names=names)
    return {(line["reference"], line["repeat"]): line for line in lines}


def least_apart(pool, draw) -> int:
    """Place in the draw of the base clustering whose Rand indices with the others are largest."""
    columns = pool.labels[:, draw].T
    return int(np.argmax([sum(rand_score(a, b) for b in columns) for a in columns]))


def test_references(pool):
    lines = references(pool)
    assert len(lines) == 5 * 4
    for repeat, draw in enumerate(pool.draws[6]):
        single = [score_partition(pool.y, pool.labels[:, j])["ARI"] for j in draw]
        assert lines["ensemble-mean", repeat]["ARI"] == pytest.approx(np.mean(single))
        assert lines["ensemble-best", repeat]["ARI"] == max(single)
        assert lines["ensemble-picked", repeat]["ARI"] == single[least_apart(pool, draw)]
        assert lines["truth", repeat]["ARI"] == lines["truth", repeat]["ACC"] == 1
        assert abs(lines["random", repeat]["ARI"]) < 0.15
    assert len({lines["random", repeat]["ARI"] for repeat in range(4)}) == 4
    assert references(pool) == lines
    assert references(pool, names=("pool", "other"))["random", 0] != lines["random", 0]
    pool.y = None
    for (name, _), line in references(pool).items():
        known = "ok" if name == "random" else "skipped: the classes are unknown"
        assert line["status"] == known and "ARI" not in line


# -- several endings of one refinement -----------------------------------------------------------


FAMILY = ["RSEC-H", "RSEC-Z"]
#: Two points; the first ends before it converges.
ROUNDS = [{"max_iter": 3}, {"lam2": 1.0}]


def execute_together(folder, pool, points, race=None, **options):
    """Runs of the family in one job, by method."""
    tasks = [task(name, points=points, race=race) for name in FAMILY]
    runs = execute_runs(folder / "family.h5", tasks, pool, **options)
    return dict(zip(FAMILY, runs, strict=True))


@pytest.fixture
def refined(monkeypatch) -> Mock:
    """Counts the refinements that endings share."""
    monkeypatch.setattr(fits, "refine", Mock(wraps=fits.refine))
    return fits.refine


@pytest.fixture(scope="module")
def alone(tmp_path_factory) -> dict[str, Run]:
    """What each of the family gives alone."""
    files = {name: tmp_path_factory.mktemp("alone") / "run.h5" for name in FAMILY}
    for name, file in files.items():
        execute(file, noisy_pool(), name, points=ROUNDS)
    return {name: read_run(file, history=True) for name, file in files.items()}


@pytest.mark.parametrize("limits", [Limits(), Limits(minutes=5, memory_mb=4000)])
def test_endings_together_and_within_limits_give_what_each_gives_alone(
    tmp_path, pool, alone, limits
):
    execute_together(tmp_path, pool, ROUNDS, limits=limits)
    for name in FAMILY:
        together = read_run(tmp_path / "family.h5", name, history=True)
        np.testing.assert_equal(content(together), content(alone[name]))
        assert together.attributes.pop("refined_for") == "RSEC-H, RSEC-Z"
        assert together.attributes == alone[name].attributes
    assert {path.stem for path in tmp_path.iterdir()} == {"family"}


def test_endings_share_a_refinement_and_count_it(tmp_path, pool, refined, monkeypatch):
    clock = {"perf_counter": 0.0, "process_time": 0.0}
    monkeypatch.setattr(runs, "time", SimpleNamespace(**{x: partial(clock.get, x) for x in clock}))

    def spend(wall, processor):
        def step(*_, **__):
            clock["perf_counter"] += wall
            clock["process_time"] += processor
            return DEFAULT

        return step

    refined.side_effect = spend(5, 2)
    monkeypatch.setattr(fits, "end", Mock(wraps=fits.end, side_effect=spend(1, 0.5)))
    made = execute_together(tmp_path, pool, [{"max_iter": 2}])
    assert refined.call_count == 4
    for run in made.values():
        assert [result.seconds for result in run.results[0]] == [6] * 4
        assert [result.cpu_seconds for result in run.results[0]] == [2.5] * 4


def test_stopped_endings_resume(tmp_path, pool, alone, fitted, refined, monkeypatch):
    monkeypatch.setattr(fits, "end", Mock(wraps=fits.end))
    with stopped(fits.end, 5):
        execute_together(tmp_path, pool, ROUNDS)
    refined.reset_mock()
    runs = execute_together(tmp_path, pool, ROUNDS)
    # What was refined for the ending that was stopped is lost.
    assert fitted.call_count == 1 and refined.call_count == 5
    for name in FAMILY:
        np.testing.assert_equal(content(runs[name]), content(alone[name]))


def test_an_ending_that_fails_leaves_the_others(tmp_path, pool, monkeypatch):
    end = RSEC._end

    def fail_on_H(self, *refined):
        if self.ending == "H":
            raise ValueError("bug")
        return end(self, *refined)

    monkeypatch.setattr(RSEC, "_end", fail_on_H)
    runs = execute_together(tmp_path, pool, [{}])
    statuses = [{result.status for result in runs[name].results[0]} for name in FAMILY]
    assert statuses == [{"failed: ValueError: bug"}, {"ok"}]


# -- one fit of a run ----------------------------------------------------------------------------


@pytest.mark.parametrize("n_clusters", [None, 4])
def test_a_fit_of_a_task_is_the_repeat_of_its_run(blobs, tmp_path, n_clusters):
    """Also where another number of clusters is configured than the classes of the pool."""
    X, y = blobs
    write_dataset(tmp_path / "set.h5", Dataset(X, y))
    write_pool(tmp_path / "pool.h5", noisy_pool(45, repeats=2))
    pool, features = read_inputs(tmp_path / "pool.h5", tmp_path / "set.h5")
    np.testing.assert_array_equal(features, X)
    what = task("SC", points=[{"n_neighbors": 5}], n_clusters=n_clusters, seed=5)
    estimator = what.factory()(**what.arguments(0, 0, what.clusters(pool)))
    fits.fit(estimator, what.ensemble(pool, 0), features)
    run = execute_run(tmp_path / "run.h5", what, pool, features)
    np.testing.assert_array_equal(estimator.labels_, run.results[0][0].labels)
    assert run.attributes["n_clusters"] == estimator.n_clusters == (n_clusters or 3)
    assert run.attributes["kernel"] == kernel()


# -- REPEATS ---------------------------------------------------------------------------------------

# Own methods: whatever a class does, the repeat says it and the run goes on.


N = 12
LABELS = np.arange(N)[:, None] % [2, 3, 4]
GOOD = np.arange(N) % 3


class Plain:
    """What a user may write: no base class, and attributes as the test says."""

    def __init__(self, n_clusters=2, *, shows=None, random_state=None):
        self.n_clusters, self.shows = n_clusters, shows

    def fit(self, labels):
        assert np.asarray(labels).shape == (N, 3)
        for name, value in (self.shows or {}).items():
            setattr(self, name, value)
        return self


def repeat(**shows):
    return run_repeat(lambda: Plain(3, shows=shows), LABELS, None)


@cases(
    "shows, sentence",
    ({}, "has shape () and type object. Set one non-negative integer for each of the 12 sam"),
    ({"labels_": GOOD[:9]}, "has shape (9,) and type int64."),
    ({"labels_": GOOD.astype(str)}, "has shape (12,) and type <U21."),
    ({"labels_": np.where(GOOD, GOOD, np.nan)}, "has the value nan."),
    ({"labels_": GOOD / 2}, "has the value 0.5."),
    ({"labels_": GOOD - 1}, "has the value -1."),
)
def test_what_a_class_leaves_wrong_is_the_status_of_the_repeat(shows, sentence):
    result = repeat(**shows)
    assert result.labels is None and result.status.startswith(f"failed: Plain.labels_ {sentence}")


@cases(
    "error, status",
    (MethodError("no partition"), "skipped: no partition"),
    (ZeroDivisionError(), "skipped: ZeroDivisionError"),
    (ValueError("bug"), "failed: ValueError: bug"),
)
def test_an_error_is_the_status_of_the_repeat(error, status):
    fails = Mock(side_effect=error)
    for make in (fails, lambda: SimpleNamespace(fit=fails)):
        result = run_repeat(make, LABELS, None)
        assert result.status == status and result.labels is None


@cases("shows", {"history_": [1]}, {"history_": {"a": "b"}}, {"history_": {"a": [[1], []]}})
def test_other_attributes_of_a_wrong_form_are_a_failure(shows):
    assert repeat(labels_=GOOD, **shows).outcome is Outcome.FAILED


@cases(
    "name, value",
    ("n_iter_", None),
    ("n_iter_", 2.5),
    ("n_iter_", "3"),
    ("n_iter_", -1),
    ("n_clusters_found_", 1.9),
    ("n_clusters_found_", np.nan),
    ("converged_", "no"),
    ("converged_", 2),
)
def test_attributes_are_not_rounded_or_converted(name, value):
    result = repeat(labels_=GOOD, **{name: value})
    assert result.status.startswith(f"failed: Plain.{name} is {value!r}. Set ")


@pytest.mark.parametrize("kind", [lambda value: value, np.asarray])
def test_whole_numbers_of_any_type_are_read(kind):
    numbers = {"n_iter_": kind(3.0), "n_clusters_found_": kind(np.int8(2))}
    result = repeat(labels_=GOOD, converged_=kind(np.False_), **numbers)
    assert (result.n_iter, result.n_clusters_found, result.converged) == (3, 2, False)


def test_labels_are_numbered_in_their_order():
    result = repeat(labels_=(GOOD * 10.0 + 5).tolist())
    assert result.status == "ok" and result.n_clusters_found == 3
    np.testing.assert_array_equal(result.labels, GOOD)
    assert (result.n_iter, result.converged) == (1, True)


@cases(
    "labels, note",
    (np.zeros(N, int), "1 cluster in place of 3"),
    (np.arange(N), "12 clusters in place of 3"),
    (np.arange(N) % 4, "4 clusters in place of 3"),
    (GOOD, None),
)
def test_another_number_of_clusters_is_scored_and_said(tmp_path, labels, note):
    pool = Pool(LABELS, GOOD, {3: np.array([[0, 1, 2]])}, {"fingerprint": ""})
    make = partial(Plain, shows={"labels_": labels})
    (line,) = score_run(execute_run(tmp_path / "run.h5", task("Plain", make, m=3), pool), pool)
    assert line["status"] == "ok" and line["n_clusters_found"] == len(np.unique(labels))
    assert line.get("note") == note


def test_nobody_is_told_that_base_clusterings_of_a_pool_look_odd():
    rng, y = np.random.default_rng(0), np.repeat(np.arange(10), 60)
    few = [np.where(rng.random(600) < 0.8, y, rng.integers(0, 10, 600)) for _ in range(5)]
    labels = np.column_stack([*few, rng.integers(0, 6, 600)])
    with pytest.warns(UserWarning, match="'5' .hardly any agreement beyond chance"):
        expected = Ensemble(labels).labels
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        np.testing.assert_array_equal(ensemble_of(labels).labels, expected)


# -- TIMING ----------------------------------------------------------------------------------------

# Measured times: the partitions of the ordinary run, growing shares, and the limit.


def test_of_equal_points_the_first_stay_and_unknown_scores_go_first():
    scored = race(9, 8, lambda p, r: [float("nan") if p < 2 else 0.5])
    assert [p for p, r in scored.items() if r == 8] == [2, 3, 4]


def test_a_point_stays_while_any_score_keeps_it():
    scored = race(12, 16, lambda p, r: [p, -p])
    assert [p for p, r in scored.items() if r == 16] == [0, 1, 2, 9, 10, 11]


@pytest.fixture
def large_pool() -> Pool:
    return noisy_pool(120, repeats=3)


def test_a_measured_run_is_the_ordinary_run(tmp_path, large_pool):
    seen = []

    def factory(**arguments):
        seen.append(arguments["random_state"])
        return METHODS["LWGP"](**arguments)

    what = task("LWGP", factory, code="f00d")
    run = execute_run(tmp_path / "run.h5", what, large_pool)
    ordinary, seen[:] = list(seen), []
    lines = measure_run(what, large_pool, repeats=2)
    assert seen[1:] == ordinary[1:3]  # the first fit of each only warms up
    assert [line["repeat"] for line in lines] == [0, 1]
    for line, result in zip(lines, run.results[0][:2], strict=True):
        assert line["status"] == "ok" and line["n_iter"] == result.n_iter
        assert 0 < line["seconds"] < 60 and line["cpu_seconds"] > 0
        assert line["n"] == 120 and 0 < line["n_micro"] <= 120
        assert line["cpu"] and line["cores"] >= 1 and line["threads"] == 1
        assert line["code"] == "f00d" and line["commit"] == run.attributes["commit"]


def test_shares_grow_and_are_the_same_for_all_methods(large_pool):
    lines = measure_scaling(task(), large_pool, None, [1, 0.25, 0.5], stop_after=100, repeats=1)
    assert [line["n"] for line in lines] == [30, 60, 120]
    half, places = subset(large_pool, np.arange(120), 0.5, 0, "A")
    np.testing.assert_array_equal(half.labels, large_pool.labels[np.sort(places)])
    quarter, _ = subset(large_pool, None, 0.25, 0, "A")
    rows = {tuple(row) for row in half.labels}
    assert {tuple(row) for row in quarter.labels} <= rows


def test_after_a_slow_fit_nothing_larger_is_tried(large_pool, monkeypatch):
    def slow(make, labels, features):
        return RepeatResult(np.zeros(len(labels)), seconds=float(len(labels)))

    monkeypatch.setattr("coassoc.bench.timing.run_repeat", slow)
    lines = measure_scaling(task(), large_pool, None, [0.25, 0.5, 1], stop_after=50, repeats=2)
    assert [line["n"] for line in lines] == [30, 30, 60]
