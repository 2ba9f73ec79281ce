"""Ensemble: relabelling, membership, microclusters, and missing labels."""

import re
from itertools import product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.special import entr

from coassoc import ConfigError, DataError, Ensemble, MethodError, find_consensus
from coassoc import ensemble as ensembles_of
from coassoc.confidence import (
    agreement_with_base,
    cluster_confidence,
    group_consensus,
    sample_confidence,
    sample_silhouette,
)
from coassoc.methods import METHODS
from coassoc.partition import linkage
from coassoc.selection import select_n_clusters
from coassoc.similarity import cluster_uncertainty
from ensembles import CLASSES, asked, label_matrices, noisy_ensemble, same_partition, with_missing
from oracles.common import one_hot
from refusals import cases, refused, refuses


@st.composite
def labels_and_gaps(draw):
    """Labels that are no consecutive numbers, and which are missing: none, or any."""
    labels = 7 * draw(label_matrices(max_samples=12, max_clusters=4, min_samples=1)) + 3
    missing = draw(st.just(np.zeros(labels.shape, bool)) | arrays(np.bool_, labels.shape)).copy()
    missing[:, 0] &= ~missing.all(axis=1)
    missing[0] = False
    return np.where(missing, -1, labels), missing


@given(labels_and_gaps())
def test_labels_are_numbered_and_a_missing_one_is_one_more_symbol_of_a_row(case):
    labels, missing = case
    ensemble = Ensemble(labels)
    assert ensemble.has_missing == missing.any()
    np.testing.assert_array_equal(ensemble.labels < 0, missing)
    for column, count in zip(ensemble.labels.T, ensemble.n_clusters_per_clustering, strict=True):
        assert set(column) - {-1} == set(range(count))
    what = dict.fromkeys(("return_index", "return_inverse", "return_counts"), True)
    _, first, inverse, counts = np.unique(labels, axis=0, **what)
    micro = ensemble.microclusters
    np.testing.assert_array_equal(micro.assignment, inverse.ravel())
    np.testing.assert_array_equal(micro.sizes, counts)
    np.testing.assert_array_equal(micro.representatives, first)
    np.testing.assert_array_equal(ensemble.distinct_labels, ensemble.labels[first])


@given(labels_and_gaps())
def test_membership_and_what_clusters_and_samples_share(case):
    labels, missing = case
    ensemble = Ensemble(labels)
    Z = one_hot(labels)
    Z_of_samples = ensemble.microclusters.expand(ensemble.microcluster_membership.toarray())
    np.testing.assert_array_equal(Z_of_samples, Z)
    np.testing.assert_array_equal(ensemble.cluster_sizes, Z.sum(axis=0))
    np.testing.assert_array_equal(ensemble.cluster_intersections.toarray(), Z.T @ Z)
    common = (~missing).astype(int) @ (~missing).astype(int).T
    row = ensemble.microclusters.assignment
    np.testing.assert_array_equal(ensemble.n_common[np.ix_(row, row)], common)
    assert ensemble.n_unobserved_pairs == np.count_nonzero(np.triu(common == 0, 1))


def test_other_samples_have_the_clusters_of_their_labels():
    frame = pd.DataFrame({"a": ["x", "y", "y"], "b": [3, 3, 7], "c": [1, 2, 3]})
    ensemble = Ensemble(frame)
    new = pd.DataFrame({"b": [7, 9, 3], "other": [0, 1, 1], "a": ["y", "x", None]})
    np.testing.assert_array_equal(ensemble.encode(new), [[1, 1, -1], [0, -1, -1], [-1, 0, -1]])
    np.testing.assert_array_equal(ensemble.encode(frame[:1]), [[0, 0, 0]])
    with pytest.raises(DataError, match="none of the labels occurs in the base clusterings"):
        ensemble.encode(pd.DataFrame({"b": [8, 9]}))
    refuses(DataError, "cannot be matched with 3 base", ensemble.encode, new[["other"]])
    np.testing.assert_array_equal(Ensemble(frame.to_numpy()).encode([["y", 9, 2]]), [[1, -1, 1]])
    with pytest.raises(DataError, match="columns cannot be matched with 3 base clusterings"):
        Ensemble(frame.to_numpy()).encode([["y", 9]])


