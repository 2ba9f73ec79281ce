"""Scores on new pools and recipes of base clusterings: results-published/pools.csv.

    cd release && COASSOC_MIRROR=… python -m benchmarks.pools FOLDER [--pools 10] [--only Ecoli]

A published score is a mean over draws of base clusterings from one pool, made by one recipe. This
experiment repeats all three: recipes that a paper's description allows, pools of each recipe, and
draws from each pool. A file in FOLDER holds the scores of one pool; stopped, it goes on where it
was. At the end the scores join those in results-published/kept/pools.parquet, whose pools are not
made again.
"""

import argparse
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd

from coassoc.bench.datasets.prepare import prepare, prepare_local
from coassoc.bench.datasets.registry import load_datasets
from coassoc.bench.datasets.sources import fetch, mirror_directory
from coassoc.bench.pools.settings import load_pools
from coassoc.bench.provenance import commit
from coassoc.io.atomic import write_bytes, write_text
from coassoc.methods import METHODS
from coassoc.metrics import score_partition
from coassoc.numerics.seeds import seed_from_names
from coassoc.pools.base_clusterings import Recipe
from coassoc.pools.generation import generate_pool
from reproduction.pools.published import read_published

PROJECT = Path(__file__).parents[2]
KEPT = PROJECT / "results-published/kept/pools.parquet"
PLUS = {"init": "k-means++"}
#: Of EC-CMS's Table IV, at the defaults; the paper's own method is the first.
_ECCMS = (
    *("EC-CMS", "LWEA", "LWGP", "PTA-AL", "PTA-CL", "PTGP", "ECPCS-HC", "ECPCS-MC", "EAC-AL"),
    "DREC",
)
_OF_CLASSES = (
    *("RCE", "HCLCE", "ACMK-SC", "KC", "CSPA", "HGPA", "MCLA", "NMFC", "GWCA", "BCE", "RMSC"),
    *("LWEA", "LWGP", "DREC"),
)
SCALES = ("raw", "unit", "standardised")


@dataclass(frozen=True)
class Design:
    """One paper's way of making ensembles, with the recipes that its text allows.

    A pool has `size` base clusterings; `draws` ensembles of m are drawn from it at random, or, if
    size = m, the pool is the ensemble.
    """

    name: str
    datasets: tuple[str, ...]
    recipes: dict[str, Recipe]
    methods: tuple[str, ...]
    size: int
    m: int
    draws: int
    shuffled: bool = False


DESIGNS = (
    Design(
        "eccms",
        ("Ecoli", "Aggregation", "SPF", "UMIST"),
        {"as described": Recipe(), "k-means++": Recipe(parameters=PLUS), "authors' k": Recipe()},
        _ECCMS, 100, 20, 20,
    ),
    Design(
        "classes",
        ("Yale", "JAFFE", "Glass", "GLIOMA", "ORL"),
        {
            f"{scale}, {'k-means++' if plus else 'random'}, {n_init} starts": Recipe(
                k="classes", preprocessing=scale, parameters={"n_init": n_init, **(plus or {})}
            )
            for scale in SCALES
            for plus in (None, PLUS)
            for n_init in (1, 10)
        },
        _OF_CLASSES, 10, 10, 1,
    ),
    Design("lta", ("Ecoli", "BinAlpha", "Semeion"), {"as described": Recipe()},
           ("LTA-SC", "LWEA", "LWGP"), 100, 10, 5, shuffled=True),
)  # fmt: skip


@cache
def features(name: str):
    """A prepared data set of the catalogue."""
    entry = load_datasets(PROJECT / "config/datasets.yaml")[name]
    if entry.is_local:
        return prepare_local(entry, PROJECT)
    return prepare(entry, *fetched(name, entry.sources))


def fetched(name: str, sources, *accept):
    """The first source that is available, and the paths of its files."""
    folder = PROJECT / "build/pools-experiment"
    record = fetch(name, sources, folder, mirror_directory(), *accept)
    return sources[record["source"]], [folder / file["path"] for file in record["files"]]


@cache
def numbers_of_authors(name: str) -> list[int]:
    """The numbers of clusters in the published pool of a data set."""
    published = load_pools(PROJECT / "config/pools.yaml")["published"].files[name]
    labels, _ = read_published(*fetched(name, [published], read_published))
    return [len(np.unique(column)) for column in labels.T]


def scores(design: Design, dataset: str, recipe: str, number: int) -> Iterator[dict]:
    """A line for each draw and method on one new pool."""
    data, about = features(dataset), design.recipes[recipe]
    names = ("pools", design.name, dataset, recipe, str(number))
    recipes = [about]
    if recipe == "authors' k":
        recipes = [replace(about, k=k) for k in numbers_of_authors(dataset)]
    c = int(data.y.max()) + 1
    pool = generate_pool(data.X, recipes, size=design.size, n_classes=c, names=names)
    for draw in range(design.draws):
        rng = np.random.default_rng(seed_from_names(*names, str(draw)))
        columns = np.sort(rng.choice(design.size, design.m, replace=False))
        orders = {"file": np.arange(len(pool))}
        if design.shuffled:
            orders["shuffled"] = rng.permutation(len(pool))
        for order, rows in orders.items():
            labels = pool[rows][:, columns]
            X = data.X.toarray() if hasattr(data.X, "toarray") else data.X
            for method in design.methods:
                estimator = METHODS[method](n_clusters=c, random_state=draw)
                given = {"X": np.asarray(X, float)[rows]} if method.startswith("ACMK") else {}
                found = estimator.fit(labels, **given).labels_
                line = score_partition(data.y[rows], found)
                yield {
                    "design": design.name, "dataset": dataset, "recipe": recipe, "pool": number,
                    "draw": draw, "order": order, "method": method,
                    **{key: round(line[key], 6) for key in ("ACC", "NMI", "ARI")},
                }  # fmt: skip


def main() -> None:
    """Measure pool after pool, the first of every recipe and data set before the second."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--pools", type=int, default=10)
    parser.add_argument("--only", nargs="*", default=[], help="designs or data sets")
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    kept = pd.read_parquet(KEPT)
    keys = ["design", "dataset", "recipe", "pool"]
    known = {*kept[keys].itertuples(index=False, name=None)}
    for number in range(given.pools):
        for design in DESIGNS:
            for dataset in design.datasets:
                if given.only and not {design.name, dataset} & {*given.only}:
                    continue
                for i, recipe in enumerate(design.recipes):
                    path = given.folder / f"{design.name}-{dataset}-{i}-{number}.csv"
                    if not path.exists() and (design.name, dataset, recipe, number) not in known:
                        lines = pd.DataFrame(scores(design, dataset, recipe, number))
                        lines = lines.assign(commit=commit())
                        write_text(path, lines.to_csv(index=False))
                        print(path.stem, flush=True)
    parts = [pd.read_csv(path, dtype={"commit": str}) for path in given.folder.glob("*-*.csv")]
    scores = pd.concat([kept, *parts]).drop_duplicates([*keys, "draw", "order", "method"])
    scores = scores.sort_values(keys, kind="stable")
    write_bytes(KEPT, scores.to_parquet(index=False, write_page_checksum=True))


if __name__ == "__main__":
    main()
