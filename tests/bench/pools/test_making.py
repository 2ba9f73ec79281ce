"""Pools that are generated: recipes of base clusterings, rules, seeds, files and draws."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from coassoc.bench.pools.draws import ALL, check_labelled, make_draws, shuffle_pool
from coassoc.bench.pools.making import generation_memory_mb, generation_minutes, make_pool
from coassoc.bench.pools.settings import PoolSettings
from coassoc.bench.provenance import kernel
from coassoc.bench.storage.records import Dataset, Pool
from coassoc.errors import ConfigError, DataError
from coassoc.pools.base_clusterings import Recipe, check_recipes
from coassoc.pools.generation import generate_pool, scaled
from ensembles import groups
from oracles.fixed_point import nearest_centroid_share
from refusals import cases, refused, refuses

# -- GENERATION ------------------------------------------------------------------------------------

# Pools of k-means partitions: rules, seeds, files and costs.


X, Y = groups()


@pytest.mark.parametrize("preprocessing", ["raw", "unit", "standardised", "min-max"])
def test_every_base_clustering_is_a_fixed_point_on_the_features_it_was_made_on(preprocessing):
    labels = generate_pool(X + 3, [Recipe(preprocessing=preprocessing)], size=10)
    assert nearest_centroid_share(scaled(X + 3, preprocessing), labels) == [1.0] * 10


def test_sparse_features_give_the_pool_of_the_dense_ones():
    counts = np.maximum(X.round(), 0)
    dense, sparse = (generate_pool(given, size=8) for given in (counts, sp.csr_array(counts)))
    np.testing.assert_array_equal(dense.max(axis=0), sparse.max(axis=0))
    assert nearest_centroid_share(sp.csr_array(counts), sparse) == [1.0] * 8


@refused(
    ConfigError,
    ({"k": "classes"}, 2, "the number of classes is unknown"),
    ({"k": "log"}, 2, "k is 'log'. It must be 'sqrt', 'classes' or a number"),
    ({"k": 91}, 2, "k is 91. It must be 'sqrt', 'classes' or a number from 1 to 90"),
    ({"preprocessing": "white"}, 2, "preprocessing is 'white'. It must be one of raw, unit"),
    ({"preprocessing": "tf-idf"}, 2, "tf-idf needs word counts"),
    ({}, 2.5, "base clusterings is 2.5. It must be 1 or more"),
)
def test_settings_that_are_not_allowed(recipe, size):
    generate_pool(X, [Recipe(**recipe)], size=size)


@pytest.mark.parametrize("X", [np.zeros((6, 2)), np.ones((1, 1)), np.repeat([[0.0], [9.0]], 10, 0)])
def test_fewer_distinct_samples_than_clusters(X):
    assert (generate_pool(X, size=4).max(axis=0) + 1 <= len(np.unique(X, axis=0))).all()


SETTINGS = PoolSettings(name="p", size=12, sizes=(3, 5), repeats=4)


def test_pool_of_a_data_set():
    names = np.array([f"sample {i}" for i in range(len(Y))], dtype=object)
    pool = make_pool(Dataset(X, Y, {"fingerprint": "f"}, names), SETTINGS, name="d")
    np.testing.assert_array_equal(pool.labels, generate_pool(X, size=12, names=("p", "d")))
    assert pool.y is Y and pool.samples is names
    assert {m: draw.shape for m, draw in pool.draws.items()} == {3: (4, 3), 5: (4, 5)}
    told = pool.attributes
    assert (told["pool"], told["dataset"], told["kind"]) == ("p", "d", "generated")
    assert (told["n_classes"], told["seed"], told["dataset_fingerprint"]) == (3, 0, "f")
    assert "k uniform in [2, floor(sqrt(n))], raw features" in told["made"]


def test_pool_of_unlabelled_data():
    known = SETTINGS.model_copy(update={"k": "classes"})
    pool = make_pool(Dataset(X, None, {"n_clusters": 4}), known, name="d")
    assert pool.y is None and pool.attributes["n_classes"] == 4
    assert pool.attributes["kernel"] == kernel() and (pool.labels.max(axis=0) == 3).all()
    assert "n_classes" not in make_pool(Dataset(X, None), SETTINGS, name="d").attributes


def test_estimates_grow_with_the_data_and_with_pairs_of_samples():
    for estimate in (generation_memory_mb, generation_minutes):
        assert estimate(100, 10) < estimate(10_000, 1000)
        assert estimate(10_000, 10, True) > estimate(10_000, 10) + 1000
    assert generation_memory_mb(7797, 617, n_jobs=2) < 2000


# -- BASE CLUSTERINGS ------------------------------------------------------------------------------

# Recipes of base clusterings: rules for k, clusterers, parts of samples and features.


#: A recipe of each kind, all in one pool.
MIXTURE = (
    Recipe(),
    Recipe("GaussianMixture", {"covariance_type": "diag"}),
    Recipe("SpectralClustering", {"affinity": "nearest_neighbors", "n_components": 4}),
    Recipe("AgglomerativeClustering", {"linkage": "average"}, features=0.5),
    Recipe("HDBSCAN", {"min_cluster_size": 5, "copy": True}),
    Recipe("MiniBatchKMeans", projection=0.5, samples=0.7, preprocessing="standardised"),
)


def test_a_mixture_is_the_same_for_any_number_of_workers_and_whatever_follows():
    alone = generate_pool(X, MIXTURE, size=9, names=("p", "d"))
    together = generate_pool(X, MIXTURE, size=14, names=("p", "d"), n_jobs=3)
    np.testing.assert_array_equal(alone, together[:, :9])


def test_sparse_features_are_made_dense_for_clusterers_that_need_it():
    counts = np.maximum(X.round(), 0)
    recipes = [Recipe("GaussianMixture", {"reg_covar": 0.1}), Recipe("KMeans", projection=0.5)]
    dense = generate_pool(counts, recipes, size=2)
    sparse = generate_pool(sp.csr_array(counts), recipes, size=2)
    np.testing.assert_array_equal(dense, sparse)


@cases(
    "clusterer, parameters, message",
    ("FeatureAgglomeration", {}, ".clusterer is 'FeatureAgglomeration'. .*Choose from"),
    ("Birch", {"radius": 1}, ".clusterer 'Birch': unknown parameter 'radius'. Choose from"),
    ("GaussianMixture", {"n_components": 3}, ".* has 'n_components', which the key 'k' alr"),
    ("KMeans", {"random_state": 3}, ".* has 'random_state', which the key 'seed' of the con"),
    ("AgglomerativeClustering", {"linkage": "middle"}, ".*: The 'linkage' parameter of Agglom"),
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
    assert [recipe.features for recipe in settings.recipes] == [0.5, 0.5] and not settings.is_plain
    made = make_pool(Dataset(X, Y), settings, name="d").attributes["made"]
    assert "Birch()" in made and "a random 90% of the samples" in made
    assert PoolSettings.model_validate(settings.model_dump(mode="json")) == settings


def test_a_draw_in_which_a_sample_has_no_label():
    settings = PoolSettings(name="p", size=12, samples=0.5, sizes=(2,), repeats=2)
    with pytest.raises(DataError, match=r"p/d: sample \d+ has no label in any of"):
        make_pool(Dataset(X, Y), settings, name="d")
    enough = settings.model_copy(update={"sizes": (12,)})
    assert make_pool(Dataset(X, Y), enough, name="d").labels.min() == -1


# -- DRAWS -----------------------------------------------------------------------------------------

# Which base clusterings the repeats draw from a pool.


@given(st.integers(1, 40), st.integers(1, 6), st.data())
def test_random_draws(pool_size, repeats, data):
    m = data.draw(st.integers(1, pool_size))
    draws = make_draws(pool_size, [m], repeats, names=("p", "d"))[m]
    assert draws.shape == (repeats, m) and (np.diff(draws, axis=1) > 0).all() and draws.min() >= 0
    assert draws.max() < pool_size
    more = make_draws(pool_size, [m, 1], repeats + 3, names=("p", "d"))[m]
    np.testing.assert_array_equal(more[:repeats], draws)


def test_disjoint_draws():
    draws = make_draws(200, [20], 10, scheme="disjoint")[20]
    assert draws.shape == (10, 20) and sorted(draws.ravel()) == list(range(200))


@refused(
    ConfigError,
    ((10, [11], 1), "a pool of 10 base clusterings is too small for an ensemble of 11"),
    ((10, [4], 3, "disjoint"), "too small for 3 disjoint ensembles of 4"),
    ((10, [4], 3, "any"), "draws.scheme is 'any'. It must be 'random' or 'disjoint'"),
)
def test_draws_that_cannot_be_made(arguments):
    make_draws(*arguments)


def test_all_that_is_known_of_a_sample_moves_with_it():
    places = np.arange(50)
    known = {"samples": places.astype(str), "truths": np.array([places, 49 - places])}
    pool = Pool(places[:, None], places, {1: np.array([[0]])}, {}, **known)
    moved = shuffle_pool(pool, "d", percent=50)
    order = moved.labels[:, 0]
    assert 20 <= (order != places).sum() <= 25  # a few of the chosen come back to their places
    np.testing.assert_array_equal(moved.y, order)
    np.testing.assert_array_equal(moved.samples, order.astype(str))
    np.testing.assert_array_equal(moved.truths, [order, 49 - order])


def test_draws_of_all_base_clusterings():
    draws = make_draws(7, [ALL, 3], 2, random_state=1, names=("p", "d"))
    assert draws[ALL].tolist() == [list(range(7))] * 2
    alone = make_draws(7, [3], 2, random_state=1, names=("p", "d"))
    np.testing.assert_array_equal(draws[3], alone[3])


def test_a_sample_without_any_label_in_a_draw_is_refused():
    labels = np.array([[0, -1, 1], [-1, 0, -1], [-1, -1, 2]])
    check_labelled(labels, {3: np.array([[0, 1, 2]])}, "pool x")
    message = "pool x: sample 3 has no label in any of the 2 base"
    refuses(DataError, message, check_labelled, labels, {2: np.array([[0, 1]])}, "pool x")
