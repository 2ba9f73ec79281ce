"""BCE, GWCA and RMSC against their plain transcriptions, NMFC against another program."""

import numpy as np
import pytest

from coassoc import Ensemble, InvariantMatrix
from coassoc.methods import METHODS
from coassoc.methods.bce import mixed_membership
from coassoc.methods.gwca import aggregate
from coassoc.methods.rmsc import shared_transitions, symmetrized_chain
from coassoc.partition.labels import membership_labels
from ensembles import EXTREME, of_method
from oracles import bce, gwca, rmsc
from oracles.common import co_association, connective_matrices

# -- BCE -------------------------------------------------------------------------------------------

# BCE: the plain transcription, the bound, and the model that it fits.


mixed_membership = of_method(mixed_membership, "BCE")


def test_plain_transcription_of_bce(golden):
    labels, micro = golden.labels, golden.ensemble.microclusters
    start = np.random.default_rng(0).dirichlet(np.ones(golden.n_clusters), micro.count)
    gamma, beta, alpha, iteration = mixed_membership(
        golden.ensemble, (start, None, None), tol=0, max_iter=15
    )
    made = bce.mixed_membership(labels, micro.expand(start), n_iter=15)
    large_gamma, betas, expected, bounds = made
    np.testing.assert_allclose(iteration.history["bound"], bounds, rtol=1e-8)
    np.testing.assert_allclose(micro.expand(gamma), large_gamma, rtol=1e-4)
    np.testing.assert_allclose(beta, np.hstack(betas).T, atol=1e-6)
    np.testing.assert_allclose(alpha, expected, rtol=1e-4)


# -- GWCA ------------------------------------------------------------------------------------------

# GWCA: the plain transcription and minimisers.


aggregate = of_method(aggregate, "GWCA")


@pytest.mark.parametrize("golden", ["g60", "gdisc40"], indirect=True)
@pytest.mark.parametrize("eta", [0.3, 2.0])
def test_plain_transcription_of_gwca(golden, eta):
    labels = golden.labels
    weights, iteration = aggregate(Ensemble(labels), eta=eta, tol=0, max_iter=8)
    w, penalty = gwca.aggregate(labels, eta, n_iter=8)
    np.testing.assert_allclose(weights, w, atol=1e-10)
    before, _ = gwca.aggregate(labels, eta, n_iter=7)
    M = np.tensordot(before, connective_matrices(labels), 1)
    expected = gwca.objective(labels, M, before, penalty)
    np.testing.assert_allclose(iteration.history["objective"][-1], expected, rtol=1e-9)


# -- NMFC ------------------------------------------------------------------------------------------

# NMFC: the fit of another program.


def test_fits_as_well_as_another_program(golden):
    labels, c = golden.labels, golden.n_clusters
    theirs = golden.outputs("nmfc")
    Q, S = theirs["nmf_Q"], theirs["nmf_S"]
    expected = np.linalg.norm(co_association(labels) - Q @ S @ Q.T) ** 2
    model = METHODS["NMFC"](n_clusters=c, random_state=0).fit(labels)
    assert model.history_["objective"][-1] <= 1.002 * expected


def test_every_column_gets_a_row():
    U = np.array([[0.9, 0.1, 0.3], [0.8, 0.0, 0.7], [0.5, 0.4, 0.0]])
    labels, n_preferred = membership_labels(U)
    assert n_preferred == 1
    np.testing.assert_array_equal(labels, [0, 2, 1])


# -- RMSC ------------------------------------------------------------------------------------------

# RMSC: the plain transcription, the duality gap, and the chain.


shared_transitions = of_method(shared_transitions, "RMSC")


@pytest.mark.parametrize("golden", ["g60", "gdisc40"], indirect=True)
@pytest.mark.parametrize("lam", [0.01, 0.3])
def test_plain_transcription_of_rmsc(golden, lam):
    labels = golden.labels
    shared, iteration = shared_transitions(Ensemble(labels), lam=lam, tol=1e-12, max_iter=40)
    P, Y, Z = rmsc.shared_transitions(labels, lam=lam, n_iter=40)
    np.testing.assert_allclose(np.asarray(shared), P, atol=1e-10)
    assert np.abs(Y).max() <= lam * (1 + 1e-12)
    assert np.linalg.norm(Z, 2) <= 1 + 1e-10
    views = rmsc.transition_matrices(labels)
    bound = np.sum(Y * views) + np.sum((Z - Y.sum(axis=0)).min(axis=1))
    np.testing.assert_allclose(iteration.history["bound"][-1], bound, rtol=1e-9)
    expected = rmsc.objective(labels, P, lam)
    np.testing.assert_allclose(iteration.history["objective"][-1], expected, rtol=1e-6)


def test_stationary_distribution_of_a_disconnected_chain():
    ensemble = Ensemble(EXTREME["two blocks"])
    halves = InvariantMatrix(np.diag([1 / 3, 1 / 4]), 0.0, ensemble.microclusters)
    chain = symmetrized_chain(halves)
    np.testing.assert_allclose(chain.row_sums(), np.full(2, 1 / 7), rtol=1e-6)
