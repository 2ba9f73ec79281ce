"""One answer from measurements."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.sparse import csr_array
from sklearn.datasets import make_moons
from sklearn.metrics import adjusted_rand_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from coassoc import ConfigError, EnsembleClusterer
from coassoc.answer import clusterer as clusterer_module
from coassoc.answer import members as members_module
from coassoc.answer.candidates import mean_agreement
from coassoc.answer.choosing import nearest_values
from coassoc.answer.members import MEMBERS, available_members, fit_member
from coassoc.answer.views import views_of
from coassoc.metrics import pairwise_ari
from coassoc.pages.cluster import conclusion
from ensembles import groups
from refusals import cases, refuses


@parametrize_with_checks([EnsembleClusterer(2)])
def test_the_clusterer_keeps_scikit_learn_s_rules(estimator, check):
    check(estimator)


def test_only_members_vote_and_none_for_itself():
    partitions = [np.random.default_rng(i).integers(0, k, 80) for i, k in enumerate((2, 5, 9))]
    A, is_member = pairwise_ari(partitions, np.ones(80)), np.array([True, True, False])
    expected = [A[0, 1], A[0, 1], (A[0, 2] + A[1, 2]) / 2]
    np.testing.assert_allclose(mean_agreement(A, is_member), expected)


def test_views_do_not_depend_on_units_and_leave_out_constants():
    X = np.random.default_rng(0).normal(size=(60, 4)) * [1, 10, 100, 1]
    X[:, 3] = 7.0
    views = views_of(X)
    assert list(views) == ["raw", "standardised"] and views["raw"].shape == (60, 3)
    for view in views.values():
        assert view.var(axis=0).sum() == pytest.approx(1)
    np.testing.assert_allclose(views["standardised"].var(axis=0), 1 / 3)
    in_other_units = views_of(X * [1e-3, 1e200, 1e-200, 1])["standardised"]
    np.testing.assert_allclose(in_other_units, views["standardised"], atol=1e-9)
    words = csr_array(np.random.default_rng(1).poisson(0.05, (80, 200)).astype(float))
    assert list(views_of(words)) == ["raw", "standardised", "cosine"]
    np.testing.assert_allclose(views_of(words)["cosine"], views_of(words.toarray())["cosine"])


def test_columns_in_other_units_are_found_by_the_standardised_view():
    X, y = groups(n=150, d=4, seed=1)
    X = np.c_[X, 1e4 * np.random.default_rng(0).normal(size=150)]
    assert adjusted_rand_score(y, EnsembleClusterer(3, random_state=0).fit(X).labels_) > 0.9


def test_shapes_that_k_means_cannot_find_are_found():
    pytest.importorskip("genieclust")
    X, y = make_moons(300, noise=0.05, random_state=0)
    found = EnsembleClusterer(2, random_state=0).fit(X)
    assert adjusted_rand_score(y, found.labels_) == 1
    assert pd.DataFrame(found.candidates_)["agreement"].is_monotonic_decreasing
    np.testing.assert_array_equal(found.predict(X), found.labels_)
    new, classes = make_moons(200, noise=0.05, random_state=1)
    assert adjusted_rand_score(classes, found.predict(new)) > 0.95


def test_the_number_of_clusters_is_chosen():
    X, y = groups(n=60, d=2, seed=1)
    found = EnsembleClusterer(None, random_state=0).fit(X + 3 * y[:, None])
    assert adjusted_rand_score(y, found.labels_) == 1
    assert {candidate.k for candidate in found.candidates_} == set(range(2, 16))
    assert "is the one on which the algorithms agree most" in conclusion(found)


def test_frames_sparse_matrices_and_pipelines_give_the_same():
    X, y = groups(n=150, d=4, seed=1)
    make = EnsembleClusterer(3, random_state=0)
    labels = make.fit_predict(X)
    for same in (pd.DataFrame(X), pl.DataFrame(X), csr_array(X)):
        np.testing.assert_array_equal(make.fit_predict(same), labels)
    assert adjusted_rand_score(y, make_pipeline(StandardScaler(), make).fit_predict(X)) > 0.8


def test_noise_points_are_marked_if_asked_for():
    pytest.importorskip("deadwood")
    X, _ = groups(n=150, d=2, seed=1)
    X = np.vstack([X, [[500.0, 500.0]]])
    assert EnsembleClusterer(3, noise=True, random_state=0).fit(X).labels_[-1] == -1
    assert (EnsembleClusterer(3, random_state=0).fit(X).labels_ >= 0).all()


def test_without_the_trees_the_other_members_answer(monkeypatch):
    monkeypatch.setattr(members_module, "find_spec", lambda name: None)
    X, y = groups(n=90, d=2, seed=1)
    found = EnsembleClusterer(3, random_state=0).fit(X)
    assert {candidate.kind for candidate in found.candidates_} == {
        *("centroid", "mixture", "linkage", "spectral", "consensus")
    }
    assert adjusted_rand_score(y, found.labels_) > 0.9


def test_other_samples_follow_the_near_ones_and_a_tie_the_nearest():
    known = np.array([[0.0], [1.0], [2.0], [9.0], [10.0], [11.0]])
    labels, numbers = np.array([0, 0, 0, 1, 1, 1]), np.arange(6.0)
    new = np.array([[1.1], [9.5], [2.0], [6.4]])
    for same in (known, csr_array(known)):
        found = nearest_values(same, new, labels, numbers)
        assert [each.tolist() for each in found] == [[0, 1, 0, 1], [1, 3, 2, 3]]
    assert nearest_values(known[[0, 3]], new, labels[[0, 3]])[0].tolist() == [0, 1, 0, 1]


def test_more_samples_are_represented_by_some(monkeypatch):
    monkeypatch.setattr(clusterer_module, "MOST", 200)
    monkeypatch.setattr(clusterer_module, "NEAR", 60)
    X, y = groups(n=600, d=2, seed=1)
    found = EnsembleClusterer(3, random_state=0).fit(X + 3 * y[:, None])
    assert len(found.labels_) == len(found.confidence_) == 600 and found.n_compared_ == 200
    assert adjusted_rand_score(y, found.labels_) > 0.9


def test_progress_is_reported():
    steps = []
    X, _ = groups(n=60, d=2, seed=1)
    EnsembleClusterer(3, random_state=0, report=lambda *step: steps.append(step)).fit(X)
    total = 2 * len(available_members())
    assert steps == [("Clustering", i, total) for i in range(1, total + 1)]


def test_a_member_that_fails_is_named_with_its_reason():
    X = np.random.default_rng(0).normal(size=(6, 2))
    mixture = next(member for member in MEMBERS if member.name == "full mixture")
    assert "6" in fit_member(mixture, X, 7, 0, {})
    X = np.repeat([[0.0, 0.0], [1.0, 1.0]], 4, axis=0)
    assert len(EnsembleClusterer(3, random_state=0).fit(X).labels_) == 8


@cases(
    "given, match",
    ({"n_clusters": 91}, r"n_clusters is 91, for 90 samples. Choose 1 to 90\."),
    ({"n_clusters": 2.5}, r"n_clusters is 2\.5"),
)
def test_what_cannot_be_is_told_before_any_fit(given, match, monkeypatch):
    monkeypatch.setattr("sklearn.cluster.KMeans.fit", lambda *_, **__: pytest.fail())
    X, _ = groups(n=90)
    refuses(ConfigError, match, EnsembleClusterer(**{"n_clusters": 3, **given}).fit, X)
