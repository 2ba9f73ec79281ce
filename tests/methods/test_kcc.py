"""KCC against the utilities themselves."""

import numpy as np
import pytest
from hypothesis import given

from coassoc import Ensemble
from coassoc.methods import METHODS
from coassoc.methods.kcc import UTILITIES
from ensembles import label_matrices
from oracles import bipartite as oracle


@given(label_matrices(max_samples=12, max_clusterings=3, max_clusters=3))
@pytest.mark.parametrize("utility", UTILITIES)
def test_objective_is_the_utility(utility, labels):
    # Distances from the centres sum to n times a constant less the utility.
    model = METHODS[f"KCC-{utility}"](2, random_state=0).fit(labels)
    if len(np.unique(labels, axis=0)) < 2:
        return
    n, m = labels.shape
    constant = m if utility == "Uc" else 0
    expected = n * (constant - oracle.utility(labels, model.labels_, utility))
    np.testing.assert_allclose(model.history_["objective"][-1], expected, atol=1e-9)


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
