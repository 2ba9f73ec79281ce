"""What a race misses: races replayed on the scores of full grids.

    cd release && python -m benchmarks.racing ARI EC-CMS ../results/scores/*/*.parquet

The files have the scores of targets, with full grids of the method. A race is replayed on its
repeats in the stored order and in a hundred random orders, which are as many races on draws of the
same kind. Printed is the share of fits that they took, how many ended at the point that is best on
all repeats, and by how much the others miss its mean score.
"""

import sys

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from coassoc.bench.racing import fits_of_race, race
from reproduction.scores.files import collect_scores

ORDERS = 100


def grid_scores(lines: pd.DataFrame, score: str) -> NDArray[np.float64]:
    """(points, repeats) scores of all points, those that are in two runs once."""
    wide = lines.pivot_table(index="parameters", columns="repeat", values=score, sort=False)
    return wide.dropna(axis=1).to_numpy()


def winner(scores: NDArray[np.float64]) -> int:
    """The point that wins a race on the repeats in their order."""
    n_points, n_repeats = scores.shape
    scored = race(n_points, n_repeats, lambda p, r: [float(scores[p, :r].mean())])
    finalists = [p for p, repeats in scored.items() if repeats == n_repeats]
    return max(finalists, key=lambda p: scores[p].mean())


def replayed(name: str, scores: NDArray[np.float64]) -> dict[str, str | float]:
    """One line of the report."""
    best = scores.mean(axis=1).max()
    generator = np.random.default_rng(0)
    orders = (generator.permutation(scores.shape[1]) for _ in range(ORDERS))
    missed = np.array([best - scores[winner(scores[:, order])].mean() for order in orders])
    return {
        "grid": name,
        "points × repeats": f"{scores.shape[0]} × {scores.shape[1]}",
        "share of fits": fits_of_race(*scores.shape) / scores.size,
        "missed in the stored order": best - scores[winner(scores)].mean(),
        "orders with the best point": f"{np.mean(missed < 1e-12):.0%}",
        "missed on average": missed.mean(),
        "missed at most": missed.max(),
    }


def main(score: str, method: str, paths: list[str]) -> None:
    """Print a table of all grids."""
    scores = collect_scores(paths)
    grids = scores[scores["method"] == method].groupby(["dataset", "pool", "m"])
    lines = [
        replayed(f"{method} on {' '.join(map(str, place))}", grid_scores(grid, score))
        for place, grid in grids
    ]
    print(pd.DataFrame(lines).to_markdown(index=False, floatfmt=".4f"))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3:])
