"""Scores against independent computations: scikit-learn, all matches, all pairs."""

from __future__ import annotations

from itertools import combinations, permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics as sk

from coassoc import DataError
from coassoc.metrics import METRICS, score_partition

partitions = st.integers(1, 25).flatmap(
    lambda n: st.tuples(
        st.lists(st.integers(0, 3), min_size=n, max_size=n),
        st.lists(st.integers(0, 4), min_size=n, max_size=n),
    )
)


def best_match(classes, clusters) -> float:
    """Accuracy over all one-to-one assignments of clusters to classes."""
    names = max(max(classes), max(clusters)) + 1
    return max(
        np.mean([order[b] == a for a, b in zip(classes, clusters, strict=True)])
        for order in permutations(range(names))
    )


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
    purity = sum(
        max(np.bincount([a for a, b in zip(classes, clusters, strict=True) if b == k]))
        for k in set(clusters)
    ) / len(classes)
    assert scores["Purity"] == pytest.approx(purity)


@given(partitions)
def test_pairwise_scores_equal_a_count_over_pairs(pair):
    classes, clusters = pair
    pairs = list(combinations(range(len(classes)), 2))
    same_class = {p for p in pairs if classes[p[0]] == classes[p[1]]}
    together = {p for p in pairs if clusters[p[0]] == clusters[p[1]]}
    both = len(same_class & together)
    precision = both / len(together) if together else 1.0
    recall = both / len(same_class) if same_class else 1.0
    scores = score_partition(classes, clusters)
    assert scores["Precision"] == pytest.approx(precision)
    assert scores["Recall"] == pytest.approx(recall)
    f_score = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
    assert scores["F-score"] == pytest.approx(f_score)


def test_perfect_partition_scores_one():
    classes = np.repeat([0, 1, 2], 5)
    assert all(value == 1.0 for value in score_partition(classes, (classes + 1) % 3).values())


def test_more_clusters_than_classes():
    assert score_partition([0, 0, 1, 1], [0, 1, 2, 3])["ACC"] == 0.5


@pytest.mark.parametrize("pair", [([0, 1], [0]), ([], [])])
def test_unequal_or_empty_partitions_are_refused(pair):
    with pytest.raises(DataError, match="non-empty lists of equal length"):
        score_partition(*pair)
