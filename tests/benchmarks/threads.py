"""Every method with the default number of threads against one thread.

    cd tests && python -m benchmarks.threads --sizes 500 2000 --busy

Each fit has a process of its own; the two settings take turns, and the best of the repeats counts.
A ratio of clock times above 1 means that threads cost time, one of processor times that threads
wait for each other without giving up their cores. On a crowded machine only the latter says much.
With ``--busy`` another process keeps a core busy, which is where such waiting hurts most.
"""

import argparse
import multiprocessing
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from benchmarks.fresh import measure
from benchmarks.methods import KINDS, N_CLUSTERS, M, blobs
from coassoc import Ensemble
from coassoc.methods import METHODS


def spin() -> None:
    while True:
        pass


@contextmanager
def busy_process(wanted: bool) -> Iterator[None]:
    """Another process that computes all the time."""
    if not wanted:
        yield
        return
    process = multiprocessing.Process(target=spin, daemon=True)
    process.start()
    try:
        yield
    finally:
        process.kill()
        process.join()


#: A ratio above this is marked.
MOST = 1.15
TIMES = ("seconds", "cpu_seconds")


def best_times(
    path: Path, name: str, repeats: int, limit: float
) -> tuple[list[float], list[float]] | str:
    """Clock and processor seconds with default threads and with one, or why there are none."""
    best = {None: [np.inf, np.inf], 1: [np.inf, np.inf]}
    for _ in range(repeats):
        for threads, times in best.items():
            found = measure(path, name, N_CLUSTERS, threads, limit)
            if isinstance(found, str):
                return found
            best[threads] = [min(found[key], time) for key, time in zip(TIMES, times, strict=True)]
    return best[None], best[1]


def line(name: str, default: list[float], one: list[float]) -> str:
    """Times and their ratios; a ratio above :data:`MOST` gets a star."""
    ratios = [a / b for a, b in zip(default, one, strict=True)]
    marks = ["*" if ratio > MOST else " " for ratio in ratios]
    return (
        f"{name:10} {default[0]:9.3f} {one[0]:9.3f} {ratios[0]:6.2f}{marks[0]}"
        f" {default[1]:9.3f} {one[1]:9.3f} {ratios[1]:6.2f}{marks[1]}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", type=int, nargs="+", default=[500, 2000])
    parser.add_argument("--kind", default="diffuse", choices=list(KINDS))
    parser.add_argument("--methods", nargs="+", default=list(METHODS))
    parser.add_argument("--busy", action="store_true", help="beside a busy process")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--limit", type=float, default=120, help="seconds of a process, at most")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, busy_process(options.busy):
        for n in options.sizes:
            X, labels = blobs(n, options.kind)
            path = Path(folder, f"{n}.npz")
            np.savez(path, labels=labels, X=X)
            n_micro = Ensemble(labels).microclusters.count
            print(f"\n{options.kind} blobs, n = {n}, m = {M}, n' = {n_micro}; load {load()}")
            print(f"{'':10} {'clock s':>9} {'':9} {'':7} {'processor s':>11}")
            print(f"{'method':10} {'default':>9} {'one':>9} {'ratio':>6} ", end=" ")
            print(f"{'default':>9} {'one':>9} {'ratio':>6}")
            for name in options.methods:
                found = best_times(path, name, options.repeats, options.limit)
                if isinstance(found, str):
                    print(f"{name:10} left out: {found}", flush=True)
                else:
                    print(line(name, *found), flush=True)
            print(f"load at the end: {load()}")


def load() -> str:
    """Processes that wanted a core in the last minute, and the cores there are."""
    return f"{os.getloadavg()[0]:.1f} on {os.cpu_count()} cores"


if __name__ == "__main__":
    main()
