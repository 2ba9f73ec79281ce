"""Labels of every method on fixed ensembles, kept as digests: ``make revisions``.

``golden/cases.npz`` has the ensembles with their features and classes: the first draw of twenty
base clusterings of Glass, a run of the published ranking (its sizes are divisible neither by ten
nor by two blocks); that of Wine with one label in twenty missing; 403 of the samples of Digits, on
which nearly all rows of labels differ; and a grid whose rows, columns and diagonals are full of
ties. ``golden/labels.json`` has, for the present revision of each method, digests of the labels
that it makes of them at its defaults, and of every other sample of Glass with each of its
parameters changed. It has those of base clusterings of small pools too.

Where rounding decides, another kind of processor may go another way with the same code. So labels
that are not as kept are made once more by the code of the last commit that wrote ``labels.json``
(``git archive`` to a folder of its own). Where that gives the same, it is the processor, and no
label moved; ``make revisions`` keeps such a way beside the others.
"""

import argparse
import io
import json
import os
import subprocess
import sys
import tarfile
from collections.abc import Iterable, Iterator, Mapping
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coassoc.bench.fits import Task, end, fit, partition, refine
from coassoc.bench.pools.draws import shuffle_pool
from coassoc.bench.pools.making import make_pool
from coassoc.bench.pools.settings import load_pools
from coassoc.bench.storage.records import Dataset, Pool
from coassoc.methods import METHODS
from coassoc.methods.base import Refinement, RefiningClusterer
from reproduction.study.revisions import code_of_pools

ROOT = Path(__file__).parents[1]
CASES, KEPT = (ROOT / "tests/golden" / name for name in ("cases.npz", "labels.json"))
#: Methods and kinds of pools; what reads pools from files has tests that name each label.
NAMES = [*METHODS, "pools generated", "pools shuffled"]
#: Refinements that the methods of several names end in their ways, as runs of a workflow do.
_REFINED: dict[str, Refinement] = {}

#: Revision, such as "LWEA 1" → ensemble and parameters → digests of its ways.
Kept = dict[str, dict[str, list[str]]]


def code_of(name: str) -> str:
    """Name and present revision of a method or a kind of pools."""
    what, _, kind = name.partition(" ")
    return code_of_pools(kind) if what == "pools" else METHODS[name].code


def points(method: str) -> Iterator[dict[str, Any]]:
    """Each parameter of a method at another value of its kind."""
    for name, parameter in METHODS[method].parameters.items():
        all_values = {"boolean": (True, False), "choice": parameter.choices}
        others = all_values.get(parameter.kind, parameter.grid)
        different = [value for value in others if value != parameter.default]
        yield from ({name: value} for value in different[: None if parameter.choices else 1])


def labels_of(method: str, name: str, pool: Pool, X: NDArray, point: Mapping[str, Any]) -> NDArray:
    """Labels of a fit, as in the first repeat of a run of the published ranking."""
    registered, c = METHODS[method], pool.n_classes
    (m,), dataset = pool.draws, name.split(",")[0]
    task = Task(method, registered.record(), [point], "kmeans-sqrt", dataset, m, c, 0)
    asked: Any = None if registered.n_clusters_is == "chosen" else c
    estimator = task.factory()(**task.arguments(0, 0, asked))
    features, labels = X if registered.uses_features else None, task.ensemble(pool, 0)
    if isinstance(estimator, RefiningClusterer):
        key = f"{registered.location} {name} {dict(point)}"
        if key not in _REFINED:
            _REFINED[key] = refine(estimator, labels, features)
        end(estimator, _REFINED[key])
    else:
        fit(estimator, labels, features)
    return partition(estimator.labels_).astype(np.uint8)


def pools_of(kind: str, pool: Pool, X: NDArray) -> Iterator[tuple[str, Pool]]:
    """Small pools of a kind with their names, of Glass."""
    if kind == "shuffled":
        few = Pool(pool.labels, pool.y, {5: np.arange(15).reshape(3, 5)})
        for percent in (50, 100):
            yield f"{percent} %", shuffle_pool(few, "Glass", 0, percent)
        return
    facts = {"n_classes": pool.n_classes}
    for name, settings in load_pools(ROOT / "config/pools.yaml").items():
        if settings.kind == "generated":
            words = np.abs(X).round() if settings.preprocessing == "tf-idf" else X
            # In five of 80 % of the samples one of these would have no label.
            sizes = (15,) if name in ("subsampled", "each-k") else (5,)
            update = {"sizes": sizes, "repeats": 3, "size": 15}
            update |= {"for_each_k": 3} if settings.for_each_k else {}
            small = settings.model_copy(update=update)
            yield name, make_pool(Dataset(words, pool.y, facts), small, name="Glass")


