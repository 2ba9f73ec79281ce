"""Every method with the default number of threads against one thread.

    cd release && python -m benchmarks.threads --sizes 500 2000 --busy

Each fit has a process of its own; the two settings take turns, and the best of the repeats counts.
A ratio of clock times above 1 means that threads cost time, one of processor times that threads
wait for each other without giving up their cores. On a crowded machine only the latter says much.
With ``--busy`` another process keeps a core busy, which is where such waiting hurts most.
"""

import argparse
import multiprocessing
import os
import tempfile
from pathlib import Path

import numpy as np

from benchmarks.fresh import PAGE, measure, store
from benchmarks.methods import KINDS, N_CLUSTERS, blobs
from coassoc.methods import METHODS
from generated import write_into_page


def spin() -> None:
    """Compute all the time, until the benchmark ends."""
    while True:
        pass


#: A ratio above this is marked.
MOST = 1.15
TIMES = ("seconds", "cpu_seconds")


def best_times(path: Path, name: str, repeats: int, limit: float) -> np.ndarray | str:
    """(2, 2) best times, clock and processor, with default threads and one; or why a fit failed."""
    best = np.full((2, len(TIMES)), np.inf)
    for _ in range(repeats):
        for setting, threads in enumerate((None, 1)):
            measurement = measure(path, name, N_CLUSTERS, threads, limit)
            if "beyond" in measurement:
                return f"left out: {measurement['beyond']}"
            best[setting] = np.minimum(best[setting], [measurement[key] for key in TIMES])
    return best


def line(best: np.ndarray) -> str:
    """Times with default threads and with one, and ratios; one above :data:`MOST` is marked."""
    return " ".join(
        f"{default:9.3f} {one:9.3f} {default / one:6.2f}{'*' if default / one > MOST else ' '}"
        for default, one in best.T
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
    if options.busy:
        multiprocessing.Process(target=spin, daemon=True).start()
    with tempfile.TemporaryDirectory() as folder:
        for n in options.sizes:
            X, labels = blobs(n, options.kind)
            path = store(Path(folder, f"{options.kind} blobs.npz"), labels, X=X)
            print(f"load {load()}\n{'':10} {'clock s':>9} {'':17} {'processor s':>11}")
            print(f"{'method':10}" + f" {'default':>9} {'one':>9} {'ratio':>6} " * 2)
            ratios = {}
            for name in options.methods:
                best = best_times(path, name, options.repeats, options.limit)
                print(f"{name:10} {best if isinstance(best, str) else line(best)}", flush=True)
                if not isinstance(best, str):
                    ratios[name] = best[0, 1] / best[1, 1]
            print(f"load at the end: {load()}")
            if options.methods == list(METHODS) and not options.busy:
                most = max(ratios, key=lambda name: ratios[name])
                write_into_page(
                    PAGE,
                    "threads",
                    f"With default threads, {len(ratios)} methods at n = {n:,} take at most "
                    f"{ratios[most]:.2f} times the processor time of one thread ({most}).",
                )


def load() -> str:
    """Processes that wanted a core in the last minute, and the cores there are."""
    return f"{os.getloadavg()[0]:.1f} on {os.cpu_count()} cores"


if __name__ == "__main__":
    main()
