"""Resampling for every number of clusters, against the definitions and what is known of data."""

from importlib.util import find_spec
from itertools import combinations, product
from types import SimpleNamespace
from unittest.mock import Mock

import joblib
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.cluster.hierarchy import cut_tree, linkage
from scipy.spatial.distance import cdist, pdist
from scipy.stats import binom, spearmanr

import coassoc
from coassoc import ConfigError, DataError, use_threads
from coassoc.confidence import item_consensus, sample_confidence, sample_silhouette
from coassoc.metrics import adjusted_rand_index, contingency_table
from coassoc.pools.hartigan_kmeans import HartiganKMeans
from coassoc.selection import consensus_distribution
from coassoc.subtyping import Measurements
from coassoc.subtyping.algorithms import Hierarchical, KMeans, representatives
from coassoc.subtyping.checks import different_halves
from coassoc.subtyping.clouds import CloudTest, _null_data, principal_components
from coassoc.subtyping.gaps import _valley
from coassoc.subtyping.item_consensus import ItemConsensus
from coassoc.subtyping.protocol import Protocol
from coassoc.subtyping.samples import check_samples, distances, isolated, replicates
from ensembles import THREE_GROUPS as GROUPS
from oracles.hartigan import improving_moves
from oracles.partition_losses import partitions
from refusals import cases, refuses

Y = np.repeat(range(3), 10)
WITH_KMEDOIDS = pytest.mark.skipif(find_spec("kmedoids") is None, reason="no kmedoids")
FEW = {"n_clusters": (2, 3), "n_draws": 30, "n_clouds": 0}

labels = arrays(
    np.int16, st.tuples(st.integers(1, 9), st.integers(1, 70)), elements=st.integers(-1, 9)
)


@settings(max_examples=20)
@given(arrays(np.int64, (12, 3), elements=st.integers(0, 9)), st.integers(1, 5), st.integers(0, 9))
def test_no_single_move_is_left(X, k, seed):
    found = HartiganKMeans(k, random_state=seed).fit_predict(X)
    assert len(set(found)) == min(k, len(np.unique(X, axis=0)))
    assert not improving_moves(X.astype(float), found)


@pytest.mark.parametrize("kind", ["average", "complete", "ward", "centroid"])
@pytest.mark.parametrize("decimals", [9, 0])
def test_a_dendrogram_is_cut_at_every_number(kind, decimals):
    """Also where heights of merges are equal, or decrease."""
    X = np.random.default_rng(1).normal(size=(20, 3)).round(decimals)
    algorithm = Hierarchical(kind)
    numbers = (2, 3, 7, 19)
    found = algorithm.cluster(algorithm.prepare(X), numbers, int)
    clusters = {i: {i} for i in range(20)}
    for new, (i, j) in enumerate(linkage(X, kind)[:, :2].astype(int), 20):
        clusters[new] = clusters.pop(i) | clusters.pop(j)
        if (k := len(clusters)) in numbers:
            cut = found[numbers.index(k)]
            assert all(len({*cut[[*members]]}) == 1 for members in clusters.values())
            assert len({*cut}) == k


@pytest.mark.parametrize("distance", ["pearson", "spearman", "cityblock"])
def test_draws_are_clusterings_of_the_drawn_samples_with_the_drawn_features(distance):
    X = np.random.default_rng(2).normal(size=(12, 60))
    call = {"distance": distance, "linkage": "complete", "n_clouds": 0}
    found = coassoc.subtypes(X, [2, 4], 20, 0.7, 0.5, "hierarchical", **call)
    used = np.zeros(60)
    for b in range(20):
        items = np.flatnonzero(found.draws[2][:, b] >= 0)
        assert len(items) == round(0.7 * 12)
        columns = found.model.blocks[0].protocol.features_of(b, 60)
        used[columns] += 1
        seen = pd.DataFrame(X[items][:, columns].T)
        D = 1 - seen.corr(distance) if distance != "cityblock" else None
        condensed = pdist(seen.T, distance) if D is None else D.to_numpy()[np.triu_indices(8, 1)]
        expected = cut_tree(linkage(condensed, "complete"), [2, 4]).T
        for k, cut in zip((2, 4), expected, strict=True):
            table = contingency_table(cut, found.draws[k][items, b])
            assert adjusted_rand_index(table) == 1
    assert (used > 0).all() and used.sum() == 20 * 30


