"""Linkage of few kinds of samples equals linkage of the samples; cuts."""

import numpy as np
import pytest
import scipy.cluster.hierarchy as hierarchy
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import squareform

from coassoc import Ensemble, InvariantMatrix, Microclusters
from coassoc.methods import METHODS
from coassoc.methods.base import needed_memory
from coassoc.methods.weac import agreement_weighted_co_association
from coassoc.partition import linkage
from coassoc.partition.labels import canonical_labels
from coassoc.partition.linkage import agglomerate_rows, cut_samples
from coassoc.similarity import (
    CoAssociation,
    co_association,
    ensemble_driven_cluster_index,
    locally_weighted_co_association,
    weighted_co_association,
)
from ensembles import (
    asked,
    label_matrices,
    label_matrices_with_gaps,
    noisy_ensemble,
    same_partition,
    with_gaps,
    with_missing,
)

methods = st.sampled_from(linkage.LINKAGES)
few = st.integers(1, 4)


def dense_distances(S, counts):
    """Distances between all items, those of the first kind first."""
    kind = np.repeat(np.arange(len(counts)), counts)
    distances = 1 - S[np.ix_(kind, kind)]
    np.fill_diagonal(distances, 0.0)
    return distances


def scipy_tree(distances, method):
    # SciPy refuses a tree with distances below zero, as rounding leaves them.
    above = np.where(np.abs(distances) < 1e-12, 0.0, distances)
    return hierarchy.linkage(squareform(above, checks=False), method)


def symmetric(rng, n, low=0.0, high=0.9):
    S = rng.uniform(low, high, (n, n))
    return (S + S.T) / 2


@st.composite
def tie_free(draw, counts=few, max_kinds=9):
    """Similarities without equal entries, and counts; some kinds hold together, some do not."""
    sizes = draw(st.lists(counts, min_size=2, max_size=max_kinds))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    S = symmetric(rng, len(sizes))
    tight = rng.random(len(sizes)) < draw(st.sampled_from([0.0, 0.5, 1.0]))
    tight_values = 0.9 + 0.1 * rng.random(len(sizes))
    np.fill_diagonal(S, np.where(tight, tight_values, rng.uniform(0, 0.9, len(sizes))))
    return S, np.array(sizes)


@st.composite
def full_of_ties(draw):
    """Similarities that are multiples of 1/4 (or all the same), and counts."""
    sizes = draw(st.lists(st.integers(1, 5), min_size=1, max_size=6))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    S = rng.integers(0, draw(st.integers(1, 4)), (len(sizes), len(sizes))) / 4
    return np.triu(S) + np.triu(S, 1).T, np.array(sizes)


def single_merges(dendrogram: linkage.Dendrogram):
    """Both items and the height of each merge, in the order in which cuts keep them."""
    first = np.cumsum(dendrogram.counts) - dendrogram.counts
    for t in np.argsort(dendrogram.heights, kind="stable"):
        for i in range(dendrogram.n_pairs[t]):
            left = first[dendrogram.left[t]] + i
            right = first[dendrogram.right[t]] + dendrogram.shift[t] + i
            yield left, right, dendrogram.heights[t]


def assert_run_of_the_plain_algorithm(distances, dendrogram, method):
    """Each merge is of two clusters than which no others are closer, at their distance."""
    between = {"average": np.mean, "complete": np.max, "single": np.min}[method]
    clusters = [frozenset([i]) for i in range(len(distances))]
    for left, right, height in single_merges(dendrogram):
        a, b = (next(c for c in clusters if i in c) for i in (left, right))
        assert a != b
        pairs = [(c, d) for i, c in enumerate(clusters) for d in clusters[:i]]
        closest = min(between(distances[np.ix_(list(c), list(d))]) for c, d in pairs)
        distance = between(distances[np.ix_(list(a), list(b))])
        np.testing.assert_allclose([distance, height], closest, rtol=1e-12, atol=1e-12)
        clusters = [c for c in clusters if c not in (a, b)] + [a | b]
    assert len(clusters) == 1


@given(st.one_of(full_of_ties(), tie_free(max_kinds=5)), methods)
@settings(max_examples=80)
def test_every_merge_is_one_of_the_plain_algorithm_on_samples(items, method):
    dendrogram = linkage.agglomerate(*items, method)
    assert_run_of_the_plain_algorithm(dense_distances(*items), dendrogram, method)


