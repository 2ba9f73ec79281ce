"""Labels of every method on fixed ensembles, kept for the present revision.

``cases.npz`` has ensembles with their features and classes: the first draw of twenty base
clusterings of Glass, a run of the published ranking (its sizes are divisible neither by ten nor by
two blocks); that of Wine with one label in twenty missing; 403 of the samples of Digits, on which
nearly all rows of labels differ; a grid whose rows, columns and diagonals are full of ties; and
803 made-up samples with 539 distinct rows. ``labels.npz`` has what every method of the library
makes of them at its present revision: at its defaults, on Glass also with each of its parameters
changed, and of Digits by those that end in the discretisation also with ninety clusters, of which
some stay empty on the way. It has base clusterings of small pools of each kind and scores in races
too, and names the revisions that all of these are of.

Where rounding decides, another kind of processor may go another way with the same code. So labels
that are not as kept are made once more by the code of the last commit that wrote ``labels.npz``
(``git archive`` to a folder of its own, and ``python -m revisions --write`` there). Where that
gives the same, it is the processor, and no label moved; `make revisions` keeps such a way beside
the others.
"""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import tarfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.io import savemat

from coassoc.bench.fits import Task, end, fit, partition, refine
from coassoc.datasets.registry import DataSource
from coassoc.methods import METHODS
from coassoc.methods.refinement import Refinement, RefiningClusterer
from coassoc.metrics import METRICS, accuracy, best_score, contingency_table
from coassoc.pools.draws import shuffle_pool
from coassoc.pools.generation import make_pool
from coassoc.pools.settings import PoolSettings, PublishedPool, load_pools
from coassoc.racing import race
from coassoc.storage.records import Dataset, Pool
from reproduction.pools.label_import import import_labels
from reproduction.pools.published import import_pool
from reproduction.pools.results import import_results
from reproduction.study.revisions import POOLS, RACES, code_of_pools

FOLDER = Path(__file__).parent
CASES, LABELS = FOLDER / "cases.npz", FOLDER / "labels.npz"
ROOT = FOLDER.parents[1]
CATALOGUES = ROOT / "config"
#: Methods, races by each score, and kinds of pools.
NAMES = [
    *METHODS,
    *(f"race by {metric}" for metric in METRICS),
    *(f"pools {kind}" for kind in POOLS),
]
#: The entry of ``labels.npz`` that names revisions.
REVISIONS = "revisions"
#: Cases on which parameters are changed, one at a time; on the others defaults stand for all.
VARIED = ("Glass",)
#: Cases whose base clusterings race.
RACED = ("Glass", "Wine, labels missing", "Digits, a part")
#: Methods that end in the discretisation, where clusters can stay empty if many are asked for.
DISCRETISING = ("CEAM", "ECPCS-MC")
#: The case of which they are asked for ninety clusters.
FOR_MANY_CLUSTERS = "Digits, a part"
#: Methods that take seconds for the case of many rows, which is then for slow tests.
SLOW = (
    *("ACMK-SC", "ACMK-KM", "ACMK-SC-A", "ACMK-KM-A", "CEAM", "CESHL"),
    *("GTLEC", "LTA-EA", "LTA-SC", "RCE", "RMSC", "SDGCA"),
)
MANY_ROWS = "Many rows, made up"
#: Refinements that the methods of several names end in their ways, as runs of a workflow do.
_REFINED: dict[str, Refinement] = {}


class Case(NamedTuple):
    """An ensemble with all that methods may see: (n, m) labels, (n, d) features and classes."""

    name: str
    #: A part of the seeds.
    dataset: str
    labels: NDArray
    X: NDArray
    y: NDArray


def cases() -> dict[str, Case]:
    """The ensembles by their names."""
    with np.load(CASES) as file:
        names = dict.fromkeys(key.rpartition("/")[0] for key in file)
        parts = {name: [file[f"{name}/{part}"] for part in ("labels", "X", "y")] for name in names}
    return {name: Case(name, name.split(",")[0], *parts[name]) for name in names}


def points(method: str) -> Iterator[dict[str, Any]]:
    """The defaults of a method, and each of its parameters at another value of its kind."""
    yield {}
    for name, parameter in METHODS.method(method).parameters.items():
        all_values = {"boolean": (True, False), "choice": parameter.choices}
        others = all_values.get(parameter.kind, parameter.grid)
        different = [value for value in others if value != parameter.default]
        yield from ({name: value} for value in different[: None if parameter.choices else 1])


def fits_of(method: str, names: Mapping[str, Case]) -> Iterator[tuple[str, Case, dict[str, Any]]]:
    """Key, ensemble and parameters of each fit of a method."""
    takes_missing = METHODS.method(method).estimator.takes_missing
    ensembles = list(names.values())
    if method in DISCRETISING:
        few = names[FOR_MANY_CLUSTERS]
        # `y` says here how many clusters are asked for, and nothing else.
        many = few._replace(name="Digits, ninety clusters", y=np.arange(len(few.y)) % 90)
        ensembles.append(many)
    for case in ensembles:
        if (case.labels < 0).any() and not takes_missing:
            continue
        for point in points(method) if case.name in VARIED else [{}]:
            yield f"{method}|{case.name}|{json.dumps(point, sort_keys=True)}", case, point


