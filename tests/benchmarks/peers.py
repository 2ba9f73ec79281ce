"""Other programs and this one on the same labels: the page ``docs/peers.md``.

    cd tests && python -m benchmarks.peers --python ../build/peers/bin/python
    cd tests && python -m benchmarks.peers --page

The programs are no dependencies: `--python` is the interpreter of an environment with
``envs/peers.txt``, and R is that of the machine, with the packages of Debian that the page names.
Each fit is a process of its own on one thread. The first command measures and keeps the lines in
``results-published/peers.csv``, the second writes the page from them alone.
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
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

import coassoc
from benchmarks.fresh import SOURCE
from benchmarks.large import N_CLUSTERS, Case, planted
from coassoc import Ensemble
from coassoc.confidence import agreement_with_base
from coassoc.metrics import adjusted_rand_index, contingency_table

ROOT = SOURCE.parent
KEPT, PAGE = ROOT / "results-published/peers.csv", ROOT / "docs/peers.md"

#: Name → samples and base clusterings. The sizes that are no powers of ten are those at which users
#: of other programs reported that memory or time ran out.
CASES = {
    "10³ × 20": (Case(1_000, 4, 5, 40), 20),
    "10⁴ × 20": (Case(10_000, 4, 5, 40), 20),
    "40,000 × 100": (Case(40_000, 2, 4, 12), 100),
    "10⁵ × 20": (Case(100_000, 4, 5, 40), 20),
    "150,000 × 20": (Case(150_000, 2, 6, 25), 20),
    "239,847 × 8": (Case(239_847, 4, 5, 40), 8),
    "10⁶ × 20": (Case(1_000_000, 2, 6, 25), 20),
    "2 · 10⁶ × 10": (Case(2_000_000, 2, 6, 25), 10),
}


class Peer(NamedTuple):
    """A program: what it imports, and the line that makes `found` of `labels` and `c`."""

    #: "python", "R", or "coassoc" for this one.
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
        for name in ("EAC-AL", "CSPA", "HGPA", "MCLA", "HBGF", "K-modes", "KCC-Uc", "VOTE")
    },
    "fastcluster (Python), average": Peer(
        "python",
        _SQUAREFORM + "import fastcluster\nfrom scipy.cluster.hierarchy import fcluster",
        _DISTANCES + "found = fcluster(fastcluster.linkage(D, 'average'), c, 'maxclust')",
        "EAC-AL",
    ),
    "SciPy, average": Peer(
        "python",
        _SQUAREFORM + "from scipy.cluster.hierarchy import fcluster, linkage",
        _DISTANCES + "found = fcluster(linkage(D, 'average'), c, 'maxclust')",
        "EAC-AL",
    ),
    "scikit-learn, average": Peer(
        "python",
        _SQUAREFORM + "from sklearn.cluster import AgglomerativeClustering",
        _DISTANCES + "found = AgglomerativeClustering(c, metric='precomputed', linkage='average')"
        ".fit_predict(squareform(D))",
        "EAC-AL",
    ),
    "scikit-learn, k-means of memberships": Peer(
        "python",
        "from sklearn.cluster import KMeans",
        f"{_SHARES}.astype(float)\nfound = KMeans(c, n_init=10, random_state=0).fit_predict(Z)",
        "KCC-Uc",
    ),
    **{
        f"ensembleclustering, {solver.upper()}": Peer(
            "python",
            "import ensembleclustering",
            f"found = ensembleclustering.cluster_ensembles(labels.T, nclass=c, solver={solver!r}, "
            "random_state=0)",
            solver.upper(),
        )
        for solver in ("cspa", "hgpa", "mcla", "hbgf")
    },
    "kmodes": Peer(
        "python",
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
    "R stats, hclust": Peer(
        "R", "", f"{_R_DISTANCES}found <- cutree(hclust(D, 'average'), c)", "EAC-AL"
    ),
    "R fastcluster": Peer(
        "R",
        "library(fastcluster)",
        f"{_R_DISTANCES}found <- cutree(fastcluster::hclust(D, 'average'), c)",
        "EAC-AL",
    ),
    "R cluster, agnes": Peer(
        "R",
        "library(cluster)",
        f"{_R_DISTANCES}found <- cutree(as.hclust(agnes(D, TRUE, 'average')), c)",
        "EAC-AL",
    ),
}
#: Packages whose versions the page names.
PYTHON_PACKAGES = (
    *("numpy", "fastcluster", "scipy", "scikit-learn", "ensembleclustering", "kmodes"),
    *("consensusclustering", "pyckmeans"),
)
R_PACKAGES = ("clue", "fastcluster", "cluster", "ConsensusClusterPlus")

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
            return f"more than {self.seconds} s"
        short = ("MemoryError", "cannot allocate", "Cannot allocate", "bad_alloc", "too large")
        lacks = any(words in done.stderr for words in short) or done.returncode == -signal.SIGSEGV
        return f"more than {self.gigabytes} GB" if lacks else None


def measured(
    peer: Peer, stem: Path, labels: np.ndarray, python: str, limits: Limits
) -> dict[str, Any]:
    """Seconds and megabytes of a fit whose labels lie beside `stem`, or why there are none."""
    frame = (R if peer.runs_in == "R" else PYTHON).format(load=peer.load, fit=peer.fit)
    call = ["Rscript", "-e"] if peer.runs_in == "R" else [python, "-c"]
    if peer.runs_in == "coassoc":
        call[0] = sys.executable
    threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
    paths = {"PYTHONPATH": str(SOURCE)} if peer.runs_in == "coassoc" else {}
    done = subprocess.run(
        [*call, frame, str(stem), str(N_CLUSTERS), *map(str, labels.shape)],
        env={**os.environ, **threads, **paths},
        capture_output=True,
        text=True,
        preexec_fn=limits.set,
        check=False,
    )
    if done.returncode:
        said = [line for line in done.stderr.splitlines() if "rror" in line]
        last = said[-1][:120] if said else f"exit status {done.returncode}"
        return {"failure": limits.exceeded_by(done) or last}
    return json.loads(done.stdout.splitlines()[-1])


def lines_of(
    name: str, python: str, limits: Limits, beyond: dict[str, str]
) -> Iterator[dict[str, Any]]:
    """Measurements of all programs on one case, but those that were beyond a limit before.

    What is beyond a limit now is added to `beyond`: program → words for later cases.
    """
    case, m = CASES[name]
    labels, classes = planted(case, m)
    base = Ensemble(labels)
    known = {"case": name, "rows": base.microclusters.count}
    with tempfile.TemporaryDirectory() as folder:
        stem = Path(folder, "labels")
        np.save(f"{stem}.npy", labels.astype(np.int32))
        labels.T.astype(np.int32).tofile(f"{stem}.int")
        for program, peer in PEERS.items():
            line = {**known, "program": program, "like": peer.like}
            if program in beyond:
                line["failure"] = beyond[program]
            else:
                line |= measured(peer, stem, labels, python, limits)
            if "failure" in line:
                if line["failure"].startswith("more than"):
                    beyond.setdefault(program, f"{line['failure']} for {name}")
            else:
                found = np.fromfile(f"{stem}.found", dtype=np.int32)
                line["ARI"] = adjusted_rand_index(contingency_table(classes, found))
                line["NMI"] = float(agreement_with_base(base, found).mean())
                line["clusters"] = len(np.unique(found))
            print(line, flush=True)
            yield line


def versions(python: str) -> dict[str, str]:
    """Versions of the programs; "–" where one is not installed."""
    code = (
        "import importlib.metadata as m, json, sys\nfound = {}\nfor p in sys.argv[1:]:\n"
        "    try: found[p] = m.version(p)\n    except m.PackageNotFoundError: found[p] = '–'\n"
        "print(json.dumps(found))"
    )
    made = json.loads(subprocess.check_output([python, "-c", code, *PYTHON_PACKAGES], text=True))
    for package in R_PACKAGES:
        code = f"cat(tryCatch(as.character(packageVersion('{package}')), error = function(e) '–'))"
        made[f"R {package}"] = subprocess.check_output(["Rscript", "-e", code], text=True)
    version = "cat(R.version$major, R.version$minor, sep = '.')"
    made["R"] = subprocess.check_output(["Rscript", "-e", version], text=True)
    return {"coassoc": coassoc.__version__, "Python": platform.python_version(), **made}


HEAD = """\
# Beside other programs

