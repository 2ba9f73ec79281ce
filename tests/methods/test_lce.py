"""LCE's similarities against golden outputs and loops over pairs of samples."""

import numpy as np
import pytest

from coassoc import Ensemble
from coassoc.methods.lce import approximate_simrank, connected_triple_similarity, simrank
from ensembles import with_defaults
from goldens import assert_rows
from oracles import lce as oracle

connected_triple_similarity = with_defaults(connected_triple_similarity, "LCE-CTS")


def test_golden_cts_and_srs(golden):
    expected = golden.outputs("lce")
    assert_rows(connected_triple_similarity(golden.ensemble, 0.8), expected, "cts", 1e-13)
    assert_rows(simrank(golden.ensemble, 0.8, 5), expected, "srs", 1e-13)


@pytest.mark.parametrize("golden", ["g60", "g150"], indirect=True)
def test_golden_asrs_but_for_the_most_alike_clusters(golden):
    """The program counts 1 for the pair of different clusters that is most alike, and not d."""
    expected = golden.outputs("lce")
    G = oracle.asrs_clusters(golden.labels)
    alike = np.isclose(G, 0.8, rtol=0, atol=1e-13).astype(float)
    assert 2 <= alike.sum() < 10
    excess = 0.2 * oracle.mean_over_clusters(golden.labels, alike)
    np.fill_diagonal(excess, 0)
    similarity = np.asarray(approximate_simrank(golden.ensemble, 0.8)) + excess
    assert_rows(similarity, expected, "asrs", 1e-13)


def test_missing_labels():
    # The first and the last sample have one base clustering in common and are together there.
    ensemble = Ensemble([[0, 0], [1, 0], [1, 1], [0, -1]])
    similarity = np.asarray(connected_triple_similarity(ensemble))
    np.testing.assert_allclose(similarity[0, 3], 1)
    S = np.asarray(simrank(ensemble, 0.8, 2))
    # One of the two clusters of the first sample is the last one's only one.
    np.testing.assert_allclose(S[0, 3], 0.8 / 2)
