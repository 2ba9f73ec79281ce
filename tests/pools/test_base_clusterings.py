"""Recipes of base clusterings: rules for k, clusterers, parts of samples and features."""

from math import isqrt

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.cluster import AgglomerativeClustering
from sklearn.metrics import adjusted_rand_score

from coassoc.errors import ConfigError, DataError
from coassoc.pools.base_clusterings import Recipe, check_recipes, number_of_clusters
from coassoc.pools.generation import generate_pool, make_pool
from coassoc.pools.settings import PoolSettings
from coassoc.storage.records import Dataset
from ensembles import groups

X, Y = groups()

#: A recipe of each kind, all in one pool.
MIXTURE = (
    Recipe(),
    Recipe("GaussianMixture", {"covariance_type": "diag"}),
    Recipe("SpectralClustering", {"affinity": "nearest_neighbors", "n_components": 4}),
    Recipe("AgglomerativeClustering", {"linkage": "average"}, features=0.5),
    Recipe("HDBSCAN", {"min_cluster_size": 5, "copy": True}),
    Recipe("MiniBatchKMeans", projection=0.5, samples=0.7, preprocessing="standardised"),
)


@given(st.integers(4, 10_000), st.integers(0, 1000))
def test_number_of_clusters_by_the_rules(n, seed):
    generator = np.random.default_rng(seed)
    assert 2 <= number_of_clusters("sqrt", n, None, generator) <= isqrt(n)
    assert number_of_clusters("classes", n, 7, generator) == 7
    assert number_of_clusters(3, n, None, generator) == 3


def test_a_clusterer_gets_its_number_of_clusters_and_parameters():
    recipe = Recipe("AgglomerativeClustering", {"linkage": "complete"}, k=4)
    expected = AgglomerativeClustering(4, linkage="complete").fit_predict(X)
    for column in generate_pool(X, [recipe], size=2).T:
        assert adjusted_rand_score(expected, column) == 1


def test_recipes_take_turns_and_k_is_what_each_says():
    numbers = {"KMeans": 2, "GaussianMixture": 3, "SpectralClustering": 5, "Birch": 4}
    recipes = [Recipe(name, k=k) for name, k in numbers.items()]
    labels = generate_pool(X, recipes, size=10)
    assert (labels.max(axis=0) + 1).tolist() == [2, 3, 5, 4, 2, 3, 5, 4, 2, 3]


def test_a_mixture_is_the_same_for_any_number_of_workers_and_whatever_follows():
    alone = generate_pool(X, MIXTURE, size=9, names=("p", "d"))
    together = generate_pool(X, MIXTURE, size=14, names=("p", "d"), n_jobs=3)
    np.testing.assert_array_equal(alone, together[:, :9])


def test_samples_left_out_have_no_label():
    labels = generate_pool(X, [Recipe(samples=0.7)], size=30)
    assert ((labels >= 0).sum(axis=0) == 63).all()
    assert len({tuple(column >= 0) for column in labels.T}) == 30
    assert labels.max(axis=0).max() < isqrt(63)


def test_noise_has_no_label():
    far = np.concatenate([X, [[99.0] * X.shape[1]]])
    labels = generate_pool(far, [Recipe("DBSCAN", {"eps": 3.0})], size=1)
    assert labels[-1, 0] == -1
    assert labels.max() >= 0


def test_a_subspace_sees_only_its_features():
    # One feature of two tells the classes apart, the other one is noise: half of the subspaces of
    # one feature find the classes, and the others do not.
    classes = np.repeat([0, 1], 40)
    noise = np.random.default_rng(0).normal(size=80)
    features = np.column_stack([10.0 * classes, noise])
    labels = generate_pool(features, [Recipe(k=2, features=0.5)], size=40)
    scores = np.array([adjusted_rand_score(classes, column) for column in labels.T])
    assert set(scores > 0.5) == {True, False}
    assert set(scores.round(6)[scores > 0.5]) == {1.0}
    assert 10 <= (scores > 0.5).sum() <= 30


def test_sparse_features_are_made_dense_for_clusterers_that_need_it():
    counts = np.maximum(X.round(), 0)
    recipes = [Recipe("GaussianMixture", {"reg_covar": 0.1}), Recipe("KMeans", projection=0.5)]
    dense = generate_pool(counts, recipes, size=2)
    sparse = generate_pool(sp.csr_array(counts), recipes, size=2)
    np.testing.assert_array_equal(dense, sparse)


@pytest.mark.parametrize(
    ("clusterer", "parameters", "message"),
    [
        ("FeatureAgglomeration", {}, ".clusterer is 'FeatureAgglomeration'. .*Choose from"),
        (
            "Birch",
            {"radius": 1},
            ".parameters has 'radius', which Birch does not take. The allowed",
        ),
        ("GaussianMixture", {"n_components": 3}, ".* has 'n_components', which the key 'k' alr"),
        ("KMeans", {"random_state": 3}, ".* has 'random_state', which the key 'seed' of the con"),
        ("AgglomerativeClustering", {"linkage": "middle"}, ".*: The 'linkage' parameter of Agglom"),
    ],
)
def test_recipes_that_are_not_allowed(clusterer, parameters, message):
    check_recipes("p", MIXTURE)
    with pytest.raises(ConfigError, match=f"^p{message}"):
        check_recipes("p", [Recipe(), Recipe(clusterer, parameters)])


def test_what_a_clusterer_cannot_do_is_one_sentence():
    neighbours = Recipe("SpectralClustering", {"affinity": "nearest_neighbors", "n_neighbors": 99})
    with pytest.raises(ConfigError, match=r"SpectralClustering on 90 samples: .*n_neighbors"):
        generate_pool(X, [neighbours], size=1)
    nothing = Recipe("DBSCAN", {"eps": 1e-9})
    with pytest.raises(DataError, match=r"p/d: base clustering 0 by DBSCAN\(eps=1e-09\).* noise"):
        generate_pool(X, [nothing], size=1, names=("p", "d"))


def test_a_pool_of_a_mixture_says_how_it_was_made():
    entries = ({"clusterer": "Birch"}, {"projection": 0.5, "samples": 0.9})
    settings = PoolSettings(name="p", size=12, features=0.5, mixture=entries, sizes=(6,), repeats=2)
    assert [recipe.features for recipe in settings.recipes] == [0.5, 0.5]
    assert not settings.is_plain
    made = make_pool(Dataset(X, Y), settings, name="d").attributes["made"]
    assert "Birch()" in made and "a random 90% of the samples" in made
    assert PoolSettings.model_validate(settings.model_dump(mode="json")) == settings


def test_a_draw_in_which_a_sample_has_no_label():
    settings = PoolSettings(name="p", size=12, samples=0.5, sizes=(2,), repeats=2)
    with pytest.raises(DataError, match=r"p/d: sample \d+ \(and \d+ more\) has no label in any of"):
        make_pool(Dataset(X, Y), settings, name="d")
    enough = settings.model_copy(update={"sizes": (12,)})
    assert make_pool(Dataset(X, Y), enough, name="d").labels.min() == -1
