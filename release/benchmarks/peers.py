"""Other programs and this one on the same labels: the page ``docs/results/programs.md``.

    cd release && python -m benchmarks.peers
    cd release && python -m benchmarks.peers --page

The programs are no dependencies: ``make peers`` installs ``envs/peers.txt`` and
``envs/peers-older.txt`` in environments of their own, and R is that of the machine, with the
packages that the page names. Each fit is a process of its own on one thread. The first command
measures and keeps the lines in ``results-published/peers.csv``, the second writes the page from
them alone. Lines of the same day, limits and versions are not measured again.
"""

import argparse
import datetime
import json
import os
import platform
import resource
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

import coassoc
from benchmarks.fresh import SOURCE
from benchmarks.large import N_CLUSTERS, Case, planted
from coassoc import Ensemble
from coassoc.bench.provenance import commit
from coassoc.confidence import agreement_with_base
from coassoc.metrics import adjusted_rand_index, contingency_table
from coassoc.posterior import expected_loss

ROOT = SOURCE.parent
KEPT, PAGE = ROOT / "results-published/peers.csv", ROOT / "docs/results/programs.md"
#: Interpreters: of this program, of the others, and of those that stopped at NumPy 1.
PYTHONS = {
    "coassoc": sys.executable,
    "Python": str(ROOT / "build/peers/bin/python"),
    "older Python": str(ROOT / "build/peers-older/bin/python"),
}

#: A measurement: a line of the table.
Line = dict[str, Any]
#: Name → samples and base clusterings. The sizes that are no powers of ten are those at which users
#: of other programs reported that memory or time ran out.
CASES = {
    "10³ × 20": (Case(1_000, 4, 5, 40), 20),
    "10⁴ × 20": (Case(10_000, 4, 5, 40), 20),
    "40,000 × 100": (Case(40_000, 2, 4, 12), 100),
    "150,000 × 20": (Case(150_000, 2, 6, 25), 20),
    "239,847 × 8": (Case(239_847, 4, 5, 40), 8),
    "10⁶ × 20": (Case(1_000_000, 2, 6, 25), 20),
    "2 · 10⁶ × 10": (Case(2_000_000, 2, 6, 25), 10),
}


class Peer(NamedTuple):
    """A program: what it imports, and the line that makes `found` of `labels` and `c`."""

    #: A key of `PYTHONS`, or "R".
    runs_in: str
    load: str
    fit: str
    #: The method here that does the same, or the most similar thing.
    like: str


_SHARES = "Z = np.concatenate([labels[:, [j]] == np.unique(labels[:, j]) for j in range(m)], 1)"
_DISTANCES = (
    f"{_SHARES}.astype(np.float32)\nD = 1 - Z @ Z.T / m\nnp.fill_diagonal(D, 0)\n"
    "D = squareform(D, checks=False)\n"
)
_R_DISTANCES = (
    "Z <- do.call(cbind, lapply(seq_len(m), function(j) "
    "outer(labels[, j], sort(unique(labels[, j])), '==') * 1))\n"
    "D <- as.dist(1 - tcrossprod(Z) / m)\n"
)
_PARTS = (
    "P <- cl_ensemble(list = lapply(seq_len(m), function(j) as.cl_hard_partition(labels[, j])))\n"
)
_SQUAREFORM = "from scipy.spatial.distance import squareform\n"