def test_matrices_and_what_is_read_from_them_are_those_of_the_draws():
    X = np.random.default_rng(3).normal(size=(15, 2))
    found = coassoc.subtypes(X, n_draws=25, items=0.6, n_clouds=0)
    for k, draws in found.draws.items():
        M = found.matrix(k)
        for i, j in combinations(range(15), 2):
            both = (draws[i] >= 0) & (draws[j] >= 0)
            assert M[i, j] == M[j, i] == np.mean(draws[i, both] == draws[j, both])
        assert (np.diag(M) == 1).all()
        ensemble, clusters = found.ensemble(k), found.labels[k]
        consensus = found.consensus[k]
        assert consensus.items == pytest.approx(item_consensus(ensemble, clusters))
        assert found.confidence(k) == pytest.approx(sample_confidence(ensemble, clusters))
        silhouettes = sample_silhouette(ensemble, clusters)
        assert found.criteria["silhouette"][k] == pytest.approx(silhouettes.mean())
        expected = consensus_distribution(ensemble)
        assert consensus.distribution.values.tolist() == expected.values.tolist()
        assert consensus.distribution.cumulative == pytest.approx(expected.cumulative)
        for c, mean in enumerate(consensus.clusters):
            inside = np.flatnonzero(clusters == c)
            pairs = [M[i, j] for i, j in combinations(inside, 2)]
            assert mean == pytest.approx(np.mean(pairs)) if pairs else np.isnan(mean)


@cases(
    "algorithm, parameters",
    ("kmeans", {"n_init": 10}),
    ("hierarchical", {"linkage": "ward"}),
    ("hierarchical", {"distance": "cosine"}),
    pytest.param("pam", {"distance": "cityblock"}, marks=WITH_KMEDOIDS),
)
def test_every_algorithm_finds_groups_and_the_same_on_any_number_of_threads(algorithm, parameters):
    call = {**FEW, "features": 0.8, "algorithm": algorithm, **parameters}
    with use_threads(1):
        found = coassoc.subtypes(GROUPS, **call)
    assert adjusted_rand_index(contingency_table(Y, found.labels[3])) == 1
    assert found.criteria["PAC"][3] < 0.01
    with use_threads(3):
        again = coassoc.subtypes(GROUPS, **call)
    assert all((found.draws[k] == again.draws[k]).all() for k in found.draws)


def test_more_draws_and_other_numbers_leave_draws_alone():
    found = coassoc.subtypes(GROUPS, [2, 4], 20, n_clouds=0)
    report = Mock()
    more = coassoc.subtypes(GROUPS, [3, 4, 5], 25, n_clouds=0, random_state=0, report=report)
    assert (more.draws[4][:, :20] == found.draws[4]).all()
    assert [call.args for call in report.mock_calls] == [
        ("draws", 25, 25),
        *(("consensus", place, 3) for place in (1, 2, 3)),
    ]


def test_an_interrupted_run_goes_on(monkeypatch, tmp_path):
    whole = coassoc.subtypes(GROUPS, [2, 3], 120, n_clouds=0)
    kept = tmp_path / "kept"

    def interrupt():
        report = Mock(side_effect=[None, KeyboardInterrupt])
        with pytest.raises(KeyboardInterrupt):
            coassoc.subtypes(GROUPS, [2, 3], 120, n_clouds=0, kept=kept, report=report)

    interrupt()
    draw, drawn = Protocol.draw, []
    monkeypatch.setattr(
        Protocol, "draw", lambda self, X, all_of_X, b: drawn.append(b) or draw(self, X, all_of_X, b)
    )
    found = coassoc.subtypes(GROUPS, [2, 3], 120, n_clouds=0, kept=kept)
    assert drawn == [*range(100, 120)] and (found.draws[3] == whole.draws[3]).all()
    assert not kept.exists()
    interrupt()
    drawn.clear()
    coassoc.subtypes(GROUPS, [2, 3], 120, n_clouds=0, random_state=1, kept=kept)
    assert sorted(drawn) == [*range(120)]


def test_other_files_beside_kept_draws_stay(tmp_path):
    mine = tmp_path / "resamples/mine.txt"
    mine.parent.mkdir()
    mine.touch()
    coassoc.subtypes(GROUPS, [2], 20, n_clouds=0, kept=tmp_path)
    assert [*tmp_path.rglob("*")] == [mine.parent, mine]


def test_tables_of_any_kind_are_read_alike():
    names = [f"s{i}" for i in range(30)]
    found = coassoc.subtypes(pd.DataFrame(GROUPS, index=names), **FEW)
    assert list(found.index) == names
    cells = SimpleNamespace(X=sp.csr_matrix(GROUPS), obs_names=names, var_names=[*"abcdefghijkl"])
    assert list(coassoc.subtypes(cells, **FEW).index) == names
    for X in (GROUPS, sp.csr_array(GROUPS), GROUPS.tolist(), cells):
        assert (coassoc.subtypes(X, **FEW).labels[3] == found.labels[3]).all()


def test_a_saved_result_predicts(tmp_path):
    found = coassoc.subtypes(pd.DataFrame(GROUPS, columns=[*"abcdefghijkl"]), features=0.8, **FEW)
    joblib.dump(found, tmp_path / "found.joblib")
    again = joblib.load(tmp_path / "found.joblib")
    new = pd.DataFrame(GROUPS + 0.3, columns=[*"abcdefghijkl"])
    assert (again.predict(new[[*"lkjihgfedcba"]], 3) == found.labels[3]).all()
    with pytest.raises(DataError, match="X lacks 1 feature of the clustered data, such as b"):
        found.predict(new.drop(columns="b"), 3)
    by_distance = coassoc.subtypes(GROUPS, algorithm="hierarchical", distance="pearson", **FEW)
    assert (by_distance.predict(GROUPS, 3) == by_distance.labels[3]).all()
    with pytest.raises(DataError, match="X has 4 features, but the clustered data have 12"):
        by_distance.predict(GROUPS[:, :4], 3)


