"""One fit in a process of its own, as a user's first call meets it.

    python -m benchmarks.fresh ENSEMBLE.npz METHOD N_CLUSTERS SECONDS GIGABYTES

prints, as JSON, the seconds of the fit, those of its threads on the processor, the megabytes that
it adds to the peak of memory, and the number of iterations. "dense METHOD" is the plain
transcription of a method. The number of threads is that of the environment.
"""

import json
import os
import resource
import signal
import subprocess
import sys
import time
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from coassoc import Ensemble
from coassoc.bench.runs import peak_memory, reset_peak_memory
from coassoc.methods import METHODS
from coassoc.partition.linkage import agglomerate_rows
from coassoc.similarity import co_association
from ensembles import asked
from oracles import all_oracles

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src"
PAGE = SOURCE.parent / "docs/results/performance.md"
LABELS_ONLY = [name for name in METHODS if not METHODS[name].uses_features]
#: What :func:`columns` gives.
HEADER = f"{'seconds':>9} {'CPU s':>9} {'MB':>8} {'iter':>5}"


def fit(name: str, n_clusters: int, labels: np.ndarray, X: np.ndarray | None) -> int:
    """Fit a method, or its plain transcription; the number of iterations."""
    if name.startswith("dense "):
        name = name.removeprefix("dense ")
        features = [X] if METHODS[name].uses_features else []
        all_oracles()[name](labels, n_clusters, *features)
        return 0
    estimator = METHODS[name](n_clusters=asked(name, n_clusters), random_state=0)
    return estimator.fit(Ensemble(labels), X=X).n_iter_


def fit_once(path: str, name: str, n_clusters: int, limit: int, gigabytes: float) -> dict[str, Any]:
    """Fit a method to a stored ensemble, after a small fit that loads what it needs."""
    warnings.simplefilter("ignore")
    with np.load(path) as stored:
        labels, X = stored["labels"], stored.get("X")
    random = np.random.default_rng(0)
    few, few_rows = random.integers(0, 4, (60, labels.shape[1])), random.standard_normal((60, 3))
    fit(name, 2, few, few_rows)
    agglomerate_rows(co_association(Ensemble(few)))  # as of many rows
    before, start, cpu_start = reset_peak_memory(), time.perf_counter(), time.process_time()
    resource.setrlimit(resource.RLIMIT_DATA, (int((gigabytes + before / 1e3) * 1e9),) * 2)
    resource.setrlimit(resource.RLIMIT_CPU, (int(np.ceil(cpu_start + limit)),) * 2)
    n_iter = fit(name, n_clusters, labels, X)
    return {
        "seconds": time.perf_counter() - start,
        "cpu_seconds": time.process_time() - cpu_start,
        "megabytes": peak_memory() - before,
        "n_iter": n_iter,
    }


def measure(
    path: Path,
    name: str,
    n_clusters: int,
    threads: int | None = None,
    limit: float = 600,
    gigabytes: float = 1000,
) -> dict[str, Any]:
    """The measurement of a fit in a fresh process, or as "beyond" the reason why there is none.

    Parameters
    ----------
    path : path
        What :func:`store` wrote.
    name : str
        Method, or "dense METHOD".
    n_clusters : int
        c.
    threads : int, optional
        ``OMP_NUM_THREADS`` of the process; unset by default, as most users leave it.
    limit : float
        Processor seconds after which it is ended, or ten times as many of the clock.
    gigabytes : float
        Memory that the fit may add.
    """
    variables = {k: v for k, v in os.environ.items() if not k.endswith("_NUM_THREADS")}
    if threads is not None:
        variables["OMP_NUM_THREADS"] = str(threads)
    variables["PYTHONPATH"] = os.pathsep.join(
        str(ROOT / name) for name in ("src", "release", "tests")
    )
    words = [sys.executable, "-m", "benchmarks.fresh", path, name, n_clusters, limit, gigabytes]
    measurement = answer(words, limit, variables, patience=10)
    if "MemoryError" in measurement.get("beyond", ""):
        return {"beyond": f"more than {gigabytes:.0f} GB"}
    return measurement


def answer(
    words: Sequence[Any],
    limit: float,
    variables: Mapping[str, str] | None = None,
    patience: float = 1,
) -> dict[str, Any]:
    """The JSON that a process prints, or as "beyond" the reason why there is none.

    It is waited for `patience` times its limit in seconds, which a busy machine may need.
    """
    command = [str(word) for word in words]
    too_long = {"beyond": f"more than {limit:.0f} s"}
    try:
        done = subprocess.run(
            command,
            env=variables,
            capture_output=True,
            text=True,
            timeout=patience * limit,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return too_long
    if done.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
        return too_long
    if done.returncode:
        last = done.stderr.strip().splitlines()[-1:] or [f"exit status {done.returncode}"]
        return {"beyond": last[0][:200]}
    return json.loads(done.stdout)


def columns(measured: Mapping[str, Any]) -> str:
    """A measurement as text, or why there is none."""
    if "beyond" in measured:
        return measured["beyond"]
    return (
        f"{measured['seconds']:9.3f} {measured['cpu_seconds']:9.3f} {measured['megabytes']:8.1f}"
        f" {measured['n_iter']:5d}"
    )


def store(path: Path, labels: np.ndarray, **features: np.ndarray) -> Path:
    """Write an ensemble, and the features "X" of its samples; print its size."""
    np.savez(path, labels=labels, **features)
    (n, m), count = labels.shape, Ensemble(labels).microclusters.count
    print(f"\n{path.stem}: n = {n:,}, m = {m}, n' = {count:,}", flush=True)
    return path


if __name__ == "__main__":
    path, name, *numbers = sys.argv[1:]
    n_clusters, limit, gigabytes = map(float, numbers)
    print(json.dumps(fit_once(path, name, int(n_clusters), limit, gigabytes)))
