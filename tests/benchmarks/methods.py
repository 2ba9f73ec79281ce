"""Time and memory of every method against a plain dense transcription of its formulas.

Each measurement runs in a process of its own, so that peaks of memory do not mix; methods and their
transcriptions take turns, so that a change in the machine's speed hits both. Ratios within one
run are what to look at.

    make benchmark
    cd tests && python -m benchmarks.methods --sizes 500 1000 --methods EC-CMS LWEA
"""

import argparse
import inspect
import multiprocessing
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np
from threadpoolctl import threadpool_limits

from coassoc import Ensemble
from coassoc.methods import METHODS
from coassoc.running.runs import peak_memory, reset_peak_memory
from coassoc.seeds import seed_from_names
from oracles import all_oracles

HEADER = (
    f"{'method':10} {'wall s':>9} {'CPU s':>9} {'MB':>8} {'iter':>5} {'dense s':>9} {'dense MB':>9}"
    f" {'faster':>8} {'smaller':>8}"
)
N_CLUSTERS = 5
M = 20
#: Dimensions of the blobs (None: as many as samples) and their spread. Of "compact" ones many rows
#: of labels are equal, of "scattered" ones a sixth, of "diffuse" ones hardly any; "wide" ones have
#: features as texts and images do, which only methods that see them notice.
KINDS = {"compact": (2, 0.6), "scattered": (6, 3.0), "diffuse": (8, 4.0), "wide": (None, 40.0)}


@dataclass
class Measurement:
    """What one fit took; `error` is the reason where there is none."""

    seconds: float = float("nan")
    cpu_seconds: float = float("nan")
    megabytes: float = float("nan")
    n_iter: int = 0
    error: str = ""


def blobs(n: int, kind: str) -> tuple[np.ndarray, np.ndarray]:
    """Samples and base clusterings: k-means with k uniform in [2, √n].

    The kinds are those of :data:`KINDS`.
    """
    from sklearn.datasets import make_blobs

    from coassoc.pools.generation import generate_pool

    d, spread = KINDS[kind]
    X, _ = make_blobs(n, d or n, centers=N_CLUSTERS, cluster_std=spread, random_state=0)
    labels = generate_pool(X, size=M, seed=0, names=("benchmark", kind, str(n)))
    return X, labels.astype(np.int64)


def measure(
    fit: Callable[[], int],
    warm_up: Callable[[], int],
    pipe: multiprocessing.connection.Connection,
) -> None:
    """Time and peak memory of `fit`, which returns its number of iterations.

    A small fit comes first: the libraries start their threads anew in a forked process.
    """
    try:
        with threadpool_limits(1), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            warm_up()
            before = reset_peak_memory()
            start, cpu_start = time.perf_counter(), time.process_time()
            n_iter = fit()
            seconds, cpu = time.perf_counter() - start, time.process_time() - cpu_start
        pipe.send(Measurement(seconds, cpu, peak_memory() - before, n_iter))
    except Exception as error:
        pipe.send(Measurement(error=f"{type(error).__name__}: {error}"))


def in_a_process(fit: Callable[[], int], warm_up: Callable[[], int]) -> Measurement:
    """The measurement of `fit` in a forked process."""
    context = multiprocessing.get_context("fork")
    here, there = context.Pipe()
    process = context.Process(target=measure, args=(fit, warm_up, there))
    process.start()
    there.close()
    try:
        found = here.recv()
    except EOFError:
        found = Measurement(error="the process died")
    process.join()
    return found


def fit_method(name: str, labels: np.ndarray, X: np.ndarray) -> Callable[[], int]:
    def fit() -> int:
        seed = seed_from_names(0, name)
        est = METHODS[name](n_clusters=N_CLUSTERS, random_state=seed)
        return est.fit(Ensemble(labels), X=X).n_iter_

    return fit


