"""Small kernels: agreements of rows, sparse matrices, quadratic programs, eigenvectors."""

import numpy as np
import pytest
import scipy.linalg
from hypothesis import given
from hypothesis import strategies as st

import coassoc.numerics.eigenpairs
from coassoc import Ensemble, use_threads
from coassoc.numerics import rank_constraint
from coassoc.numerics.distinct import distinct_rows, distinct_values, places_among_distinct
from coassoc.numerics.eigenpairs import eigenpairs_above, eigenpairs_within, leading_eigenpairs
from coassoc.numerics.rank_constraint import bottom_laplacian_eigenvectors
from coassoc.numerics.seeds import seed_from_names
from coassoc.numerics.simplex import simplex_qp
from coassoc.similarity import shared_weight
from oracles import graphs

# -- AGREEMENTS ------------------------------------------------------------------------------------

# Agreements of rows of labels by compiled loops are those of a sparse product, to the last bit.


@pytest.mark.parametrize(
    ("n", "m", "n_labels", "missing"),
    [(90, 7, 4, 0.0), (90, 7, 4, 0.3), (40, 300, 2, 0.0), (400, 3, 255, 0.1), (700, 2, 256, 0.1)],
    ids=["complete", "missing", "more than 255 columns", "255 labels", "256 labels"],
)
def test_all_ways_give_the_same(n, m, n_labels, missing):
    rng = np.random.default_rng(n)
    labels = np.where(rng.random((n, m)) < missing, -1, rng.integers(0, n_labels, (n, m)))
    labels[:n_labels, 0] = np.arange(n_labels)[:n]
    ensemble = Ensemble(labels[(labels >= 0).any(axis=1)])
    ones = np.ones(ensemble.n_clusters_total)
    for weights in (ones, ones / 3, rng.random(len(ones))):
        Z = ensemble.microcluster_membership
        with use_threads(3):
            made = shared_weight(ensemble, weights)
        np.testing.assert_array_equal(made, Z @ Z.multiply(weights).T.toarray())
        np.testing.assert_array_equal(made, made.T)


# -- SIMPLEX ---------------------------------------------------------------------------------------

#


sizes = st.integers(-3, 6)


@given(st.integers(0, 10**6), st.integers(1, 9), st.integers(0, 9), sizes, sizes, st.booleans())
def test_meets_the_optimality_conditions(seed, q, rank, size_H, size_f, doubled):
    rng = np.random.default_rng(seed)
    B = rng.normal(size=(q, rank)) * 10.0 ** (size_H / 2)
    f = rng.normal(size=q) * 10.0**size_f
    if doubled:
        B, f = np.vstack((B, B)), np.concatenate((f, f))
    H = B @ B.T
    w = simplex_qp(H, f)
    assert w.min() >= 0 and w.sum() == pytest.approx(1, abs=1e-12)
    gradient = H @ w + f
    assert gradient @ w - gradient.min() <= 1e-10 * max(np.abs(H).max(), np.abs(f).max())


# -- RANK CONSTRAINT -------------------------------------------------------------------------------

# Projections, components and eigenvectors behind graphs with a wanted number of components.


@pytest.mark.parametrize("copies", [2, 5])
def test_lanczos_finds_all_copies_of_an_eigenvalue(monkeypatch, copies):
    """Each leaf block of a star hangs on the hub alike: copies − 1 equal eigenvalues."""
    monkeypatch.setattr(rank_constraint, "_DENSE_EIGENPROBLEM", 0)
    size = 12
    S = np.kron(np.eye(copies), np.ones((size, size)))
    S = np.pad(S, ((0, 1), (0, 1)), constant_values=0.1)
    ones, one_part = np.ones(len(S)), np.zeros(len(S), dtype=int)
    F, total = bottom_laplacian_eigenvectors(S, ones, copies, one_part, 1)
    values, vectors = graphs.embed(S, copies)
    assert total == pytest.approx(values[:copies].sum(), rel=1e-9)
    np.testing.assert_allclose(F @ F.T, vectors @ vectors.T, atol=1e-8)


