"""One step from labels or features to a consensus gives what the steps give one by one."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from coassoc import ConfigError, DataError, Ensemble, EnsembleClusterer, find_consensus
from coassoc.confidence import sample_confidence
from coassoc.methods import METHODS
from coassoc.metrics import adjusted_rand_index, contingency_table
from ensembles import groups, noisy_ensemble


@pytest.fixture(scope="module")
def labels():
    return noisy_ensemble(60, 8, 3, seed=0)


def test_labels_and_confidence_are_those_of_the_estimator(labels):
    found = find_consensus(labels, 3, "EC-CMS", alpha=0.7)
    expected = METHODS["EC-CMS"](n_clusters=3, alpha=0.7).fit(labels).labels_
    np.testing.assert_array_equal(found.labels, expected)
    confidence = sample_confidence(Ensemble(labels), expected)
    np.testing.assert_array_equal(found.confidence, confidence)


def test_the_table_keeps_the_names_of_the_samples(labels):
    names = [f"sample {i}" for i in range(60)]
    table = find_consensus(pd.DataFrame(labels, index=names), 3).table
    assert table.index.tolist() == names
    assert table.columns.tolist() == ["cluster", "confidence"]
    assert find_consensus(labels, 3).table.index.tolist() == list(range(60))


def test_three_lines_of_the_readme(labels, tmp_path):
    found = find_consensus(labels, n_clusters=3)
    found.table.to_csv(tmp_path / "consensus.csv")
    found.plot(tmp_path / "consensus.png")
    assert (tmp_path / "consensus.png").read_bytes().startswith(b"\x89PNG")
    assert len(pd.read_csv(tmp_path / "consensus.csv")) == 60


def test_an_unknown_method_and_one_that_needs_features_are_refused(labels):
    for call in (
        lambda: find_consensus(labels, 3, "LWEB"),
        lambda: EnsembleClusterer(3, method="LWEB").fit(np.eye(5)),
    ):
        with pytest.raises(ConfigError, match="method is 'LWEB'; it must be one of EAC-AL, "):
            call()
    with pytest.raises(DataError, match="SC needs the samples' features"):
        find_consensus(labels, 3, "SC")


@parametrize_with_checks([EnsembleClusterer(2, n_clusterings=5)])
def test_the_clusterer_keeps_scikit_learn_s_rules(estimator, check):
    check(estimator)


@pytest.mark.parametrize("method", ["LWEA", "SC"])
def test_features_are_clustered_in_a_pipeline(method):
    X, y = groups(d=4, seed=1)
    clusterer = EnsembleClusterer(3, method=method, n_clusterings=10, random_state=0)
    found = make_pipeline(StandardScaler(), clusterer).fit_predict(X)
    assert adjusted_rand_index(contingency_table(y, found)) > 0.8
    np.testing.assert_array_equal(found, clusterer.labels_)
    assert clusterer.base_labels_.shape == (90, 10)
    again = METHODS[method](n_clusters=3, random_state=clusterer.consensus_.random_state)
    scaled = StandardScaler().fit_transform(X)
    np.testing.assert_array_equal(again.fit(clusterer.base_labels_, X=scaled).labels_, found)


def test_parameters_and_the_number_of_base_clusters_are_handed_on():
    X, _ = groups()
    clusterer = EnsembleClusterer(3, parameters={"theta": 2.0}, k="classes", random_state=1).fit(X)
    assert clusterer.consensus_.theta == 2.0
    assert set(clusterer.base_labels_.max(axis=0)) == {2}
