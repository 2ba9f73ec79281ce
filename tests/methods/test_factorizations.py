"""BCE, GWCA and RMSC against their plain transcriptions, NMFC against another program."""

import numpy as np
import pytest

from coassoc import Ensemble, InvariantMatrix
from coassoc.methods import METHODS
from coassoc.methods.bce import mixed_membership
from coassoc.methods.gwca import aggregate
from coassoc.methods.nmfc import factorize
from coassoc.methods.rmsc import shared_transitions, symmetrized_chain
from coassoc.partition.labels import membership_labels
from ensembles import EXTREME, of_method
from oracles import bce, gwca, rmsc
from oracles.common import co_association

# -- BCE -------------------------------------------------------------------------------------------

# BCE: the plain transcription, the bound, and the model that it fits.


def test_plain_transcription_of_bce(golden):
    labels, micro = golden.labels, golden.ensemble.microclusters
    start = np.random.default_rng(0).dirichlet(np.ones(golden.n_clusters), micro.count)
    estimator = METHODS["BCE"](golden.n_clusters, tol=0, max_iter=15)
    gamma, beta, alpha, loss = mixed_membership(golden.ensemble, estimator, (start, None, None))
    made = bce.mixed_membership(labels, micro.expand(start), n_iter=15)
    large_gamma, betas, expected, bounds = made
    assert -loss == pytest.approx(bounds[-1], rel=1e-8)
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
    weights = aggregate(Ensemble(labels), eta=eta, tol=0, max_iter=8)
    np.testing.assert_allclose(weights, gwca.aggregate(labels, eta, n_iter=8), atol=1e-10)


# -- NMFC ------------------------------------------------------------------------------------------

# NMFC: the fit of another program.


def test_fits_as_well_as_another_program(golden):
    labels, c = golden.labels, golden.n_clusters
    theirs = golden.outputs("nmfc")
    Q, S = theirs["nmf_Q"], theirs["nmf_S"]
    expected = np.linalg.norm(co_association(labels) - Q @ S @ Q.T) ** 2
    starts = np.random.RandomState(0).uniform(size=(10, golden.ensemble.microclusters.count, c))
    fits = (factorize(golden.ensemble, METHODS["NMFC"](c), start) for start in starts)
    assert min(objective for _, objective in fits) <= 1.002 * expected


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
    shared = shared_transitions(Ensemble(labels), lam=lam, tol=1e-12, max_iter=40)
    P = rmsc.shared_transitions(labels, lam=lam, n_iter=40)
    np.testing.assert_allclose(np.asarray(shared), P, atol=1e-10)


def test_stationary_distribution_of_a_disconnected_chain():
    ensemble = Ensemble(EXTREME["two blocks"])
    halves = InvariantMatrix(np.diag([1 / 3, 1 / 4]), 0.0, ensemble.microclusters)
    chain = symmetrized_chain(halves)
    np.testing.assert_allclose(chain.row_sums(), np.full(2, 1 / 7), rtol=1e-6)
