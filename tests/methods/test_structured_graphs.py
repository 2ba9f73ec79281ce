"""What SPCE, TRCE, CESHL and SCCBG share: a learned graph whose components are the clusters."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coassoc import ConfigError, Ensemble
from coassoc.methods import METHODS
from ensembles import (
    label_matrices,
    noisy_ensemble,
    relabelled,
    same_partition,
    shuffled,
    three_classes,
)
from goldens import Golden

NAMES = ("SPCE", "TRCE", "CESHL", "SCCBG")


pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


class TestStructuredGraphs:
    @pytest.mark.parametrize("name", NAMES)
    @given(labels=label_matrices(max_samples=14), c=st.integers(1, 6))
    @settings(max_examples=25, deadline=None)
    def test_small_ensembles(self, name, labels, c):
        c = min(c, len(labels))
        est = METHODS[name](n_clusters=c, random_state=0).fit(labels)
        np.testing.assert_array_equal(np.unique(est.labels_), np.arange(c))
        assert 1 <= est.n_clusters_found_ <= len(labels)

    @pytest.mark.parametrize("name", NAMES)
    @pytest.mark.parametrize("ensemble", ["g60", "g150", "drawn"])
    def test_numbering_does_not_matter(self, name, ensemble):
        if ensemble == "drawn":
            labels, c = three_classes(1)
        else:
            labels, c = Golden(ensemble).labels, Golden(ensemble).n_clusters
        renumbered, order = shuffled(relabelled(labels), seed=4)
        there = METHODS[name](n_clusters=c, random_state=0).fit_predict(labels)
        here = METHODS[name](n_clusters=c, random_state=0).fit_predict(renumbered)
        assert same_partition(there[order], here)

    @pytest.mark.parametrize("name", NAMES)
    def test_lanczos_gives_the_same_partition(self, name, monkeypatch):
        labels, c = three_classes(2)
        there = METHODS[name](n_clusters=c, random_state=0).fit_predict(labels)
        monkeypatch.setattr("coassoc.numerics.rank_constraint._DENSE_EIGENPROBLEM", 0)
        here = METHODS[name](n_clusters=c, random_state=0).fit_predict(labels)
        assert same_partition(there, here)

    @pytest.mark.parametrize("name", NAMES)
    def test_memory_stays_a_few_microcluster_matrices(self, name):
        labels = np.repeat(relabelled(noisy_ensemble(100, 8, 4, seed=1)), 20, axis=0)
        ensemble = Ensemble(labels)
        tracemalloc.start()
        METHODS[name](n_clusters=4, random_state=0).fit(ensemble)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < len(labels) ** 2 * 8 / 4

    @pytest.mark.parametrize(
        ("name", "parameters"),
        [
            ("SPCE", {"gamma": -0.1}),
            ("TRCE", {"gamma": 0.0}),
            ("TRCE", {"max_iter": 0}),
            ("CESHL", {"lam": 0.0}),
            ("CESHL", {"max_iter": 0}),
            ("SCCBG", {"gamma": -1e-5}),
            ("SCCBG", {"max_iter": 0}),
        ],
    )
    def test_refuses_impossible_parameters(self, name, parameters):
        (key,) = parameters
        with pytest.raises(ConfigError, match=f"{name}: {key} is"):
            METHODS[name](n_clusters=2, **parameters).fit(three_classes(0)[0])
