"""Pools: generated and imported, their draws, and the fixed-point test."""

from __future__ import annotations

import logging
from dataclasses import replace
from math import isqrt

import numpy as np
import pytest
import scipy.io
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from coassoc.datasets.registry import Source, SourceFile, load_datasets
from coassoc.errors import ConfigError, DataError
from coassoc.pools.draws import make_draws
from coassoc.pools.generation import (
    generate_pool,
    generation_memory_mb,
    generation_minutes,
    log_progress,
    make_pool,
    number_of_clusters,
    scaled,
)
from coassoc.pools.published import import_pool, read_published
from coassoc.pools.quality import describe_pool, microcluster_share, nearest_centroid_share
from coassoc.pools.settings import PoolSettings, load_pools, pools_by_dataset, pools_to_make
from coassoc.storage.hdf5 import read_pool, write_pool
from coassoc.storage.records import Dataset, Pool


def groups(n: int = 90, d: int = 3, n_classes: int = 3, seed: int = 0):
    """Samples of `n_classes` overlapping groups, and their classes."""
    rng = np.random.default_rng(seed)
    y = np.repeat(np.arange(n_classes), n // n_classes)
    return rng.normal(size=(len(y), d)) + 2.5 * y[:, None], y


# -- generating -----------------------------------------------------------------------------------


def test_pool_follows_the_square_root_rule():
    X, _ = groups()
    labels = generate_pool(X, size=60)
    k = labels.max(axis=0) + 1
    assert labels.shape == (90, 60)
    assert labels.dtype == np.uint8
    assert k.min() == 2
    assert k.max() == isqrt(90)
    for column in labels.T:
        assert np.array_equal(np.unique(column), np.arange(column.max() + 1))


def test_the_result_does_not_depend_on_the_number_of_workers_or_on_what_follows():
    X, _ = groups()
    alone = generate_pool(X, size=9, names=("p", "d"))
    together = generate_pool(X, size=9, names=("p", "d"), n_jobs=3)
    longer = generate_pool(X, size=14, names=("p", "d"), n_jobs=2)
    np.testing.assert_array_equal(alone, together)
    np.testing.assert_array_equal(alone, longer[:, :9])


def test_seeds_depend_on_names_and_root():
    X, _ = groups()
    pools = [
        generate_pool(X, size=5, names=names, seed=seed)
        for names, seed in ((("p", "d"), 0), (("p", "e"), 0), (("q", "d"), 0), (("p", "d"), 1))
    ]
    for i, one in enumerate(pools):
        for other in pools[:i]:
            assert not np.array_equal(one, other)


@pytest.mark.parametrize("rows", ["raw", "unit", "standardised"])
def test_every_base_clustering_is_a_fixed_point_on_the_features_it_was_made_on(rows):
    X, _ = groups(seed=3)
    labels = generate_pool(X + 3, size=10, rows=rows)
    assert nearest_centroid_share(scaled(X + 3, rows), labels).tolist() == [1.0] * 10


def test_sparse_features_give_the_pool_of_the_dense_ones():
    X = np.maximum(groups(seed=5)[0].round(), 0)
    dense, sparse = generate_pool(X, size=8), generate_pool(sp.csr_array(X), size=8)
    assert np.array_equal(dense.max(axis=0), sparse.max(axis=0))
    assert nearest_centroid_share(sp.csr_array(X), sparse).tolist() == [1.0] * 8


@given(st.integers(4, 10_000), st.integers(0, 1000))
def test_number_of_clusters_by_the_rules(n, seed):
    generator = np.random.default_rng(seed)
    assert 2 <= number_of_clusters("sqrt", n, None, generator) <= isqrt(n)
    assert number_of_clusters("classes", n, 7, generator) == 7
    assert number_of_clusters(3, n, None, generator) == 3


def test_square_root_rule_is_uniform():
    generator = np.random.default_rng(0)
    counts = np.bincount([number_of_clusters("sqrt", 36, None, generator) for _ in range(5000)])
    assert len(counts) == 7
    assert counts[:2].tolist() == [0, 0]
    assert (abs(counts[2:] - 1000) < 5 * np.sqrt(1000)).all()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"k": "classes"}, "the number of classes is unknown"),
        ({"k": "log"}, "k is 'log'; it must be 'sqrt', 'classes' or a number"),
        ({"k": 91}, "k is 91; it must be 'sqrt', 'classes' or a number from 1 to 90"),
        ({"rows": "whitened"}, "rows is 'whitened'; it must be one of raw, unit, standardised"),
    ],
)
def test_settings_that_are_not_allowed(options, message):
    with pytest.raises(ConfigError, match=message):
        generate_pool(groups()[0], size=2, **options)