def made_by(method: str, case: Case, point: Mapping[str, Any]) -> NDArray:
    """Labels of a fit, as in the first repeat of a run of the published ranking."""
    registered = METHODS.method(method)
    c = len(set(case.y))
    task = Task(method, registered.record(), [point], "kmeans-sqrt", case.dataset, 20, c, 0)
    asked = None if registered.n_clusters_is == "chosen" else c
    estimator = task.factory()(**task.arguments(0, 0, asked))
    features = case.X if registered.uses_features else None
    pool = Pool(case.labels, case.y, {task.m: np.arange(case.labels.shape[1])[None]})
    labels = task.ensemble(pool, 0)
    if isinstance(estimator, RefiningClusterer):
        key = f"{registered.location} {case.name} {dict(point)}"
        if key not in _REFINED:
            _REFINED[key] = refine(estimator, labels, features)
        end(estimator, _REFINED[key])
    else:
        fit(estimator, labels, features)
    return partition(estimator.labels_).astype(np.uint8)


def races_by(metric: str, case: Case) -> Iterator[tuple[str, NDArray]]:
    """Key, and scores of the base clusterings of a case with their repeats in a race of them.

    They stand for the points of a grid: they stay the same when a method is added or changes. They
    are scored against the classes, and against two labellings of which one has noise points.
    """
    yield f"race by {metric}|{case.name}", _race(metric, case, [case.y])
    noisy = np.where(np.arange(len(case.y)) % 7, case.y, -1)
    yield f"race by {metric}|{case.name}, two labellings", _race(metric, case, [case.y // 2, noisy])


def _race(metric: str, case: Case, truths: Sequence[NDArray]) -> NDArray:
    # A partition lacks no labels: where they are missing, they are one more cluster.
    scores = [best_score(METRICS[metric], truths, labels + 1) for labels in case.labels.T]
    stayed = race(len(scores), 20, lambda p, repeats: [scores[p] - repeats * (p % 3) / 100])
    return np.array([*scores, *(stayed[p] for p in range(len(scores)))])


def generated_pools() -> dict[str, PoolSettings]:
    """The pools of ``config/pools.yaml`` that are made, by their names."""
    pools = load_pools(CATALOGUES / "pools.yaml")
    return {name: pool for name, pool in pools.items() if pool.kind == "generated"}


def pools_made(kind: str, case: Case, folder: Path) -> Iterator[tuple[str, NDArray]]:
    """Name, base clusterings with draws of small pools of a kind.

    The labels of the case stand for those of published and own files, which go to the folder.
    """
    for name, pool in _pools(kind, case, folder):
        parts = [labels.ravel() for labels in (pool.labels, *pool.draws.values())]
        yield name, np.concatenate(parts).astype(np.int16)


def _pools(kind: str, case: Case, folder: Path) -> Iterator[tuple[str, Pool]]:
    small = {"sizes": (5,), "repeats": 3}
    if kind == "generated":
        facts = {"n_classes": len(set(case.y))}
        data = Dataset(case.X, case.y, facts)
        words = Dataset(np.abs(case.X).round(), case.y, facts)
        for name, pool in generated_pools().items():
            seen = words if pool.preprocessing == "tf-idf" else data
            # In five of 80 % of the samples one of these would have no label.
            sizes = (15,) if name in ("subsampled", "each-k") else small["sizes"]
            few = {**small, "size": 15, "sizes": sizes}
            few |= {"for_each_k": 3} if pool.for_each_k else {}
            yield name, make_pool(seen, pool.model_copy(update=few), name=case.dataset)
    elif kind == "published":
        path = folder / "published.mat"
        savemat(path, {"members": case.labels + 1, "gt": case.y[:, None] + 1})
        arguments = {"labels": "members", "classes": "gt"}
        source = DataSource(**{"file": str(path), "arguments": arguments, "parser": "matlab"})
        pool = load_pools(CATALOGUES / "pools.yaml")[kind].model_copy(update=small)
        yield kind, import_pool(source, [path], pool, name=case.dataset)
    elif kind == "results":
        path = folder / "results.csv.gz"
        columns = {f"c{j}": labels + 1 for j, labels in enumerate(case.labels.T)}
        few = {name: labels for name, labels in columns.items() if labels.max() == 11}
        pd.DataFrame(few).to_csv(path, index=False)
        arguments = {"clusters": 11, "columns": "all"}
        source = PublishedPool(file=str(path), parser="results", arguments=arguments)
        data = Dataset(case.X, case.y, {"n_clusters": len(set(case.y))})
        pool = load_pools(CATALOGUES / "pools.yaml")["suite-main"]
        yield kind, import_results(source, [path], pool, data, name=case.dataset)
    elif kind == "labels":
        path = folder / "labels.csv"
        table = [[f"s{i}", *row] for i, row in enumerate(case.labels.tolist())]
        header = ["name", *(f"c{j}" for j in range(case.labels.shape[1]))]
        path.write_text("\n".join(",".join(map(str, row)) for row in [header, *table]))
        entry = f"{{kind: labels, file: {path}, id: name, draws: {{sizes: [5], repeats: 3}}}}"
        (folder / "own.yaml").write_text(f"own: {entry}")
        pools = load_pools(CATALOGUES / "pools.yaml", folder / "own.yaml")
        yield "own", import_labels(pools["own"], "own")
    else:
        pool = Pool(case.labels, case.y, {5: np.arange(15).reshape(3, 5)})
        for percent in (50, 100):
            yield f"{percent} %", shuffle_pool(pool, case.dataset, 0, percent)


class Kept(NamedTuple):
    """What ``labels.npz`` has."""

    #: Key of a fit, race or pool → one array for each of its ways.
    ways: dict[str, list[NDArray]]
    #: The revisions that made them, such as "LWEA 1".
    revisions: set[str]


def read_kept() -> Kept:
    """The file."""
    ways: dict[str, list[NDArray]] = {}
    with np.load(LABELS) as file:
        for key in sorted(set(file) - {REVISIONS}):
            ways.setdefault(key.partition("#")[0], []).append(file[key])
        return Kept(ways, set(file[REVISIONS].tolist()))


def write_kept(kept: Kept) -> None:
    """Write the file."""
    ways = {
        f"{key}#{k}" if k else key: made
        for key in sorted(kept.ways)
        for k, made in enumerate(kept.ways[key])
    }
    np.savez_compressed(LABELS, **ways, **{REVISIONS: sorted(kept.revisions)})


def present_revision(name: str) -> str:
    """Name and revision of a method, a race or a kind of pools."""
    what, _, which = name.rpartition(" ")
    if what == "race by":
        return RACES[which]
    return code_of_pools(which) if what == "pools" else METHODS.method(name).code


def made_now(name: str, slow: bool = False) -> Iterator[tuple[str, NDArray]]:
    """Keys and arrays of a method, a race or a kind of pools, by the code that is imported.

    The slow fits are made apart from the others.
    """
    what, _, which = name.rpartition(" ")
    if what == "race by" and not slow:
        for case in cases().values():
            if case.name in RACED:
                yield from races_by(which, case)
    elif what == "pools" and not slow:
        case = cases()["Wine, labels missing" if which == "labels" else "Glass"]
        with TemporaryDirectory() as folder:
            for pool, made in pools_made(which, case, Path(folder)):
                yield f"{name}|{pool}", made
    elif name in METHODS:
        for key, case, point in fits_of(name, cases()):
            if slow == (name in SLOW and case.name == MANY_ROWS):
                yield key, made_by(name, case, point)


def made_before(name: str, slow: bool = False, root: Path = ROOT) -> dict[str, NDArray]:
    """The same by the code of the last commit that wrote ``labels.npz``, on this processor.

    Raises
    ------
    RuntimeError
        Without the history of the project.
    """
    git = ["git", "-C", str(root)]
    file = "tests/revisions/labels.npz"
    with TemporaryDirectory() as folder:
        try:
            found = subprocess.check_output([*git, "log", "-1", "--format=%H", "--", file])
            commit = found.decode().strip()
            packed = subprocess.check_output([*git, "archive", commit, "src", "tests", "config"])
        except (OSError, subprocess.CalledProcessError) as error:
            raise RuntimeError(
                f"{name}: its labels are not as kept, and without the project's history nobody can "
                "tell whether that is the processor or an edit."
            ) from error
        with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
            archive.extractall(folder, filter="data")
        written = Path(folder, "made.npz")
        words = ["-m", "revisions", "--write", str(written), *["--slow"] * slow, name]
        environment = {**os.environ, "PYTHONPATH": str(Path(folder, "src"))}
        place = Path(folder, "tests")
        subprocess.run([sys.executable, *words], cwd=place, env=environment, check=True)
        with np.load(written) as made:
            return dict(made)


def is_kept(made: NDArray, ways: Sequence[NDArray]) -> bool:
    """Whether labels are among those that are kept; scores may differ in their last digits."""
    tolerance = 1e-12 if made.dtype.kind == "f" else 0
    return any(made.shape == way.shape and np.allclose(made, way, 0, tolerance) for way in ways)


def moved(name: str, made: Mapping[str, NDArray], kept: Kept, slow: bool = False) -> list[str]:
    """A sentence for each array that the code before makes otherwise on this processor."""
    other = [key for key in made if key in kept.ways and not is_kept(made[key], kept.ways[key])]
    before = made_before(name, slow) if other else {}
    return [
        _difference(key, made[key], before.get(key, kept.ways[key][0]))
        for key in other
        if key not in before or not is_kept(made[key], [before[key]])
    ]


def _difference(key: str, made: NDArray, before: NDArray) -> str:
    if made.shape != before.shape:
        return f"{key}: there are {made.size} numbers, and there were {before.size}."
    if key.partition("|")[0] not in METHODS:
        return f"{key}: {np.sum(made != before)} of {made.size} numbers differ."
    same = round(len(made) * accuracy(contingency_table(before, made)))
    return f"{key}: {len(made) - same} of {len(made)} labels differ."
