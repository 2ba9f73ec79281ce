"""RMSC: the plain transcription, the duality gap, and the chain."""

import numpy as np
import pytest

from coassoc import Ensemble, InvariantMatrix
from coassoc.methods.rmsc import shared_transitions, symmetrized_chain
from ensembles import EXTREME, with_defaults
from oracles import rmsc as oracle

shared_transitions = with_defaults(shared_transitions, "RMSC")


@pytest.mark.parametrize("golden", ["g60", "gdisc40"], indirect=True)
@pytest.mark.parametrize("lam", [0.01, 0.3])
def test_plain_transcription(golden, lam):
    labels = golden.labels
    shared, iteration = shared_transitions(Ensemble(labels), lam=lam, tol=1e-12, max_iter=40)
    P, Y, Z = oracle.shared_transitions(labels, lam=lam, n_iter=40)
    np.testing.assert_allclose(np.asarray(shared), P, atol=1e-10)
    assert np.abs(Y).max() <= lam * (1 + 1e-12)
    assert np.linalg.norm(Z, 2) <= 1 + 1e-10
    views = oracle.transition_matrices(labels)
    bound = np.sum(Y * views) + np.sum((Z - Y.sum(axis=0)).min(axis=1))
    np.testing.assert_allclose(iteration.history["bound"][-1], bound, rtol=1e-9)
    expected = oracle.objective(labels, P, lam)
    np.testing.assert_allclose(iteration.history["objective"][-1], expected, rtol=1e-6)


def test_stationary_distribution_of_a_disconnected_chain():
    ensemble = Ensemble(EXTREME["two blocks"])
    halves = InvariantMatrix(np.diag([1 / 3, 1 / 4]), 0.0, ensemble.microclusters)
    chain = symmetrized_chain(halves)
    np.testing.assert_allclose(chain.row_sums(), np.full(2, 1 / 7), rtol=1e-6)
