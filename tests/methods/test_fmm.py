"""The mixture of multinomials against EM on single samples, written out in loops."""

import numpy as np
from hypothesis import given

from coassoc import Ensemble
from coassoc.methods.fmm import fit_mixture
from ensembles import label_matrices_with_gaps


def em_of_samples(labels, P, rounds):
    """P and the log-likelihood of each round, sample by sample; −1 is a missing label."""
    n, m = labels.shape
    likelihood = []
    for _ in range(rounds):
        joint = np.tile(P.sum(axis=0) / n, (n, 1))
        for i in range(n):
            for j in range(m):
                if labels[i, j] >= 0:
                    same = labels[:, j] == labels[i, j]
                    there = labels[:, j] >= 0
                    joint[i] *= P[same].sum(axis=0) / np.maximum(P[there].sum(axis=0), 1e-300)
        P = joint / joint.sum(axis=1, keepdims=True)
        likelihood.append(np.log(joint.sum(axis=1)).sum())
    return P, likelihood


@given(labels=label_matrices_with_gaps(max_samples=10, max_clusterings=4))
def test_rounds_are_those_of_single_samples(labels):
    ensemble = Ensemble(labels)
    micro = ensemble.microclusters
    start = np.random.default_rng(0).dirichlet(np.ones(3), size=micro.count)
    small_P, iteration = fit_mixture(ensemble, start, tol=-1, max_iter=4)
    P, likelihood = em_of_samples(ensemble.labels, micro.expand(start), 4)
    np.testing.assert_allclose(iteration.history["likelihood"], likelihood, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(micro.expand(small_P), P, atol=1e-9)