@pytest.mark.parametrize("count", [128, 129, 130, 32769])
def test_clusters_of_other_numbers_may_be_many(count):
    labels = np.column_stack([np.arange(count)] * 2)
    renamed = Ensemble(labels).renamed(labels[::-1].astype(np.int32))
    np.testing.assert_array_equal(renamed.labels, labels[::-1])


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("name", ["EAC-AL", "LWEA", "LOCALSEARCH", "VOTE", "NMFC"])
def test_a_weight_is_the_same_as_repeating_the_column(name):
    labels, weights = np.random.default_rng(0).integers(0, 4, (40, 5)), [3, 1, 2, 1, 5]
    frame = pd.DataFrame(labels, columns=list("abcde"))
    c = None if METHODS[name].n_clusters_is == "chosen" else 3
    repeated = METHODS[name](c, random_state=0).fit(np.repeat(labels, weights, axis=1))
    for table, base in ((labels, range(5)), (frame, frame.columns)):
        ensemble = Ensemble(table, weights=weights, columns=list(base))
        assert ensemble.clusterings == list(np.repeat(base, weights))
        fitted = METHODS[name](c, random_state=0).fit(ensemble)
        np.testing.assert_array_equal(fitted.labels_, repeated.labels_)
        # New samples have each column once.
        np.testing.assert_array_equal(fitted.predict(table), fitted.labels_)


ROWS = [[0, 0, 1], [1, 0, 0], [1, 1, 1]]
OF_EACH = "must have one positive integer for each of the 3"


@refused(
    DataError,
    (lambda: Ensemble(ROWS, weights=[1, 2]), f"^weights {OF_EACH} base clusterings"),
    (lambda: Ensemble(ROWS, weights=[1, 0, 2]), "one positive integer"),
    (lambda: Ensemble(ROWS, weights=[]), "one positive integer"),
    (lambda: Ensemble.from_counts(ROWS, [1, 2]), f"^sizes {OF_EACH} rows"),
    (lambda: Ensemble.from_counts(ROWS, [2**62] * 3), r"too large .* \(at least 2⁶³ samples\)"),
    (lambda: Ensemble.from_counts([*ROWS, ROWS[1]], [1] * 4), "rows: rows 1 and 3 are equal. Keep"),
)
def test_weights_and_counts_that_are_none_are_refused(call):
    call()


def test_samples_of_a_microcluster_have_places_in_it():
    labels = np.array([[1, 1], [0, 0], [1, 1], [1, 1], [0, 0], [2, -1]])
    micro = Ensemble(labels).microclusters
    assert micro.place.tolist() == [0, 0, 1, 2, 1, 0] and not micro.counted
    counted = Ensemble.from_counts([[0, 0], [1, 1]], [3, 1])
    assert counted.microclusters.counted and counted.microclusters.place.tolist() == [0, 0]


@pytest.mark.parametrize(("missing", "rows_at_once"), [(0.0, 3), (0.3, 3), (0.0, 0)])
def test_clusters_are_compared_a_few_at_a_time_where_they_are_many(
    missing, rows_at_once, monkeypatch
):
    labels = with_missing(noisy_ensemble(30, 5, 3, seed=2), missing)
    Z = one_hot(labels)
    shared, sizes = Z.T @ Z, Z.sum(axis=0)
    keys = [sizes, (shared**2).sum(axis=1), shared**2 @ sizes]
    whole = Ensemble(labels)
    np.testing.assert_array_equal(whole.cluster_keys, keys)
    monkeypatch.setattr(ensembles_of, "_MOST_CLUSTERS", len(sizes) - 1)
    monkeypatch.setattr(ensembles_of, "_ENTRIES", rows_at_once * len(sizes) + 1)
    few = Ensemble(labels)
    most = max(rows.stop - rows.start for rows, _ in few.intersections())
    assert most == max(rows_at_once, 1)
    np.testing.assert_array_equal(few.cluster_keys, keys)
    np.testing.assert_array_equal(cluster_uncertainty(few), cluster_uncertainty(whole))
    seen = np.add.reduceat(shared, whole.offsets[:-1], axis=1)[:, whole.clustering_of_cluster]
    entropies = entr(shared / np.maximum(seen, 1)).sum(axis=1) / np.log(2)
    np.testing.assert_allclose(cluster_uncertainty(whole), entropies, atol=1e-13)


