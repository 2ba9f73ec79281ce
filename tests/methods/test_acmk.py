import time
from functools import partial

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.cluster import KMeans

from coassoc.methods import METHODS
from coassoc.methods.acmk import own_filter, refine
from coassoc.methods.acmk.algorithm import Variables
from coassoc.methods.acmk.filter_step import FilterStep
from coassoc.methods.acmk.graph_step import GraphStep
from coassoc.numerics import threads
from coassoc.numerics.threads import use_threads
from ensembles import of_method, relabelled, same_partition
from oracles import acmk as oracle
from oracles.common import normalized
from refusals import cases

refine = of_method(refine, "ACMK-SC")


def problem(n=14, d=4, v=4, c=3, seed=0, noise=0.25, spread=0.6):
    """Features of c classes, with rows of mean square 1, and noisy base clusterings."""
    rng = np.random.default_rng(seed)
    y = np.sort(rng.integers(0, c, n))
    X = rng.normal(size=(n, d)) * spread + np.eye(c, d)[y]
    X /= np.sqrt((X**2).sum(axis=1).mean())
    labels = np.where(rng.random((n, v)) < noise, rng.integers(0, c, (n, v)), y[:, None])
    return X, relabelled(labels), y


@pytest.fixture
def exact_steps(monkeypatch):
    """Inner problems solved to rounding, so that outer iterates can be compared; many blocks."""
    monkeypatch.setattr(threads, "ROWS", 5)
    monkeypatch.setattr(FilterStep, "tolerance", 1e-16)
    monkeypatch.setattr(FilterStep, "max_steps", 400)
    monkeypatch.setattr(FilterStep, "memory", 20)
    monkeypatch.setattr(GraphStep, "tolerance", 1e-12)
    monkeypatch.setattr(GraphStep, "max_steps", 200)


def assert_as_printed(refinement, W, embedding, refined, alpha, objective):
    np.testing.assert_allclose(refinement.W, W, atol=1e-6)
    np.testing.assert_allclose(refinement.embedding, embedding, atol=1e-6)
    np.testing.assert_array_equal(refinement.labels, refined)
    np.testing.assert_allclose(refinement.alpha, alpha, atol=1e-6)
    np.testing.assert_allclose(refinement.objective, objective, rtol=1e-6)


@pytest.mark.parametrize(("d", "order"), [(4, 1), (4, 2), (4, 3), (1, 2)])
@pytest.mark.parametrize("lam", [0.01, 1.0])
def test_equals_the_algorithm_as_printed(d, order, lam, exact_steps):
    """One feature has a basis of its row space."""
    X, labels, _ = problem(n=14 if d > 1 else 30, d=d)
    refinement = refine(X, labels, lam=lam, order=order, max_iter=3, tol=1e-15)
    assert_as_printed(refinement, *oracle.refine(X, labels, lam, order, n_iter=3))


#: Two columns in 60 rows are few enough for thin steps of order 1, one in 90 for those of order 2.
@cases("n, d, order", (30, 30, 1), (30, 30, 2), (30, 30, 3), (60, 2, 1), (60, 2, 3), (90, 1, 2))
@pytest.mark.parametrize("lam", [0.01, 1.0])
def test_the_authors_steps_are_those_of_l_bfgs_b_from_the_last_filter(
    n, d, order, lam, exact_steps
):
    X, labels, _ = problem(n=n, d=d, spread=0.3)
    refinement = refine(X, labels, lam=lam, order=order, max_iter=2, tol=1e-15, solver="author")
    printed = oracle.refine(X, labels, lam, order, n_iter=2, steps=oracle.AUTHOR)
    assert_as_printed(refinement, *printed)


def test_many_features_equal_their_coordinates():
    X, labels, _ = problem(n=30, d=80, spread=0.2)
    dense = METHODS["ACMK-KM"](n_clusters=3, random_state=0).fit(labels, X=X)
    sparse = METHODS["ACMK-KM"](n_clusters=3, random_state=0).fit(labels, X=sp.csr_array(X))
    assert dense.embedding_.shape == (30, 30)
    np.testing.assert_allclose(dense.affinity_, sparse.affinity_, atol=1e-8)
    np.testing.assert_array_equal(dense.labels_, sparse.labels_)


def test_does_not_depend_on_the_unit_of_X():
    X, labels, _ = problem(n=60, noise=0.4)
    # Later on, rounding decides after which step (9) stops.
    make = partial(METHODS["ACMK-SC"], 3, max_iter=10, random_state=0)
    first, second = (make().fit(labels, X=unit * X) for unit in (1, 1e-4))
    np.testing.assert_allclose(first.affinity_, second.affinity_, atol=1e-8)
    np.testing.assert_array_equal(first.labels_, second.labels_)


