"""KCC against the utilities themselves."""

import numpy as np

from coassoc import Ensemble
from coassoc.methods.kcc import UTILITIES


def test_distances_where_labels_are_missing():
    ensemble = Ensemble([[0, 0], [0, 1], [1, -1]])
    first = ensemble.microclusters.assignment
    labels = np.empty(3, dtype=int)
    labels[first] = [0, 0, 1]
    distances = UTILITIES["Uc"](ensemble, labels, 2)[first]
    # Centre 0 is (1, 0 | ½, ½); the third sample has the first clustering only.
    np.testing.assert_allclose(distances[:, 0], [0.5, 0.5, 2])
    np.testing.assert_allclose(distances[2, 1], 0)
    entropies = UTILITIES["UH"](ensemble, labels, 2)[first]
    np.testing.assert_allclose(entropies[:2, 0], np.log(2))
    assert np.isinf(entropies[2, 0]) and entropies[2, 1] == 0