def test_memberships_have_indices_of_32_bits():
    Z = Ensemble([[0, 1], [1, 0], [1, -1]]).microcluster_membership
    assert Z.indices.dtype == Z.indptr.dtype == np.int32


# -- COUNTS ----------------------------------------------------------------------------------------

# Samples that are only counted: each distinct row has the label that its samples would have.


TAKE_MISSING = [name for name in CLASSES if METHODS[name](2).takes_missing]
#: Methods that part the samples of a row for the sake of balance.
PARTING = ("CSPA", "HGPA")


def case(missing=False):
    """An ensemble of samples, its rows in another order, and the first sample of each of them."""
    rng = np.random.default_rng(0)
    labels = np.repeat(noisy_ensemble(50, 8, 3, 1, 0.2), rng.integers(1, 6, 50), axis=0)
    if missing:
        labels[::7, 0] = labels[::5, 1] = -1
    samples = Ensemble(labels)
    micro = samples.microclusters
    order = rng.permutation(micro.count)
    rows = Ensemble.from_counts(samples.distinct_labels[order], micro.sizes[order])
    return samples, rows, micro.representatives[order]


@pytest.mark.filterwarnings("ignore::UserWarning")
@cases("name, missing", *product(CLASSES, [False]), *product(TAKE_MISSING, [True]))
def test_methods_give_each_row_the_label_of_its_samples(name, missing):
    samples, rows, first = case(missing)
    method = METHODS[name](n_clusters=asked(name, 3), random_state=0)
    if method.uses_features or method.depends_on_sample_order:
        refuses(DataError, r"needs every sample, but an ensemble from", method.fit, rows)
        return
    labels = method.fit(rows).labels_
    assert len(labels) == len(first)
    if name not in PARTING:
        assert same_partition(labels, method.fit(samples).labels_[first])


@pytest.mark.filterwarnings("ignore::UserWarning")
@cases("name, times", *product(CLASSES, [10**9]), ("EC-CMS", 5 * 10**16), ("SDGCA", 5 * 10**16))
def test_more_samples_than_32_bits_count_have_an_answer_or_a_sentence(name, times):
    _, rows, _ = case()
    billions = Ensemble.from_counts(rows.labels, rows.microclusters.sizes * times)
    try:
        labels = METHODS[name](n_clusters=asked(name, 3), random_state=0).fit(billions).labels_
    except (DataError, MethodError) as error:
        sentences = "needs every sample|at most 2,147,483,647|diverges with|cannot count|singular"
        assert re.search(sentences, str(error))
    else:
        assert len(labels) == len(rows.labels)


@pytest.mark.parametrize("name", ["EAC-AL", "LWEA", "EAC-SL", "EC-CMS"])
@pytest.mark.parametrize("most_in_matrix", [1, 100])
def test_samples_of_a_row_are_never_parted(name, most_in_matrix, monkeypatch):
    monkeypatch.setattr(linkage, "MOST_IN_MATRIX", most_in_matrix)
    _, rows, first = case()
    for c in (1, len(first) // 2, len(first)):
        assert len(np.unique(METHODS[name](n_clusters=c).fit(rows).labels_)) == c
    with pytest.raises(ConfigError, match=f"from 1 to {len(first)}"):
        METHODS[name](n_clusters=len(first) + 1).fit(rows)


def test_confidence_counts_the_samples():
    samples, rows, first = case()
    consensus, counted = find_consensus(samples, 3), find_consensus(rows, 3)
    assert same_partition(counted.labels, consensus.labels[first])
    np.testing.assert_allclose(counted.confidence, consensus.confidence[first])
    labels = consensus.labels[first]
    for score in (cluster_confidence, group_consensus, agreement_with_base):
        np.testing.assert_allclose(score(rows, labels), score(samples, consensus.labels))
    for score in (sample_confidence, sample_silhouette):
        np.testing.assert_allclose(score(rows, labels), score(samples, consensus.labels)[first])


def test_a_row_of_one_sample_alone_in_its_cluster_is_neutral():
    rows = Ensemble.from_counts([[0, 0], [0, 1], [1, 1]], [5, 1, 2])
    confidence = sample_confidence(rows, [0, 1, 2])
    assert confidence[1] == 0 and (confidence[[0, 2]] > 0).all()


def test_draws_need_samples():
    with pytest.raises(DataError, match="resampling needs every sample"):
        select_n_clusters(case()[1], METHODS["LWEA"], [2, 3])