def test_what_cannot_be_clustered_is_a_sentence():
    gaps = GROUPS.copy()
    gaps[4, 2] = np.inf
    classes = pd.DataFrame({"id": [*"abc"], "x": [1.0, 2.0, 3.0], "class": [*"uvw"]})
    for X, said in (
        (gaps, "sample 5 has a missing or infinite number in feature 3"),
        (classes, r"column 'id' is not numeric \(for example 'a'\)"),
        (pd.DataFrame(GROUPS).assign(id=range(30)), "column 'id' is a different whole number"),
        (GROUPS[:8], "^X has 8 samples, so a resample has 6, but 6 clusters need at least 7"),
        (np.ones((30, 2)), "only 1 different samples for 6 clusters"),
        (np.ones(3), r"has the shape \(3,\)"),
        (np.ma.masked_greater(GROUPS, 10), "sample 1 has a missing or infinite number in feature"),
        (GROUPS * 1e200, r"the largest absolute value is 1\.\d+e\+201, but squares need"),
        (pd.DataFrame(GROUPS, columns=[*"abcdefghijka"]), "two features are called 'a'"),
    ):
        refuses(DataError, said, coassoc.subtypes, X)
    with pytest.raises(DataError, match="same value in all features"):
        level = np.ones((30, 2)) * np.arange(30)[:, None]
        coassoc.subtypes(level, algorithm="hierarchical", distance="pearson")
    for change, said in (
        ({"algorithm": "k-means"}, "must be one of kmeans, hierarchical, pam."),
        ({"algorithm": "hierarchical", "linkage": "wards"}, "linkage is 'wards'"),
        ({"algorithm": "hierarchical", "linkage": "ward", "distance": "pearson"}, "Euclidean"),
        ({"algorithm": "hierarchical", "distance": "corr"}, "distance is 'corr'"),
        ({"items": 0}, "items is 0"),
        ({"features": 1.5}, "features is 1.5"),
        ({"n_clusters": [1, 2]}, "increasing integers of at least 2"),
        ({"n_draws": 1}, "n_draws is 1"),
        ({"n_clouds": -1}, "n_clouds is -1. It must be an integer of at least 0"),
        ({"n_clouds": 9}, "n_clouds is 9, which is too few to reach p = 0.02. Choose at least 49"),
        ({"n_init": 0}, "n_init is 0. It must be a positive integer"),
        ({"method": "EAC"}, "Unknown method 'EAC'"),
        ({"linkage": "ward"}, "linkage is for the algorithm hierarchical, not kmeans"),
    ):
        refuses(ConfigError, said, coassoc.subtypes, GROUPS, **change)
    with pytest.raises(DataError, match="in no resample"):
        coassoc.subtypes(GROUPS, n_draws=2, items=0.3, n_clusters=[2])


def test_columns_that_say_nothing_change_nothing():
    found = coassoc.subtypes(GROUPS, **FEW)
    constant = np.column_stack([GROUPS, np.ones(30)])
    assert (coassoc.subtypes(constant, **FEW).draws[3] == found.draws[3]).all()
    twice = coassoc.subtypes(np.column_stack([GROUPS, GROUPS]), **FEW)
    assert (twice.draws[3] == found.draws[3]).all()
    one = coassoc.subtypes(Y[:, None] * 1.0, **FEW)
    assert adjusted_rand_index(contingency_table(Y, one.labels[3])) == 1


def test_steps_before_clustering():
    X = np.array([[0.0, 1, 5], [1, 1, 0], [3, 1, 1], [7, 1, np.nan]])
    table = Measurements.of(pd.DataFrame(X, columns=[*"abc"]))
    logs = table.preprocess(impute="median", log=True)
    assert logs.X[:, 0] == pytest.approx([0, 1, 2, 3]) and logs.X[3, 2] == 1
    with pytest.raises(ConfigError, match=r"most_variable is 0\. It must be at least 1"):
        table.preprocess(impute="mean", most_variable=0)
    kept = table.preprocess(impute="mean", most_variable=2, centre="median")
    assert kept.features.tolist() == ["a", "c"] and np.median(kept.X, axis=0) == pytest.approx(0)
    spread = Measurements.of([[0.0, 0], [0, 1], [0, 2], [0, 3], [50, 4]])  # one outlier
    assert spread.preprocess(most_variable=1).X[:, 0].tolist() == [0, 1, 2, 3, 4]
    scores = table.preprocess(impute="knn", z_scores=True).X
    assert scores.std(axis=0) == pytest.approx([1, 0, 1])
    with pytest.raises(DataError, match="some numbers are negative"):
        Measurements.of(-X).preprocess(impute="mean", log=True)
    sparse = Measurements.of(sp.csr_array(X[:3])).preprocess(log=True).X
    assert sparse.toarray() == pytest.approx(np.log2(X[:3] + 1))
    one = Measurements.of([[np.inf, 1], [np.nan, 2]])
    with pytest.raises(DataError, match=r"X: sample 1 has inf in feature 1. Imputation fills in"):
        one.preprocess(impute="mean")
    empty = Measurements.of([[np.nan, 1], [np.nan, 2]])
    refuses(DataError, "X: 1 has no number in any sample", empty.preprocess, impute="mean")
    assert empty.preprocess(impute="mean", drop_empty=True).X.tolist() == [[1], [2]]
    named = empty._replace(features=np.array(["a", "b"])).preprocess(drop_empty=True)
    assert named.features.tolist() == ["b"] and named.X.tolist() == [[1], [2]]
    Measurements.of(np.zeros((2, 2))).check_finite()


