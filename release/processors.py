"""Measure which methods give other labels on other processors.

    cd release && python processors.py

BLAS and NumPy choose their code by the processor. Each kind of processor that this one can stand in
for is set by their variables, for a process that fits all methods. The counts are kept in
results-published/processors.csv and shown in docs/results/processors.md.
"""

from __future__ import annotations

import os
import subprocess
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import joblib
import numpy as np
import pandas as pd

from coassoc import CoassocError, use_threads
from coassoc.bench.audit_ensembles import DATASETS, Case, cases, coarse_cases
from coassoc.bench.benchmark import Benchmark
from coassoc.methods import METHODS
from coassoc.metrics import adjusted_rand_index, contingency_table
from coassoc.partition.labels import canonical_labels
from generated import write_into_page
from reproduction.pages import write_numbers
from ties import fit

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "results-published/processors.csv"
PAGE = ROOT / "docs/results/processors.md"
#: Kernels of OpenBLAS, and what NumPy must not use on such a processor. The first are the pinned.
PROCESSORS = {
    "Haswell": "X86_V4",
    "SkylakeX": "",
    "Sandybridge": "X86_V3 X86_V4",
    "Nehalem": "X86_V3 X86_V4",
    "Prescott": "X86_V3 X86_V4",
}
#: Draws of each data set.
DRAWS = 5

Labels = dict[tuple[str, str, int], np.ndarray]


def ensembles() -> Iterator[Case]:
    """Base clusterings of three data sets by k-means, and small ensembles with many equal rows."""
    for draws in cases(Benchmark(DATASETS, DRAWS, see_features=True)).values():
        yield from draws
    yield from coarse_cases()


def fit_all(path: str) -> None:
    """Keep the labels by every method in a file."""
    warnings.simplefilter("ignore")
    labels: Labels = {}
    with use_threads(1):
        for name in METHODS:
            for case in ensembles():
                try:
                    labels[name, case.name, case.number] = canonical_labels(fit(name, case))
                except CoassocError:
                    continue
            print(name, flush=True)
    joblib.dump(labels, path)


def labels_on(processor: str, path: Path) -> Labels:
    """Labels by every method as such a processor gives them."""
    variables = {
        "OPENBLAS_CORETYPE": processor,
        "NPY_DISABLE_CPU_FEATURES": PROCESSORS[processor],
    }
    words = [sys.executable, __file__, str(path)]
    subprocess.run(words, env=os.environ | variables, check=True)
    return joblib.load(path)


def compared(pinned: Labels, other: Labels) -> pd.DataFrame:
    """How many partitions of each method differ from those of the pinned kernels, and how far."""
    pairs = [(pinned[key], other[key]) for key in pinned]
    fits = pd.DataFrame(
        {
            "method": [name for name, _, _ in pinned],
            "ensembles": ["coarse" if of == "coarse" else "k-means" for _, of, _ in pinned],
            "differs": [not np.array_equal(*pair) for pair in pairs],
            "ARI": [adjusted_rand_index(contingency_table(*pair)) for pair in pairs],
        }
    )
    groups = fits.assign(ARI=fits["ARI"].where(fits["differs"])).groupby(
        ["method", "ensembles"], sort=False, as_index=False
    )
    return groups.agg(fits=("differs", "size"), differ=("differs", "sum"), ari=("ARI", "mean"))


def page_table(results: pd.DataFrame) -> str:
    """The methods with some difference, and on how many ensembles of each kind."""
    processors = [*results["processor"].unique()]
    fits = results.groupby("ensembles", sort=False)["fits"].first()
    counts = results.pivot_table("differ", "method", ["ensembles", "processor"], sort=False)
    counts = counts[counts.any(axis=1)].astype(int)
    kinds = [f"{kind}: {x}" for kind in fits.index for x in processors]
    lines = [f"| method | {' | '.join(kinds)} |", f"| :-- |{' --: |' * len(kinds)}"]
    order = [(kind, x) for kind in fits.index for x in processors]
    lines += [f"| {name} | {' | '.join(map(str, row[order]))} |" for name, row in counts.iterrows()]
    same = results["method"].nunique() - len(counts)
    number = " and ".join(f"{fits[kind]} fits on {kind} ensembles" for kind in fits.index)
    return (
        f"The labels of {same} methods were the same in all fits. For each other method, the table "
        f"counts the fits with different labels, out of {number}:\n\n" + "\n".join(lines)
    )


def main() -> None:
    """Write the results."""
    pinned, *others = PROCESSORS
    with TemporaryDirectory() as folder:
        labels = {x: labels_on(x, Path(folder, x)) for x in PROCESSORS}
    tables = {x: compared(labels[pinned], labels[x]) for x in others}
    table = pd.concat(tables, names=["processor"]).reset_index("processor")
    write_numbers(RESULTS, table.rename(columns={"ari": "ARI where they differ"}).round(4))
    write_into_page(PAGE, "generated by release/processors.py", page_table(table))


if __name__ == "__main__":
    fit_all(sys.argv[1]) if len(sys.argv) > 1 else main()