PEERS = {
    **{
        f"coassoc {name}": Peer(
            "coassoc",
            "from coassoc.methods import METHODS\nfew = np.arange(600).reshape(60, 10) % 7\n"
            f"METHODS[{name!r}](2).fit(few)",
            f"found = METHODS[{name!r}](c, random_state=0).fit(labels).labels_",
            name,
        )
        for name in (
            *("EAC-AL", "CSPA", "HGPA", "MCLA", "HBGF", "NMFC", "K-modes", "KCC-Uc", "VOTE"),
        )
    },
    "coassoc point_estimate, VI": Peer(
        "coassoc",
        "from coassoc.posterior import point_estimate\n"
        "point_estimate(np.arange(600).reshape(60, 10) % 7)",
        "found = point_estimate(labels, 'VI', max_clusters=c).labels",
        "point_estimate",
    ),
    "fastcluster (Python), average": Peer(
        "Python",
        _SQUAREFORM + "import fastcluster\nfrom scipy.cluster.hierarchy import fcluster",
        _DISTANCES + "found = fcluster(fastcluster.linkage(D, 'average'), c, 'maxclust')",
        "EAC-AL",
    ),
    "scikit-learn, average": Peer(
        "Python",
        _SQUAREFORM + "from sklearn.cluster import AgglomerativeClustering",
        _DISTANCES + "found = AgglomerativeClustering(c, metric='precomputed', linkage='average')"
        ".fit_predict(squareform(D))",
        "EAC-AL",
    ),
    "scikit-learn, k-means of memberships": Peer(
        "Python",
        "from sklearn.cluster import KMeans",
        f"{_SHARES}.astype(float)\nfound = KMeans(c, n_init=10, random_state=0).fit_predict(Z)",
        "KCC-Uc",
    ),
    **{
        f"ensembleclustering, {solver.upper()}": Peer(
            "older Python",
            "import ensembleclustering",
            f"found = ensembleclustering.cluster_ensembles(labels.T, nclass=c, solver={solver!r}, "
            "random_state=0)",
            like,
        )
        for solver, like in {
            **{solver: solver.upper() for solver in ("cspa", "hgpa", "mcla", "hbgf")},
            "nmf": "NMFC",
        }.items()
    },
    "ccHBGF": Peer(
        "Python",
        "import ccHBGF\nccHBGF.find_consensus(np.arange(600).reshape(60, 10) % 7, 2)",
        "found = ccHBGF.find_consensus(labels, c, random_state=0)",
        "HBGF",
    ),
    "iterative-voting-consensus": Peer(
        "older Python",
        "from ivc.algorithms import iterative_voting_consensus\nnp.random.seed(0)",
        "found = iterative_voting_consensus(labels, c, n_iter=100, tol=1e-9, verbose=False)",
        "K-modes",
    ),
    "netneurotools, find_consensus": Peer(
        "older Python",
        "from netneurotools.modularity import find_consensus",
        "found = find_consensus(labels, seed=0)",
        "graph_consensus",
    ),
    "kmodes": Peer(
        "Python",
        "from kmodes.kmodes import KModes",
        "found = KModes(c, n_init=5, random_state=0).fit_predict(labels)",
        "K-modes",
    ),
    **{
        f"R clue, {method}": Peer(
            "R",
            "library(clue)",
            f"{_PARTS}found <- cl_class_ids(cl_consensus(P, {method!r}, control = list(k = c)))",
            "VOTE",
        )
        for method in ("SE", "HE")
    },
    "R OTclust": Peer("R", "library(OTclust)", "found <- otclust(labels + 1L)$meanpart", "VOTE"),
    "R salso, VI": Peer(
        "R",
        "library(salso)",
        "found <- salso(t(labels), loss = VI(), maxNClusters = c, nCores = 1)",
        "point_estimate",
    ),
    "R GreedyEPL, VI": Peer(
        "R",
        "library(GreedyEPL)",
        "once <- function() MinimiseEPL(t(labels + 1), list(Kup = c, loss_type = 'VI'))\n"
        "tries <- replicate(5, once(), FALSE)\n"
        "found <- tries[[which.min(sapply(tries, function(one) one$EPL))]]$decision",
        "point_estimate",
    ),
    "R mcclust.ext, minVI": Peer(
        "R",
        "library(mcclust.ext)",
        "found <- minVI(comp.psm(t(labels + 1L)), method = 'avg', max.k = c)$cl",
        "point_estimate",
    ),
    "R mcclust, maxpear": Peer(
        "R",
        "library(mcclust)",
        "found <- maxpear(comp.psm(t(labels + 1L)), method = 'avg', max.k = c)$cl",
        "point_estimate",
    ),
    "R stats, hclust": Peer(
        "R", "", f"{_R_DISTANCES}found <- cutree(hclust(D, 'average'), c)", "EAC-AL"
    ),
}
#: Packages whose versions the page names.
PACKAGES = {
    "Python": ("numpy", "scipy", "scikit-learn", "fastcluster", "ccHBGF", "kmodes"),
    "older Python": (
        *("numpy", "scipy", "scikit-learn", "ensembleclustering", "iterative-voting-consensus"),
        *("netneurotools", "bctpy"),
    ),
    "R": ("clue", "OTclust", "salso", "GreedyEPL", "mcclust", "mcclust.ext"),
}

