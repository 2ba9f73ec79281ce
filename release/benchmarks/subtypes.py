"""Level and power of the test for groups in ``coassoc.subtypes``: docs/results/subtypes.md.

    cd release && python -m benchmarks.subtypes --sets 200
    cd release && python -m benchmarks.subtypes --sets 20 --gap

Each round draws one data set of every cell without groups, and tests it with 99 clouds of each
kind, k from 2 to 6. Cells with groups have fewer data sets; see :func:`stride`. Counts are kept in
results-published/subtypes.csv, a line for each cell; stopped, it goes on there. ``--sets 0`` only
writes the tables. ``--gap`` prints what the gap statistic finds in some of the cells.
"""

import argparse
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.stats import norm

from coassoc import use_threads
from coassoc.numerics.seeds import seed_sequence
from coassoc.pools.hartigan import Samples
from coassoc.subtyping.algorithms import KMeans
from coassoc.subtyping.clouds import cloud_test
from coassoc.subtyping.protocol import Protocol
from generated import write_into_page

ROOT = Path(__file__).parents[2]
FOUND, PAGE = ROOT / "results-published/subtypes.csv", ROOT / "docs/results/subtypes.md"
CLOUDS, NUMBERS = 99, (2, 3, 4, 5, 6)
#: Number of boxes of the gap statistic.
BOXES = 19
KEYS = ["kind", "n", "d", "k", "error"]
#: Names of the kinds without groups.
FLAT = {
    "equal": "Gaussian, equal variances",
    "decaying": "Gaussian, variances 1/j",
    "uniform": "uniform",
    "t5": "t₅, multivariate",
}
#: Every cell by its kind, samples, dimensions, groups, and error of the best classifier.
WITHOUT = [(kind, 100, d, 1, 0.0) for d, kind in product((2, 10, 50, 200, 1000), FLAT)]
WITH = [
    ("groups", n, d, k, error)
    for d, n, k, error in product(
        (2, 20, 120, 1000), (40, 100, 400), (2, 3, 4, 6), (0.1, 0.01, 0.001)
    )
]


def stride(cell: tuple) -> int:
    """Number of rounds for each data set of a cell; hard and slow cells have more."""
    kind, n, d, _, error = cell
    if kind != "groups":
        return 1
    if n == 400:
        return 34 if d < 1000 else 67
    return 20 if error == 0.1 else 10


def draw(kind: str, n: int, d: int, k: int, error: float, seed: int) -> np.ndarray:
    """Samples of one kind."""
    generator = np.random.default_rng(seed_sequence(seed, kind, n, d, k, str(error)))
    if kind == "uniform":
        return generator.uniform(size=(n, d))
    X = generator.standard_normal((n, d))
    if kind == "decaying":
        return X / np.sqrt(np.arange(1, d + 1))
    if kind == "t5":
        return X / np.sqrt(generator.chisquare(5, (n, 1)) / 5)
    return X + centres(k, d, error)[np.arange(n) % k] if kind == "groups" else X


def centres(k: int, d: int, error: float) -> np.ndarray:
    """(k, d) means of groups; nearest ones are told from each other with this error.

    A simplex, or in fewer dimensions a triangle, a square, or two rows of three.
    """
    apart = -2 * norm.ppf(error)
    if d >= k:
        return np.eye(k, d) * apart / np.sqrt(2)
    grid = np.array([(0, 0), (1, 0), (0, 1), (1, 1), (0, 2), (1, 2)], dtype=float)[:k]
    return apart * (grid if k != 3 else np.array([(0, 0), (1, 0), (0.5, 0.75**0.5)]))


def outcome(cell: tuple, repeat: int) -> tuple[bool, bool]:
    """Whether more than one group is found, and whether it is most clearly the right number."""
    protocol = Protocol(NUMBERS, 2, 0.8, 1.0, KMeans(), repeat)
    test = cloud_test(draw(*cell, seed=repeat), protocol, CLOUDS)
    rejected = not test.one_group
    return rejected, rejected and f"at {cell[3]} clusters" in test.verdict