def line_of_groups(seed):
    """Four groups of 100, neighbours nine deviations apart."""
    X = np.random.default_rng(seed).normal(size=(400, 20))
    return X + np.repeat([0, 2, 4, 6], 100)[:, None]


def two_groups(seed, d, shifted, shift):
    """Two groups of 20, apart in some features."""
    X = np.random.default_rng(seed).normal(size=(40, d))
    X[20:, :shifted] += shift
    return X


@cases(
    "X, k",
    (GROUPS, 3),
    (np.column_stack([GROUPS, np.random.default_rng(1).normal(size=(30, 60))]), 3),
    (line_of_groups(1), 4),
    (two_groups(0, 2, 1, 12), 2),
    *((two_groups(0, 120, 40, shift), 2) for shift in (1.6, 6)),
)
def test_groups_are_more_clustered_than_null_data_and_separated(X, k):
    found = coassoc.subtypes(X, n_draws=20, n_clouds=49)
    test = found.structure.clouds[""]
    assert test.p_best == test.p[k - 2] == test.least_p == 1 / 50
    assert found.structure.groups[0] == k and found.separated[k]
    assert found.verdict.startswith(f"Groups separated by gaps at {k}")
    assert "clusters (p = 0.020, smallest possible 0.020)." in found.verdict


@pytest.mark.parametrize(
    ("kind", "shape"),
    [("normal", (40, 3)), ("normal", (400, 2)), ("lognormal", (60, 4)), ("heavy", (40, 3))],
)
def test_one_distribution_is_no_evidence_of_groups(kind, shape):
    generator = np.random.default_rng(6)
    X = generator.lognormal(size=shape) if kind == "lognormal" else generator.normal(size=shape)
    if kind == "heavy":
        X /= np.sqrt(generator.chisquare(5, (shape[0], 1)) / 5)
    found = coassoc.subtypes(X, n_draws=20, n_clouds=49)
    assert found.structure.is_clustered is False and not found.structure.groups
    assert found.verdict.startswith("No evidence of more than one group at 2 to 6 clusters (p = ")


def test_null_data_differ_between_data_sets():
    """With equal draws for all data of a size, the level would hold only on average over seeds."""
    one, other = np.random.default_rng(0).normal(size=(2, 40, 1))
    call = {"n_clusters": [2], "n_draws": 9}
    values = [
        coassoc.subtypes(X, **call).structure.clouds[""].values for X in (one, other, 2 * one)
    ]
    # In one dimension, all draws of a size have the same shape whatever the data are.
    assert not np.isclose(values[0][1:], values[1][1:]).any()
    np.testing.assert_allclose(values[0], values[2])


def test_k_clusters_are_compared_along_k_minus_one_axes_whatever_else_is_compared():
    X = np.random.default_rng(0).normal(size=(40, 4))
    few, more = (
        coassoc.subtypes(X, numbers, 9, n_clouds=49).structure.clouds[""].values
        for numbers in ([2], [2, 4])
    )
    np.testing.assert_allclose(few[:, 0], more[:, 0])


def test_p_is_the_share_of_data_sets_that_are_as_clustered():
    test = CloudTest(np.array([[1.0, 5, 2], [0, 6, 2], [2, 4, 2], [0, 5, 2], [0, 3, 2]]))
    assert test.p.tolist() == [0.4, 0.6, 1] and test.least_p == 0.2
    # The largest of (1 − .6) / .8 and (5 − 4.6) / 1.02 is exceeded by (2 − .6) / .8 and 1.4 / 1.02.
    assert test.p_best == 0.6 and not test.is_clustered
    assert str(test) == "p = 0.600, smallest possible 0.200"
    assert (
        CloudTest(np.eye(50)[:, :1]).is_clustered and not CloudTest(np.eye(49)[:, :1]).is_clustered
    )