# -- DISTINCT --------------------------------------------------------------------------------------

# Distinct values and rows, against NumPy's sorts.


@pytest.mark.parametrize("kind", [np.int8, np.int16, np.int32])
@pytest.mark.parametrize(("n", "m", "k"), [(1, 1, 1), (50, 3, 2), (9000, 20, 90), (300, 70, 120)])
def test_groups_are_those_of_a_sort(kind, n, m, k):
    random = np.random.default_rng(n)
    labels = random.integers(-1, k, (n, m)).astype(kind)
    labels = labels[random.integers(0, n, 2 * n)]
    if kind is np.int32:
        labels[:, -1] = np.maximum(labels[:, -1] * 2**23, -1)  # two such columns fill a word
    groups = distinct_rows(labels)
    expected = np.unique(labels, axis=0, return_inverse=True)[1].ravel()
    np.testing.assert_array_equal(groups, expected)


@pytest.mark.parametrize("end", ["min", "max"])
@pytest.mark.parametrize("kind", ["int8", "uint8", "int16", "int32", "uint32", "int64", "uint64"])
def test_values_are_those_of_a_sort(kind, end):
    few = np.random.default_rng(0).integers(0, [2, 90, 1], (400, 3)).astype(kind)
    few[:, 1] *= few[:, 1] % 3
    last = getattr(np.iinfo(kind), end)
    table = few + last if end == "min" else last - few
    codes, values = distinct_values(table)
    assert codes.dtype == np.uint8
    for column, distinct, expected in zip(codes.T, values, table.T, strict=True):
        np.testing.assert_array_equal(distinct, np.unique(expected))
        np.testing.assert_array_equal(distinct[column], expected)
        np.testing.assert_array_equal(distinct[places_among_distinct(expected)], expected)


@pytest.mark.parametrize("column", [np.array([True, False]), np.array([-128, 127, 0], np.int8)])
def test_truth_values_and_the_whole_range_of_a_type_come_back(column):
    codes, (values,) = distinct_values(column[:, None])
    np.testing.assert_array_equal(values[codes[:, 0]], column)


@pytest.mark.parametrize("table", [[[0], [2**40]], [[0.0], [1.0]]])
def test_values_far_apart_and_fractions_are_left_to_a_sort(table):
    assert distinct_values(np.array(table)) is None


# -- SEEDS -----------------------------------------------------------------------------------------

# Seeds: every published number depends on them, so they are what they always were.


def test_seeds_stay_and_belong_to_the_names_one_by_one():
    names = ("pool", "set", "m20", 3, "LWEA")
    assert seed_from_names(0, *names) == 2255774221
    others = [(1, *names), (0, "poolset", *names[2:]), (0, "pool,set", *names[2:]), (0, *names[:4])]
    assert 2255774221 not in {seed_from_names(*other) for other in others}


# -- EIGENPAIRS ------------------------------------------------------------------------------------


def symmetric_with(eigenvalues):
    n = len(eigenvalues)
    Q = np.linalg.qr(np.random.default_rng(0).standard_normal((n, n)))[0]
    A = (Q * eigenvalues) @ Q.T
    return (A + A.T) / 2


def assert_leading(A, n_largest, expected, atol=1e-12):
    """The largest eigenvalues are the first of those expected, and the vectors are theirs."""
    values, vectors = leading_eigenpairs(A.copy(), n_largest)
    np.testing.assert_allclose(values, expected[:n_largest], atol=atol)
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(n_largest), atol=1e-12)
    np.testing.assert_allclose(A @ vectors, vectors * values, atol=max(atol, 1e-9))


