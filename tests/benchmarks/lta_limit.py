"""How near an iteration of LTA comes to what the machine allows.

    python tests/benchmarks/lta_limit.py 800 1600

prints, per number of samples, CPU milliseconds of one iteration, of its four Fourier transforms
alone and of reading and writing each of its arrays once, and the ratios.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

import numpy as np

from coassoc import Ensemble
from coassoc.methods.lta import fourier
from coassoc.methods.lta.algorithm import _Lagrangian
from coassoc.numerics.threads import use_threads


def ensemble_without_equal_rows(n: int, m: int = 20, seed: int = 0) -> Ensemble:
    """Clusterings of a noisy line into up to √n intervals: nearly all rows differ."""
    random = np.random.default_rng(seed)
    position = np.arange(n) / n
    labels = [
        np.floor((position + random.normal(0, 0.05, n)) * random.integers(8, max(9, n**0.5)))
        for _ in range(m)
    ]
    return Ensemble(np.column_stack([column - column.min() for column in labels]))


def cpu_milliseconds(action: Callable[[], object], repeats: int = 5) -> float:
    """Least CPU time of `action` over the repeats."""
    seconds = []
    for _ in range(repeats):
        start = time.process_time()
        action()
        seconds.append(time.process_time() - start)
    return 1e3 * min(seconds)


def limit(n: int, warm_up: int = 40) -> dict[str, float]:
    """CPU milliseconds of an iteration, of its transforms and of one pass over its arrays.

    Parameters
    ----------
    n : int
        Number of samples.
    warm_up : int
        Iterations before the measured one: the first ones work on zeros.
    """
    state = _Lagrangian(ensemble_without_equal_rows(n), lam=0.002)
    mu = 1e-4

    def iterate() -> None:
        nonlocal mu
        state.update_P(mu)
        state.update_others(mu, 1.1 * mu)
        mu *= 1.1

    for _ in range(warm_up):
        iterate()
    iteration = cpu_milliseconds(iterate)
    return {
        "iteration": iteration,
        "transforms": cpu_milliseconds(lambda: _transforms(state)),
        "one pass": cpu_milliseconds(lambda: _one_pass(state)),
    }


def _transforms(state: _Lagrangian) -> None:
    for rows in state.rows:
        fourier.forward(state.X1[rows], state.X2[rows])
    for rows in state.rows:
        fourier.inverse(state.F1[rows], state.F2[rows], len(state.A))


def _one_pass(state: _Lagrangian) -> None:
    """Read and write the variables once, in pieces as an iteration does."""
    for array in (state.X1, state.X2, state.F1, state.F2, state.E, state.L1, state.L3):
        for rows in state.rows:
            np.negative(array[rows], out=array[rows])


def main(sizes: list[int]) -> None:
    """Print the table."""
    print(f"{'n':>6} {'iteration':>10} {'transforms':>11} {'one pass':>9} {'iteration / both':>17}")
    for n in sizes:
        with use_threads(1):
            ms = limit(n)
        ratio = ms["iteration"] / (ms["transforms"] + ms["one pass"])
        print(
            f"{n:6d} {ms['iteration']:7.1f} ms {ms['transforms']:8.1f} ms "
            f"{ms['one pass']:6.1f} ms {ratio:17.2f}"
        )


if __name__ == "__main__":
    main([int(n) for n in sys.argv[1:]] or [400, 800, 1600])
