"""Evidence that an edit of the code changed no number: fits made again, compared label by label.

``cases.npz`` has ensembles with their features and classes: the first draw of twenty base
clusterings of Glass, a run of the published ranking (its sizes are divisible neither by ten nor by
two blocks); that of Wine with one label in twenty missing; and 403 of the samples of Digits, on
which nearly all rows of labels differ. ``labels.npz`` has what every method of the library made of
them at its present revision, at its defaults and with each of its parameters changed.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coassoc.methods import METHODS
from coassoc.metrics import METRICS, contingency_table
from coassoc.racing import race
from coassoc.running.fits import Task, fit, partition

FOLDER = Path(__file__).parent
CASES, LABELS = FOLDER / "cases.npz", FOLDER / "labels.npz"
#: Cases on which parameters are changed, one at a time; on the others defaults stand for all.
VARIED = ("Glass",)


@dataclass(frozen=True)
class Case:
    """An ensemble with all that methods may see.

    Attributes
    ----------
    name, dataset : str
        The data set is a part of the seeds.
    labels : (n, m) array
    X : (n, d) array
    y : (n,) array
    """

    name: str
    dataset: str
    labels: NDArray
    X: NDArray
    y: NDArray


def cases() -> dict[str, Case]:
    """The ensembles by their names."""
    with np.load(CASES) as file:
        return {
            name: Case(
                name, name.split(",")[0], *(file[f"{name}/{part}"] for part in ["labels", "X", "y"])
            )
            for name in dict.fromkeys(key.rpartition("/")[0] for key in file)
        }


def points(method: str) -> Iterator[dict[str, Any]]:
    """The defaults of a method, and each of its parameters at another value of its kind."""
    yield {}
    for name, parameter in METHODS.method(method).parameters.items():
        others = parameter.grid or parameter.choices
        if parameter.kind == "boolean":
            others = (True, False)
        if parameter.kind == "choice":
            others = parameter.choices
        different = [value for value in others if value != parameter.default]
        yield from ({name: value} for value in different[: None if parameter.choices else 1])


def fits_of(method: str, names: Mapping[str, Case]) -> Iterator[tuple[str, Case, dict[str, Any]]]:
    """Key, ensemble and parameters of each fit of a method."""
    takes_missing = METHODS.method(method).estimator.takes_missing
    for case in names.values():
        if (case.labels < 0).any() and not takes_missing:
            continue
        for point in points(method) if case.name in VARIED else [{}]:
            yield f"{method}|{case.name}|{json.dumps(point, sort_keys=True)}", case, point


def made_by(method: str, case: Case, point: Mapping[str, Any]) -> NDArray:
    """Labels of a fit, as in the first repeat of a run of the published ranking."""
    registered = METHODS.method(method)
    task = Task(
        method, registered.record(), [point], "kmeans-sqrt", case.dataset, 20, len(set(case.y)), 0
    )
    estimator = task.factory()(**task.arguments(0, 0, len(set(case.y))))
    fit(estimator, case.labels, case.X if registered.uses_features else None)
    labels: NDArray = partition(estimator.labels_)
    return labels.astype(np.uint8)


def race_by(metric: str, case: Case, kept: Mapping[str, NDArray]) -> NDArray:
    """Scores of what methods made of a case, and how many repeats each gets in a race of them."""
    partitions = [labels for key, labels in sorted(kept.items()) if f"|{case.name}|" in key]
    scores = [METRICS[metric](contingency_table(case.y, labels)) for labels in partitions]
    stayed = race(len(scores), 20, lambda p, repeats: [scores[p] - repeats * (p % 3) / 100])
    return np.array([*scores, *(stayed[p] for p in range(len(scores)))])


def kept_labels() -> dict[str, NDArray]:
    """What is kept of all fits, by their keys, and of races."""
    with np.load(LABELS) as file:
        return {key: file[key] for key in file}