def test_the_statistic_is_the_sum_of_squares_in_clusters_along_the_leading_axes():
    """Of all partitions into two or three, in the components that as many centres span."""
    X = np.random.default_rng(5).normal(size=(9, 4)) * [3, 2, 1, 0.5]
    values = coassoc.subtypes(X, [2, 3], 9, 1.0, n_clouds=49).structure.clouds[""].values[0]
    norms = np.square(X - X.mean(axis=0)).sum(axis=1)
    core = (X - X.mean(axis=0)) * np.sqrt(np.minimum(1, np.median(norms) / norms))[:, None]
    eigenvalues = np.linalg.eigvalsh(np.cov(core.T))
    spread = 2 * ((eigenvalues**2).sum() / eigenvalues.sum() ** 2 - 1 / 8)
    far = np.median(norms) * (1 + 3 * np.sqrt(spread))
    near = (X - X.mean(axis=0)) * np.sqrt(np.minimum(1, far / norms))[:, None]
    left, lengths, _ = np.linalg.svd(near - near.mean(axis=0))
    for k, value in zip((2, 3), values, strict=True):
        axes = left[:, : k - 1] * lengths[: k - 1]
        within = [
            sum(np.square(axes[z == c] - axes[z == c].mean(axis=0)).sum() for c in range(k))
            for z in map(np.array, partitions(9))
            if z.max() == k - 1
        ]
        assert value == pytest.approx(-np.log(min(within) / np.square(axes).sum()), abs=1e-9)


def test_skewed_features_of_null_data_have_the_quantiles_of_the_data():
    """And the correlations of their ranks."""
    z = np.random.default_rng(0).normal(size=(4000, 4))
    z[:, 1] = 0.6 * z[:, 0] + 0.8 * z[:, 1]
    X = np.column_stack([np.exp(z[:, 0]), -np.exp(z[:, 1] / 2), z[:, 2], np.exp(z[:, 3] / 10)])
    draw = _null_data(X, principal_components(X), 0)
    clouds = np.vstack([draw(b) for b in range(5)])
    steps = [np.diff(np.quantile(A, (0.1, 0.5, 0.9), axis=0), axis=0) for A in (clouds, X)]
    found, expected = ([*low + high, *high / low] for low, high in steps)
    np.testing.assert_allclose(found, expected, rtol=0.06)
    np.testing.assert_allclose(spearmanr(clouds)[0], spearmanr(X)[0], atol=0.04)


