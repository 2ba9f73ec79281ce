"""Measured times: the partitions of the ordinary run, growing shares, and the limit."""

import os

import numpy as np
import pytest

from coassoc.bench.limits import Limits
from coassoc.bench.storage.records import Pool, RepeatResult
from coassoc.bench.timing import measure_run, measure_scaling, subset
from coassoc.methods import METHODS
from tasks import execute_run, noisy_pool, task


@pytest.fixture
def pool() -> Pool:
    return noisy_pool(120, repeats=3)


def test_a_measured_run_is_the_ordinary_run(tmp_path, pool):
    seen = []

    def factory(**arguments):
        seen.append(arguments["random_state"])
        return METHODS["LWGP"](**arguments)

    what = task("LWGP", factory, code="f00d")
    run = execute_run(tmp_path / "run.h5", what, pool)
    ordinary, seen[:] = list(seen), []
    lines = measure_run(what, pool, repeats=2)
    assert seen[1:] == ordinary[1:3]  # the first fit of each only warms up
    assert [line["repeat"] for line in lines] == [0, 1]
    for line, result in zip(lines, run.results[0][:2], strict=True):
        assert line["status"] == "ok" and line["n_iter"] == result.n_iter
        assert 0 < line["seconds"] < 60 and line["cpu_seconds"] > 0
        assert line["n"] == 120 and 0 < line["n_micro"] <= 120
        assert line["cpu"] and line["cores"] >= 1 and line["threads"] == 1
        assert line["code"] == "f00d" and line["commit"] == run.attributes["commit"]


def test_the_process_that_is_measured_is_the_one_that_warmed_up(tmp_path, pool):
    fitted = tmp_path / "fitted"

    def factory(**arguments):
        with fitted.open("a") as file:
            print(os.getpid(), file=file)
        return METHODS["LWGP"](**arguments)

    measure_run(task("LWGP", factory), pool, repeats=2, limits=Limits(minutes=1))
    first, *measured = fitted.read_text().split()
    assert measured == [first, first] and first != str(os.getpid())


def test_shares_grow_and_are_the_same_for_all_methods(pool):
    lines = measure_scaling(task(), pool, None, [1, 0.25, 0.5], stop_after=100, repeats=1)
    assert [line["n"] for line in lines] == [30, 60, 120]
    half, X = subset(pool, pool.labels.astype(float), 0.5, 0, "A")
    assert np.array_equal(half.labels, subset(pool, None, 0.5, 0, "A")[0].labels)
    assert np.array_equal(half.labels, X)
    quarter, _ = subset(pool, None, 0.25, 0, "A")
    rows = {tuple(row) for row in half.labels}
    assert {tuple(row) for row in quarter.labels} <= rows


def test_after_a_slow_fit_nothing_larger_is_tried(pool, monkeypatch):
    def slow(make, labels, features):
        return RepeatResult(np.zeros(len(labels)), seconds=float(len(labels)))

    monkeypatch.setattr("coassoc.bench.timing.run_repeat", slow)
    lines = measure_scaling(task(), pool, None, [0.25, 0.5, 1], stop_after=50, repeats=1)
    assert [line["n"] for line in lines] == [30, 60]
