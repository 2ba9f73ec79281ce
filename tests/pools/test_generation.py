"""Pools of k-means partitions: rules, seeds, files and costs."""

import numpy as np
import pytest
import scipy.sparse as sp

from coassoc.datasets.preprocessing import preprocess
from coassoc.errors import ConfigError
from coassoc.pools.base_clusterings import Recipe
from coassoc.pools.generation import (
    generate_pool,
    generation_memory_mb,
    generation_minutes,
    make_pool,
    scaled,
)
from coassoc.pools.settings import PoolSettings
from coassoc.provenance import kernel
from coassoc.storage.hdf5 import write_pool
from coassoc.storage.records import Dataset
from ensembles import groups
from oracles.fixed_point import nearest_centroid_share

X, Y = groups()


@pytest.mark.parametrize("preprocessing", ["raw", "unit", "standardised", "min-max"])
def test_every_base_clustering_is_a_fixed_point_on_the_features_it_was_made_on(preprocessing):
    labels = generate_pool(X + 3, [Recipe(preprocessing=preprocessing)], size=10)
    assert nearest_centroid_share(scaled(X + 3, preprocessing), labels) == [1.0] * 10


@pytest.mark.parametrize("start", ["random", "k-means++"])
def test_only_k_means_plus_plus_starts_far_apart(start):
    # Three clusters far from one another: random samples miss one of them more often than not.
    recipe = Recipe(k=3, parameters={"init": start})
    labels = generate_pool(X + 50 * Y[:, None], [recipe], size=20)
    separated = [len(set(zip(column, Y, strict=True))) == 3 for column in labels.T]
    assert all(separated) == (start == "k-means++")


def test_sparse_features_give_the_pool_of_the_dense_ones():
    counts = np.maximum(X.round(), 0)
    dense, sparse = (generate_pool(given, size=8) for given in (counts, sp.csr_array(counts)))
    np.testing.assert_array_equal(dense.max(axis=0), sparse.max(axis=0))
    assert nearest_centroid_share(sp.csr_array(counts), sparse) == [1.0] * 8


def test_words_are_weighted_where_they_are_counts():
    words = [Recipe(k=3, preprocessing="tf-idf")]
    counts = sp.csr_array(np.maximum(X.round(), 0))
    weighted = preprocess(counts, ["log_tfidf", "unit_rows"])
    assert nearest_centroid_share(weighted, generate_pool(counts, words, size=8)) == [1.0] * 8
    with pytest.raises(ConfigError, match="tf-idf needs word counts"):
        generate_pool(counts / 2, words, size=8)


@pytest.mark.parametrize(
    ("recipe", "size", "message"),
    [
        ({"k": "classes"}, 2, "the number of classes is unknown"),
        ({"k": "log"}, 2, "k is 'log'. It must be 'sqrt', 'classes' or a number"),
        ({"k": 91}, 2, "k is 91. It must be 'sqrt', 'classes' or a number from 1 to 90"),
        ({"preprocessing": "white"}, 2, "preprocessing is 'white'. It must be one of raw, unit"),
        ({}, 2.5, "base clusterings is 2.5. It must be 1 or more"),
    ],
)
def test_settings_that_are_not_allowed(recipe, size, message):
    with pytest.raises(ConfigError, match=message):
        generate_pool(X, [Recipe(**recipe)], size=size)


@pytest.mark.parametrize("X", [np.zeros((6, 2)), np.ones((1, 1)), np.repeat([[0.0], [9.0]], 10, 0)])
def test_fewer_distinct_samples_than_clusters(X):
    labels = generate_pool(X, size=4)
    assert (labels.max(axis=0) + 1 <= len(np.unique(X, axis=0))).all()


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


def test_pools_are_the_same_file_twice(tmp_path):
    for name in "ab":
        write_pool(tmp_path / name, make_pool(Dataset(X, Y), SETTINGS, name="d", n_jobs=2))
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_pool_of_unlabelled_data():
    known = SETTINGS.model_copy(update={"k": "classes"})
    pool = make_pool(Dataset(X, None, {"n_clusters": 4}), known, name="d")
    assert pool.y is None
    assert pool.attributes["n_classes"] == 4
    assert pool.attributes["kernel"] == kernel()
    assert (pool.labels.max(axis=0) == 3).all()
    assert "n_classes" not in make_pool(Dataset(X, None), SETTINGS, name="d").attributes


def test_estimates_grow_with_the_data_and_with_pairs_of_samples():
    assert generation_memory_mb(7797, 617, n_jobs=2) < 2000
    assert generation_memory_mb(100, 10) < generation_memory_mb(10_000, 1000)
    assert generation_minutes(100, 10) < generation_minutes(10_000, 1000)
    spectral = [Recipe(), Recipe("SpectralClustering")]
    assert generation_memory_mb(10_000, 10, spectral) > generation_memory_mb(10_000, 10) + 2000
    assert generation_minutes(10_000, 10, spectral) > generation_minutes(10_000, 10)


def test_progress_is_reported():
    seen: list[tuple[int, int]] = []
    generate_pool(X, size=4, progress=lambda *state: seen.append(state))
    assert seen == [(1, 4), (2, 4), (3, 4), (4, 4)]
