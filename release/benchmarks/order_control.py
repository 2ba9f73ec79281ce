"""What the order of the samples alone gives LTA: results-published/order_control.csv.

    cd release && python -m benchmarks.order_control ../results-published/order_control.csv

Each repeat draws 400 samples of scikit-learn's digits and 20 base clusterings of them, by k-means
with 2 to 20 clusters. LTA then gets the same rows of labels in three orders: shuffled; class by
class, and inside each class shuffled; and cluster by cluster of its own consensus of the shuffled
rows, inside each cluster shuffled. Only the position of a row differs between the orders. Spectral
clustering of the co-association matrix (CA-SC) shows what the rows give without their positions.
"""

import argparse
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.datasets import load_digits

from coassoc.methods import METHODS
from coassoc.metrics import accuracy, contingency_table
from coassoc.numerics.seeds import seed_from_names, seed_sequence
from coassoc.pools.generation import generate_pool
from reproduction.pages import write_numbers

N, M, REPEATS = 400, 20, 10
#: The default weight suits larger data, so the larger one of the analysis of orders is added.
METHODS_COMPARED = {
    "CA-SC": ("CA-SC", {}),
    "LTA-SC": ("LTA-SC", {}),
    "LTA-SC (lambda=0.02)": ("LTA-SC", {"lam": 0.02}),
}


def grouped(labels: NDArray, rng: np.random.Generator) -> NDArray:
    """An order of the samples, group by group, and random inside each group."""
    shuffled = rng.permutation(len(labels))
    return shuffled[np.argsort(labels[shuffled], kind="stable")]


def scores_of(repeat: int) -> list[dict[str, object]]:
    """Accuracies of the methods in each order of one draw of samples and base clusterings."""
    rng = np.random.default_rng(seed_sequence(0, "order control", repeat))
    X, y = load_digits(return_X_y=True)
    drawn = rng.permutation(len(y))[:N]
    X, y = X[drawn], y[drawn]
    pool = generate_pool(X, size=M, random_state=0, names=("order control", str(repeat)))
    seed = seed_from_names(0, "order control", repeat)
    lines = []
    for label, (name, parameters) in METHODS_COMPARED.items():
        make = partial(METHODS[name].factory, **parameters)

        def fit(order: NDArray, make: Callable[..., Any] = make) -> NDArray:
            labels = np.empty(N, int)
            labels[order] = make(n_clusters=10, random_state=seed).fit_predict(pool[order])
            return labels

        shuffled = fit(np.arange(N))  # drawn in a random order
        found = {"shuffled": shuffled, "classes": fit(grouped(y, rng))}
        found["own consensus"] = fit(grouped(shuffled, rng))
        for order, labels in found.items():
            score = round(float(accuracy(contingency_table(y, labels))), 6)
            lines.append({"repeat": repeat, "label": label, "order": order, "ACC": score})
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("csv", type=Path)
    lines = [line for repeat in range(REPEATS) for line in scores_of(repeat)]
    write_numbers(parser.parse_args().csv, pd.DataFrame(lines))


if __name__ == "__main__":
    main()