PYTHON = """
import json, resource, sys, time, warnings
import numpy as np
warnings.simplefilter("ignore")
{load}
labels, c = np.load(sys.argv[1] + ".npy"), int(sys.argv[2])
m = labels.shape[1]
start = time.process_time()
{fit}
seconds = time.process_time() - start
np.asarray(found).astype(np.int32).tofile(sys.argv[1] + ".found")
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
print(json.dumps(dict(seconds=seconds, megabytes=peak)))
"""
R = """
words <- commandArgs(TRUE)
suppressMessages({{{load}}})
n <- as.integer(words[3]); m <- as.integer(words[4]); c <- as.integer(words[2])
labels <- matrix(readBin(paste0(words[1], '.int'), 'integer', n * m), n, m)
set.seed(0)
start <- proc.time()
{fit}
seconds <- sum((proc.time() - start)[1:2])
writeBin(as.integer(found), paste0(words[1], '.found'))
peak <- grep('VmHWM', readLines('/proc/self/status'), value = TRUE)
peak <- as.numeric(gsub('[^0-9]', '', peak)) / 1e3
cat(sprintf('{{"seconds": %f, "megabytes": %f}}', seconds, peak))
"""


#: How a failure begins that is a limit's.
LIMIT = "more than"


class Limits(NamedTuple):
    """What a fit may take: processor seconds, and bytes of address space."""

    seconds: int
    gigabytes: int

    def set(self) -> None:
        """For the process that calls it."""
        resource.setrlimit(resource.RLIMIT_CPU, (self.seconds,) * 2)
        resource.setrlimit(resource.RLIMIT_AS, (self.gigabytes * 10**9,) * 2)

    def exceeded_by(self, done: subprocess.CompletedProcess[str]) -> str | None:
        """Which of them ended a process."""
        if done.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
            return f"{LIMIT} {self.seconds} s"
        short = ("MemoryError", "cannot allocate", "Cannot allocate", "bad_alloc", "too large")
        lacks = any(words in done.stderr for words in short) or done.returncode == -signal.SIGSEGV
        return f"{LIMIT} {self.gigabytes} GB" if lacks else None


LIMITS = Limits(seconds=10, gigabytes=6)


def measured(peer: Peer, stem: Path, shape: tuple[int, ...]) -> dict[str, Any]:
    """Seconds and megabytes of a fit whose labels lie beside `stem`, or why there are none."""
    in_r = peer.runs_in == "R"
    frame = (R if in_r else PYTHON).format(load=peer.load, fit=peer.fit)
    call = ["Rscript", "-e"] if in_r else [PYTHONS[peer.runs_in], "-c"]
    threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
    paths = {"PYTHONPATH": str(SOURCE)} if peer.runs_in == "coassoc" else {}
    done = subprocess.run(
        [*call, frame, str(stem), str(N_CLUSTERS), *map(str, shape)],
        env={**os.environ, **threads, **paths},
        capture_output=True,
        text=True,
        preexec_fn=LIMITS.set,
        check=False,
    )
    if done.returncode:
        _, error, said = done.stderr.rpartition("rror")  # R says what it is on the next line
        last = (
            " ".join(f"E{error}{said}".split())[:120] if error else f"exit status {done.returncode}"
        )
        return {"failure": LIMITS.exceeded_by(done) or last}
    return json.loads(done.stdout.splitlines()[-1])


