"""Level and power of the null from features, by dimension: results-published/nulls.csv.

    cd release && python -m benchmarks.nulls FOLDER

Each round tests one cloud of every kind at the level of 5 % with 199 draws, first those without
groups, and keeps the outcome in a file of its own in FOLDER; stopped, it goes on where it was.
FOLDER/nulls.csv counts the outcomes.
"""

import argparse
import json
from dataclasses import dataclass
from functools import partial
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.stats import binomtest

from coassoc.numerics.seeds import seed_from_names, seed_sequence
from coassoc.pools.base_clusterings import Recipe
from coassoc.pools.generation import generate_pool
from coassoc.selection import agreement, gaussian_cloud
from reproduction.pages import write_numbers


@dataclass(frozen=True)
class Cloud:
    """Clouds of n points in d dimensions."""

    #: "Gaussian" (standard), or "groups" (three Gaussians at equal distances).
    shape: str
    n: int
    d: int
    #: Distance between the centres of the groups, in standard deviations.
    distance: float = 0
    repeats: int = 20

    def draw(self, seed: int, repeat: int) -> np.ndarray:
        """The points of one cloud, as an (n, d) array."""
        names = (self.shape, self.n, self.d, repeat)
        generator = np.random.default_rng(seed_sequence(seed, "cloud", *names))
        X = generator.standard_normal((self.n, self.d))
        if self.shape == "groups":
            corners = self.distance * np.array([[0, 0], [1, 0], [0.5, 0.75**0.5]])
            X[:, :2] += corners[np.arange(self.n) % 3]
        return X


#: k-means by moves of single samples, the fastest one here, with 2 to 10 clusters.
RECIPES = [Recipe(clusterer="HartiganKMeans", k=k) for k in range(2, 11)]
GENERATE = partial(generate_pool, recipes=RECIPES, size=len(RECIPES))
DIMENSIONS = (2, 10, 50, 200, 1000)
FLAT = [Cloud("Gaussian", 50, d, repeats=200) for d in DIMENSIONS]
GROUPS = [Cloud("groups", 150, d, apart) for d in DIMENSIONS for apart in (2, 3, 4, 6)]
DRAWS, LEVEL = 199, 0.05


def is_rejected(X, seed: int) -> bool:
    """Whether p of ``structure_test`` is at most the level.

    Draws end with the one that decides: the tenth that agrees as much as the data makes p 11/200.
    """
    cloud = gaussian_cloud(X, random_state=seed)

    def value(features) -> float:
        return agreement(GENERATE(features, random_state=seed))

    observed, reached = value(X), 0
    most = int(LEVEL * (DRAWS + 1)) - 1
    for b in range(DRAWS):
        reached += value(cloud(b)) >= observed - 1e-12
        if reached > most:
            return False
    return True


def count(folder: Path) -> pd.DataFrame:
    """A line for each kind of cloud: how many were tested and rejected, with a 95 % interval."""
    lines = pd.DataFrame([json.loads(path.read_text()) for path in folder.glob("*.json")])
    keys = ["shape", "n", "d", "distance"]
    table = lines.groupby(keys)["rejected"].agg(clouds="size", rejected="sum").reset_index()
    tests = [binomtest(r, c) for r, c in zip(table["rejected"], table["clouds"], strict=True)]
    ends = [test.proportion_ci(method="exact") for test in tests]
    share = table["rejected"] / table["clouds"]
    table = table.assign(share=share, low=[x.low for x in ends], high=[x.high for x in ends])
    return table.round(4)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    folder.mkdir(parents=True, exist_ok=True)
    for kinds in (FLAT, GROUPS):
        for repeat, kind in product(range(kinds[0].repeats), kinds):
            path = folder / f"{kind.shape}_{kind.d}_{kind.distance:g}_{repeat}.json"
            if path.exists():
                continue
            rejected = is_rejected(kind.draw(0, repeat), seed_from_names(0, "null", repeat))
            fields = {"shape": kind.shape, "n": kind.n, "d": kind.d, "distance": kind.distance}
            path.write_text(json.dumps(fields | {"rejected": int(rejected)}))
    write_numbers(folder / "nulls.csv", count(folder))


if __name__ == "__main__":
    main()
