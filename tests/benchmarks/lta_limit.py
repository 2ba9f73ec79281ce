"""How near an iteration of LTA comes to what the machine allows.

    python tests/benchmarks/lta_limit.py 800 1600

prints, per number of samples, CPU milliseconds of one iteration, of its four Fourier transforms and
of its entrywise steps, and how many bytes these move per second beside a plain copy.
"""

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
    """CPU milliseconds of an iteration, its transforms, its entrywise steps and a copy.

    The last two with the GB/s they move: the steps read six matrices and write five, the copy
    reads one and writes one.

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
    steps = cpu_milliseconds(lambda: state.update_others(mu, mu))
    copy = cpu_milliseconds(lambda: np.copyto(state.E, state.A), repeats=20)
    gigabytes = state.A.nbytes / 1e9
    return {
        "iteration": iteration,
        "transforms": cpu_milliseconds(lambda: _transforms(state)),
        "steps": steps,
        "steps GB/s": 11 * gigabytes / (steps / 1e3),
        "copy GB/s": 2 * gigabytes / (copy / 1e3),
    }


def _transforms(state: _Lagrangian) -> None:
    for rows in state.rows:
        fourier.forward(state.X1[rows], state.X2[rows])
    for rows in state.rows:
        fourier.inverse(state.F1[rows], state.F2[rows], len(state.A))


def main(sizes: list[int]) -> None:
    """Print the table."""
    print(f"{'n':>6} {'iteration':>10} {'transforms':>10} {'steps':>10} {'moved':>10} {'copy':>11}")
    for n in sizes:
        with use_threads(1):
            found = limit(n)
        milliseconds = (found[key] for key in ("iteration", "transforms", "steps"))
        speeds = (found[key] for key in ("steps GB/s", "copy GB/s"))
        print(
            f"{n:6d} "
            + " ".join(f"{ms:7.1f} ms" for ms in milliseconds)
            + " ".join(f"{speed:6.1f} GB/s" for speed in speeds)
        )


if __name__ == "__main__":
    main([int(n) for n in sys.argv[1:]] or [400, 800, 1600])
