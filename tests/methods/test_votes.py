"""Methods that count labels or fit them by centres, modes and mixtures, against definitions."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given

from coassoc import Ensemble
from coassoc.methods import METHODS
from coassoc.methods.fmm import fit_mixture
from coassoc.methods.kcc import category_distances, entropy_distances
from ensembles import label_matrices_with_gaps, noisy_copies

# -- FMM -------------------------------------------------------------------------------------------

# The mixture of multinomials against EM on single samples, written out in loops.


def em_of_samples(labels, P, rounds):
    """P and the log-likelihood of the last round, sample by sample; −1 is a missing label."""
    n, m = labels.shape
    for _ in range(rounds):
        joint = np.tile(P.sum(axis=0) / n, (n, 1))
        for i in range(n):
            for j in range(m):
                if labels[i, j] >= 0:
                    same = labels[:, j] == labels[i, j]
                    there = labels[:, j] >= 0
                    joint[i] *= P[same].sum(axis=0) / np.maximum(P[there].sum(axis=0), 1e-300)
        P = joint / joint.sum(axis=1, keepdims=True)
    return P, np.log(joint.sum(axis=1)).sum()


@given(labels=label_matrices_with_gaps(max_samples=10, max_clusterings=4))
def test_rounds_are_those_of_single_samples(labels):
    ensemble = Ensemble(labels)
    micro = ensemble.microclusters
    start = np.random.default_rng(0).dirichlet(np.ones(3), size=micro.count)
    estimator = METHODS["FMM"](3, tol=-1, max_iter=4)
    small_P, loss = fit_mixture(ensemble, estimator, start)
    P, likelihood = em_of_samples(ensemble.labels, micro.expand(start), 4)
    assert -loss == pytest.approx(likelihood, rel=1e-9, abs=1e-9)
    np.testing.assert_allclose(micro.expand(small_P), P, atol=1e-9)


# -- HBGF ------------------------------------------------------------------------------------------

# HBGF and U-SENC against the whole bipartite graph.


def test_parts_without_samples_are_counted_and_filled():
    # One sample in twelve stands apart, and one cluster more is wanted than there are kinds.
    labels = np.repeat([[0, 1, 0], [1, 0, 1]], [11, 1], axis=0)
    model = METHODS["HBGF"](3, random_state=0).fit(labels)
    assert len(np.unique(model.labels_)) == 3
    assert model.n_clusters_found_ == 2


# -- KCC -------------------------------------------------------------------------------------------

# KCC against the utilities themselves.


def test_distances_where_labels_are_missing():
    ensemble = Ensemble([[0, 0], [0, 1], [1, -1]])
    first = ensemble.microclusters.assignment
    labels = np.empty(3, dtype=int)
    labels[first] = [0, 0, 1]
    distances = category_distances(ensemble, labels, 2)[first]
    # Centre 0 is (1, 0 | ½, ½); the third sample has the first clustering only.
    np.testing.assert_allclose(distances[:, 0], [0.5, 0.5, 2])
    np.testing.assert_allclose(distances[2, 1], 0)
    entropies = entropy_distances(ensemble, labels, 2)[first]
    np.testing.assert_allclose(entropies[:2, 0], np.log(2))
    assert np.isinf(entropies[2, 0]) and entropies[2, 1] == 0


# -- KMODES ----------------------------------------------------------------------------------------

# k-modes against modes and mismatches of single samples.


def cost(labels, partition):
    """Labels of samples other than the mode's, whichever of equally frequent ones that is."""
    return sum(
        np.sum(inside >= 0) - np.bincount(inside[inside >= 0], minlength=1).max()
        for k in np.unique(partition)
        for inside in labels[partition == k].T
    )


@pytest.mark.parametrize("noise", [0.3, 0.6])
def test_the_cost_is_the_least_of_all_partitions(noise):
    for seed in range(8):
        labels, _ = noisy_copies(8, 5, 2, noise, seed=seed)
        partitions = [np.array((0, *rest)) for rest in product((0, 1), repeat=7) if any(rest)]
        model = METHODS["K-modes"](2, random_state=0).fit(labels)
        least = min(cost(labels, partition) for partition in partitions)
        assert cost(labels, model.labels_) == least
