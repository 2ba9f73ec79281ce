"""Which methods base clusterings admit, and that these are the ones that fit them."""

from __future__ import annotations

import numpy as np
import pytest

from coassoc import CoassocError, Ensemble
from coassoc.methods import METHODS
from coassoc.methods.base import needed_memory, obstacles
from ensembles import asked, with_missing

CASES = {
    "complete": np.asarray,
    "holed": lambda labels: with_missing(labels, 0.1),
    "counted": lambda labels: Ensemble.from_counts(np.unique(labels, axis=0), [3] * 30),
}


@pytest.mark.parametrize("case", CASES)
def test_what_is_admitted_fits_and_what_is_not_does_not(case):
    labels = CASES[case](np.random.default_rng(0).integers(0, 5, (30, 4)))
    reasons = obstacles(labels)
    assert list(reasons) == list(METHODS)
    for name, obstacle in reasons.items():
        estimator = METHODS[name](n_clusters=asked(name, 2), random_state=0)
        if not obstacle:
            try:
                estimator.fit(labels)
            except CoassocError as error:
                assert "found" in str(error), name  # of no partition, as a learned graph may give
        else:
            with pytest.raises(CoassocError, match=r"needs the features|every|complete labels"):
                estimator.fit(labels)


def test_features_take_their_obstacle_away(noisy_labels):
    seen = {name for name in METHODS if METHODS.method(name).uses_features}
    assert {name for name, why in obstacles(noisy_labels).items() if why} == seen
    assert not any(obstacles(noisy_labels, features=True).values())


def test_memory_is_one(noisy_labels, monkeypatch):
    enough = 1e3 * needed_memory(METHODS["VOTE"](2), Ensemble(noisy_labels))
    monkeypatch.setattr("coassoc.methods.base.memory_of_machine", lambda: enough)
    reasons = obstacles(noisy_labels)
    assert reasons["RMSC"] == "needs more memory than is available" and reasons["VOTE"] == ""
