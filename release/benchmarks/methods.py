"""Time and memory of every method against a plain dense transcription of its formulas.

Each measurement runs in a process of its own, so that peaks of memory do not mix; methods and their
transcriptions take turns, so that a change in the machine's speed hits both. Ratios within one
run are what to look at.

    make benchmark
    cd release && python -m benchmarks.methods --sizes 500 1000 --methods EC-CMS LWEA
"""

import argparse
import tempfile
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.fresh import HEADER, columns, measure, store
from coassoc.methods import METHODS
from oracles import all_oracles

N_CLUSTERS = 5
M = 20
#: Dimensions of the blobs (None: as many as samples) and their spread. Of "compact" ones many rows
#: of labels are equal, of "scattered" ones a sixth, of "diffuse" ones hardly any; "wide" ones have
#: features as texts and images do, which only methods that see them notice.
KINDS = {"compact": (2, 0.6), "scattered": (6, 3.0), "diffuse": (8, 4.0), "wide": (None, 40.0)}


def blobs(n: int, kind: str) -> tuple[np.ndarray, np.ndarray]:
    """Samples and base clusterings: k-means with k uniform in [2, √n].

    The kinds are those of :data:`KINDS`.
    """
    from sklearn.datasets import make_blobs

    from coassoc.pools.generation import generate_pool

    d, spread = KINDS[kind]
    X, _ = make_blobs(n, d or n, centers=N_CLUSTERS, cluster_std=spread, random_state=0)
    labels = generate_pool(X, size=M, random_state=0, names=("benchmark", kind, str(n)))
    return X, labels.astype(np.int64)


def measured(
    path: Path, name: str, n: int, points: list[tuple[int, float]], options: argparse.Namespace
) -> dict[str, Any]:
    """The fastest of some measurements, added to those of smaller n, or why there is none."""
    expected = extrapolated(points, n)
    if expected > options.limit:
        return {"beyond": f"left out: about {expected:.0f} s, limit {options.limit:.0f} s"}
    runs = [measure(path, name, N_CLUSTERS, 1, options.limit) for _ in range(options.repeats)]
    best = min(runs, key=lambda run: run.get("cpu_seconds", np.inf))
    if "cpu_seconds" in best:
        points.append((n, best["cpu_seconds"]))
    return best


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", type=int, nargs="+", default=[500, 1000, 2000, 4000])
    parser.add_argument("--kinds", nargs="+", default=["compact", "diffuse"], choices=list(KINDS))
    parser.add_argument("--methods", nargs="+", default=list(METHODS))
    parser.add_argument("--oracle-limit", type=int, default=2000, help="largest n for oracles")
    parser.add_argument("--limit", type=float, default=60, help="longest fit, in seconds")
    parser.add_argument("--repeats", type=int, default=1, help="measurements; the best counts")
    options = parser.parse_args()
    dense = all_oracles()
    for kind in options.kinds:
        seconds: dict[str, list[tuple[int, float]]] = defaultdict(list)
        for n in options.sizes:
            X, labels = blobs(n, kind)
            with tempfile.TemporaryDirectory() as folder:
                path = store(Path(folder, f"{kind} blobs.npz"), labels, X=X)
                print(f"{'method':10} {HEADER} {'dense s':>9} {'dense MB':>9} faster smaller")
                for name in options.methods:
                    with_dense = name in dense and n <= options.oracle_limit
                    ways = [name, f"dense {name}"] if with_dense else [name]
                    measurements = [measured(path, way, n, seconds[way], options) for way in ways]
                    print(f"{name:10} {beside(*measurements)}", flush=True)
        if len(options.sizes) > 1:
            print(f"\n{kind} blobs: growth of the CPU time with n (exponent, largest two sizes)")
            for name in options.methods:
                if len(seconds[name]) > 1:
                    print(f"{name:10} {growth(seconds[name]):6.2f}")


def beside(measured: Mapping[str, Any], plain: Mapping[str, Any] | None = None) -> str:
    """A measurement, and that of the transcription."""
    if plain is None or "beyond" in measured:
        return columns(measured)
    if "beyond" in plain:
        return f"{columns(measured)} dense: {plain['beyond']}"
    faster = plain["cpu_seconds"] / measured["cpu_seconds"]
    smaller = plain["megabytes"] / max(measured["megabytes"], 0.1)
    return (
        f"{columns(measured)} {plain['cpu_seconds']:9.2f} {plain['megabytes']:9.1f}"
        f" {faster:6.1f}x {smaller:6.1f}x"
    )


def extrapolated(points: list[tuple[int, float]], n: int) -> float:
    """Seconds expected for n samples if the time grows with n³ from the largest size measured."""
    if not points:
        return 0.0
    largest, seconds = max(points)
    return seconds * (n / largest) ** 3


def growth(points: list[tuple[int, float]]) -> float:
    """Slope of log seconds against log n between the two largest sizes."""
    (n1, t1), (n2, t2) = sorted(points)[-2:]
    return float(np.log(t2 / t1) / np.log(n2 / n1))


if __name__ == "__main__":
    main()
