"""How sure a consensus is, against the definitions pair by pair on expanded matrices."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn import metrics as sk
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score, silhouette_samples

from coassoc import DataError, Ensemble, confidence
from coassoc.metrics import METRICS, pairwise_ari, score_against, score_partition
from coassoc.similarity import co_association
from ensembles import label_matrices
from oracles.common import co_association as dense_co_association
from refusals import cases, refuses


@st.composite
def ensembles_and_partitions(draw):
    """A table of labels with gaps, in which columns may share no sample, and any partition."""
    labels = draw(label_matrices(max_samples=12, min_samples=1))
    n, m = labels.shape
    gaps = draw(arrays(np.bool_, (n, m)))
    gaps[:, draw(st.integers(0, m - 1))] = False
    gaps[np.arange(m) % n, np.arange(m)] = False
    labels = np.where(gaps, -1, labels)
    return labels, draw(arrays(np.int64, len(labels), elements=st.integers(0, 3)))


def mean_with(A, i, members):
    others = [A[i, j] for j in members if j != i]
    return np.mean(others) if others else 0.0


@given(ensembles_and_partitions())
def test_memberships_are_what_the_definition_says(case):
    labels, partition = case
    A = dense_co_association(labels)
    np.fill_diagonal(A, 1.0)
    shares = np.column_stack([A[:, partition == c].mean(axis=1) for c in np.unique(partition)])
    degrees = confidence.memberships(labels, partition)
    np.testing.assert_allclose(degrees, shares / shares.sum(axis=1, keepdims=True), atol=1e-12)
    np.testing.assert_allclose(degrees.sum(axis=1), 1)


def test_entropy_is_of_what_is_divided():
    divided = [[1, 0, 0], [0.5, 0.5, 0], [1 / 3, 1 / 3, 1 / 3]]
    entropy = confidence.membership_entropy(divided)
    np.testing.assert_allclose(entropy, [0, np.log(2) / np.log(3), 1], atol=1e-12)
    assert confidence.membership_entropy([[1.0], [1.0]]).tolist() == [0, 0]


@given(ensembles_and_partitions())
def test_confidence_of_samples_is_what_the_definition_says(case):
    labels, partition = case
    A = dense_co_association(labels)
    clusters = [np.flatnonzero(partition == c) for c in np.unique(partition)]
    means = [[mean_with(A, i, members) for members in clusters] for i in range(len(labels))]
    np.testing.assert_allclose(confidence.item_consensus(labels, partition), means, atol=1e-12)
    for i, value in enumerate(confidence.sample_confidence(labels, partition)):
        own = next(k for k, members in enumerate(clusters) if i in members)
        nearest = max(np.delete(means[i], own), default=0.0)
        alone = len(clusters) > 1 and len(clusters[own]) == 1
        assert value == pytest.approx(0.0 if alone else means[i][own] - nearest, abs=1e-12)


@given(ensembles_and_partitions())
def test_consensus_of_groups_counts_their_pairs(case):
    labels, groups = case
    consensus = confidence.group_consensus(labels, groups)
    for a, one in enumerate(np.unique(groups)):
        for b, other in enumerate(np.unique(groups)):
            pairs = [
                labels[i, j] == labels[k, j]
                for i in np.flatnonzero(groups == one)
                for k in np.flatnonzero(groups == other)
                for j in range(labels.shape[1])
                if i != k and min(labels[i, j], labels[k, j]) >= 0
            ]
            alone = a == b and np.count_nonzero(groups == one) == 1
            expected = 1.0 if alone else np.mean(pairs) if pairs else np.nan
            assert consensus[a, b] == pytest.approx(expected, nan_ok=True)


@given(ensembles_and_partitions())
def test_confidence_of_clusters_is_what_the_definition_says(case):
    labels, partition = case
    A = dense_co_association(labels)
    clusters = confidence.cluster_confidence(labels, partition)
    for k, c in enumerate(np.unique(partition)):
        members = np.flatnonzero(partition == c)
        assert clusters.sizes[k] == len(members)
        pairs = [A[i, j] for i in members for j in members if i < j]
        expected = np.mean(pairs) if pairs else np.nan
        assert clusters.tightness[k] == pytest.approx(expected, abs=1e-12, nan_ok=True)
        best = []
        for column in labels.T:
            C = {i for i in members if column[i] >= 0}
            if C:
                base = [set(np.flatnonzero(column == b)) for b in set(column) - {-1}]
                best.append(max(len(C & B) / len(C | B) for B in base))
        assert clusters.stability[k] == pytest.approx(np.mean(best))


@cases("name, score", ("NMI", normalized_mutual_info_score), ("ARI", adjusted_rand_score))
@given(ensembles_and_partitions())
def test_agreement_is_that_on_common_samples(name, score, case):
    def expected(a, b):
        both = (a >= 0) & (b >= 0)
        return score(a[both], b[both]) if both.any() else np.nan

    labels, partition = case
    agreement = confidence.pairwise_agreement(labels, name)
    pairs = np.array([[expected(a, b) for b in labels.T] for a in labels.T])
    np.testing.assert_allclose(agreement, pairs, atol=1e-9)
    known = [value for value in pairs[np.triu_indices(len(pairs), 1)] if not np.isnan(value)]
    mean = np.mean(known) if known else np.nan
    assert confidence.diversity(agreement) == pytest.approx(1 - mean, abs=1e-9, nan_ok=True)
    with_base = confidence.agreement_with_base(labels, partition, name)
    each = [expected(column, partition) for column in labels.T]
    np.testing.assert_allclose(with_base, each, atol=1e-9)


@given(ensembles_and_partitions())
def test_silhouette_is_that_of_the_dense_distances(case):
    labels, partition = case
    n_clusters = len(np.unique(partition))
    if n_clusters < 2:
        with pytest.raises(DataError, match="labels has only one cluster"):
            confidence.sample_silhouette(labels, partition)
    elif n_clusters < len(labels):
        distances = 1 - dense_co_association(labels)
        expected = silhouette_samples(distances, partition, metric="precomputed")
        widths = confidence.sample_silhouette(labels, partition)
        np.testing.assert_allclose(widths, expected, atol=1e-9)


def test_memberships_where_a_cluster_has_more_patterns_of_missing_labels_than_a_block():
    rng = np.random.default_rng(0)
    labels = rng.integers(-1, 2, (900, 8))
    labels[:, 0] = np.arange(900) % 3
    ensemble, clusters = Ensemble(labels), rng.integers(0, 4, 900)
    first = labels[:, 0] == 0
    assert len(np.unique(labels[first] >= 0, axis=0)) > 64
    means = np.asarray(co_association(ensemble)) @ np.eye(4)[clusters] / np.bincount(clusters)
    expected = means / means.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(confidence.memberships(ensemble, clusters), expected)


@pytest.mark.parametrize("partition", [[0, 1], [[0, 1, 1]], 0])
@pytest.mark.parametrize("score", [confidence.sample_confidence, confidence.cluster_confidence])
def test_a_partition_of_other_samples_is_refused(score, partition):
    with pytest.raises(DataError, match=r"labels has the shape .* but there are 3 samples"):
        score([[0], [0], [1]], partition)


def test_an_unknown_score_is_refused():
    with pytest.raises(DataError, match=r"'Purity'. It must be one of NMI, ARI"):
        confidence.pairwise_agreement([[0], [1]], "Purity")


# -- METRICS ---------------------------------------------------------------------------------------

# Scores against independent computations: scikit-learn, all matches, all pairs.


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
    refuses(DataError, "non-empty lists of equal length", score_partition, *pair)
