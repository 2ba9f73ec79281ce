"""Projections, components and eigenvectors behind graphs with a wanted number of components."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse.csgraph import connected_components
from scipy.sparse.linalg import aslinearoperator

from coassoc import Ensemble
from coassoc.numerics import rank_constraint
from coassoc.numerics.rank_constraint import (
    adjust_rank_penalty,
    bipartite_components,
    bottom_laplacian_eigenvectors,
    graph_components,
)
from coassoc.numerics.simplex import project_columns_on_simplex
from coassoc.partition.components import component_labels
from ensembles import noisy_copies, same_partition
from oracles import graphs as oracle
from oracles.common import simplex


@given(
    st.integers(0, 10**6), st.integers(1, 12), st.integers(1, 6), st.sampled_from([0.01, 1, 1e4])
)
def test_simplex_projection_of_repeated_entries(seed, q, h, scale):
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 4, q)
    V = np.round(rng.normal(size=(q, h)) * scale, 1)
    rows = np.repeat(np.arange(q), sizes)
    expected = simplex(V[rows].T)
    projection = project_columns_on_simplex(V.copy(), sizes.astype(float))
    np.testing.assert_allclose(projection[rows].T, expected, atol=1e-12 * max(scale, 1))


@given(st.integers(0, 10**6), st.integers(1, 40), st.floats(0, 0.2))
def test_components_of_dense_graphs(seed, q, density):
    S = np.triu(np.random.default_rng(seed).random((q, q)) < density).astype(float)
    S += S.T
    count, component = graph_components(S)
    expected = connected_components(S, directed=False)
    assert count == expected[0]
    assert same_partition(component, expected[1])


@given(st.integers(0, 10**6), st.integers(1, 12), st.integers(1, 12), st.floats(0, 0.4))
def test_components_of_bipartite_graphs(seed, q, L, density):
    H = (np.random.default_rng(seed).random((q, L)) < density).astype(float)
    count, component = bipartite_components(H)
    assert count == component.max() + 1
    assert same_partition(component, oracle.bipartite_components(H))


@pytest.mark.parametrize("dense_limit", [300, 0], ids=["dense", "Lanczos"])
@pytest.mark.parametrize("factored", [False, True])
@pytest.mark.parametrize("blocks", [1, 3])
def test_eigenvectors_over_the_samples(monkeypatch, dense_limit, factored, blocks):
    monkeypatch.setattr(rank_constraint, "_DENSE_EIGENPROBLEM", dense_limit)
    rng = np.random.default_rng(blocks)
    q, c = 60, 4
    member = rng.integers(blocks, size=q)
    R = rng.random((q, 40)) * (member[:, None] == rng.integers(blocks, size=40))
    S, sizes = R @ R.T, rng.integers(1, 4, q)
    rows = np.repeat(np.arange(q), sizes)
    count, component = graph_components(S)
    graph = aslinearoperator(R) @ aslinearoperator(R.T) if factored else S
    F, total = bottom_laplacian_eigenvectors(graph, sizes.astype(float), c, component, count)
    values, vectors = oracle.embed(S[np.ix_(rows, rows)], c)
    assert total == pytest.approx(values[:c].sum(), rel=1e-9, abs=1e-9)
    np.testing.assert_allclose(F[rows] @ F[rows].T, vectors @ vectors.T, atol=1e-8)


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


def test_rank_penalty():
    tol = (1e-9, 1e-11)
    assert adjust_rank_penalty(2.0, 1e-3, np.inf, tol) == (4.0, False)
    assert adjust_rank_penalty(2.0, 0.0, 0.0, tol) == (1.0, False)
    assert adjust_rank_penalty(2.0, 1e-10, 0.3, tol) == (2.0, True)


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