def known_beyond(program: str, name: str, lines: Iterable[Line]) -> str | None:
    """The limit that a program exceeded on as many samples and labels or fewer, if it did."""
    case, m = CASES[name]
    for line in lines:
        other, its_m = CASES[line["case"]]
        fewer = other.n <= case.n and other.n * its_m <= case.n * m
        failure = line["failure"]
        if line["program"] == program and fewer and failure.startswith(LIMIT):
            return failure if " for " in failure else f"{failure} for {line['case']}"
    return None


def lines_of(name: str, lines: list[Line]) -> Iterator[Line]:
    """Measurements of all programs on one case that `lines` lack.

    What was beyond a limit before is not tried; what fails otherwise is tried a second time.
    """
    known = {line["program"] for line in lines if line["case"] == name}
    if known == set(PEERS):
        return
    case, m = CASES[name]
    labels, classes = planted(case, m)
    base = Ensemble(labels)
    with tempfile.TemporaryDirectory() as folder:
        stem = Path(folder, "labels")
        np.save(f"{stem}.npy", labels.astype(np.int32))
        labels.T.astype(np.int32).tofile(f"{stem}.int")
        for program in [program for program in PEERS if program not in known]:
            line = {"case": name, "rows": base.microclusters.count, "program": program}
            if beyond := known_beyond(program, name, lines):
                yield {**line, "failure": beyond}
                continue
            made = measured(PEERS[program], stem, labels.shape)
            if not made.get("failure", LIMIT).startswith(LIMIT):
                made = measured(PEERS[program], stem, labels.shape)
            if "failure" not in made:
                found = np.fromfile(f"{stem}.found", dtype=np.int32)
                made["failure"] = ""
                made["ARI"] = adjusted_rand_index(contingency_table(classes, found))
                made["NMI"] = float(agreement_with_base(base, found).mean())
                made["VI"] = expected_loss(labels, found)
                made["clusters"] = len(np.unique(found))
            yield line | made


def versions() -> dict[str, dict[str, str]]:
    """Versions of the packages, by what they run in."""
    made = {"coassoc": {"Python": platform.python_version(), "coassoc": coassoc.__version__}}
    of_python = (
        "from importlib.metadata import version; import json, sys\n"
        "print(json.dumps({p: version(p) for p in sys.argv[1:]}))"
    )
    of_r = (
        "cat(R.version$major, R.version$minor, sep = '.')\nfor (p in commandArgs(TRUE)) "
        "cat('\\n', as.character(packageVersion(p)), sep = '')"
    )
    for where, packages in PACKAGES.items():
        if where == "R":
            found = subprocess.check_output(["Rscript", "-e", of_r, *packages], text=True)
            made[where] = dict(zip(("R", *packages), found.split(), strict=True))
        else:
            call = [PYTHONS[where], "-c", of_python, *packages]
            made[where] = json.loads(subprocess.check_output(call))
    return made