def arrays_of(name: str) -> Iterator[tuple[str, NDArray]]:
    """What a method or a kind of pools makes, with its ensemble and parameters."""
    with np.load(CASES) as file:
        cases = dict.fromkeys(key.partition("/")[0] for key in file)
        for case in cases:
            labels, X, y = (file[f"{case}/{part}"] for part in ("labels", "X", "y"))
            draws = {20: np.arange(labels.shape[1])[None]}
            whole, half = Pool(labels, y, draws), Pool(labels[::2], y[::2], draws)
            if name not in METHODS:
                for key, pool in pools_of(name.partition(" ")[2], whole, X):
                    parts = [part.ravel() for part in (pool.labels, *pool.draws.values())]
                    yield key, np.concatenate(parts).astype(np.int16)
                return
            method: Any = METHODS[name]
            # Methods of features take long for those of Digits; their own tests cut blocks.
            if case.startswith("Digits") and method.uses_features:
                continue
            if (labels >= 0).all() or method.estimator.takes_missing:
                yield case, labels_of(name, case, whole, X, {})
            for point in points(name) if case == "Glass" else ():
                key = f"Glass, half|{json.dumps(point, sort_keys=True)}"
                yield key, labels_of(name, "Glass, half", half, X[::2], point)


def made_now(name: str) -> dict[str, str]:
    """Digests of what the code that is imported makes."""
    return {key: sha256(array.tobytes()).hexdigest()[:16] for key, array in arrays_of(name)}


def made_before(name: str, root: Path = ROOT) -> dict[str, str]:
    """The same by the code of the last commit that wrote ``labels.json``, on this processor.

    Raises
    ------
    RuntimeError
        Without the history of the project.
    """
    git = ["git", "-C", str(root)]
    with TemporaryDirectory() as folder:
        try:
            words = [*git, "log", "-1", "--format=%H", "--", "tests/golden/labels.json"]
            commit = subprocess.check_output(words, text=True).strip()
            packed = subprocess.check_output([*git, "archive", commit, "src", "tests", "config"])
        except (OSError, subprocess.CalledProcessError) as error:
            raise RuntimeError(
                f"{name}: its labels are not as kept, and without the project's history nobody can "
                "tell whether that is the processor or an edit."
            ) from error
        with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
            archive.extractall(folder, filter="data")
        command = [sys.executable, "-W", "ignore", "-m", "revisions", "--print", name]
        variables = {**os.environ, "PYTHONPATH": str(Path(folder, "src"))}
        told = subprocess.check_output(command, cwd=Path(folder, "tests"), env=variables)
        return json.loads(told)


def moved(name: str, made: Mapping[str, str], kept: Mapping[str, list[str]]) -> list[str]:
    """Ensembles and parameters whose labels the code before makes otherwise on this processor."""
    other = [key for key in made if key in kept and made[key] not in kept[key]]
    before = made_before(name) if other else {}
    return [key for key in other if made[key] != before.get(key)]


def read_kept() -> Kept:
    """The file."""
    return json.loads(KEPT.read_text())


def keep(names: Iterable[str], kept: Kept) -> list[str]:
    """Bring what is kept up to date; returns what moved without a new revision."""
    refused = []
    for name in names:
        code, made = code_of(name), made_now(name)
        old = kept.get(code, {})
        wrong = moved(name, made, old)
        refused += [f"{code}: {key}" for key in wrong]
        if not wrong:
            for other in [other for other in kept if other.rpartition(" ")[0] == name]:
                del kept[other]
            kept[code] = {key: sorted({*old.get(key, []), made[key]}) for key in made}
        print(f"{code}: {len(made)} of its kind, {len(wrong)} moved", flush=True)
    return refused


def main() -> None:
    """Keep what is new, or print what the code that is imported makes."""
    parser = argparse.ArgumentParser(description=__doc__, prog="make revisions")
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--print", metavar="NAME", help="digests of one name")
    chosen = parser.parse_args()
    if chosen.print:
        print(json.dumps(made_now(chosen.print)))
        return
    kept = read_kept()
    refused = keep(chosen.names or NAMES, kept)
    lines = (f"{json.dumps(code)}: {json.dumps(kept[code])}" for code in sorted(kept))
    KEPT.write_text("{\n" + ",\n".join(lines) + "\n}\n")
    if refused:
        print("\nThese moved, and their revision is the same:", *refused, sep="\n  ")
        sys.exit("Raise the number on the class if the new labels are right.")


if __name__ == "__main__":
    main()