def fit_oracle(oracle: Callable, labels: np.ndarray, X: np.ndarray) -> Callable[[], int]:
    sees_features = "X" in inspect.signature(oracle).parameters
    arguments = (labels, N_CLUSTERS, X) if sees_features else (labels, N_CLUSTERS)

    def fit() -> int:
        oracle(*arguments)
        return 0

    return fit


@cache
def few_samples() -> tuple[np.ndarray, np.ndarray]:
    """Labels and features for a fit that takes no time."""
    X, labels = blobs(60, "compact")
    return labels, X


def import_everything(names: list[str]) -> None:
    """Fit each method once, so that the processes to be forked need import no library again."""
    labels, X = few_samples()
    for name in names:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            fit_method(name, labels, X)()


def best_of(fit: Callable[[], int], warm_up: Callable[[], int], repeats: int) -> Measurement:
    found = (in_a_process(fit, warm_up) for _ in range(repeats))
    return min(found, key=lambda each: each.cpu_seconds)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", type=int, nargs="+", default=[500, 1000, 2000, 4000])
    parser.add_argument("--kinds", nargs="+", default=["compact", "diffuse"], choices=list(KINDS))
    parser.add_argument("--methods", nargs="+", default=list(METHODS))
    parser.add_argument("--oracle-limit", type=int, default=2000, help="largest n for oracles")
    parser.add_argument("--limit", type=float, default=60, help="longest expected fit, in seconds")
    parser.add_argument("--repeats", type=int, default=1, help="measurements; the best counts")
    options = parser.parse_args()
    dense = all_oracles()
    import_everything(options.methods)
    for kind in options.kinds:
        seconds: dict[str, list[tuple[int, float]]] = {}
        dense_seconds: dict[str, list[tuple[int, float]]] = {}
        for n in options.sizes:
            X, labels = blobs(n, kind)
            n_micro = Ensemble(labels).microclusters.count
            print(f"\n{kind} blobs, n = {n}, m = {M}, n' = {n_micro} (n'/n = {n_micro / n:.2f})")
            print(HEADER)
            for name in options.methods:
                expected = extrapolated(seconds.get(name, []), n)
                if expected > options.limit:
                    print(
                        f"{name:10} left out: about {expected:.0f} s, limit {options.limit:.0f} s"
                    )
                    continue
                warm_up = fit_method(name, *few_samples())
                found = best_of(fit_method(name, labels, X), warm_up, options.repeats)
                seconds.setdefault(name, []).append((n, found.cpu_seconds))
                plain = Measurement()
                expected = extrapolated(dense_seconds.get(name, []), n)
                if name in dense and n <= options.oracle_limit and expected <= options.limit:
                    warm_up = fit_oracle(dense[name], *few_samples())
                    plain = best_of(fit_oracle(dense[name], labels, X), warm_up, options.repeats)
                    dense_seconds.setdefault(name, []).append((n, plain.cpu_seconds))
                print(line(name, found, plain), flush=True)
        if len(options.sizes) > 1:
            print(f"\n{kind} blobs: growth of the CPU time with n (exponent, largest two sizes)")
            for name, points in seconds.items():
                if len(points) > 1:
                    print(f"{name:10} {growth(points):6.2f}")


def line(name: str, found: Measurement, plain: Measurement) -> str:
    if found.error:
        return f"{name:10} {found.error}"
    text = (
        f"{name:10} {found.seconds:9.3f} {found.cpu_seconds:9.3f} {found.megabytes:8.1f}"
        f" {found.n_iter:5d}"
    )
    if plain.error:
        text += f" dense: {plain.error}"
    if np.isfinite(plain.seconds):
        faster = plain.cpu_seconds / found.cpu_seconds
        smaller = plain.megabytes / max(found.megabytes, 0.1)
        text += f" {plain.cpu_seconds:9.2f} {plain.megabytes:9.1f} {faster:7.1f}x {smaller:7.1f}x"
    return text


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
