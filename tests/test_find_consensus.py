"""One step from labels or features to a consensus gives what the steps give one by one."""

from functools import partial

import numpy as np
import pandas as pd
import pytest

from coassoc import ConfigError, DataError, Ensemble, EnsembleClusterer, find_consensus
from coassoc.confidence import sample_confidence
from coassoc.methods import METHODS
from coassoc.metrics import accuracy, contingency_table
from coassoc.selection import select_n_clusters
from ensembles import groups, noisy_ensemble
from refusals import refuses


@pytest.fixture(scope="module")
def labels():
    return noisy_ensemble(60, 8, 3, seed=0)


def test_an_unknown_method_is_refused(labels):
    for call in (
        lambda: find_consensus(labels, 3, "LWEB"),
        lambda: select_n_clusters(labels, "LWEB"),
    ):
        refuses(ConfigError, r"^Unknown method 'LWEB'. Did you mean 'LWEA'\?", call)
    with pytest.raises(ConfigError, match="It must be a name or a class, not an estimator"):
        find_consensus(labels, 3, METHODS["LWEA"](3))


def test_auto_is_the_number_that_the_method_chooses(labels):
    found = [find_consensus(labels, c, "EAC-AL").labels for c in ("auto", None)]
    np.testing.assert_array_equal(*found)


@pytest.mark.parametrize(
    ("method", "k", "tied"),
    [("EAC-AL", 4, 5), ("EAC-AL", 5, 0), ("EAC-SL", 4, 5), ("EAC-CL", 4, 5), ("LWGP", 4, 0)],
)
def test_samples_that_ties_decided_are_counted(method, k, tied):
    """Neighbours in a chain of groups of 5, 3, 4, 2 and 6 samples share one of two clusters.

    Of five groups any two neighbours may join, at best and at worst with 2 + 6 and 5 + 3 samples.
    """
    rows, sizes = [[0, 0], [0, 1], [1, 1], [1, 2], [2, 2]], [5, 3, 4, 2, 6]
    for labels in (np.repeat(rows, sizes, axis=0), Ensemble.from_counts(rows, sizes)):
        found = find_consensus(labels, k, method)
        assert found.n_tied == tied
        assert (f"at least {tied} samples could be in another" in repr(found)) == (tied > 0)


def test_ties_of_a_linkage_of_distinct_rows_are_counted():
    columns = np.random.default_rng(16).integers(0, 2, (12, 3))
    found, renamed = (find_consensus(x, 3, "PTA-CL") for x in (columns, 1 - columns))
    np.testing.assert_allclose(renamed.estimator.affinity_, found.estimator.affinity_)
    differing = 12 * (1 - accuracy(contingency_table(found.labels, renamed.labels)))
    assert found.n_tied >= round(differing) > 0


def test_a_consensus_of_single_samples_is_told():
    columns = np.random.default_rng(0).integers(0, 40, (60, 8))
    with pytest.warns(UserWarning, match=r"The consensus of 60 samples has"):
        found = find_consensus(columns, None, "LOCALSEARCH")
    assert len(set(found.labels)) > 30


def test_a_method_is_named_or_given(labels):
    make = METHODS["EC-CMS"]
    expected = make(n_clusters=3, alpha=0.7).fit(labels).labels_
    confidence = sample_confidence(labels, expected)
    alpha = {"alpha": 0.7}
    for method, given in (("EC-CMS", alpha), (make, alpha), (partial(make, **alpha), {})):
        consensus = find_consensus(labels, 3, method, **given)
        np.testing.assert_array_equal(consensus.labels, expected)
        np.testing.assert_array_equal(consensus.confidence, confidence)


def test_errors_name_methods_samples_and_columns(labels):
    frame = pd.DataFrame(labels, index=[f"s{i}" for i in range(60)])
    frame = frame.astype(object).rename(columns={2: "hdbscan"})
    frame.iloc[4, 2] = None
    place = r"^SPCE needs complete labels, but sample s4, column 'hdbscan'"
    refuses(DataError, place, find_consensus, frame, 3, "SPCE")
    refuses(ConfigError, r"^LTA-SC: n_clusters is 2\.5", find_consensus, labels, 2.5, "LTA-SC")


def test_generators_are_seeds(labels):
    X, _ = groups()
    for make in (
        lambda seed: find_consensus(labels, 3, "KCC-Uc", random_state=seed).labels,
        lambda seed: EnsembleClusterer(3, random_state=seed).fit(X).labels_,
    ):
        again = (make(np.random.default_rng(1)) for _ in range(2))
        np.testing.assert_array_equal(*again)
    with pytest.raises(ConfigError, match=r"random_state is 'a'. It must be a non-negative"):
        find_consensus(labels, 3, random_state="a")


def test_more_clusters_than_distinct_rows_are_told():
    labels = [[0, 0]] * 4 + [[1, 1]] * 4
    said = "auto: 5 clusters were requested, but the labels have only 2"
    with pytest.warns(UserWarning, match=said) as caught:
        assert len(set(find_consensus(labels, 5).labels)) == 5
    assert len(caught) == 1
