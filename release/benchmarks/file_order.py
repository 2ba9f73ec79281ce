"""Which published base clusterings are sorted by class: results-published/file_order.csv.

    cd release && python -m benchmarks.file_order ../data/pools ../results-published/file_order.csv

The folder has the pools that others published (`data/pools/{pool}/{dataset}.h5`, made
by the workflow). Their shuffled copies are left out. `changes` counts the neighbouring samples
of different classes, `fewest` is their number in a sorted file, and `shuffled` their mean over
all orders.
"""

import argparse
from pathlib import Path

import numpy as np
import pandas as pd

from coassoc.bench.storage.hdf5 import read_pool
from reproduction.pages import write_numbers


def changes_of_class(classes: np.ndarray) -> dict[str, float]:
    """Changes between neighbours in a file, in a sorted one, and in the mean over all orders."""
    n, sizes = len(classes), np.unique(classes, return_counts=True)[1]
    pairs_within = (sizes * (sizes - 1)).sum() / (n * (n - 1))
    changes = int((classes[1:] != classes[:-1]).sum())
    shuffled = round((n - 1) * (1 - pairs_within), 1)
    return {"n": n, "changes": changes, "fewest": len(sizes) - 1, "shuffled": shuffled}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pools", type=Path)
    parser.add_argument("csv", type=Path)
    given = parser.parse_args()
    paths = sorted(given.pools.glob("published*/*.h5"))
    files = [path for path in paths if "-shuffled" not in path.parent.name]
    about = [{"pool": file.parent.name, "dataset": file.stem} for file in files]
    found = [changes_of_class(np.asarray(read_pool(file).classes)) for file in files]
    write_numbers(given.csv, pd.concat([pd.DataFrame(about), pd.DataFrame(found)], axis=1))


if __name__ == "__main__":
    main()