def test_endings_on_the_copy_of_the_filter():
    X, labels, _ = problem(n=40, seed=2)
    scaled = X / np.sqrt(((X - X.mean(axis=0)) ** 2).sum(axis=1).mean())
    refinement = refine(scaled, labels, lam=0.01)
    filtered = oracle.power(refinement.A, 3) @ scaled
    np.testing.assert_allclose(refinement.A_embedding, filtered, atol=1e-10)
    spectral = METHODS["ACMK-SC-A"](n_clusters=3, random_state=0).fit(labels, X=X)
    k_means = METHODS["ACMK-KM-A"](n_clusters=3, random_state=0).fit(labels, X=X)
    A = (refinement.A + refinement.A.T) / 2
    np.testing.assert_allclose(spectral.affinity_, np.where(A > 0, A, 0), atol=1e-10)
    np.testing.assert_allclose(k_means.embedding_, refinement.A_embedding, atol=1e-10)
    assert same_partition(spectral.labels_, oracle.spectral(spectral.affinity_, 3))
    assert same_partition(k_means.labels_, KMeans(3, n_init=20).fit_predict(k_means.embedding_))


def test_filter_of_a_base_clustering_alone():
    X, labels, _ = problem(n=20)
    for g in labels.T:
        Z = oracle.one_hot(g)
        C = (np.eye(20) + normalized(Z @ Z.T)) / 2
        np.testing.assert_allclose(own_filter(X, g, 3), oracle.power(C, 3) @ X, atol=1e-12)
    est = METHODS["ACMK-GF"](n_clusters=3, random_state=0).fit(labels, X=X)
    assert est.refined_labels_.shape == labels.shape
    assert any(same_partition(est.labels_, g) for g in est.refined_labels_.T)


class PrintedVariables(Variables):
    """With V and Λ₂ of Algorithm 1, both of which the library's state holds in P."""

    def __init__(self, *problem):
        super().__init__(*problem)
        self.V, self.L2 = self.W.copy(), np.zeros_like(self.W)
        self.A[:] = (np.eye(len(self.W)) + normalized(self.W)) / 2

    def update_V_and_multipliers(self):
        W, mu = self.W, self.mu
        super().update_V_and_multipliers()
        self.V = (W + W.T) / 2 + (self.L2 + self.L2.T) / (2 * mu)
        self.L2 = self.L2 + mu * (W - self.V)

    def lagrangian(self):
        G = [np.eye(len(F))[g] for g, F in zip(self.G.T, self.F, strict=True)]
        parameters = self.X, self.order, self.lam, self.mu
        variables = self.A, self.W, self.V, G, self.F, self.alpha, self.L1, self.L2
        return oracle.lagrangian(*parameters, *variables)


@pytest.mark.parametrize("lam", [0.01, 1.0])
def test_every_update_lowers_the_lagrangian(lam):
    X, labels, _ = problem(n=20, seed=4)
    model = PrintedVariables(X, labels, METHODS["ACMK-SC"](3, lam=lam))
    for _ in range(4):
        value = model.lagrangian()
        for update in (model.update_A, model.update_W, model.update_G_and_F, model.update_alpha):
            update()
            before, value = value, model.lagrangian()
            assert value <= before + 1e-9 * abs(before)
        model.update_V_and_multipliers()


def learned_filter(order, seed):
    """Features, eigenvectors and eigenvalues of the Laplacian of the learned graph, embedding."""
    X, labels, _ = problem(n=24, seed=seed)
    refinement = refine(X, labels, lam=0.1, order=order, max_iter=3, tol=1e-15)
    sigma, U = np.linalg.eigh(np.eye(len(X)) - normalized(refinement.W))
    return X, U, sigma, refinement.embedding


random_models = given(order=st.integers(1, 4), seed=st.integers(0, 10**6))


@settings(max_examples=8)
@random_models
def test_the_learned_filter_is_low_pass(order, seed):
    X, U, sigma, embedding = learned_filter(order, seed)
    response = (1 - sigma / 2) ** order
    np.testing.assert_allclose(U.T @ embedding, response[:, None] * (U.T @ X), atol=1e-10)
    assert abs(sigma[0]) < 1e-10 and sigma[-1] <= 2 + 1e-10
    eta = response[1:] / response[:-1]  # of the K lowest frequencies against all others, Eq. (21)
    assert eta.max() <= 1 + 1e-10 and eta.min() < 1 - 1e-3


@settings(max_examples=8)
@random_models
def test_filtered_features_are_smoother(order, seed):
    X, U, sigma, embedding = learned_filter(order, seed)
    before, after = (sigma @ (U.T @ signals) ** 2 for signals in (X, embedding))  # diag(XᵀLX)
    assert (after < before).all()


@pytest.mark.slow
def test_an_iteration_takes_time_of_the_order_of_n_squared_d():
    def seconds(n, d):
        X, labels, _ = problem(n=n, d=d, v=10, c=5)
        started = time.process_time()
        with use_threads(1):
            refine(X, labels, lam=0.01, max_iter=2, tol=1e-15)
        return time.process_time() - started

    seconds(100, 20)  # compiles
    growth = {factor: min(seconds(500 * factor, 50) for _ in range(2)) for factor in (1, 2)}
    assert growth[2] / growth[1] < 2**2.5 and seconds(500, 400) / growth[1] < 8 * 1.2