HEAD = """\
# Comparison with other programs

The fits on this page were measured on {date}, with one thread each, on a machine that was also
running other heavy jobs. A heading such as “10³ × 20” gives the numbers of samples and clusterings.
Seconds are the processor time of a fit. This time does not include loading the program. MB is the
peak memory of the whole process. coassoc and ccHBGF compile parts of their code at first use, so
both programs fitted 60 rows before the measurement. The limits for a fit are {seconds} s and
{gigabytes} GB. If a program failed, its row gives the limit that it exceeded, or the error message
of two successive attempts. “For 10³ × 20” after a limit means that the program exceeded the limit
at that size and was not tried on more samples.

All programs get the same labels: Voronoi partitions of a mixture of ten Gaussians (`planted` in
`release/benchmarks/large.py`). Each program returns ten clusters, or at most ten if the program
chooses the number itself. ARI compares the result with the components of the mixture. NMI is the
mean NMI with the base clusterings. VI is the mean variation of information from the base
clusterings in bits. A lower VI is better. Some methods minimise VI. “Nearest method” is the
equivalent or most similar method of coassoc. At the sizes that are not powers of ten, users have
reported that other programs ran out of memory or time.

Ten of the other programs combine clusterings: ensembleclustering (the same code as
ClusterEnsembles), ccHBGF, iterative-voting-consensus and netneurotools in Python, and clue,
OTclust, salso, GreedyEPL, mcclust and mcclust.ext in R. netneurotools chooses its own number of
clusters, and OTclust uses the number of clusters of the median clustering. kmodes clusters the rows
of labels as categories. fastcluster, scikit-learn and hclust are general programs, for which a few
extra lines compute the input: the distances 1 − co-association of all pairs of samples, or for
k-means the memberships in all base clusters. Time and memory include this computation.

These programs are not in the tables:

- consensusclustering, pyckmeans and R's ConsensusClusterPlus compute their own clusterings of
  features and accept no labels.
- Cluster_Ensembles 1.16 no longer loads: “cannot import name 'jaccard_similarity_score' from
  'sklearn.metrics'”.
- OpenEnsembles 2.0.0 needs NumPy 1.19 and pandas 1.2, which are older than Python 3.11.
- diceR 2.2.0 depends on klaR, clusterSim, clv, clValid, RankAggreg, infotheo and yardstick, which
  Debian does not package.

Versions: {named}.

`make peers` repeats the measurements and writes this page. The data are in
[peers.csv](../../results-published/peers.csv).
"""


