"""Similarities in place of clusterings: the same consensus, and nothing that is not known."""

from functools import partial
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from coassoc import ConfigError, DataError, Ensemble, find_consensus
from coassoc.confidence import group_consensus, sample_confidence
from coassoc.evidence import Evidence
from coassoc.methods import METHODS
from coassoc.similarity import (
    co_association,
    locally_weighted_co_association,
    probability_trajectory_similarity,
    propagated_cluster_similarity,
    trajectory_lengths,
)
from ensembles import noisy_ensemble, with_missing
from oracles import common
from refusals import cases, refused, refuses

READING = [name for name in METHODS if METHODS[name].estimator.reads_matrix]


@pytest.fixture(scope="module")
def ensemble():
    return Ensemble(noisy_ensemble(60, 8, 3, seed=0))


@pytest.fixture(scope="module")
def evidence(ensemble):
    return Evidence(np.asarray(co_association(ensemble)))


@pytest.mark.parametrize("repeats", [1, 3])
@pytest.mark.parametrize("name", [name for name in READING if name != "CSPA"])
def test_the_co_association_matrix_gives_what_its_clusterings_give(name, repeats):
    options = {"similarity": "ca"} if name == "EC-CMS" else {}
    ensemble = Ensemble(np.repeat(noisy_ensemble(60, 8, 3, seed=0), repeats, axis=0))
    evidence = Evidence(np.asarray(co_association(ensemble)))
    before = evidence.S.copy()
    of_labels = METHODS[name](3, random_state=0, **options).fit(ensemble).labels_
    of_evidence = METHODS[name](3, random_state=0, **options).fit(evidence).labels_
    np.testing.assert_array_equal(of_evidence, of_labels)
    np.testing.assert_array_equal(evidence.S, before)


def test_cspa_balances_clusters_of_similarities(evidence):
    sizes = np.bincount(METHODS["CSPA"](3, random_state=0).fit(evidence).labels_)
    assert len(sizes) == 3 and sizes.min() >= 18


def test_confidence_is_that_of_the_clusterings(ensemble, evidence):
    labels = np.arange(60) % 4
    for judge in (sample_confidence, group_consensus):
        np.testing.assert_allclose(judge(evidence, labels), judge(ensemble, labels), atol=1e-12)


def test_rows_and_columns_in_any_order_are_joined_by_names(evidence):
    names = [f"s{i}" for i in range(60)]
    table = pd.DataFrame(np.asarray(evidence), names, names)
    found = find_consensus(similarity=table.sample(frac=1, random_state=1), n_clusters=3)
    expected = find_consensus(similarity=table.to_numpy(), n_clusters=3).labels
    np.testing.assert_array_equal(found.labels, expected)
    assert list(found.table.index) == names
    np.testing.assert_array_equal(found.similarity, np.asarray(evidence))
    assert found.similarity is not found.ensemble.S


def test_the_longest_lifetime_chooses_the_number(ensemble, evidence):
    with_labels = METHODS["EAC-AL"](None).fit(ensemble).labels_
    np.testing.assert_array_equal(METHODS["EAC-AL"](None).fit(evidence).labels_, with_labels)


def test_methods_that_need_clusterings_say_so(evidence):
    with pytest.raises(DataError, match=r"LWEA needs clusterings.* Choose one of EAC-AL"):
        find_consensus(similarity=evidence, n_clusters=3, method="LWEA")
    fitted = METHODS["EAC-AL"](3).fit(evidence)
    labels, clusterings = (partial(getattr, evidence, x) for x in ("labels", "clusterings"))
    for question in (lambda: fitted.predict([[0, 1]]), labels, clusterings):
        refuses(DataError, "This computation needs clusterings", question)


def test_labels_or_similarity_and_not_both(ensemble, evidence):
    for options in ({}, {"labels": ensemble, "similarity": evidence}):
        refuses(ConfigError, "Pass exactly one of the two", find_consensus, n_clusters=3, **options)
    # EC-CMS has a parameter of that name.
    assert find_consensus(ensemble, 3, "EC-CMS", similarity="ca").labels.max() == 2


