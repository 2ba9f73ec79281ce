"""Linkage of many samples of few kinds, and of single items beside SciPy's.

    cd release && python -m benchmarks.linkage

prints, per case and criterion, CPU seconds of agglomeration and cut, the peak of memory on top of
the similarities, and the number of batches of merges; for single items also SciPy's CPU seconds.
Similarities are random, so that nearly all kinds are loose: their samples go over to others one
by one, which is the slowest case.
"""

import time
from collections.abc import Callable

import numpy as np
import scipy.cluster.hierarchy as hierarchy
from scipy.spatial.distance import squareform

from coassoc.bench.runs import peak_memory, reset_peak_memory
from coassoc.partition.linkage import LINKAGES, agglomerate, cut

#: Number of kinds, and of items.
CASES = ((600, 50_000), (3_000, 50_000), (600, 1_000_000), (2_000, 2_000), (8_700, 8_700))

N_CLUSTERS = 10


def case(n_kinds: int, n_items: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Similarities between the kinds, and sizes, a few large and most small."""
    random = np.random.default_rng(seed)
    share = random.pareto(1.0, n_kinds)
    counts = 1 + np.floor(share / share.sum() * (n_items - n_kinds)).astype(int)
    return random.random((n_kinds, n_kinds)), counts


def agglomerated_and_cut(*arguments) -> np.ndarray:
    return cut(agglomerate(*arguments), N_CLUSTERS)


def measure(action: Callable[..., object], *arguments) -> tuple[float, float]:
    """CPU seconds and megabytes."""
    before = reset_peak_memory()
    start = time.process_time()
    action(*arguments)
    return time.process_time() - start, peak_memory() - before


def main() -> None:
    agglomerate(np.ones((2, 2)), [1, 1], "average")  # compiles
    print(f"{'kinds':>7} {'items':>9} criterion {'batches':>9} {'seconds':>8} {'MB':>6} SciPy")
    for n_kinds, n_items in CASES:
        S, counts = case(n_kinds, n_items)
        for method in LINKAGES:
            seconds, megabytes = measure(agglomerated_and_cut, S, counts, method)
            n_batches = len(agglomerate(S, counts, method).heights)
            text = f"{n_kinds:7,} {n_items:9,} {method:9} {n_batches:9,}"
            text += f" {seconds:8.2f} {megabytes:6.0f}"
            if n_items == n_kinds:
                condensed = squareform(1 - (S + S.T) / 2, checks=False)
                text += f" {measure(hierarchy.linkage, condensed, method)[0]:.2f}"
            print(text, flush=True)


if __name__ == "__main__":
    main()