#: Measured by hand on 2026-11-28, with one thread; CLUMPP's values are those of its files.
SOFT = """
## Soft memberships

The table gives H' of the aligned runs (higher is better). The numbers for CLUMPP 1.1.2 (Greedy
algorithm, 20 orders) ship with pophelper 2.3.1. The numbers for clue 0.3.64 are the best of ten
runs of `cl_consensus` (SE and DWH). The numbers for coassoc come from `align_memberships`.

| example data | n | K | CLUMPP | clue | coassoc |
|---|---:|---:|---:|---:|---:|
| pophelper, 3 runs | 149 | 2 | 0.9969783383 | 0.9969783383 | 0.9969783383 |
| pophelper, 3 runs | 149 | 3 | 0.9954479390 | 0.9954479390 | 0.9954479390 |
| pophelper, 3 runs | 149 | 4 | 0.9042003253 | 0.9042003253 | 0.9042003253 |
| pophelper, 3 runs | 149 | 5 | 0.8759277170 | 0.8759277170 | 0.8759277170 |
| pophelper, 3 runs | 149 | 6 | 0.8970040466 | 0.8970040466 | 0.8970040466 |
| pophelper, 2 runs | 149 | 7 | 0.9276398226 | 0.9276398226 | 0.9276398226 |
| clue, CKME, 50 runs | 1,000 | 3 | | 0.5649141835 | 0.5649141835 |
| clue, Kinship82, 85 runs | 15 | 8 | | 0.3844700236 | 0.3845044958 |
| clue, GVME, 5 runs | 21 | 3 | | 0.6645648675 | 0.6645648675 |

On pong's example data (1000 Genomes, 2,426 samples, 59 runs with K = 2 to 9), `align_memberships`
has the same H' as clue for each K. At pong's threshold of 0.97, it finds the same modes as pong
(1, 1, 2, 1, 3, 3, 2 and 1 modes for the eight values of K) and the same splits from each K to the
next, with both of pong's metrics, "jaccard" (the default) and "G". `align_memberships` takes 0.3 s
of processor time. pong's matching takes 0.3 s with "G" and 7.6 s with "jaccard".

On 100 generated runs of 10,000 samples with K = 10, `align_memberships` takes 1.8 s to compare all
pairs and find the modes. clue computes only a mean: one run of clue takes 2.1 s by SE and 0.4 s by
DWH. pong's matching with "G" takes 32 s.

## Hierarchies

Both programs combined 20 dendrograms of USArrests (average linkage, noise of 0.3). The error is the
sum of the squared or absolute differences between the distances in the consensus and the cophenetic
distances in the dendrograms (lower is better). Both programs give the same majority-rule tree.

| program | kind of error | error | seconds |
|---|---|---:|---:|
| clue, "euclidean" | squared | 6,595.5 | 1.3 |
| coassoc, means | squared | 6,609.0 | 0.03 |
| clue, "manhattan" | absolute | 7,847.5 | 6.4 |
| coassoc, medians | absolute | 7,940.8 | 0.03 |

## Posterior draws of many clusters

The table compares 16 runs of salso 0.3.35 with `point_estimate(n_starts=16)`. Both programs use one
thread and the same maximum number of clusters. The generated draws are noisy copies of one
partition, with some clusters split or merged. Seconds are processor time, and the loss is the
expected loss.

| draws × items | loss function | salso: seconds | coassoc: seconds | salso: loss | coassoc: loss |
|---|---|---:|---:|---:|---:|
| 1,000 × 500, 100 clusters | VI | 37.0 | 12.4 | 1.00122857 | 1.00122857 |
| 1,000 × 500, 100 clusters | VI | 34.5 | 12.9 | 1.54390004 | 1.54390004 |
| 1,000 × 500, 90 clusters | VI | 29.1 | 10.4 | 1.94111908 | 1.94111908 |
| 500 × 500, 28 clusters | NVI | 2.6 | 1.6 | 0.24663024 | 0.24663024 |
| 500 × 500, 30 clusters | NVI | 5.1 | 1.9 | 0.36230808 | 0.36230808 |
| 500 × 500, 30 clusters, noisier | NVI | 6.3 | 8.8 | 0.48023478 | 0.48012992 |
| 500 × 500, 35 clusters | NVI | 31.7 | 2.4 | 0.39709810 | 0.39709810 |
| 500 × 500, 60 clusters | VI | 2.0 | 1.8 | 1.485836 | 1.485836 |
| 300 × 400, 40 clusters | NVI | 0.75 | 0.66 | 0.258869 | 0.258869 |
| 300 × 400, 40 clusters | omARI | 1.2 | 0.62 | 0.359247 | 0.359247 |
| 300 × 400, 56 clusters | NVI | 2.3 | 1.3 | 0.330741 | 0.330741 |
| 500 × 500, 33 clusters, noise 0.4 | NVI | 3.1 | 5.9 | 0.570327 | 0.570293 |
| 500 × 500, 33 clusters, noise 0.4, `n_starts=8` | NVI | | 3.4 | | 0.570325 |
| 500 × 500, 33 clusters, noise 0.5 | NVI | 2.9 | 5.0 | 0.643873 | 0.643577 |
| 500 × 500, 33 clusters, noise 0.5, `n_starts=8` | NVI | | 2.4 | | 0.643577 |

On noisy draws, `point_estimate` with 16 starts takes longer than 16 runs of salso but finds a
smaller loss. With eight starts `point_estimate` also finds a smaller loss.

## Several partitions for a posterior

The table compares WASABI 1.0 with `representative_partitions` at its defaults. WASABI uses
`WASABI_multistart` with 8 starts, the initialisation "++" and salso. Each program uses one thread
and 1,000 draws of the posteriors in the examples of salso and mcclust.ext. The loss is the mean VI
between a draw and its nearest partition.

| posterior | partitions | WASABI: seconds | coassoc: seconds | WASABI: loss | coassoc: loss |
|---|---:|---:|---:|---:|---:|
| galaxies, 82 items | 2 | 1.7 | 2.8 | 0.893680 | 0.891336 |
| galaxies, 82 items | 3 | 1.8 | 2.9 | 0.889755 | 0.876136 |
| galaxies, 82 items | 4 | 2.2 | 3.9 | 0.878191 | 0.863171 |
| iris, 150 items | 2 | 5.6 | 3.6 | 1.514066 | 1.514066 |
| iris, 150 items | 3 | 5.4 | 4.9 | 1.475753 | 1.457621 |
| iris, 150 items | 4 | 5.8 | 7.4 | 1.428257 | 1.428257 |
| ex1, 200 items | 2 | 5.5 | 4.7 | 0.733811 | 0.730689 |
| ex1, 200 items | 3 | 5.3 | 6.3 | 0.713654 | 0.709780 |
| ex1, 200 items | 4 | 5.2 | 8.5 | 0.708068 | 0.703103 |
| ex2, 200 items | 2 | 8.2 | 5.2 | 0.934040 | 0.931537 |
| ex2, 200 items | 3 | 7.3 | 7.2 | 0.917000 | 0.915758 |
| ex2, 200 items | 4 | 10.3 | 7.7 | 0.911420 | 0.905963 |
"""