def measure(n_sets: int) -> None:
    """Test data sets, until there are so many of every cell, or its share of them."""
    found = pd.read_csv(FOUND).set_index(KEYS) if FOUND.exists() else pd.DataFrame(index=[])
    counts = {cell: [0, 0, 0] for cell in (*WITHOUT, *WITH)}
    counts |= {cell: [*row] for cell, row in found.T.items()}
    for sets in range(n_sets):
        for cell in counts:
            if counts[cell][0] * stride(cell) <= sets:
                outcomes = (1, *outcome(cell, counts[cell][0]))
                counts[cell] = [a + int(b) for a, b in zip(counts[cell], outcomes, strict=True)]
        lines = [[*cell, *drawn] for cell, drawn in counts.items()]
        table = pd.DataFrame(lines, columns=[*KEYS, "sets", "rejected", "right"])
        table.to_csv(FOUND, index=False, lineterminator="\n")


def gap(cell: tuple, repeat: int) -> tuple[bool, bool]:
    """The same of the gap statistic: the first k no worse than the next by its standard error."""
    X = draw(*cell, seed=repeat)
    generator = np.random.default_rng(seed_sequence(repeat, "gap"))
    centred = X - X.mean(axis=0)
    axes = np.linalg.svd(centred, full_matrices=False)[2]
    low, high = (extreme(centred @ axes.T, axis=0) for extreme in (np.min, np.max))
    boxes = [generator.uniform(low, high, (len(X), len(axes))) @ axes for _ in range(BOXES)]

    def logs(data: np.ndarray) -> list[float]:
        numbers = (1, *NUMBERS, NUMBERS[-1] + 1)
        return [np.log(Samples(data).cluster(k, 5, generator)[1]) for k in numbers]

    null = np.array([logs(box) for box in boxes])
    gaps = null.mean(axis=0) - logs(centred)
    error = null.std(axis=0) * np.sqrt(1 + 1 / BOXES)
    first = np.flatnonzero(gaps[:-1] >= gaps[1:] - error[1:])
    k = int(first[0]) + 1 if len(first) else NUMBERS[-1]
    return k > 1, k == cell[3]


#: Cells in which the gap statistic is tried.
SOME = [*(("equal", 100, d, 1, 0.0) for d in (2, 50)), ("uniform", 100, 2, 1, 0.0)]
SOME += [("groups", 100, d, k, 0.01) for d, k in product((2, 20, 120), (2, 4))]


def shares(lines: pd.DataFrame, *names: str) -> str:
    """Shares of the sets of some cells, and their number."""
    sets = lines["sets"].sum()
    return f"{', '.join(f'{lines[name].sum() / sets:.2f}' for name in names)} ({sets})"


def tables(found: pd.DataFrame) -> str:
    """Level by kind and dimension; power and the right number by size, in Markdown."""
    found = found[found["sets"] > 0]
    flat, groups = found[found["k"] == 1], found[found["k"] > 1]
    level = {
        f"d = {d:,}": [shares(part[part["kind"] == kind], "rejected") for kind in FLAT]
        for d, part in flat.groupby("d")
    }
    power = {
        f"error {100 * error:.1f} %, n = {n}, {k} groups": {
            f"d = {d:,}": shares(cell, "rejected", "right") for d, cell in part.groupby("d")
        }
        for (error, n, k), part in groups.groupby(["error", "n", "k"])
    }
    without = pd.DataFrame(level, index=pd.Index(FLAT.values(), name="data without groups"))
    with_groups = pd.DataFrame(power).T.rename_axis("data with groups")
    return f"{markdown(without)}\n\n{markdown(with_groups)}"


def markdown(table: pd.DataFrame) -> str:
    """A table in Markdown."""
    rows = [[table.index.name, *table.columns], [":--", *["--:"] * table.shape[1]]]
    rows += [[name, *row] for name, row in zip(table.index, table.to_numpy(), strict=True)]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", type=int, required=True)
    parser.add_argument("--gap", action="store_true")
    asked = parser.parse_args()
    with use_threads(1):
        if asked.gap:
            for cell in SOME:
                print(cell, np.mean([gap(cell, r) for r in range(asked.sets)], axis=0), flush=True)
            return
        measure(asked.sets)
    name = "generated by release/benchmarks/subtypes.py"
    write_into_page(PAGE, name, tables(pd.read_csv(FOUND)))


if __name__ == "__main__":
    main()
