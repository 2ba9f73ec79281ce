"""The stored ensembles, and what the authors' programs made of them."""

from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from coassoc import Ensemble

FOLDER = Path(__file__).parent / "golden"

#: The ensembles for which the outputs of most programs are stored.
STORED = ("g60", "g150", "gdisc40")


class Golden:
    """One stored ensemble: its labels 0 … l_j − 1, the number of classes, and the outputs."""

    def __init__(self, name: str) -> None:
        self.name = name
        with np.load(FOLDER / f"{name}.npz") as inputs:
            self.ensemble = Ensemble(inputs["BP"])
            self.n_clusters = int(inputs["k"])
        self.labels = self.ensemble.labels

    def outputs(self, program: str) -> dict[str, np.ndarray]:
        """Arrays that a program gave for this ensemble."""
        with np.load(FOLDER / f"{self.name}__{program}.npz") as stored:
            return dict(stored)


def stored_ensemble(name: str) -> tuple[np.ndarray, int]:
    """Labels and the true number of clusters of a stored ensemble."""
    golden = Golden(name)
    return golden.labels, golden.n_clusters


def assert_rows(matrix: ArrayLike, outputs: dict[str, np.ndarray], key: str, atol: float) -> None:
    """A matrix has the rows of which a program's every `row_step`-th is stored."""
    rows = np.asarray(matrix)[:: int(outputs["row_step"])]
    np.testing.assert_allclose(rows, outputs[f"{key}_rows"], rtol=0, atol=atol, err_msg=key)