@refused(
    DataError,
    ([[1, 0.5]], "shape"),
    ([["a"]], "not an array of numbers"),
    ([[1, 0.5], [0.4, 1]], "0.5 in row 1, column 2 and the entry 0.4 across .* differ"),
    ([[1, 0.1 + 2e-8, 0.5], [0.1, 1, 0], [0.3, 0, 1]], "entry 0.5 in row 1, column 3 and"),
    (np.ma.array(np.eye(2), mask=np.eye(2, dtype=bool)), "similarity: entry 0, 0 is masked"),
    (np.eye(2) * (1 + 0j), "similarity: the numbers are complex"),
    ([[1, 3], [3, 1]], "entry 3 in row 1, column 2 is not between 0 and 1"),
    ([[1, np.nan], [np.nan, 1]], "entry nan"),
    (pd.DataFrame(np.eye(2), ["a", "b"], ["a", "c"]), "columns must have the same unique"),
)
def test_what_is_no_similarity_is_refused(similarity):
    Evidence(similarity)


def test_rounding_beyond_the_range_is_clipped():
    S = Evidence([[1, 1 + 5e-9, 0], [1 + 5e-9, 1, -5e-9], [0, -5e-9, 1]])
    assert np.asarray(S).tolist() == [[1, 1, 0], [1, 1, 0], [0, 0, 1]]


# -- SIMILARITY ------------------------------------------------------------------------------------

# Similarities against the golden outputs and the plain transcriptions.


def test_co_association(golden):
    CA = co_association(golden.ensemble).to_dense()
    np.testing.assert_array_equal(CA, golden.outputs("eac")["CA"])
    LWCA = locally_weighted_co_association(golden.ensemble).to_dense()
    np.testing.assert_allclose(LWCA, golden.outputs("lwea")["LWCA_theta04"], atol=1e-14)


def test_probability_trajectories(golden):
    ensemble, expected = golden.ensemble, golden.outputs("pta")
    np.testing.assert_array_equal(ensemble.microclusters.assignment, expected["mc_of_object"])
    assert trajectory_lengths(ensemble) == expected["K"] == expected["T"]
    similarity = probability_trajectory_similarity(ensemble)
    np.testing.assert_allclose(similarity.S, expected["PTS"], atol=1e-13)
    shorter = probability_trajectory_similarity(ensemble, 5, 5)
    np.testing.assert_allclose(shorter.S, expected["PTS_K5T5"], atol=1e-13)


def with_strangers():
    """(40, 6) labels of which a fifth is missing, and two samples that never meet."""
    labels = with_missing(noisy_ensemble(40, 6, 3, seed=3), 0.2)
    labels[:2] = [[0, 0, 0, -1, -1, -1], [-1, -1, -1, 1, 1, 1]]
    return labels


def test_similarities_with_missing_labels():
    ensemble = Ensemble(with_strangers())
    CA = co_association(ensemble).to_dense()
    np.testing.assert_allclose(CA, common.co_association(ensemble.labels), atol=1e-15)
    LWCA = locally_weighted_co_association(ensemble, 0.7).to_dense()
    expected = common.locally_weighted_co_association(ensemble.labels, 0.7)
    np.testing.assert_allclose(LWCA, expected, atol=1e-14)


def test_clusters_that_overlap_no_other_are_similar_to_none():
    """The last samples are in clusters of the first base clustering alone."""
    labels = np.vstack([noisy_ensemble(30, 4, 3, seed=1), [[3, -1, -1, -1], [4, -1, -1, -1]]])
    G = propagated_cluster_similarity(Ensemble(labels))
    np.testing.assert_array_equal(G[3:5], 0)
    np.testing.assert_array_equal(G[:, 3:5], 0)
    others = np.delete(np.arange(len(G)), [3, 4])
    expected = propagated_cluster_similarity(Ensemble(labels[:-2]))
    np.testing.assert_allclose(G[np.ix_(others, others)], expected, atol=1e-13)
    np.testing.assert_array_equal(expected.diagonal(), 1)


@cases("count, length", (1, 1), (15, 1), (16, 2), (35, 2), (36, 3), (1599, 19), (10**5, 20))
def test_walks_are_as_long_as_half_the_root_of_the_number(count, length):
    assert trajectory_lengths(SimpleNamespace(microclusters=SimpleNamespace(count=count))) == length
