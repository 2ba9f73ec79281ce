"""Average linkage of rows by their labels is that of the samples; equal similarities tie."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_linkage import assert_run_of_the_plain_algorithm, dense_distances

from coassoc import Ensemble
from coassoc.methods import METHODS
from coassoc.methods.base import needed_memory
from coassoc.methods.weac import agreement_weighted_co_association
from coassoc.partition import linkage
from coassoc.partition.linkage import agglomerate_rows, cut_samples
from coassoc.similarity import CoAssociation, co_association, weighted_co_association
from ensembles import asked, label_matrices, label_matrices_with_gaps, noisy_ensemble, with_gaps


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


methods = pytest.mark.parametrize("method", ["average", "single"])


@methods
@given(similarity=similarities())
def test_every_merge_is_one_of_the_plain_algorithm_on_samples(similarity, method):
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
    assert "_matrix" not in vars(fitted.affinity_)
    assert "_matrix" in vars(expected.affinity_)
    np.testing.assert_array_equal(fitted.labels_, expected.labels_)


def test_samples_can_be_more_similar_to_those_with_fewer_labels_than_to_their_like():
    ensemble = Ensemble([[0, 0], [0, 0], [0, None], [1, 1]])
    weights = np.array([0.9, 0.9, 0.1, 0.1])
    similarity = by_weights(ensemble, weights)
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
