"""Null distributions against all permutations, and against what is known of clouds."""

from itertools import permutations as orders

import numpy as np
import pytest
from hypothesis import given
from sklearn.metrics import adjusted_rand_score
from threadpoolctl import threadpool_limits

from coassoc import DataError, Ensemble, selection
from coassoc.numerics.seeds import seed_sequence
from coassoc.pools.base_clusterings import Recipe
from coassoc.pools.generation import generate_pool
from coassoc.selection.null import agreement_and_p, compared_pairs, gaussian_cloud, null_variance
from ensembles import label_matrices
from refusals import cases, refuses


def mean_ari(labels):
    """Mean ARI of the pairs of columns on the samples that both have.

    Pairs that cannot disagree there, or not agree, are left out.
    """
    scores = []
    for i in range(labels.shape[1]):
        for j in range(i):
            a, b = labels[(labels[:, [i, j]] >= 0).all(axis=1)][:, [i, j]].T
            alone = len(set(a)) == len(set(b)) == len(a)
            if len(set(a)) > 1 and len(set(b)) > 1 and not alone:
                scores.append(adjusted_rand_score(a, b))
    return np.mean(scores) if scores else 0.0


@given(label_matrices(max_samples=14, max_clusterings=5, max_clusters=4))
def test_agreement_is_the_mean_ari_of_the_pairs(labels):
    assert selection.agreement(labels) == pytest.approx(mean_ari(labels), abs=1e-12)
    gaps = labels.copy()
    gaps[1::3, 1:] = -1
    assert selection.agreement(gaps) == pytest.approx(mean_ari(gaps), abs=1e-12)


@cases(
    "labels",
    [[0, 0], [0, 0], [0, 1], [1, 1], [1, 1], [1, 1]],
    [[0, 0], [0, 0], [1, 1], [1, 2], [2, 2]],
    [[0, 0], [0, -1], [1, 1], [1, 1], [-1, 0], [0, 1]],
    [[0, 0], [1, 0], [0, 1], [1, 1]],
)
def test_p_and_null_are_those_of_all_permutations(labels):
    """Of two columns it is the same whether both are permuted or one: all orders of the second."""
    labels = np.array(labels)
    observed = mean_ari(labels)
    permuted = (labels[list(order), 1] for order in orders(range(len(labels))))
    values = [mean_ari(np.column_stack((labels[:, 0], column))) for column in permuted]
    draws = 2000
    test = selection.agreement_test(labels, n_draws=draws, random_state=3)
    exact = np.mean(np.array(values) >= observed - 1e-12)
    assert test.observed == pytest.approx(observed)
    # Five standard errors of a share and of a mean of the draws.
    assert test.p == pytest.approx(exact, abs=5 * np.sqrt(exact / draws) + 1 / draws)
    assert set(np.round(test.null, 9)) == set(np.round(values, 9))
    assert test.null.mean() == pytest.approx(np.mean(values), abs=5 * np.std(values) / draws**0.5)
    if (labels >= 0).all():
        pairs = np.array([[1, 0]])
        assert null_variance(labels, pairs) == pytest.approx(np.mean(np.square(values)), rel=1e-12)