@given(st.one_of(full_of_ties(), tie_free()), methods)
def test_cuts_have_the_wanted_number_of_clusters_and_are_nested(items, method):
    dendrogram = linkage.agglomerate(*items, method)
    n = int(items[1].sum())
    finer = linkage.cut(dendrogram, n)
    np.testing.assert_array_equal(finer, linkage.cut(dendrogram, n + 1))
    for c in range(n, 0, -1):
        labels = linkage.cut(dendrogram, c)
        assert len(np.unique(labels)) == c
        assert len(np.unique(np.column_stack((labels, finer)), axis=0)) == len(np.unique(finer))
        finer = labels


@given(st.one_of(full_of_ties(), tie_free()), methods, st.data())
def test_labels_do_not_depend_on_the_order_of_the_samples(items, method, data):
    S, counts = items
    assignment = np.repeat(np.arange(len(counts)), counts)
    shuffled = assignment[data.draw(st.permutations(range(len(assignment))))]
    n_clusters = data.draw(st.integers(1, len(assignment)))
    partitions = []
    for groups in (assignment, shuffled):
        micro = Microclusters.from_assignment(groups)
        labels = linkage.linkage_labels(InvariantMatrix(S, 0.0, micro), n_clusters, method)
        # By microcluster, and by place in it.
        partitions.append(labels[np.lexsort((micro.place, groups))])
    assert same_partition(*partitions)


def test_of_equally_near_ones_a_cluster_prefers_its_kind_then_the_first_kind():
    S = np.array([[0.5, 0.5, 0.5], [0.5, 0.5, 0.3], [0.5, 0.3, 0.5]])
    dendrogram = linkage.agglomerate(S, [2, 1, 1], "complete")
    labels = [canonical_labels(linkage.cut(dendrogram, c)).tolist() for c in (3, 2)]
    assert labels == [[0, 0, 1, 2], [0, 0, 0, 1]]


def test_the_two_triangles_are_averaged():
    S = np.array([[1.0, 0.4], [0.2, 1.0]])
    np.testing.assert_allclose(linkage.agglomerate(S, [1, 1], "single").heights, [0.7])


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_similarities_must_be_finite(value):
    S = np.ones((3, 3))
    S[0, 2] = value
    with pytest.raises(ValueError, match="finite"):
        linkage.agglomerate(S, [1, 1, 1], "average")


def of_longest_lifetime(distances, method, first=0.0):
    """The c that SciPy's dendrogram has for the longest range of distances from `first` to 1."""
    ends = np.maximum([0, *scipy_tree(distances, method)[:, 2], 1], first)
    lifetimes = np.diff(ends)[::-1]
    return 1 + np.flatnonzero(lifetimes > lifetimes.max() - 1e-9)[-1]


@pytest.mark.parametrize("noise", [0.05, 0.3])
@pytest.mark.parametrize("missing", [0.0, 0.1])
def test_a_lifetime_begins_where_equal_rows_are_together(noise, missing):
    """With weights below one they are not from 0 on, and what happens before does not count."""
    labels = noisy_ensemble(60, 9, 3, seed=2, noise=noise)
    ensemble = Ensemble(with_missing(labels, missing))
    similarity = locally_weighted_co_association(ensemble)
    index, there = ensemble.labels + ensemble.offsets[:-1], ensemble.labels >= 0
    weights = np.where(there, ensemble_driven_cluster_index(ensemble)[index], 0)
    first = 1 - (weights.sum(axis=1) / there.sum(axis=1)).min()
    dendrogram = linkage.agglomerate_samples(similarity, "average")
    n_clusters = linkage.longest_lifetime(dendrogram, similarity)
    assert 0 < first < 1
    assert n_clusters == of_longest_lifetime(1 - np.asarray(similarity), "average", first)


def test_one_cluster_and_as_many_as_there_are_rows_may_live_longest():
    assert METHODS["EAC-AL"](None).fit([[0, 0], [0, 0], [0, 0]]).n_clusters_found_ == 1
    assert METHODS["LWEA"](None).fit([[0, 1], [1, 2], [2, 0], [2, 0]]).n_clusters_found_ == 3


# -- ROWS ------------------------------------------------------------------------------------------

# Average linkage of rows by their labels is that of the samples; equal similarities tie.


def by_weights(ensemble, weights):
    divisors = np.ones(ensemble.n_clusterings)
    return CoAssociation(ensemble, weights, divisors, weighted_co_association)


