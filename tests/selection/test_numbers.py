"""Criteria for the number of clusters, each against a computation of its own."""

import warnings
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score, silhouette_score
from threadpoolctl import threadpool_limits

from coassoc import ConfigError, DataError, Ensemble
from coassoc.methods import METHODS
from coassoc.methods.base import FewRowsWarning
from coassoc.selection import CRITERIA, select_n_clusters
from coassoc.selection.numbers import chosen_by
from coassoc.selection.resampling import draw_partitions
from ensembles import noisy_ensemble, with_missing
from oracles.common import co_association

NUMBERS = [2, 3, 4, 6]


@pytest.fixture(scope="module")
def labels():
    return noisy_ensemble(90, 8, 3, seed=1, noise=0.3)


@pytest.fixture(scope="module")
def selection(labels):
    return select_n_clusters(labels, "EAC-AL", NUMBERS, n_draws=5, random_state=7)


@pytest.fixture(scope="module")
def drawn(labels):
    return draw_partitions(METHODS["EAC-AL"], Ensemble(labels), NUMBERS, n_draws=5, random_state=7)


def test_criteria_of_draws(selection, drawn):
    before = None
    for c in NUMBERS:
        P = drawn[c].labels
        M = np.mean(P[:, None, :] == P[None, :, :], axis=2)[np.triu_indices(len(P), 1)]
        line = selection.criteria.loc[c]
        assert line["PAC"] == pytest.approx(np.mean(M <= 0.9) - np.mean(M <= 0.1))
        area = 1 - M.mean()
        assert line["area"] == pytest.approx(area)
        expected = area if before is None else (area - before) / before
        assert line["delta area"] == pytest.approx(expected)
        before = area
        pairs = [adjusted_rand_score(a, b) for a, b in combinations(P.T, 2)]
        assert line["stability"] == pytest.approx(np.mean(pairs))


def test_criteria_of_the_consensus(selection, labels):
    A = co_association(labels)
    eigenvalues = np.sort(np.linalg.eigvals(A / A.sum(axis=1)).real)[::-1]
    for c in NUMBERS:
        consensus = METHODS["EAC-AL"](n_clusters=c).fit(labels).labels_
        np.testing.assert_array_equal(selection.partitions[c], consensus)
        line = selection.criteria.loc[c]
        anmi = np.mean([normalized_mutual_info_score(column, consensus) for column in labels.T])
        assert line["ANMI"] == pytest.approx(anmi)
        silhouette = silhouette_score(1 - A, consensus, metric="precomputed")
        assert line["silhouette"] == pytest.approx(silhouette)
        assert line["eigengap"] == pytest.approx(eigenvalues[c - 1] - eigenvalues[c], abs=1e-9)


def test_each_criterion_chooses_its_best(selection):
    criteria = selection.criteria
    assert selection.chosen["PAC"] == criteria["PAC"].idxmin()
    for name in ("stability", "ANMI", "silhouette", "eigengap"):
        assert selection.chosen[name] == criteria[name].idxmax()
    grows = criteria["delta area"] >= 0.05
    assert selection.chosen["delta area"] == grows[grows].index[-1]
    for name, c in selection.chosen.items():
        assert [text.endswith("*") for text in selection.table[name]] == [c == k for k in NUMBERS]


def test_of_equally_good_numbers_the_largest_is_chosen():
    equal = pd.Series([0.5, 0.5, 0.5 + 1e-12], index=[2, 3, 4])
    assert {chosen_by(name, equal) for name in CRITERIA} == {4}
    assert chosen_by("delta area", equal / 100) == 2
    assert chosen_by("delta area", pd.Series([1, 0.05, 0.01], index=[2, 3, 4])) == 3


def test_clear_clusters_are_found_by_all_criteria_without_a_warning():
    labels = noisy_ensemble(200, 20, 4, seed=3, noise=0.05)
    labels[:, ::2] = np.repeat(np.arange(4), 50)[:, None]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        selection = select_n_clusters(labels, METHODS["EAC-AL"], range(2, 8))
    assert set(selection.chosen.values()) == {4}


@pytest.mark.parametrize("numbers", [5, [], [1, 2], [3, 2], [2, 2], [2, 90]])
def test_other_ranges_are_refused(labels, numbers):
    with pytest.raises(ConfigError, match="increasing integers from 2 to 89"):
        select_n_clusters(labels, METHODS["LWEA"], numbers)


def test_numbers_go_up_to_the_number_of_distinct_rows():
    clear = np.repeat(np.arange(3), 10)[:, None].repeat(6, axis=1)
    assert [*select_n_clusters(clear, "auto", n_draws=2).partitions] == [2, 3]
    assert [*select_n_clusters(clear, "auto", [2], n_draws=2).partitions] == [2]


def test_clusterings_of_each_number_are_of_the_same_samples(labels):
    for other in (labels[:-1], labels[:, :1]):
        with pytest.raises(DataError, match="at least two base clusterings of the same samples"):
            select_n_clusters({2: labels, 3: other}, "EAC-AL")


def test_the_eigengap_of_missing_labels_is_that_of_the_pairs_that_are_labelled(labels):
    gaps = with_missing(labels, 0.2)
    both = (gaps[:, None] >= 0) & (gaps[None] >= 0)
    A = ((gaps[:, None] == gaps[None]) & both).sum(axis=2) / both.sum(axis=2)
    np.fill_diagonal(A, 1)
    values = np.sort(np.linalg.eigvals(A / A.sum(axis=1)[:, None]).real)[::-1]
    found = select_n_clusters(gaps, "EAC-AL", NUMBERS, n_draws=2).criteria["eigengap"]
    np.testing.assert_allclose(found, [values[c - 1] - values[c] for c in NUMBERS], atol=1e-9)


def test_criteria_are_the_same_to_the_last_bit_for_any_number_of_cores():
    generator = np.random.default_rng(0)
    labels = generator.integers(0, 2, (1500, 15))  # from 1,500 rows on BLAS shares them out
    labels[generator.random(labels.shape) < 0.1] = -1
    gaps = []
    for cores in (1, 2):
        with threadpool_limits(cores):
            found = select_n_clusters(labels, "LWEA", [2, 5], n_draws=2)
            gaps.append(found.criteria["eigengap"])
    assert np.isfinite(found.criteria).all(axis=None)
    pd.testing.assert_series_equal(*gaps, check_exact=True)


def test_more_clusters_than_distinct_rows_are_remarked_on():
    labels = np.repeat([[0, 0], [1, 1], [2, 2]], 10, axis=0)
    with pytest.warns(FewRowsWarning, match="only 3 distinct rows"):
        select_n_clusters(labels, "LWEA", [2, 4], n_draws=4)
    assert {*select_n_clusters(labels, "LWEA", range(2, 4), n_draws=4).chosen.values()} == {3}
