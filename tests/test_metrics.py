"""Scores against independent computations: scikit-learn, all matches, all pairs."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import metrics as sk

from coassoc import DataError
from coassoc.metrics import METRICS, pairwise_ari, score_against, score_partition

#: Classes and clusters of 1 to 25 samples.
samples = st.tuples(st.integers(0, 3), st.integers(0, 4))
partitions = st.lists(samples, min_size=1, max_size=25).map(np.transpose)


def best_match(classes, clusters) -> float:
    """Accuracy over all one-to-one assignments of clusters to classes."""
    names = max(*classes, *clusters) + 1
    return max(np.mean(np.take(order, clusters) == classes) for order in permutations(range(names)))


@given(partitions)
def test_scores_equal_independent_computations(pair):
    classes, clusters = pair
    scores = score_partition(classes, clusters)
    assert list(scores) == list(METRICS)
    assert scores["ACC"] == pytest.approx(best_match(classes, clusters))
    for name, mean in (("NMI", "arithmetic"), ("NMI-max", "max"), ("NMI-geometric", "geometric")):
        expected = sk.normalized_mutual_info_score(classes, clusters, average_method=mean)
        assert scores[name] == pytest.approx(expected, abs=1e-12)
    assert scores["ARI"] == pytest.approx(sk.adjusted_rand_score(classes, clusters), abs=1e-12)
    largest = [np.bincount(classes[clusters == k]).max() for k in set(clusters)]
    assert scores["Purity"] == pytest.approx(sum(largest) / len(classes))


@pytest.mark.parametrize("sizes", [(1, 1, 1), (1, 3, 5)])
def test_scores_of_equal_partitions_are_not_above_one_by_rounding(sizes):
    classes = np.repeat(range(3), sizes)
    assert set(score_partition(classes, classes).values()) == {1.0}


@settings(max_examples=25)
@given(partitions)
def test_nca_is_the_best_match_of_shares_above_chance(pair):
    classes, clusters = pair
    known, found = np.unique(classes), np.unique(clusters)
    K = max(len(known), len(found))
    matched = max(
        sum(np.mean(clusters[classes == a] == b) for a, b in zip(known, order, strict=True))
        for order in permutations([*found, *[-1] * len(known)], len(known))
    )
    expected = 1.0 if K == 1 else (matched / len(known) - 1 / K) / (1 - 1 / K)
    assert score_partition(classes, clusters)["NCA"] == pytest.approx(expected)


def test_scores_against_several_labellings_without_noise():
    """By hand: of six samples the first labelling leaves out two, the second none."""
    clusters = np.array([0, 0, 1, 1, 0, 1])
    first, second = np.array([5, 5, 7, 7, -1, -1]), np.array([0, 0, 0, 1, 1, 1])
    # On its four samples the first labelling is the partition.
    assert set(score_against([first], clusters).values()) == {1.0}
    scores = score_against([second], clusters)
    assert scores["ACC"] == pytest.approx(4 / 6) and scores["NCA"] == pytest.approx(1 / 3)
    assert score_against([second, first], clusters) == score_against([first], clusters)
    # A wrong label costs nothing where the sample is noise, and a missing one is left out as well.
    clusters[[4, 5]] = 1, 0
    assert score_against([first], clusters)["ACC"] == 1
    clusters[3] = 0
    assert score_against([first], clusters)["ACC"] == 3 / 4
    clusters[3] = -1
    assert score_against([first], clusters)["ACC"] == 1
    rest = score_partition([0, 0, 0, 1, 1], [0, 0, 1, 1, 0])
    assert score_against([second], clusters) == rest
    with pytest.raises(DataError):
        score_against([np.full(6, -1)], clusters)


@given(partitions)
def test_pairwise_scores_equal_a_count_over_pairs(pair):
    classes, clusters = pair
    i, j = np.triu_indices(len(classes), 1)
    same_class, together = classes[i] == classes[j], clusters[i] == clusters[j]
    precision = same_class[together].mean() if together.any() else 1.0
    recall = together[same_class].mean() if same_class.any() else 1.0
    scores = score_partition(classes, clusters)
    assert scores["Precision"] == pytest.approx(precision)
    assert scores["Recall"] == pytest.approx(recall)
    f_score = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
    assert scores["F-score"] == pytest.approx(f_score)


@given(st.lists(st.tuples(*[st.integers(-1, 3)] * 4), min_size=1, max_size=12), st.data())
def test_ari_of_all_pairs_is_that_of_each_pair_on_common_samples(rows, data):
    labels = np.array(rows)
    sizes = np.array(data.draw(st.lists(st.integers(1, 3), min_size=len(rows), max_size=len(rows))))
    expected = np.zeros((4, 4))
    for i, a in enumerate(labels.T):
        for j, b in enumerate(labels.T):
            both = np.repeat((a >= 0) & (b >= 0), sizes)
            pair = np.repeat(a, sizes)[both], np.repeat(b, sizes)[both]
            expected[i, j] = sk.adjusted_rand_score(*pair) if both.any() else 0.0
    np.testing.assert_allclose(pairwise_ari(labels.T, sizes), expected, atol=1e-12)


@pytest.mark.parametrize("pair", [([0, 1], [0]), ([], [])])
def test_unequal_or_empty_partitions_are_refused(pair):
    with pytest.raises(DataError, match="non-empty lists of equal length"):
        score_partition(*pair)
