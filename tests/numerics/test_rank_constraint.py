"""Projections, components and eigenvectors behind graphs with a wanted number of components."""

import numpy as np
import pytest

from coassoc import Ensemble
from coassoc.numerics import rank_constraint
from coassoc.numerics.rank_constraint import (
    bottom_laplacian_eigenvectors,
)
from coassoc.partition.components import component_labels
from ensembles import noisy_copies, same_partition
from oracles import graphs as oracle


@pytest.mark.parametrize("copies", [2, 5])
def test_lanczos_finds_all_copies_of_an_eigenvalue(monkeypatch, copies):
    """Each leaf block of a star hangs on the hub alike: copies − 1 equal eigenvalues."""
    monkeypatch.setattr(rank_constraint, "_DENSE_EIGENPROBLEM", 0)
    size = 12
    S = np.kron(np.eye(copies), np.ones((size, size)))
    S = np.pad(S, ((0, 1), (0, 1)), constant_values=0.1)
    F, total = bottom_laplacian_eigenvectors(
        S, np.ones(len(S)), copies, np.zeros(len(S), dtype=int), 1
    )
    values, vectors = oracle.embed(S, copies)
    assert total == pytest.approx(values[:copies].sum(), rel=1e-9)
    np.testing.assert_allclose(F @ F.T, vectors @ vectors.T, atol=1e-8)


@pytest.mark.parametrize("degree", [1.0, 0.0], ids=["with edges", "without"])
def test_labels_by_components(degree):
    labels, truth = noisy_copies(120, 9, 4, 0.1, seed=2)
    ensemble = Ensemble(labels)
    micro = ensemble.microclusters
    degrees, cut = np.full(micro.count, degree), np.arange(120)

    def labels_of(component, n_clusters):
        return component_labels(ensemble, component, degrees, n_clusters, 0, lambda: cut)

    classes = truth[micro.representatives]
    np.testing.assert_array_equal(labels_of(classes, 4), truth)
    assert labels_of(classes, 5) is cut
    assert len(np.unique(labels_of(classes, micro.count + 1))) == micro.count + 1
    # Too many, here several of each class, are joined by co-association.
    parts = np.unique(classes * 3 + np.arange(micro.count) % 3, return_inverse=True)[1]
    assert same_partition(labels_of(parts, 4), truth)
