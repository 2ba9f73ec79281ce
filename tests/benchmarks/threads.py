"""Every method with the default number of threads against one thread.

    cd tests && python -m benchmarks.threads --sizes 500 2000 --busy

Each fit has a process of its own; the two settings take turns, and the best of the repeats counts.
A ratio above 1 means that threads cost time. With ``--busy`` another process keeps a core busy,
which is where threads that wait for each other hurt most.
"""

from __future__ import annotations

import argparse
import multiprocessing
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from benchmarks.fresh import measure
from benchmarks.methods import N_CLUSTERS, M, blobs
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


def best_seconds(path: Path, name: str, repeats: int, limit: float) -> tuple[float, float]:
    """Seconds with default threads and with one; infinite where a fit fails or takes too long."""
    best = {None: np.inf, 1: np.inf}
    for _ in range(repeats):
        for threads in best:
            found = measure(path, name, N_CLUSTERS, threads, limit)
            if isinstance(found, str):
                return np.inf, np.inf
            best[threads] = min(best[threads], found["seconds"])
    return best[None], best[1]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", type=int, nargs="+", default=[500, 2000])
    parser.add_argument("--kind", default="diffuse", choices=["compact", "diffuse"])
    labels_only = [name for name in METHODS if not name.startswith("ACMK") and name != "SC"]
    parser.add_argument("--methods", nargs="+", default=labels_only)
    parser.add_argument("--busy", action="store_true", help="beside a busy process")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--limit", type=float, default=120, help="seconds of a process, at most")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, busy_process(options.busy):
        for n in options.sizes:
            labels = blobs(n, options.kind)[1]
            path = Path(folder, f"{n}.npy")
            np.save(path, labels)
            n_micro = Ensemble(labels).microclusters.count
            print(f"\n{options.kind} blobs, n = {n}, m = {M}, n' = {n_micro}")
            print(f"{'method':10} {'default s':>10} {'one thread s':>13} {'ratio':>6}")
            for name in options.methods:
                default, one = best_seconds(path, name, options.repeats, options.limit)
                if np.isfinite(one):
                    print(f"{name:10} {default:10.3f} {one:13.3f} {default / one:6.2f}", flush=True)
                else:
                    print(f"{name:10} left out: no result within {options.limit:.0f} s", flush=True)


if __name__ == "__main__":
    main()