Measured on {date}, on one thread of a machine that did other work too. Seconds are processor time
of the fit, without loading the program; MB is the peak memory of the whole process. This library
loads parts of itself when they are first used, so a fit of 60 rows goes before. A fit may take
{seconds} s and {gigabytes} GB. Where one failed, its line has the error message or the limit that
was exceeded. “For 10³ × 20” or the like after a limit means that the program exceeded it there and
was not tried on more samples; “not measured” means that it was not run.

The labels are the same for all: Voronoi partitions of a mixture of ten Gaussians (`planted` in
`tests/benchmarks/large.py`), and ten clusters are wanted. ARI is with the components of the
mixture, and NMI the mean with the base clusterings, which some of the methods maximise. “Like”
names the method of this library that does the same, or what comes nearest to it.

Of the other programs only ensembleclustering and R's clue combine clusterings. kmodes clusters the
rows of labels as categories. The others are general programs, which get from a few lines of code
what is made of the labels: linkages (fastcluster, SciPy, scikit-learn, hclust, agnes) the distances
1 − co-association of all pairs of samples, and k-means the memberships in all base clusters. Time
and memory include these lines.

consensusclustering, pyckmeans and R's ConsensusClusterPlus make their own clusterings of features
and combine no given labels, so they have no line. openensembles has none because its dependencies
were still being built after ten minutes, salso and diceR because Debian has no package of them.