@pytest.mark.parametrize("X", [np.zeros((6, 2)), np.ones((1, 1)), np.repeat([[0.0], [9.0]], 10, 0)])
def test_fewer_distinct_samples_than_clusters(X):
    labels = generate_pool(X, size=4)
    assert (labels.max(axis=0) + 1 <= len(np.unique(X, axis=0))).all()


def test_progress_is_reported(capsys):
    seen: list[tuple[int, int]] = []
    generate_pool(groups()[0], size=4, progress=lambda *state: seen.append(state))
    assert seen == [(1, 4), (2, 4), (3, 4), (4, 4)]
    progress = log_progress(logging.getLogger("test"), "p/d", every=3)
    for state in seen:
        progress(*state)
    expected = "p/d: 3 of 4 base clusterings\np/d: 4 of 4 base clusterings\n"
    assert capsys.readouterr().err == expected


SETTINGS = PoolSettings("p", size=12, sizes=(3, 5), repeats=4)


def test_pool_of_a_data_set(tmp_path):
    X, y = groups()
    pool = make_pool(Dataset(X, y, {"fingerprint": "f"}), SETTINGS, name="d")
    write_pool(tmp_path / "p.h5", pool)
    again = read_pool(tmp_path / "p.h5")
    np.testing.assert_array_equal(again.labels, pool.labels)
    np.testing.assert_array_equal(again.labels, generate_pool(X, size=12, names=("p", "d")))
    np.testing.assert_array_equal(again.y, y)
    assert {m: draw.shape for m, draw in again.draws.items()} == {3: (4, 3), 5: (4, 5)}
    told = again.attributes
    assert (told["pool"], told["dataset"], told["kind"]) == ("p", "d", "generated")
    assert (told["n_classes"], told["seed"], told["dataset_fingerprint"]) == (3, 0, "f")
    assert "k uniform in [2, floor(sqrt(n))], raw rows" in told["made"]


def test_pools_are_the_same_file_twice(tmp_path):
    X, y = groups()
    for name in "ab":
        write_pool(tmp_path / name, make_pool(Dataset(X, y), SETTINGS, name="d", n_jobs=2))
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_pool_of_unlabelled_data():
    X, _ = groups()
    known = replace(SETTINGS, k="classes")
    pool = make_pool(Dataset(X, None, {"n_clusters": 4}), known, name="d")
    assert pool.y is None
    assert pool.attributes["n_classes"] == 4
    assert (pool.labels.max(axis=0) == 3).all()
    assert "n_classes" not in make_pool(Dataset(X, None), SETTINGS, name="d").attributes


def test_estimates_grow_with_the_data():
    assert generation_memory_mb(7797, 617, 2) < 2000
    assert generation_memory_mb(100, 10) < generation_memory_mb(10_000, 1000)
    assert generation_minutes(100, 10) < generation_minutes(10_000, 1000)


# -- draws ----------------------------------------------------------------------------------------


@settings(max_examples=30)
@given(st.integers(1, 40), st.integers(1, 6), st.data())
def test_random_draws(pool_size, repeats, data):
    m = data.draw(st.integers(1, pool_size))
    draws = make_draws(pool_size, [m], repeats, names=("p", "d"))[m]
    assert draws.shape == (repeats, m)
    assert (np.diff(draws, axis=1) > 0).all()
    assert draws.min() >= 0
    assert draws.max() < pool_size
    more = make_draws(pool_size, [m, 1], repeats + 3, names=("p", "d"))[m]
    np.testing.assert_array_equal(more[:repeats], draws)


def test_random_draws_are_uniform_and_named():
    drawn = make_draws(10, [4], 1000, names=("p", "d"))[4]
    counts = np.bincount(drawn.ravel(), minlength=10)
    assert (abs(counts - 400) < 5 * np.sqrt(400 * 0.6)).all()
    other = make_draws(10, [4], 1000, names=("p", "e"))[4]
    assert not np.array_equal(drawn, other)