SPECTRA = {
    "separated": np.concatenate(([1.0, 0.9, 0.8, 0.7, 0.6], np.linspace(-0.5, 0.3, 595))),
    "a fivefold largest value": np.concatenate((np.ones(5), np.linspace(-3, 0.9, 595))),
    "more copies than wanted": np.concatenate((np.ones(9), np.zeros(591))),
    "evenly spread": np.linspace(0, 1, 600),
    "zero": np.zeros(600),
    "all negative": np.linspace(-2, -1, 600),
}


@pytest.mark.parametrize("spectrum", SPECTRA.values(), ids=SPECTRA.keys())
@pytest.mark.parametrize("n_largest", [1, 5])
def test_large_matrices(spectrum, n_largest):
    assert_leading(symmetric_with(spectrum), n_largest, np.sort(spectrum)[::-1])


def test_no_convergence_is_survived(monkeypatch):
    def no_convergence(*args, **kwargs):
        raise coassoc.numerics.eigenpairs.ArpackError(-9999)

    monkeypatch.setattr(coassoc.numerics.eigenpairs, "eigsh", no_convergence)
    assert_leading(symmetric_with(SPECTRA["separated"]), 3, [1, 0.9, 0.8])


def test_a_pair_that_the_subspace_missed_is_noticed(monkeypatch):
    real = coassoc.numerics.eigenpairs.eigsh

    def forgetful(operator, k, **options):
        """Without one of the largest pairs, as a copy of a multiple eigenvalue would be missing."""
        if k == 1:
            return real(operator, k, **options)
        values, vectors = real(operator, k + 1, **options)
        kept = np.argsort(-values)[1:]
        return values[kept], vectors[:, kept]

    monkeypatch.setattr(coassoc.numerics.eigenpairs, "eigsh", forgetful)
    assert_leading(symmetric_with(SPECTRA["separated"]), 4, [1, 0.9, 0.8, 0.7])


SPECTRUM = np.array([-1.0, 0.0, 0.0, 0.5, 0.5, 0.5, 2.0, 3.0])

#: What is asked for, and which of the eigenvalues they are.
PARTS = {
    "all": (eigenpairs_within, (0, 7), slice(None)),
    "smallest": (eigenpairs_within, (0, 2), slice(3)),
    "largest": (eigenpairs_within, (6, 7), slice(6, None)),
    "through a multiple value": (eigenpairs_within, (1, 4), slice(1, 5)),
    "above a value": (eigenpairs_above, (1.0,), slice(6, None)),
    "none": (eigenpairs_above, (4.0,), slice(0)),
}


@pytest.fixture(params=["evr", "evr fails"])
def lapack(request, monkeypatch):
    """LAPACK as it is, and one whose default driver fails for every matrix."""
    if request.param == "evr":
        return
    eigh = scipy.linalg.eigh

    def failing(A, *, driver="evr", **arguments):
        if driver == "evr":
            raise np.linalg.LinAlgError("Internal Error.")
        return eigh(A, driver=driver, **arguments)

    monkeypatch.setattr(scipy.linalg, "eigh", failing)


@pytest.mark.usefixtures("lapack")
@pytest.mark.parametrize(("find", "part", "expected"), PARTS.values(), ids=PARTS.keys())
def test_parts_of_a_spectrum(find, part, expected):
    A = symmetric_with(SPECTRUM)
    before = A.copy()
    values, vectors = find(A, *part)
    np.testing.assert_allclose(values, SPECTRUM[expected], atol=1e-13)
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(len(values)), atol=1e-13)
    np.testing.assert_allclose(A @ vectors, vectors * values, atol=1e-13)
    np.testing.assert_array_equal(A, before)


def test_pairs_next_to_a_multiple_eigenvalue():
    # LAPACK's default driver may return none of the two without an error.
    A = np.full((10, 10), 0.05) + 0.5 * np.eye(10)
    values, vectors = eigenpairs_within(A, 8, 9)
    np.testing.assert_allclose(values, [0.5, 1.0], atol=1e-14)
    np.testing.assert_allclose(A @ vectors, vectors * values, atol=1e-14)