Versions: {named}.

`make peers` measures anew and writes this page; the lines are in
[peers.csv](../results-published/peers.csv).
"""


def page(lines: pd.DataFrame) -> str:
    """The page of kept lines."""
    about: Mapping[str, Any] = json.loads(lines["about"].iloc[0])
    named = ", ".join(f"{name} {version}" for name, version in about["versions"].items())
    for (case, other), part in lines.groupby(["case", "about"], sort=False):
        new = set(json.loads(other)["versions"].items()) - set(about["versions"].items())
        if new:
            which = {PEERS[program].runs_in.title() for program in part["program"]}
            found = ", ".join(f"{name} {version}" for name, version in sorted(new))
            named += f"; the other {' and '.join(sorted(which))} programs had {found} at {case}"
    text = HEAD.format(**about, named=named).splitlines()
    for case, part in lines.groupby("case", sort=False):
        text += [
            "",
            f"## {case}",
            "",
            f"{part['rows'].iloc[0]:,} distinct rows.",
            "",
            "| program | like | s | MB | ARI | NMI |",
            "|---|---|---:|---:|---:|---:|",
        ]
        for line in part.to_dict("records"):
            row = f"| {line['program']} | {line['like']} |"
            if isinstance(line["failure"], str):
                text.append(f"{row} {line['failure']} | | | |")
                continue
            few = "" if line["clusters"] == N_CLUSTERS else f" ({line['clusters']:.0f} clusters)"
            numbers = f"{line['seconds']:.3g} | {line['megabytes']:,.0f} | {line['ARI']:.3f}{few}"
            text.append(f"{row} {numbers} | {line['NMI']:.3f} |")
    return "\n".join([*text, ""])


def main() -> None:
    """Measure and keep, or write the page."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--page", action="store_true", help="write the page from the kept lines")
    parser.add_argument("--cases", nargs="+", default=list(CASES), choices=list(CASES))
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--gigabytes", type=int, default=8)
    options = parser.parse_args()
    if not options.page:
        limits = Limits(options.seconds, options.gigabytes)
        beyond: dict[str, str] = {}
        lines = [
            line
            for name in options.cases
            for line in lines_of(name, options.python, limits, beyond)
        ]
        about = {
            "date": str(datetime.datetime.now(datetime.UTC).date()),
            **limits._asdict(),
            "versions": versions(options.python),
        }
        table = pd.DataFrame(lines).assign(about=json.dumps(about, ensure_ascii=False))
        table.to_csv(KEPT, index=False, float_format="%.6g", lineterminator="\n")
    PAGE.write_text(page(pd.read_csv(KEPT)), encoding="utf-8")


if __name__ == "__main__":
    main()