def test_disjoint_draws():
    draws = make_draws(200, [20], 10, scheme="disjoint")[20]
    assert draws.shape == (10, 20)
    assert sorted(draws.ravel()) == list(range(200))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((10, [11], 1), "an ensemble of 11 base clusterings cannot be drawn from a pool of 10"),
        ((10, [0], 1), "an ensemble of 0 base clusterings"),
        ((10, [4], 3, "disjoint"), "3 disjoint ensembles of 4 base clusterings cannot be drawn"),
        ((10, [4], 3, "any"), "draws.scheme is 'any'; it must be 'random' or 'disjoint'"),
    ],
)
def test_draws_that_cannot_be_made(arguments, message):
    with pytest.raises(ConfigError, match=message):
        make_draws(*arguments)


# -- importing ------------------------------------------------------------------------------------

LABELS = np.array([[3, 1], [3, 2], [7, 1], [9, 2]], np.uint8)


def published(tmp_path, **variables):
    scipy.io.savemat(tmp_path / "p.mat", variables)
    source = Source((SourceFile(url="https://a.org/p.mat"),), "matlab", {"classes": "gt"})
    return source, [tmp_path / "p.mat"]


def cells(arrays):
    box = np.empty((1, len(arrays)), dtype=object)
    box[0, :] = arrays
    return box


@pytest.mark.parametrize(
    "members",
    [
        LABELS,
        cells([column[:, None] for column in LABELS.T]),
        cells([np.eye(10)[column] for column in LABELS.T]),
    ],
    ids=["matrix", "cells of columns", "cells of memberships"],
)
def test_published_pools_are_relabelled(tmp_path, members):
    source, paths = published(tmp_path, members=members, gt=np.array([[5], [5], [2], [9]]))
    labels, y = read_published(source, paths)
    assert labels.tolist() == [[0, 0], [0, 1], [1, 0], [2, 1]]
    assert labels.dtype == np.uint8
    assert y.tolist() == [0, 0, 1, 2]


def test_classes_from_a_file_of_their_own_or_none(tmp_path):
    scipy.io.savemat(tmp_path / "p.mat", {"E": LABELS})
    scipy.io.savemat(tmp_path / "y.mat", {"Y": np.array([[1], [2], [2], [1]])})
    files = (SourceFile(mirror="p.mat"), SourceFile(mirror="y.mat", role="classes"))
    paths = [tmp_path / "p.mat", tmp_path / "y.mat"]
    source = Source(files, "matlab", {"labels": "E", "classes": "Y"})
    assert read_published(source, paths)[1].tolist() == [0, 1, 1, 0]
    source = Source(files[:1], "matlab", {"labels": "E"})
    assert read_published(source, paths[:1])[1] is None


@pytest.mark.parametrize(
    ("variables", "message"),
    [
        ({"gt": np.ones((4, 1))}, r"p\.mat: there is no variable 'members'"),
        ({"members": LABELS}, r"p\.mat: there is no variable 'gt'"),
        ({"members": LABELS, "gt": np.ones((3, 1))}, "4 samples in members, 3 in gt"),
        ({"members": -LABELS.astype(int), "gt": np.ones((4, 1))}, "p.mat: members: .* -3"),
    ],
)
def test_foreign_files(tmp_path, variables, message):
    with pytest.raises(DataError, match=message):
        read_published(*published(tmp_path, **variables))


def test_imported_pool(tmp_path):
    source, paths = published(tmp_path, members=LABELS, gt=np.array([[1], [1], [2], [2]]))
    settings = replace(SETTINGS, kind="published", size=2, sizes=(1, 2), repeats=3)
    pool = import_pool(source, paths, settings, name="d", origin="https://a.org/p.mat")
    assert {m: draw.shape for m, draw in pool.draws.items()} == {1: (3, 1), 2: (3, 2)}
    assert pool.attributes["source"] == "https://a.org/p.mat"
    assert pool.attributes["n_classes"] == 2
    with pytest.raises(ConfigError, match="cannot be drawn from a pool of 2"):
        import_pool(source, paths, SETTINGS, name="d")


# -- catalogue ------------------------------------------------------------------------------------


@pytest.fixture
def catalogue(project):
    return load_pools(project / "config/pools.yaml")


