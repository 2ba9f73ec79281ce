"""Samples that are only counted: each distinct row has the label that its samples would have."""

import re
from itertools import product

import numpy as np
import pytest

from coassoc import ConfigError, DataError, Ensemble, MethodError, find_consensus
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
from ensembles import CLASSES, asked, noisy_ensemble, same_partition

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
@pytest.mark.parametrize(
    ("name", "missing"), [*product(CLASSES, [False]), *product(TAKE_MISSING, [True])]
)
def test_methods_give_each_row_the_label_of_its_samples(name, missing):
    samples, rows, first = case(missing)
    method = METHODS[name](n_clusters=asked(name, 3), random_state=0)
    if method.uses_features or method.depends_on_sample_order:
        with pytest.raises(DataError, match=r"needs every sample, but an ensemble from"):
            method.fit(rows)
        return
    labels = method.fit(rows).labels_
    assert len(labels) == len(first)
    if name not in PARTING:
        assert same_partition(labels, method.fit(samples).labels_[first])


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize(
    ("name", "times"),
    [*product(CLASSES, [10**9]), ("EC-CMS", 5 * 10**16), ("SDGCA", 5 * 10**16)],
)
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
