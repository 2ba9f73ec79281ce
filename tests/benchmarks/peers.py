"""Other programs on the ensembles of :mod:`benchmarks.large`, beside the same methods here.

    cd tests && python -m benchmarks.peers --python ../peers/bin/python

The programs are no dependencies: `--python` is the interpreter of an environment that has those
that could be installed (fastcluster, ensembleclustering, scikit-learn, pyckmeans). Each runs in a
process of its own; where it fails, the last line of what it says stands in place of its time.
"""

import argparse
import sys
import tempfile
from pathlib import Path

import numpy as np

from benchmarks.fresh import HEADER, answer, columns, measure, store
from benchmarks.large import CASES, N_CLUSTERS, ensemble

#: Co-association of all samples, as the programs that link want it.
DISTANCES = """
Z = np.concatenate([labels[:, [j]] == np.unique(labels[:, j]) for j in range(labels.shape[1])], 1)
D = 1 - Z.astype(np.float32) @ Z.T.astype(np.float32) / labels.shape[1]
np.fill_diagonal(D, 0)
"""
PEERS = {
    "fastcluster, average": "import fastcluster, scipy.spatial.distance as d"
    + DISTANCES
    + "fastcluster.linkage(d.squareform(D, checks=False), 'average')",
    "scikit-learn, average": "from sklearn.cluster import AgglomerativeClustering as A"
    + DISTANCES
    + "A(c, metric='precomputed', linkage='average').fit(D)",
    **{
        f"ensembleclustering, {solver.upper()}": "import ensembleclustering as peer\n"
        f"peer.cluster_ensembles(labels.T, nclass=c, solver={solver!r})"
        for solver in ("mcla", "hgpa", "hbgf", "cspa")
    },
    "pyckmeans": "import pyckmeans\nraise SystemExit('clusters features, and takes no labels')",
}
FRAME = """
import json, resource, sys, time
import numpy as np
labels, c = np.load(sys.argv[1])["labels"], int(sys.argv[2])
start, clock = time.process_time(), time.perf_counter()
{code}
print(json.dumps({{
    "seconds": time.perf_counter() - clock,
    "cpu_seconds": time.process_time() - start,
    "megabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3,
    "n_iter": 0,
}}))
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cases", nargs="+", default=["rows-9014"], choices=list(CASES))
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--limit", type=float, default=600, help="seconds of a process, at most")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for name in options.cases:
            path = store(Path(folder, f"{name}.npz"), ensemble(CASES[name]).astype(np.int32))
            print(f"{'program':26} {HEADER}")
            for method in ("EAC-AL", "MCLA", "HGPA", "HBGF", "U-SENC", "CSPA"):
                measurement = measure(path, method, N_CLUSTERS, 1, limit=options.limit)
                print(f"{'coassoc, ' + method:26} {columns(measurement)}", flush=True)
            for peer, code in PEERS.items():
                words = [options.python, "-c", FRAME.format(code=code), path, N_CLUSTERS]
                print(f"{peer:26} {columns(answer(words, options.limit))}", flush=True)


if __name__ == "__main__":
    main()
