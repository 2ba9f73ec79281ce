"""Independent computations: the same in processes as one after the other."""

import os
import time
import warnings
from functools import partial

import numpy as np
import pytest

from coassoc import MethodError, use_threads
from coassoc.numerics import batches
from coassoc.numerics.batches import in_batch
from coassoc.numerics.threads import thread_count
from coassoc.pools.generation import generate_pool
from coassoc.selection import choose_parameters, structure_test
from ensembles import noisy_ensemble


@pytest.fixture
def processes(monkeypatch):
    """Processes are started for any amount of work."""
    monkeypatch.setattr(batches, "_WORTH", 0.0)
    with use_threads(2):
        yield


def where(item: int) -> tuple[int, int, int]:
    warnings.warn(f"item {item}", UserWarning, stacklevel=1)
    return item, os.getpid(), thread_count()


def test_results_and_warnings_come_in_the_order_of_the_items(processes):
    with pytest.warns(UserWarning) as said:
        results = [*in_batch(where, range(6))]
    assert [item for item, _, _ in results] == [*range(6)]
    assert [str(warning.message) for warning in said] == [f"item {item}" for item in range(6)]
    assert {result[1:] for result in results[:2]} == {(os.getpid(), 2)}
    assert all(pid != os.getpid() and threads == 1 for _, pid, threads in results[2:])


def test_items_need_not_wait_for_each_other(processes, tmp_path):
    def meet(item: int) -> int:
        """The third item waits for the fifth."""
        (tmp_path / str(item)).touch()
        while item == 2 and not (tmp_path / "4").exists():
            time.sleep(0.01)
        return item

    results = [*in_batch(meet, range(6), in_order=False)]
    assert sorted(results) == [*range(6)] and results.index(3) < results.index(2)


def test_an_error_is_that_of_the_item(processes):
    def refuse(item: int) -> int:
        if item:
            raise MethodError(f"item {item} fails.")
        return item

    with pytest.raises(MethodError, match=r"^item \d fails\.$"):
        [*in_batch(refuse, [0, 0, 1, 2])]


def test_tests_and_choices_are_the_same_in_processes(processes):
    labels = noisy_ensemble(60, 8, 3, seed=1)
    X = np.random.default_rng(0).standard_normal((40, 3))
    grid = {"theta": [0.2, 0.4]}

    def answers():
        choice = choose_parameters(labels, "LWEA", 3, grid, n_draws=4)
        null = structure_test(X, partial(generate_pool, size=3), n_draws=4).null
        return choice.points.to_numpy().tolist(), null.tolist()

    made = answers()
    with use_threads(1):
        assert answers() == made
