"""BCE: the plain transcription, the bound, and the model that it fits."""

import numpy as np

from coassoc.methods.bce import mixed_membership
from ensembles import with_defaults
from oracles import bce as oracle

mixed_membership = with_defaults(mixed_membership, "BCE")


def starts(ensemble, c, seed=0):
    """The same memberships on microclusters and on samples."""
    start = np.random.default_rng(seed).dirichlet(np.ones(c), ensemble.microclusters.count)
    return start, ensemble.microclusters.expand(start)


def test_plain_transcription(golden):
    labels, c, ensemble = golden.labels, golden.n_clusters, golden.ensemble
    small, large = starts(ensemble, c)
    gamma, beta, alpha, iteration = mixed_membership(ensemble, small, tol=0, max_iter=15)
    large_gamma, betas, expected, bounds = oracle.mixed_membership(labels, large, n_iter=15)
    np.testing.assert_allclose(iteration.history["bound"], bounds, rtol=1e-8)
    np.testing.assert_allclose(ensemble.microclusters.expand(gamma), large_gamma, rtol=1e-4)
    np.testing.assert_allclose(beta, np.hstack(betas).T, atol=1e-6)
    np.testing.assert_allclose(alpha, expected, rtol=1e-4)
