"""One fit in a process of its own, as a user's first call meets it.

    python -m benchmarks.fresh ENSEMBLE.npz METHOD N_CLUSTERS

prints, as JSON, the seconds of the fit, those of its threads on the processor, the seconds of what
comes before it (imports, kernels), the peak of memory, and the number of iterations. The number of
threads is that of the environment.
"""

import json
import os
import resource
import signal
import subprocess
import sys
import time
import warnings
from pathlib import Path

import numpy as np

SOURCE = Path(__file__).parents[2] / "src"


def fit_once(path: str, name: str, n_clusters: int) -> dict[str, float]:
    """Fit a method to a stored ensemble, after a small fit that loads what it needs."""
    start = time.perf_counter()
    from coassoc import Ensemble
    from coassoc.methods import METHODS
    from coassoc.running.runs import peak_memory, reset_peak_memory

    warnings.simplefilter("ignore")
    with np.load(path) as stored:
        labels, X = stored["labels"], stored.get("X")
    few_rows = np.random.default_rng(0).standard_normal((60, 3))
    few = np.random.default_rng(0).integers(0, 4, (60, labels.shape[1]))
    METHODS[name](n_clusters=2, random_state=0).fit(few, X=few_rows)
    before = reset_peak_memory()
    ready, ready_cpu = time.perf_counter(), time.process_time()
    estimator = METHODS[name](n_clusters=n_clusters, random_state=0)
    estimator.fit(Ensemble(labels), X=X)
    return {
        "seconds": time.perf_counter() - ready,
        "cpu_seconds": time.process_time() - ready_cpu,
        "loading": ready - start,
        "megabytes": peak_memory() - before,
        "n_iter": estimator.n_iter_,
    }


def measure(
    path: Path,
    name: str,
    n_clusters: int,
    threads: int | None = None,
    limit: float = 600,
    gigabytes: float | None = None,
) -> dict[str, float] | str:
    """The measurement of a fit in a fresh process, or the reason why there is none.

    Parameters
    ----------
    path : path
        "labels" and, for methods that use features, "X", stored by ``numpy.savez``.
    name : str
        Method.
    n_clusters : int
        c.
    threads : int, optional
        ``OMP_NUM_THREADS`` of the process; unset by default, as most users leave it.
    limit : float
        Processor seconds after which it is ended, or ten times as many of the clock.
    gigabytes : float, optional
        Memory that it may take.
    """

    def limited() -> None:
        resource.setrlimit(resource.RLIMIT_CPU, (int(limit) + 30, int(limit) + 30))
        if gigabytes is not None:
            resource.setrlimit(resource.RLIMIT_DATA, (int(gigabytes * 1e9),) * 2)

    variables = {k: v for k, v in os.environ.items() if not k.endswith("_NUM_THREADS")}
    if threads is not None:
        variables["OMP_NUM_THREADS"] = str(threads)
    variables["PYTHONPATH"] = f"{SOURCE}{os.pathsep}{Path(__file__).parents[1]}"
    words = [sys.executable, "-m", "benchmarks.fresh", str(path), name, str(n_clusters)]
    try:
        done = subprocess.run(
            words,
            env=variables,
            capture_output=True,
            text=True,
            timeout=10 * limit,
            preexec_fn=limited,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return f"more than {limit:.0f} s"
    if done.returncode == -signal.SIGXCPU or done.returncode == -signal.SIGKILL:
        return f"more than {limit:.0f} s"
    if done.returncode:
        last = done.stderr.strip().splitlines()[-1:] or [f"exit status {done.returncode}"]
        return last[0]
    return json.loads(done.stdout)


if __name__ == "__main__":
    print(json.dumps(fit_once(sys.argv[1], sys.argv[2], int(sys.argv[3]))))
