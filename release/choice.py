"""Measure which method suits which kind of ensemble: ``release/choice.py measure|keep FOLDER``.

Every method of :data:`COMPARED` combines an ensemble of each pool of :data:`POOLS`, made of each
data set of the catalogues that has features and classes, and of synthetic ones; of larger ones a
random part of the samples is taken. The folder keeps an ensemble with all labels in a file;
what is there is not measured again, and what is there is what the kept table is made of.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from itertools import combinations
from pathlib import Path
from time import process_time
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from coassoc.datasets.batteries import load_batteries
from coassoc.datasets.prepare import prepare
from coassoc.datasets.registry import DatasetEntry, find_local, load_datasets
from coassoc.datasets.sources import fetch, mirror_directory
from coassoc.ensemble import Ensemble
from coassoc.errors import CoassocError
from coassoc.methods import METHODS
from coassoc.methods.auto import TAKEN
from coassoc.methods.leaders import FEW_ROWS, matched
from coassoc.metrics import score_against
from coassoc.pools.generation import generate_pool
from coassoc.pools.settings import PoolSettings, load_pools
from coassoc.seeds import seed_sequence
from reproduction.choice import AGREED, facts_of, judged, means_of, summary
from reproduction.choice import WITHOUT as WITHOUT_K

#: The score table, and the means of it that the library has.
TABLE = Path("results-published/kept/choice.csv")
MEANS = Path("src/coassoc/methods/choice.csv")
JUDGED = Path("results-published/kept/choice_judged.csv")
POOLS = ("algorithms-c", "kmeans-choice", "subsampled", "algorithms-sqrt", "noise")
#: Methods of labels whose fits of 1,000 distinct rows take at most some ten seconds.
COMPARED = (
    *("EAC-AL", "EAC-CL", "CA-SC", "CSPA", "MCLA", "MDEC-HC", "MDEC-SC", "MDEC-BG", "CEHM", "HBGF"),
    *("U-SENC", "VOTE", "CVote", "K-modes", "KCC-Uc", "KCC-UH", "WEAC", "GP-MGLA", "LCE-CTS"),
    *("LCE-ASRS", "SEC", "KC", "NMFC", "GWCA", "PTA-AL", "PTA-CL", "LWEA", "LWGP", "LWSC", "DREC"),
    *("ECPCS-HC", "ECPCS-MC", "SPCE", "TRCE", "CDEC", "AWEC", "HCLCE", "EC-CMS"),
)
#: Methods that may, or must, choose the number of clusters.
WITHOUT = ("BALLS", "AGGLOMERATIVE", "FURTHEST", "LOCALSEARCH", "PIVOT")
WITHOUT += ("EAC-AL", "EAC-CL", "WEAC", "LWEA", "MDEC-HC")
MOST_SAMPLES, MOST_FEATURES = 500, 10_000
_SEED = 0


class Problem(NamedTuple):
    """A data set before it is read: its name, its family, and what reads X and its labellings."""

    name: str
    #: Data sets of one family are never on both sides of a choice.
    family: str
    read: Callable[[], tuple[Any, list[NDArray]]]


def problems(folder: Path) -> Iterator[Problem]:
    """All data sets, those of one name and of one member of a battery once."""
    for name, make in _synthetic().items():
        yield Problem(name, name.rstrip("0123456789"), make)
    entries = load_datasets("config/datasets.yaml")
    batteries = load_batteries("config/batteries.yaml").values()
    for entry in [*entries.values(), *batteries]:
        if entry.has_features and not entry.same_as and (entry.d or 0) <= MOST_FEATURES:
            yield Problem(entry.name, _family(entry.name), partial(_read, entry, folder))


#: Data sets of one origin, by how their names begin.
_FAMILIES = {"sipu-a": "sipu-a", "sipu-s": "sipu-s", "other-iris": "other-iris", "Tr": "Tr"}
_FAMILIES |= {"graves-ring": "graves-ring", "graves-zigzag": "graves-zigzag", "MNIST": "MNIST"}
_FAMILIES |= {"other-chameleon": "other-chameleon", "20NG": "text", "K1b": "text", "Wap": "text"}


def _family(name: str) -> str:
    whole = ("sipu-aggregation", "sipu-spiral")
    starts = (family for start, family in _FAMILIES.items() if name.startswith(start))
    return name if name in whole else next(starts, name)


def _read(entry: DatasetEntry, folder: Path) -> tuple[Any, list[NDArray]]:
    accept = partial(prepare, entry)
    if entry.is_local:
        source = entry.sources[0]
        dataset = prepare(entry, source, [find_local(file) for file in source.files])
    else:
        sources = folder / "sources"
        found = fetch(entry.name, entry.sources, sources, mirror_directory(), accept)
        source = entry.sources[found["source"]]
        dataset = prepare(entry, source, [sources / file["path"] for file in found["files"]])
    truths = [dataset.y] if dataset.truths is None else [*dataset.truths]
    return dataset.X, truths


def _synthetic() -> dict[str, Callable[[], tuple[Any, list[NDArray]]]]:
    """Clouds of points; the number behind a name tells apart those of one family."""
    from sklearn import datasets

    def blobs(seed: int, c: int, d: int, spread: Any, skew: float = 0) -> Any:
        generator = np.random.default_rng(seed)
        shares = np.exp(-skew * np.arange(c))
        sizes = np.maximum(500 * shares / shares.sum(), 12).astype(int)
        centres = generator.uniform(-10, 10, (c, d))
        X, y = datasets.make_blobs(sizes, centers=centres, cluster_std=spread, random_state=seed)
        return X, [y]

    def stretched(seed: int) -> Any:
        X, (y,) = blobs(seed, 4, 2, 1.2)
        return X @ np.random.default_rng(seed).normal(size=(2, 2)), [y]

    def plain(make: Callable[..., Any], **parameters: Any) -> Any:
        X, y = make(n_samples=500, random_state=1, **parameters)
        return X, [y]

    def classes(seed: int, c: int, apart: float) -> Any:
        parts = {"n_features": 12, "n_informative": 6, "n_clusters_per_class": 1}
        return plain(datasets.make_classification, n_classes=c, class_sep=apart, **parts)

    makers: dict[str, Callable[[], Any]] = {
        "moons1": partial(plain, datasets.make_moons, noise=0.08),
        "moons2": partial(plain, datasets.make_moons, noise=0.2),
        "circles": partial(plain, datasets.make_circles, noise=0.06, factor=0.5),
        "stretched1": partial(stretched, 1),
        "stretched2": partial(stretched, 2),
        "classes1": partial(classes, 1, 3, 1.5),
        "classes2": partial(classes, 2, 6, 2.0),
    }
    plans = [(3, 2, 1.0, 0.0), (5, 2, 2.0, 0.0), (8, 2, 1.5, 0.4), (10, 8, 4.0, 0.0)]
    plans += [(4, 10, 6.0, 0.7), (15, 2, 1.0, 0.0), (6, 5, 3.0, 0.3), (20, 10, 4.0, 0.1)]
    for number, plan in enumerate(plans, start=1):
        makers[f"blobs{number}"] = partial(blobs, number, *plan)
    return makers


def measure(folder: Path) -> None:
    """Bring the folder up to date, data sets in an order that says nothing of them."""
    recipes = load_pools("config/pools.yaml")
    for problem in sorted(problems(folder), key=lambda p: seed_sequence(1, p.name).entropy):
        try:
            X, truths = _part(problem)
        except CoassocError as error:
            print(f"{problem.name}: {error}", flush=True)
            continue
        for pool in POOLS:
            file = folder / f"{problem.name}~{pool}.npz"
            try:
                kept = _kept(file) or _ensemble(X, truths, recipes[pool], problem.name)
            except CoassocError as error:
                print(f"{problem.name} {pool}: {error}", flush=True)
                continue
            if _complete(kept):
                np.savez_compressed(file, **kept)
                print(f"{problem.name} {pool}", flush=True)


def _part(problem: Problem) -> tuple[Any, list[NDArray]]:
    X, truths = problem.read()
    generator = np.random.default_rng(seed_sequence(_SEED, problem.name, "samples"))
    part = np.sort(generator.permutation(X.shape[0])[:MOST_SAMPLES])
    return X[part], [truth[part] for truth in truths]


def _kept(file: Path) -> dict[str, NDArray]:
    if not file.exists():
        return {}
    with np.load(file) as kept:
        return dict(kept)


def _ensemble(X: Any, truths: list[NDArray], pool: PoolSettings, name: str) -> dict[str, NDArray]:
    """Labels and truths of the samples that some base clustering has."""
    c = len(np.unique(truths[0][truths[0] >= 0]))
    size = pool.size or 20
    names = (pool.name, name)
    labels = generate_pool(X, pool.recipes, size=size, n_classes=c, random_state=_SEED, names=names)
    labels = labels.astype(np.int16)
    there = (labels >= 0).any(axis=1)
    return {"labels": labels[there], "truths": np.array(truths, np.int16)[:, there]}


def _complete(kept: dict[str, NDArray]) -> bool:
    """Add labels and seconds of methods that are not there; whether any was added."""
    ensemble, before = Ensemble(kept["labels"]), len(kept)
    c = int(kept["truths"][0].max()) + 1
    fits = {name: (name, c) for name in COMPARED}
    fits |= {name + WITHOUT_K: (name, None) for name in WITHOUT}
    for called, (name, number) in fits.items():
        if f"labels of {called}" in kept:
            continue
        start = process_time()
        try:
            with warnings.catch_warnings(action="ignore"):
                labels = METHODS[name](number, random_state=_SEED).fit(ensemble).labels_
        except CoassocError:
            continue
        kept[f"labels of {called}"] = labels.astype(np.int16)
        kept[f"seconds of {called}"] = np.array(process_time() - start)
    return len(kept) > before


def keep(folder: Path) -> None:
    """Write the score table, and from it the means that ``method="auto"`` tells."""
    families = {problem.name: problem.family for problem in problems(folder)}
    lines = [_scored(file, families) for file in sorted(folder.glob("*~*.npz"))]
    table = pd.DataFrame(lines)
    table.to_csv(TABLE, index=False, lineterminator="\n", float_format="%.4f")
    table = pd.read_csv(TABLE)
    means_of(table).to_csv(MEANS, index=False, lineterminator="\n", float_format="%.3f")
    judged_by_both(table).to_csv(JUDGED, index=False, lineterminator="\n", float_format="%.3f")


def judged_by_both(table: pd.DataFrame) -> pd.DataFrame:
    """The candidates, chosen on other families of problems and on other pools."""
    tables = {groups: summary(judged(table, groups)) for groups in ("family", "pool")}
    return pd.concat(tables, names=["other"]).reset_index()


def _scored(file: Path, families: dict[str, str]) -> dict[str, Any]:
    problem, pool = file.stem.split("~")
    kept = _kept(file)
    truths = [truth.astype(int) for truth in kept["truths"]]
    line = {"problem": problem, "family": families[problem], "pool": pool}
    line |= facts_of(Ensemble(kept["labels"]), int(truths[0].max()) + 1)
    line |= _agreed(kept, truths[0], TAKEN[line["kind"]])
    for name in (*COMPARED, *(name + WITHOUT_K for name in WITHOUT)):
        labels = kept.get(f"labels of {name}")
        line[name] = np.nan if labels is None else score_against(truths, labels.astype(int))["ARI"]
    return line


def _agreed(kept: dict[str, NDArray], truth: NDArray, method: str) -> dict[str, float]:
    """The columns of AGREED; nothing where a leading method has no labels."""
    if not {f"labels of {name}" for name in FEW_ROWS} <= {*kept}:
        return {}
    leaders = [kept[f"labels of {name}"].astype(int) for name in FEW_ROWS]
    labels = kept[f"labels of {method}"].astype(int)
    classes, ones = truth >= 0, np.ones(len(truth), dtype=int)
    core = np.all([matched(labels, other, ones) for other in leaders], axis=0)[classes]
    right = matched(truth[classes], labels[classes], ones[classes])
    pairs = combinations(leaders, 2)
    inside, outside = (right[part].mean() if part.any() else np.nan for part in (core, ~core))
    among = np.mean([score_against([a], b)["ARI"] for a, b in pairs])
    return dict(zip(AGREED, (among, core.mean(), inside, outside), strict=True))


if __name__ == "__main__":
    {"measure": measure, "keep": keep}[sys.argv[1]](Path(sys.argv[2]))
