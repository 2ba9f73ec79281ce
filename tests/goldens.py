"""The stored ensembles, and what the authors' programs made of them."""

from functools import cached_property
from pathlib import Path

import numpy as np

from coassoc import Ensemble
from coassoc.methods import METHODS

FOLDER = Path(__file__).parent / "golden"

#: The ensembles for which the outputs of most programs are stored.
STORED = ("g60", "g150", "gdisc40")


class Golden:
    """One stored ensemble: its labels 0 … l_j − 1, the number of classes, and the outputs."""

    def __init__(self, name: str) -> None:
        self.name = name
        with np.load(FOLDER / f"{name}.npz") as inputs:
            self.labels = Ensemble(inputs["BP"]).labels
            self.n_clusters = int(inputs["k"])

    @cached_property
    def ensemble(self) -> Ensemble:
        return Ensemble(self.labels)

    def outputs(self, program: str) -> dict[str, np.ndarray]:
        """Arrays that a program gave for this ensemble."""
        with np.load(FOLDER / f"{self.name}__{program}.npz") as stored:
            return dict(stored)


def stored_ensemble(name: str) -> tuple[np.ndarray, int]:
    """Labels and the true number of clusters of a stored ensemble."""
    golden = Golden(name)
    return golden.labels, golden.n_clusters


def outputs(name: str, program: str) -> dict[str, np.ndarray]:
    """Arrays that a program gave for a stored ensemble."""
    return Golden(name).outputs(program)


def check_cuts(golden, name, expected, without_ties, numbers_of_clusters, **parameters):
    """A method's partitions into several numbers of clusters equal those of a program.

    Where equal similarities decide, programs may cut otherwise; only the rest is compared.
    """
    assert any(without_ties)
    for i, c in enumerate(numbers_of_clusters):
        if without_ties[i]:
            found = METHODS[name](n_clusters=int(c), **parameters).fit_predict(golden.labels)
            np.testing.assert_array_equal(found, expected[:, i])