def test_a_test_of_many_columns_compares_some_of_each():
    assert len(compared_pairs(50)) == 50 * 49 // 2
    for m in (51, 60, 305, 3000):
        pairs = np.sort(compared_pairs(m), axis=1)
        assert len({tuple(pair) for pair in pairs}) == len(pairs) < max(1225, m) + m
        assert set(np.bincount(pairs.ravel())) == {2 * len(pairs) // m}


def test_no_more_permutations_are_drawn_than_p_takes():
    """As many as reach 20 that agree as much, and none where the variance says enough."""
    rng = np.random.default_rng(0)
    truth = np.repeat([0, 1, 2], 40)
    for share, n_draws in ((0.0, 99), (0.5, 999), (0.92, 499)):
        noise = rng.random((120, 8)) < share
        labels = np.where(noise, rng.integers(0, 3, noise.shape), truth[:, None])
        ensemble = Ensemble.of(labels)
        rows, sizes = ensemble.distinct_labels, ensemble.microclusters.sizes
        observed, p = agreement_and_p(rows, sizes, n_draws, 0, 1000)
        full = selection.agreement_test(ensemble, n_draws=n_draws)
        assert observed == full.observed
        reached = np.cumsum(full.null >= observed - 1e-12)
        if share == 0:
            assert 0 < p < 1 / (n_draws + 1) ** 2 and observed > n_draws * full.null.std()
        elif share == 0.92:
            assert p == 20 / (1 + np.argmax(reached == 20))
        else:
            assert p == full.p == (1 + reached[-1]) / 1000


def test_counted_rows_have_the_null_of_their_samples():
    rows, sizes = np.array([[0, 0], [0, 1], [1, 1]]), [5, 2, 4]
    counted = selection.agreement_test(Ensemble.from_counts(rows, sizes), n_draws=99)
    spread = selection.agreement_test(np.repeat(rows, sizes, axis=0), n_draws=99)
    assert counted.observed == spread.observed
    np.testing.assert_array_equal(counted.null, spread.null)
    # Of very many samples a part is drawn, in the proportions of the rows.
    many = Ensemble.from_counts(rows, [5_000_000, 2_000_000, 4_000_000])
    part = selection.agreement_test(many, n_draws=19)
    assert part.observed == pytest.approx(spread.observed, abs=0.15) and part.p == 0.05


def test_clouds_have_exactly_the_mean_and_the_covariance_of_the_data():
    generator = np.random.default_rng(5)
    X = generator.uniform(size=(60, 3)) @ generator.normal(size=(3, 5)) + 7
    draw = selection.gaussian_cloud(X, random_state=1)
    for cloud in (draw(0), draw(1)):
        np.testing.assert_allclose(cloud.mean(axis=0), X.mean(axis=0), atol=1e-12)
        np.testing.assert_allclose(np.cov(cloud.T), np.cov(X.T), atol=1e-12)
    assert not np.array_equal(draw(0), draw(1))


@pytest.mark.parametrize("shape", [(8, 30), (1, 3), (6, 2)])
def test_clouds_of_few_samples_or_constant_features(shape):
    X = np.random.default_rng(6).normal(size=shape)
    cloud = selection.gaussian_cloud(X)(0)
    np.testing.assert_allclose(cloud.T @ cloud, X.T @ X, atol=1e-10)
    np.testing.assert_allclose(selection.gaussian_cloud(np.ones(shape))(0), 1, atol=1e-12)


def test_clouds_are_the_same_to_the_last_bit_for_any_number_of_cores():
    X = np.random.default_rng(0).normal(size=(400, 300))
    clouds = []
    for cores in (1, 2):
        with threadpool_limits(cores):
            clouds.append(selection.gaussian_cloud(X)(3))
    np.testing.assert_array_equal(*clouds)


def k_means(X, random_state):
    return generate_pool(X, [Recipe(k=3), Recipe(k=4)], size=6, random_state=random_state)


def test_structure_is_found_in_groups_and_not_in_clouds():
    generator = np.random.default_rng(2)
    clouds = [generator.normal(size=(60, 2)) for _ in range(6)]
    centres = 10 * np.array([[0, 0], [1, 0], [0, 1]])[np.arange(60) % 3]
    grouped = [selection.structure_test(cloud + centres, k_means, n_draws=9).p for cloud in clouds]
    false = [selection.structure_test(cloud, k_means, n_draws=9).p for cloud in clouds]
    assert np.count_nonzero(np.array(grouped) == 0.1) >= 4
    assert np.count_nonzero(np.array(false) == 0.1) <= 2
    # The null from labels rejects clouds too, since their clusterings share their geometry.
    assert selection.agreement_test(k_means(clouds[0], random_state=0), n_draws=99).p == 0.01


@pytest.mark.parametrize("ask", [selection.agreement_test, selection.consensus_tree])
def test_clusterings_without_common_samples_are_refused(ask):
    labels = np.full((30, 3), -1)
    for column in range(3):
        labels[10 * column : 10 * column + 10, column] = np.arange(10) % 2
    refuses(DataError, "no two base clusterings share two samples", ask, labels)
    refuses(DataError, "Pass at least two base clusterings", ask, [[0], [1], [1]])


def test_a_bound_on_p_that_is_too_large_is_not_returned():
    """Below 1 / (B + 1)², and not below 1 / (B + 1)."""
    truth, found = np.repeat([0, 1, 2], 20), 0
    for flips in range(1, 40, 3):
        labels = np.column_stack([truth, np.roll(truth, flips)])
        ensemble = Ensemble.of(labels)
        observed = selection.agreement(labels)
        variance = null_variance(labels, np.array([[1, 0]]))
        bound = variance / (variance + observed**2)
        if observed > 0 and 1 / 100**2 < bound < 1 / 100:
            rows, sizes = ensemble.distinct_labels, ensemble.microclusters.sizes
            least = int(np.ceil(bound**-0.5))  # of B + 1
            p = [agreement_and_p(rows, sizes, B, 0, 100)[1] for B in (least - 2, least - 1, 99)]
            assert p[0] == pytest.approx(bound) != p[1] and p[2] == pytest.approx(0.01)
            found += 1
    assert found


def test_clouds_have_the_axes_of_gram_and_schmidt():
    """The factor R of normal numbers has a positive diagonal; only then is Q uniform."""
    X = np.random.default_rng(0).normal(size=(9, 3))
    draw = gaussian_cloud(X, random_state=4)(2)
    normal = np.random.default_rng(seed_sequence(4, "cloud", 2)).standard_normal((9, 3))
    normal -= normal.mean(axis=0)
    Q = normal @ np.linalg.inv(np.linalg.cholesky(normal.T @ normal).T)
    _, spread, components = np.linalg.svd(X - X.mean(axis=0), full_matrices=False)
    np.testing.assert_allclose(draw, X.mean(axis=0) + Q * spread @ components)