def test_pools_of_the_catalogue(catalogue, project):
    entries = load_datasets(project / "config/datasets.yaml")
    assert {"kmeans-sqrt", "kmeans-c", "kmeans-c-unit", "published"} <= set(catalogue)
    eccms = {name for name, entry in entries.items() if "EC-CMS" in entry.papers}
    assert eccms <= set(catalogue["published"].files)
    for pool in catalogue.values():
        assert set(pool.files) <= set(entries)
        assert (pool.kind == "published") == bool(pool.files)
        assert PoolSettings.from_record(pool.record()) == replace(pool, files={})
        for source in pool.files.values():
            assert all(file.sha256 for file in source.files)


def test_pairs_to_make(catalogue, project):
    entries = load_datasets(project / "config/datasets.yaml")
    pairs = pools_to_make(catalogue, entries)
    assert ("kmeans-sqrt", "Ecoli") in pairs
    assert ("kmeans-c-unit", "Glass") in pairs
    assert ("published", "Caltech20") in pairs
    assert ("kmeans-sqrt", "Caltech20") not in pairs
    assert ("kmeans-sqrt", "Glass") not in pairs
    assert pools_by_dataset([("p", "a"), ("q", "b"), ("r", "a")]) == {"a": ["p", "r"], "b": ["q"]}


def test_unknown_published_pool(catalogue):
    with pytest.raises(ConfigError, match="published has no pool of Tr11; it has Caltech20"):
        catalogue["published"].source("Tr11")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "P: {kind: made, draws: {sizes: [2], repeats: 1}}",
            r"P\.kind is 'made'; allowed are generated, published",
        ),
        ("P: {kind: generated}", "P lacks the key 'draws'"),
        (
            "P: {kind: generated, size: 5, draws: {sizes: [9], repeats: 1}}",
            "P: draws: an ensemble of 9 base clusterings cannot be drawn from a pool of 5",
        ),
    ],
)
def test_bad_catalogue(tmp_path, project, text, message):
    (tmp_path / "pools.yaml").write_text(text)
    with pytest.raises(ConfigError, match=message):
        load_pools(tmp_path / "pools.yaml", schema=project / "config/schemas/pools.yaml")


# -- quality --------------------------------------------------------------------------------------


@settings(max_examples=40, deadline=None)
@given(st.integers(2, 12), st.integers(1, 4), st.integers(0, 10_000), st.booleans())
def test_nearest_centroid_share_against_a_plain_loop(n, k, seed, sparse):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 5, (n, 2)).astype(float)
    labels = np.unique(rng.integers(0, k, n), return_inverse=True)[1]
    means = [X[labels == j].mean(axis=0) for j in range(labels.max() + 1)]
    nearest = 0
    for x, own in zip(X, labels, strict=True):
        squared = [((x - mean) ** 2).sum() for mean in means]
        nearest += squared[own] <= min(squared) + 1e-9
    found = nearest_centroid_share(sp.csr_array(X) if sparse else X, labels[:, None])
    assert found.tolist() == pytest.approx([nearest / n])


def test_nearest_centroid_share_tells_other_features_apart():
    X, _ = groups(n=300, seed=1)
    labels = generate_pool(X, size=5)
    assert (nearest_centroid_share(X[::-1], labels) < 0.9).all()
    with pytest.raises(DataError, match="X has 299 samples, the base clusterings have 300"):
        nearest_centroid_share(X[1:], labels)


def test_large_offsets_do_not_hide_a_fixed_point():
    X, _ = groups(n=300, seed=1)
    assert nearest_centroid_share(X + 1e7, generate_pool(X, size=5)).min() == 1


def test_description_of_a_pool():
    labels = np.array([[0, 0], [0, 1], [1, 0], [1, 0]], np.uint8)
    pool = Pool(labels, np.array([0, 0, 1, 1]), {1: np.array([[0], [1]]), 2: np.array([[0, 1]])})
    found = describe_pool(pool, np.array([[0.0], [1], [9], [10]]), sizes=(1, 2, 7))
    assert found["k"].tolist() == [2, 2]
    assert found["ari"][0] == found["nmi"][0] == 1
    assert {m: shares.tolist() for m, shares in found["microclusters"].items()} == {
        1: [0.5, 0.5],
        2: [0.75],
    }
    assert found["fixed_point"][0] == 1
    assert found["fixed_point"][1] < 1
    assert microcluster_share(pool, 2).tolist() == [0.75]
    assert set(describe_pool(Pool(labels, None, {}))) == {"k", "microclusters"}
