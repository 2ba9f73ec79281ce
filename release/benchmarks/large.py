"""Time and memory of every method on large ensembles: which method stops where.

    cd release && python -m benchmarks.large --cases rows-616 rows-9014 million

Base clusterings are Voronoi partitions of points in the plane or in space around random points of
their own. Few centres leave few distinct rows, as coarse clusterings do; many leave many.
"""

import argparse
import tempfile
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy.spatial import cKDTree

from benchmarks.fresh import HEADER, LABELS_ONLY, columns, measure, store


class Case(NamedTuple):
    """An ensemble: samples, dimensions, and the range of the number of clusters."""

    n: int
    d: int
    fewest: int
    most: int


M = 20
N_CLUSTERS = 10
CASES = {
    "rows-616": Case(49_402, 2, 4, 8),
    "rows-9014": Case(20_000, 4, 5, 40),
    "million": Case(1_000_000, 2, 6, 25),
}


def ensemble(case: Case, seed: int = 0) -> np.ndarray:
    """(n, m) labels of a mixture of Gaussians, each column by its nearest random centre."""
    return planted(case, M, seed)[0]


def planted(case: Case, m: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """The labels by so many columns, and (n,) components of the mixture."""
    random = np.random.default_rng(seed)
    means = random.uniform(-10, 10, (N_CLUSTERS, case.d))
    classes = random.integers(0, N_CLUSTERS, case.n)
    X = means[classes] + random.standard_normal((case.n, case.d))
    columns = []
    for _ in range(m):
        k = int(random.integers(case.fewest, case.most + 1))
        centres = X[random.choice(case.n, k, replace=False)]
        columns.append(cKDTree(centres).query(X)[1])
    return np.column_stack(columns), classes


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cases", nargs="+", default=list(CASES), choices=list(CASES))
    parser.add_argument("--methods", nargs="+", default=LABELS_ONLY)
    parser.add_argument("--limit", type=float, default=300, help="seconds of a process, at most")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for name in options.cases:
            path = store(Path(folder, f"{name}.npz"), ensemble(CASES[name]).astype(np.int32))
            print(f"{'method':10} {HEADER}")
            for method in options.methods:
                measurement = measure(path, method, N_CLUSTERS, limit=options.limit)
                print(f"{method:10} {columns(measurement)}", flush=True)


if __name__ == "__main__":
    main()
