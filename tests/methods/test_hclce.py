"""HCLCE: the fusion against dense formulas, the projection against a QP solver, the constraints."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize

from coassoc import ConfigError, Ensemble
from coassoc.doubly_stochastic import doubly_stochastic_projection
from coassoc.ensemble import Microclusters
from coassoc.invariant import InvariantMatrix
from coassoc.methods.hclce import HCLCE, fused_similarity, structured_graph
from conftest import noisy_ensemble
from oracles import hclce as oracle


@pytest.mark.parametrize("order", [1, 2, 3, 4])
@pytest.mark.parametrize("seed", range(3))
def test_fusion_equals_dense_formulas(order, seed):
    labels = noisy_ensemble(40, 5, 3, seed, noise=0.1)
    ensemble = Ensemble(labels)
    assert ensemble.microclusters.count < 40
    found, weights = fused_similarity(ensemble, order)
    expected = oracle.fuse(labels, order)
    if order == 4:  # one matrix: nothing to fuse, and it is returned as it is
        assert weights is None
        expected = oracle.family(labels, 4)[0]
    np.testing.assert_allclose(found.to_dense(), expected, atol=1e-7)


def projection_by_solver(B: np.ndarray) -> np.ndarray:
    """min ‖M − B‖² over symmetric M ≥ 0 with M1 = 1, by sequential quadratic programming."""
    n = len(B)
    upper = np.triu_indices(n)

    def matrix(x):
        M = np.zeros((n, n))
        M[upper] = x
        return M + np.triu(M, 1).T

    def gradient(x):
        D = 2 * (matrix(x) - B)
        return (D + D.T - np.diag(np.diagonal(D)))[upper]

    found = minimize(
        lambda x: np.sum((matrix(x) - B) ** 2),
        matrix(np.full(len(upper[0]), 1 / n))[upper],
        jac=gradient,
        method="SLSQP",
        bounds=[(0, None)] * len(upper[0]),
        constraints={"type": "eq", "fun": lambda x: matrix(x).sum(axis=1) - 1},
        options={"ftol": 1e-15, "maxiter": 1000},
    )
    return matrix(found.x)


@pytest.mark.parametrize("seed", range(5))
def test_projection_equals_a_solver(seed):
    rng = np.random.default_rng(seed)
    B = rng.normal(size=(6, 6)) * 0.4
    B = (B + B.T) / 2
    found = doubly_stochastic_projection(B)
    np.testing.assert_allclose(found.S + np.diag(found.e), projection_by_solver(B), atol=1e-5)


@pytest.mark.parametrize("seed", range(4))
def test_projection_on_microclusters_is_that_of_the_samples(seed):
    rng = np.random.default_rng(seed)
    micro = Microclusters.from_assignment(np.repeat(np.arange(5), rng.integers(1, 5, 5)))
    B = rng.uniform(0, 0.3, (5, 5))
    X = InvariantMatrix((B + B.T) / 2, rng.uniform(0, 0.2, 5), micro)
    whole = doubly_stochastic_projection(X.to_dense())
    part = doubly_stochastic_projection(X.S, micro.r, X.e)
    found = InvariantMatrix(part.S, part.e, micro).to_dense()
    np.testing.assert_allclose(found, whole.S + np.diag(whole.e), atol=1e-9)


@pytest.mark.parametrize("view", ["all", "1", "2", "3", "4"])
def test_learned_graph_keeps_its_constraints(view):
    labels = noisy_ensemble(80, 8, 4, seed=3, noise=0.1)
    est = HCLCE(4, view=view, random_state=0).fit(labels)
    M = np.asarray(est.affinity_)
    np.testing.assert_allclose(M, M.T, atol=1e-12)
    assert M.min() >= 0
    np.testing.assert_allclose(M.sum(axis=1), 1, atol=1e-8)
    if est.n_clusters_found_ == 4:
        eigenvalues = np.linalg.eigvalsh(np.eye(len(M)) - M)
        assert eigenvalues[3] < 1e-6 < eigenvalues[4]


def test_structured_graph_has_the_wanted_components():
    labels = noisy_ensemble(60, 8, 3, seed=1, noise=0.05)
    S_hat, _ = fused_similarity(Ensemble(labels), 1)
    result = structured_graph(S_hat, 3)
    assert result.converged and result.n_components == 3


def test_all_views_are_available():
    labels = noisy_ensemble(60, 6, 3, seed=2)
    est = HCLCE(3, random_state=0).fit(labels)
    assert set(est.views_) == {1, 2, 3, 4}
    assert est.view_weights_.shape == (4,)
    assert est.view_weights_.min() >= 0 and est.view_weights_.sum() == pytest.approx(1)


def test_bad_parameters_are_refused():
    labels = noisy_ensemble(20, 4, 2, seed=0)
    with pytest.raises(ConfigError, match='view is 5; it must be one of "all", 1, 2, 3, 4'):
        HCLCE(2, view=5).fit(labels)
    with pytest.raises(ConfigError, match="order is 7"):
        fused_similarity(Ensemble(labels), 7)
