"""What SPCE, TRCE, CESHL and SCCBG share: a learned graph whose components are the clusters."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coassoc import Ensemble
from coassoc.methods import METHODS
from ensembles import (
    label_matrices,
    noisy_ensemble,
    relabelled,
    same_partition,
    three_classes,
)

NAMES = ("SPCE", "TRCE", "CESHL", "SCCBG")


class TestStructuredGraphs:
    @pytest.mark.parametrize("name", NAMES)
    @given(labels=label_matrices(max_samples=14), c=st.integers(1, 6))
    @settings(max_examples=25)
    def test_small_ensembles(self, name, labels, c):
        c = min(c, len(labels))
        est = METHODS[name](n_clusters=c, random_state=0).fit(labels)
        np.testing.assert_array_equal(np.unique(est.labels_), np.arange(c))
        assert 1 <= est.n_clusters_found_ <= len(labels)

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
