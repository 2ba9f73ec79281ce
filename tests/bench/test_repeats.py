"""Own methods: whatever a class does, the repeat says it and the run goes on."""

import warnings
from functools import partial
from types import SimpleNamespace
from unittest.mock import Mock

import numpy as np
import pytest

from coassoc import DataError, Ensemble, MethodError
from coassoc.bench.fits import ensemble_of
from coassoc.bench.runs import run_repeat
from coassoc.bench.scores import score_run
from coassoc.bench.storage.records import Outcome, Pool
from tasks import execute_run, task

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


@pytest.mark.parametrize(
    ("shows", "sentence"),
    [
        ({}, "has shape () and type object. Set one non-negative integer for each of the 12 sam"),
        ({"labels_": GOOD[:9]}, "has shape (9,) and type int64."),
        ({"labels_": GOOD.astype(str)}, "has shape (12,) and type <U21."),
        ({"labels_": np.where(GOOD, GOOD, np.nan)}, "has the value nan."),
        ({"labels_": GOOD / 2}, "has the value 0.5."),
        ({"labels_": GOOD - 1}, "has the value -1."),
    ],
)
def test_what_a_class_leaves_wrong_is_the_status_of_the_repeat(shows, sentence):
    result = repeat(**shows)
    assert result.labels is None
    assert result.status.startswith(f"failed: Plain.labels_ {sentence}")


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (MethodError("no partition"), "skipped: no partition"),
        (ZeroDivisionError(), "skipped: ZeroDivisionError"),
        (ValueError("bug"), "failed: ValueError: bug"),
    ],
)
def test_an_error_is_the_status_of_the_repeat(error, status):
    fails = Mock(side_effect=error)
    for make in (fails, lambda: SimpleNamespace(fit=fails)):
        result = run_repeat(make, LABELS, None)
        assert result.status == status and result.labels is None


@pytest.mark.parametrize(
    "shows", [{"history_": [1]}, {"history_": {"a": "b"}}, {"history_": {"a": [[1], []]}}]
)
def test_other_attributes_of_a_wrong_form_are_a_failure(shows):
    assert repeat(labels_=GOOD, **shows).outcome is Outcome.FAILED


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("n_iter_", None),
        ("n_iter_", 2.5),
        ("n_iter_", "3"),
        ("n_iter_", -1),
        ("n_clusters_found_", 1.9),
        ("n_clusters_found_", np.nan),
        ("converged_", "no"),
        ("converged_", 2),
    ],
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


@pytest.mark.parametrize(
    ("labels", "note"),
    [
        (np.zeros(N, int), "1 cluster in place of 3"),
        (np.arange(N), "12 clusters in place of 3"),
        (np.arange(N) % 4, "4 clusters in place of 3"),
        (GOOD, None),
    ],
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


@pytest.mark.parametrize("wrong", [-2, 0.5])
def test_a_pool_of_other_numbers_is_refused(wrong):
    with pytest.raises(DataError, match=f"{wrong}, but a label"):
        ensemble_of(np.array([[0, wrong], [1, 1]]))