@pytest.mark.parametrize(("part", "level", "least"), [(0.5, 0.02, 0.5), (0.25, 1.0, 0.55)])
def test_a_valley_is_the_density_between_two_clusters_relative_to_theirs(part, level, least):
    generator = np.random.default_rng(1)
    for n, gap in product((10, 20, 40, 200), np.arange(0.3, 2.6, 0.1)):
        left, right = np.sort(generator.normal([[-gap], [gap]], size=(2, n)))
        middle = (left[n - 1 - n // 5] + right[n // 5]) / 2
        densities = []
        for own in (middle - left[::-1], right - middle):
            w = own[int(part * n)]
            inside = np.count_nonzero(abs(np.append(left, right) - middle) < w / 2)
            outside = np.count_nonzero((own >= w / 2) & (own <= w))
            p = binom.cdf(inside, inside + outside, 2 / 3)
            relative = inside / 2 / outside if w > 0 else 2  # whether there is a way between them
            densities.append(max(relative, 0.5 if p > level else 0))
        expected = min(max(densities) * 0.5 / least, 1)
        assert _valley(left, right, part, level, least) == pytest.approx(expected)
    # The median of each cluster is in the middle between them.
    assert _valley(np.arange(9.0), np.arange(9.0), 0.5, level, least) == 1


def continuum(kind):
    """Samples along a curve or a cycle, or with two exponential factors."""
    generator = np.random.default_rng(3)
    t = generator.uniform(size=(160, 1))
    if kind == "curve":
        X = 2 * np.exp(-((t - np.linspace(-0.2, 1.2, 50)) ** 2) / 0.045)
    elif kind == "cycle":
        X = np.hstack([np.cos(2 * np.pi * t), np.sin(2 * np.pi * t)]) @ generator.normal(
            size=(2, 30)
        )
    else:
        X = generator.exponential(size=(160, 2)) @ generator.normal(size=(2, 30)) * 2
    return X + generator.normal(scale=0.3, size=X.shape)


@pytest.mark.parametrize("kind", ["curve", "cycle", "factors"])
def test_a_continuum_is_clustered_but_has_no_gaps(kind):
    found = coassoc.subtypes(continuum(kind), n_draws=20, n_clouds=49)
    assert found.separated == dict.fromkeys(range(2, 7), False)
    assert found.verdict.startswith(
        "More clustered than null data, but at no k are all clusters separated"
    )


def grouped(sizes, distance, d=30, seed=0):
    """Groups with random means at about this distance."""
    generator = np.random.default_rng(seed)
    means = generator.normal(size=(len(sizes), d)) * distance / np.sqrt(2 * d)
    return np.repeat(means, sizes, axis=0) + generator.normal(size=(sum(sizes), d))


def test_gaps_are_found_between_groups_of_unequal_sizes_and_inside_clusters():
    def search(X, numbers=range(2, 5)):
        return coassoc.subtypes(X, numbers, 20, n_clouds=0)

    assert search(grouped([90, 10], 9)).separated == {2: True, 3: False, 4: False}
    assert search(grouped([140, 40, 20], 9)).structure.groups[0] == 3
    eight = search(grouped([30] * 8, 14))
    assert eight.structure.groups[0] == 4
    sizes = {c: np.count_nonzero(eight.labels[4] == c) for c in range(4)}
    assert eight.structure.splits == [c for c, size in sizes.items() if size > 30]
    numbers = " and ".join(str(c + 1) for c in eight.structure.splits)
    assert f"At 4 clusters, cluster {numbers} splits again into two with a gap" in eight.verdict
    few = search(grouped([60, 7], 12), [2])
    assert few.separated == {2: None} and search(grouped([60, 8], 12), [2]).separated == {2: True}
    assert "At 2 clusters, some clusters have too few samples to show a gap." in few.verdict


def test_a_common_factor_does_not_hide_groups():
    """Counts of four groups with different depths, in which five starts often end elsewhere."""
    generator = np.random.default_rng(0)
    base = generator.gamma(1, 20, 600) * np.ones((4, 1))
    for g in range(4):
        base[g, 40 * g : 40 * g + 40] *= 4
    depth = generator.lognormal(0, 0.25, (120, 1))
    X = np.log2(generator.negative_binomial(5, 5 / (5 + np.repeat(base, 30, axis=0) * depth)) + 1)
    assert coassoc.subtypes(X, n_draws=40, n_clouds=49).structure.groups[0] == 4


def test_outliers_are_no_subtypes():
    X = np.vstack(
        [grouped([20, 20, 20], 10, 50), np.random.default_rng(1).normal(size=(2, 50)) * 8]
    )
    found = coassoc.subtypes(pd.DataFrame(X, [f"s{i}" for i in range(62)]), n_draws=30, n_clouds=49)
    assert found.structure.outliers.tolist() == [60, 61]
    assert "2 samples in clusters of one or two may be outliers" in found.verdict
    assert "(3 without possible outliers)" in found.verdict
    # The ends of a common factor are beyond interquartile ranges, too.
    D = np.ones((40, 40)) + np.random.default_rng(0).uniform(0, 0.01, (40, 40))
    for distance, is_far in ((2.4, False), (2.6, True)):
        D[0] = D[:, 0] = distance
        assert isolated(D * (1 - np.eye(40)))[0] == is_far
    for size in (2, 3):  # a pair, or three that are near each other
        D[:size] = D[:, :size] = 2.6
        D[:size, :size] = 1
        assert isolated(D * (1 - np.eye(40)))[0] == (size == 2)


def test_samples_that_are_no_samples_are_told_first():
    X = np.random.default_rng(0).normal(5, 2, 200) + np.random.default_rng(1).normal(size=(40, 200))
    names = [f"s{i}" for i in range(40)]
    for change, said in (
        ({"s3": 0.0}, r"sample s3 have the same value \(0\)"),
        ({"s3": np.arange(200) % 22}, "X: s3 may be an annotation of the features instead of a"),
        ({"Length": 1e3 * X[0], "Chr": 7.5 * X[1]}, "X: Length, Chr may be an annotation"),
    ):
        wrong = pd.DataFrame(X, names)
        for name, values in change.items():
            wrong.loc[name] = values
        refuses(DataError, said, coassoc.subtypes, wrong, n_draws=2)
    some = X.copy()
    some[2, :5] = 0  # whole numbers of one sample
    check_samples(some, None, "X")
    check_samples((X > 5) * (np.arange(40) > 0)[:, None] * 1.0, None, "X")  # zeros and ones
    some[3] = 0
    refuses(DataError, "sample 4 have the same value", check_samples, some, None, "X")


def test_replicates_are_found_or_given_and_then_resampled_together():
    generator = np.random.default_rng(0)
    patient = np.arange(80) // 2
    X = generator.normal(size=(40, 30))[patient] + generator.normal(scale=0.2, size=(80, 30))
    found = coassoc.subtypes(X, [2, 3], 30, n_clouds=0)
    assert [*map(list, found.structure.replicates)] == [[i, i + 1] for i in range(0, 80, 2)]
    assert "40 sets of samples may be replicates" in found.verdict
    assert "all others: 1 and 2, 3 and 4, 5 and 6, … (40 in all). Name their" in found.verdict
    given = coassoc.subtypes(X, [2, 3], 30, n_clouds=49, groups=[f"p{i}" for i in patient])
    drawn = given.draws[2] >= 0
    assert (drawn[::2] == drawn[1::2]).all() and (drawn.sum(axis=0) == 64).all()
    assert given.verdict.startswith("No evidence of more than one group")
    assert not given.structure.replicates
    with pytest.raises(DataError, match="groups: there are 79 of 79 values for 80 samples"):
        coassoc.subtypes(X, [2], 9, groups=patient[1:])
    with pytest.raises(DataError, match="groups: there are 79 of 80 values for 80 samples"):
        coassoc.subtypes(X, [2], 9, groups=[None, *patient[1:]])


def test_means_of_replicates_are_compared_with_null_data():
    patient = np.repeat(range(30), [1, 2, 4] * 10)
    alone, copied = (
        coassoc.subtypes(X, [2, 3], 9, groups=groups).structure
        for X, groups in ((GROUPS, None), (GROUPS[patient], patient))
    )
    np.testing.assert_allclose(alone.clouds[""].values[0], copied.clouds[""].values[0])
    for k in (2, 3):
        np.testing.assert_allclose(alone.densities[k], copied.densities[k])


def test_replicates_are_not_separated_groups():
    """Their replicates in other folds pulled the line between two clusters towards them."""
    generator = np.random.default_rng(60)
    X = np.repeat(generator.normal(size=(25, 25)), 4, axis=0)
    X += generator.normal(scale=0.2, size=X.shape)
    found = coassoc.subtypes(X, n_draws=20, n_clouds=0, n_init=5)
    assert len(found.structure.replicates) >= 25 and not found.structure.groups
    triples = np.repeat(generator.normal(size=(20, 25)), 3, axis=0)
    triples += generator.normal(scale=0.01, size=triples.shape)
    sets = [found.tolist() for found in replicates(distances(triples))]
    assert sets == [[i, i + 1, i + 2] for i in range(0, 60, 3)]
    # One sample of four is much nearer to three others than to the fifth, and these are not.
    assert not replicates(distances(np.random.default_rng(107).lognormal(size=(60, 4))))


def test_a_comparison_with_null_data_can_be_left_out_or_use_some_samples(monkeypatch):
    assert "without a comparison with null data" in coassoc.subtypes(GROUPS, **FEW).verdict
    monkeypatch.setattr("coassoc.subtyping.structure.MOST_SAMPLES", 24)
    assert coassoc.subtypes(GROUPS, n_draws=20).structure.is_clustered


def test_what_hangs_on_draws_is_said():
    X = np.random.default_rng(0).normal(size=(60, 3))
    alone = coassoc.subtypes(X, [6], 20, algorithm="hierarchical", n_clouds=0)
    (warning,) = alone.warnings
    assert warning.startswith("Two halves of the resamples give different clusters")
    assert warning in alone.verdict


def test_halves_are_compared_if_both_have_all_samples_and_there_are_twenty_draws():
    draws = np.tile(np.column_stack([np.repeat([0, 1], 6), np.arange(12) % 2]), 10)
    gap, once = draws.copy(), draws.copy()
    gap[3, ::2], once[3, 0] = -1, -1
    for drawn, told in ((draws, True), (once, True), (gap, False), (draws[:, :18], False)):
        assert len([*different_halves({2: drawn}, lambda half, _: half[:, 2])]) == told
    said = next(different_halves({2: draws}, lambda half, _: half[:, 0]))
    ari = adjusted_rand_index(contingency_table(*draws[:, :2].T))
    assert f"at 2 (ARI {ari:.2f}). Increase" in said
    assert not [*different_halves({2: draws[:, [0] * 20]}, lambda half, _: half[:, 0])]


def test_correlations_are_tested_where_they_are_distances():
    """Groups of profiles behind offsets and scales of the samples, which correlations ignore."""
    generator = np.random.default_rng(0)
    X = np.repeat(generator.normal(size=(2, 50)), 20, axis=0) + generator.normal(size=(40, 50)) / 3
    X = X * generator.lognormal(0, 2, (40, 1)) + generator.normal(0, 50, (40, 1))
    call = {"n_clusters": [2, 3], "n_draws": 20, "n_clouds": 49}
    assert not coassoc.subtypes(X, **call).structure.groups
    by_shape = coassoc.subtypes(X, **call, algorithm="hierarchical", distance="pearson")
    assert by_shape.structure.groups == [2]


def test_blocks_are_clustered_each_by_itself_and_combined():
    names = np.array([f"s{i}" for i in range(30)])
    # One block tells the first group from the others, the other the last one; each lacks samples.
    a = pd.DataFrame(GROUPS[:, :4], names)[:28]
    b = pd.DataFrame(GROUPS[:, 8:], names).iloc[[*range(3, 30)]]
    call = {"n_clusters": [2], "n_draws": 40, "items": 0.7, "n_clouds": 0}
    found = coassoc.subtypes({"a": a, "b": b}, **call)
    assert list(found.index) == [*names] and found.draws[2].shape == (30, 80)
    assert (found.draws[2][28:, :40] == -1).all() and (found.draws[2][:3, 40:] == -1).all()
    for block, table in (("a", a), ("b", b)):
        confidence = pd.Series(found.confidence(2, block), names)
        assert confidence.notna().equals(pd.Series(np.isin(names, table.index), names))
    i, j = 5, 15  # apart in the one block, together in the other
    both = (found.draws[2][[i, j]] >= 0).all(axis=0)
    assert found.matrix(2)[i, j] == both[40:].sum() / both.sum()
    again = coassoc.subtypes({"a": a, "b": b}, [3], 40, items=0.7, n_clouds=0)
    assert adjusted_rand_index(contingency_table(Y, again.labels[3])) == 1
    filled = again.predict({"a": a, "b": b.reindex(a.index).fillna(0)}, 3)
    assert (filled[3:] == again.labels[3][3:28]).all()
    only = again.predict({"a": a}, 3)
    assert (only[:10] == again.labels[3][0]).all() and (only[10:] != again.labels[3][0]).all()
    with pytest.raises(DataError, match=r"X has a block 'c', .* Pass only the blocks 'a', 'b'"):
        again.predict({"a": a, "c": b}, 3)
    for blocks, said in (
        ({"a": a, "b": GROUPS}, "samples of some blocks have no names"),
        ({"a": a[9:12], "b": b}, "^a has 3 samples, so a resample has 2, but 2 clusters need"),
        ({"a": GROUPS, "b": GROUPS[1:]}, "samples of some blocks have no names"),
        ({"a": a, "b": b.add_prefix("t", axis=0)}, "have no sample in common"),
        ({}, "X is a mapping without a table"),
        ({"a": a.rename(index={"s1": "s0"}), "b": b}, "X: several samples have the same name"),
        ({"a": a.mask(a > 12), "b": b}, r"^a: sample"),
    ):
        refuses((ConfigError, DataError), said, coassoc.subtypes, blocks, **call)


def test_of_many_samples_some_stand_for_all(monkeypatch):
    """Random samples are clustered; the statistics are nearly those of all samples and pairs."""
    X = np.random.default_rng(0).normal(size=(500, 3)) + 4 * np.eye(3)[np.arange(500) % 3]
    call = {"n_clusters": [3], "n_draws": 40, "n_clouds": 0}
    expected = coassoc.subtypes(X, **call)
    for module in ("algorithms", "item_consensus"):
        monkeypatch.setattr(f"coassoc.subtyping.{module}.MANY", 300)
    monkeypatch.setattr("coassoc.subtyping.algorithms.FEW", 200)
    found = coassoc.subtypes(X, **call)
    assert not found.warnings and ((found.draws[3] >= 0) == (expected.draws[3] >= 0)).all()
    table = contingency_table(found.labels[3], expected.labels[3])
    assert adjusted_rand_index(table) > 0.97
    consensus = found.consensus[3]
    assert consensus.items == pytest.approx(
        item_consensus(found.ensemble(3), found.labels[3]), abs=0.002
    )
    every = consensus_distribution(found.ensemble(3)).area
    assert consensus.distribution.area == pytest.approx(every)  # a single block
    monkeypatch.setattr("coassoc.subtyping.item_consensus._BLOCK", 100)
    some = ItemConsensus.of(found.draws[3], found.labels[3]).distribution.area
    assert some != every and some == pytest.approx(every, abs=0.002)
    assert np.mean(found.predict(X, 3) == found.labels[3]) > 0.99


def test_of_many_samples_each_joins_the_nearest_mean_until_none_moves():
    """Five of Lloyd's steps, before one that would empty a cluster."""
    kmeans, generator = KMeans(), np.random.default_rng(2)
    assert [kmeans.starts(n) for n in (2, 256, 257)] == [20, 20, 5] and KMeans(3).starts(9) == 3
    for n in (300, *[12] * 60):
        X = generator.normal(size=(n, 2)) + 5
        few = np.arange(0, n, n // 100 or 1)
        labels = generator.permutation(np.arange(len(few)) % 4)
        means = np.array([X[few][labels == c].mean(axis=0) for c in range(4)])
        steps = []
        while len(steps) < 6:
            steps.append(cdist(X, means).argmin(axis=1))
            if len(np.unique(steps[-1])) < 4:
                break
            means = np.array([X[steps[-1] == c].mean(axis=0) for c in range(4)])
        whole = [step for step in steps if len(np.unique(step)) == 4] or steps
        np.testing.assert_array_equal(kmeans._extended(X, few, labels), whole[-1])
    assert representatives(8192, 0).tolist() == [*range(8192)]
    some = representatives(8193, 0)
    assert len(some) == 2048 and (np.diff(some) > 0).all() and some[0] < 99 and some[-1] > 8094


def test_new_samples_join_the_cluster_with_the_largest_mean_consensus():
    """Without groups, where resamples disagree."""
    generator = np.random.default_rng(4)
    X, new = generator.normal(size=(30, 2)), generator.normal(size=(60, 2))
    found = coassoc.subtypes(X, [4], 25, n_clouds=0)
    draws, shared, both = found.draws[4], np.zeros((60, 4)), np.zeros(4)
    for draw in draws.T:
        means = [X[draw == c].mean(axis=0) for c in range(draw.max() + 1)]
        joined = cdist(new, means).argmin(axis=1)
        for c in range(4):
            members = draw[(found.labels[4] == c) & (draw >= 0)]
            shared[:, c] += (joined[:, None] == members).sum(axis=1)
            both[c] += len(members)
    assert found.predict(new, 4).tolist() == (shared / both).argmax(axis=1).tolist()
    assert ((shared / both).argmax(axis=1) != shared.argmax(axis=1)).any()