@st.composite
def similarities_with_gaps(draw):
    """Co-associations of few samples with missing labels, by weights of the base clusterings."""
    ensemble = Ensemble(draw(label_matrices_with_gaps(max_samples=16, max_clusters=6)))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    m = ensemble.n_clusterings
    weights = draw(st.sampled_from([np.ones(m), rng.choice([0.0, 0.1, 0.2], m), rng.random(m)]))
    weights[0] = 1.0  # one is, if divided by the largest
    return agreement_weighted_co_association(ensemble, weights)


@st.composite
def similarities_of_complete_labels(draw):
    """Co-associations of few samples: full of ties, of ties up to rounding, and without any."""
    ensemble = Ensemble(draw(label_matrices(max_samples=16, max_clusters=6, min_samples=1)))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    values = draw(st.sampled_from([[1.0], [0.1], [0.1, 0.2, 0.3], [0.0, 1.0], rng.random(100)]))
    return by_weights(ensemble, rng.choice(values, ensemble.n_clusters_total))


def similarities():
    return st.one_of(similarities_of_complete_labels(), similarities_with_gaps())


@pytest.mark.parametrize("method", ["average", "single"])
@settings(max_examples=20)
@given(similarity=similarities())
def test_every_merge_by_rows_is_one_of_the_plain_algorithm_on_samples(similarity, method):
    dendrogram = agglomerate_rows(similarity, method)
    distances = dense_distances(similarity.S, similarity.microclusters.sizes)
    assert_run_of_the_plain_algorithm(distances, dendrogram, method)


def test_what_has_no_label_in_common_merges_last_in_the_order_of_the_rows():
    ensemble = Ensemble([[2, 2], [0, 0], [1, 1], [0, 3], [1, 1]])
    dendrogram = agglomerate_rows(co_association(ensemble))
    labels = [cut_samples(dendrogram, ensemble.microclusters, c).tolist() for c in (4, 3, 2)]
    assert labels == [[0, 1, 2, 3, 2], [0, 1, 2, 1, 2], [0, 1, 1, 1, 1]]
    np.testing.assert_array_equal(dendrogram.heights, [0.0, 0.5, 1.0, 1.0])


OF_GAPS = ("EAC-AL", "EAC-SL", "WEAC")
BY_ROWS = [*((x, False) for x in (*OF_GAPS, "LWEA", "MDEC-HC")), *((x, True) for x in OF_GAPS)]


@pytest.mark.parametrize(("name", "missing"), BY_ROWS)
def test_above_a_number_of_rows_no_matrix_is_made(name, missing, monkeypatch):
    labels = noisy_ensemble(80, 10, 4, 0, noise=0.05)
    if missing:
        labels = with_gaps(labels, np.random.default_rng(0).random(labels.shape) < 0.1)
    expected = METHODS[name](n_clusters=4).fit(labels)
    monkeypatch.setattr(linkage, "MOST_IN_MATRIX", Ensemble(labels).microclusters.count - 1)
    fitted = METHODS[name](n_clusters=4).fit(labels)
    assert "_matrix" not in vars(fitted.affinity_) and "_matrix" in vars(expected.affinity_)
    np.testing.assert_array_equal(fitted.labels_, expected.labels_)


def test_samples_can_be_more_similar_to_those_with_fewer_labels_than_to_their_like():
    ensemble = Ensemble([[0, 0], [0, 0], [0, None], [1, 1]])
    similarity = by_weights(ensemble, np.array([0.9, 0.9, 0.1, 0.1]))
    assert not similarity.ties_equal_rows
    np.testing.assert_allclose(similarity.S[1, [1, 0]], [0.5, 0.9])


@pytest.mark.parametrize(
    ("name", "missing", "most_patterns"),
    [("EAC-CL", False, 1), ("EAC-AL", True, 1), ("LWEA", True, 100), ("AGGLOMERATIVE", True, 100)],
)
def test_what_goes_by_the_matrix_however_many_rows_there_are(
    name, missing, most_patterns, monkeypatch
):
    labels = noisy_ensemble(40, 6, 3, 0, noise=0.1)
    labels[0, 0] = -1 if missing else labels[0, 0]
    method = METHODS[name](n_clusters=asked(name, 3))
    expected = method.fit(labels).labels_
    monkeypatch.setattr(linkage, "MOST_IN_MATRIX", 3)
    monkeypatch.setattr(linkage, "MOST_PATTERNS", most_patterns)
    np.testing.assert_array_equal(method.fit(labels).labels_, expected)
    ensemble = Ensemble(labels)
    squares = 8e-9 * method.cost.squares * ensemble.microclusters.count**2
    assert needed_memory(method, ensemble) > squares
