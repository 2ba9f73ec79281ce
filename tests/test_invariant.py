"""InvariantMatrix against dense NumPy: every operation, on every kind of microclusters."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coassoc import DataError, InvariantMatrix, Microclusters
from refusals import refuses


@st.composite
def microclusters(draw) -> Microclusters:
    """Sizes all 1, one giant, or mixed; samples in any order."""
    kind = draw(st.sampled_from(["single samples", "one giant", "mixed"]))
    if kind == "single samples":
        sizes = [1] * draw(st.integers(1, 7))
    elif kind == "one giant":
        sizes = [draw(st.integers(1, 9))]
    else:
        sizes = draw(st.lists(st.integers(1, 4), min_size=1, max_size=5))
    assignment = np.repeat(np.arange(len(sizes)), sizes)
    seed = draw(st.integers(0, 2**32 - 1))
    return Microclusters.from_assignment(np.random.default_rng(seed).permutation(assignment))


@st.composite
def matrices(draw, symmetric: bool = False, micro: Microclusters | None = None) -> InvariantMatrix:
    micro = micro or draw(microclusters())
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    S = rng.normal(size=(micro.count, micro.count))
    return InvariantMatrix(S + S.T if symmetric else S, rng.normal(size=micro.count), micro)


#: Two matrices on the same microclusters.
pairs = microclusters().flatmap(lambda micro: st.tuples(*[matrices(micro=micro)] * 2))


def dense(X: InvariantMatrix) -> np.ndarray:
    """P S Pᵀ + diag(P e), written out."""
    P = np.eye(X.microclusters.count)[X.microclusters.assignment]
    return P @ X.S @ P.T + np.diag(P @ X.e)


def close(X: InvariantMatrix, expected: np.ndarray, scale: float = 1.0) -> None:
    np.testing.assert_allclose(X.to_dense(), expected, atol=1e-10 * scale, rtol=1e-9)


@given(matrices())
def test_dense_form(X):
    close(X, dense(X))
    np.testing.assert_array_equal(np.asarray(X), X.to_dense())
    diagonal = X.microclusters.expand(X.diagonal())
    np.testing.assert_allclose(diagonal, np.diagonal(dense(X)), atol=1e-12)


@given(pairs)
def test_operations(pair):
    X, Y = pair
    A, B = dense(X), dense(Y)
    close(X + Y, A + B)
    close(X - Y, A - B)
    close(-X, -A)
    close(X * Y, A * B)
    close(3 * X, 3 * A)
    close(X * -0.5, A * -0.5)
    close(X / 4, A / 4)
    close(np.float64(2) * X, 2 * A)
    close(X.map(np.exp), np.exp(A))
    close(X.map(np.maximum, Y), np.maximum(A, B))
    close(X.T, A.T)
    close(X.symmetrized(), (A + A.T) / 2)
    close(X @ Y, A @ B, scale=10)


@given(pairs)
def test_sums_and_norms(pair):
    X, Y = pair
    A, B = dense(X), dense(Y)
    np.testing.assert_allclose(X.microclusters.expand(X.row_sums()), A.sum(axis=1), atol=1e-10)
    np.testing.assert_allclose(X.sum(), A.sum(), atol=1e-9)
    np.testing.assert_allclose(X.inner(Y), np.sum(A * B), atol=1e-9)
    np.testing.assert_allclose(X.norm(), np.linalg.norm(A), atol=1e-9)


@given(matrices(symmetric=True))
def test_eigenpairs(X):
    A, micro = dense(X), X.microclusters
    eigen = X.eigh()
    inner = np.repeat(eigen.inner_values, micro.sizes - 1)
    values = np.sort(np.concatenate((eigen.values, inner)))
    np.testing.assert_allclose(values, np.linalg.eigvalsh(A), atol=1e-9)
    V = micro.expand(eigen.vectors)
    np.testing.assert_allclose(A @ V, V * eigen.values, atol=1e-9)
    np.testing.assert_allclose(V.T @ V, np.eye(V.shape[1]), atol=1e-10)


@given(matrices(symmetric=True), st.integers(1, 4))
def test_largest_eigenpairs(X, k):
    whole, part = X.eigh(), X.eigh(k)
    k = min(k, X.microclusters.count)
    np.testing.assert_allclose(part.values[:k], whole.values[:k], atol=1e-9)
    assert part.vectors.shape == (X.microclusters.count, k)


@given(matrices())
def test_the_array_that_numpy_asks_for(X):
    n = X.microclusters.n_samples
    assert X.shape == (n, n)
    assert X.__array__().dtype == np.float64 and X.__array__(np.float32).dtype == np.float32
    with pytest.raises(ValueError, match="has no dense array to share"):
        X.__array__(copy=False)
    np.testing.assert_array_equal(X.__array__(copy=True), X.to_dense())


def test_arguments_are_not_modified():
    micro = Microclusters.from_assignment([0, 1, 1])
    S, e = np.ones((2, 2)), np.array([1.0, 2.0])
    X = InvariantMatrix(S, e, micro)
    assert S[0, 0] == 1 and e[0] == 1 and X.e[0] == 0 and X.S[0, 0] == 2


def test_mismatches_are_refused():
    micro, other = (Microclusters.from_assignment([0, 1]) for _ in range(2))
    X, Y = (InvariantMatrix.identity(grouping) for grouping in (micro, other))
    with pytest.raises(DataError, match="different microclusters"):
        X + Y
    refuses(DataError, r"S has the shape \(3, 3\)", InvariantMatrix, np.ones((3, 3)), 0.0, micro)
    with pytest.raises(TypeError):
        X + 1