def page(lines: pd.DataFrame) -> str:
    """The page of kept lines."""
    about: Mapping[str, Any] = json.loads(lines["about"].iloc[0])
    named = "; ".join(
        ", ".join(f"{name} {version}" for name, version in versions.items())
        for versions in about["versions"].values()
    )
    text = HEAD.format(**about, named=named).splitlines()
    for case in sorted(set(lines["case"]), key=list(CASES).index):
        part = lines[lines["case"] == case]
        text += [
            "",
            f"## {case}",
            "",
            f"The label table has {part['rows'].iloc[0]:,} distinct rows.",
            "",
            "| program | nearest method | seconds | MB | ARI | NMI | VI |",
            "|---|---|---:|---:|---:|---:|---:|",
        ]
        for line in part.astype(object).fillna("").to_dict("records"):
            row = f"| {line['program']} | {PEERS[line['program']].like} |"
            if line["failure"]:
                text.append(f"{row} {line['failure']} | | | | |")
                continue
            few = "" if line["clusters"] == N_CLUSTERS else f" ({line['clusters']:.0f} clusters)"
            numbers = f"{line['seconds']:.3g} | {line['megabytes']:,.0f} | {line['ARI']:.3f}{few}"
            text.append(f"{row} {numbers} | {line['NMI']:.3f} | {line['VI']:.3f} |")
    if missing := [name for name in CASES if name not in set(lines["case"])]:
        text += ["", f"Not measured on that day: {', '.join(missing)}."]
    return "\n".join([*text, ""]) + SOFT


def main() -> None:
    """Measure and keep, or write the page."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--page", action="store_true", help="write the page from the kept lines")
    parser.add_argument("--cases", nargs="+", default=list(CASES), choices=list(CASES))
    options = parser.parse_args()
    if not options.page:
        today = str(datetime.datetime.now(datetime.UTC).date())
        about = {"date": today, **LIMITS._asdict(), "versions": versions()}
        told = json.dumps(about, ensure_ascii=False)
        kept = pd.read_csv(KEPT, dtype={"commit": str}).fillna({"failure": ""})
        lines: list[Line] = kept[kept["about"] == told].to_dict("records")
        places = {name: place for place, name in enumerate([*CASES, *PEERS])}
        for name in options.cases:
            for line in lines_of(name, lines):
                print(line, flush=True)
                lines.append({**line, "about": told, "commit": commit()})
                lines.sort(key=lambda line: (places[line["case"]], places[line["program"]]))
                table = pd.DataFrame(lines)
                table.to_csv(KEPT, index=False, float_format="%.6g", lineterminator="\n")
    PAGE.write_text(page(pd.read_csv(KEPT)), encoding="utf-8")


if __name__ == "__main__":
    main()
