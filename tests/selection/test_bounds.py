"""Bounds on the fewest disagreements, against all partitions of few samples."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coassoc import Ensemble, TooLargeError
from coassoc.methods import METHODS
from coassoc.selection import bounds, lower_bound
from ensembles import label_matrices, noisy_copies, with_gaps
from oracles.aggregation import fewest


@settings(max_examples=25)
@given(labels=label_matrices(max_samples=8, max_clusterings=6, max_clusters=4), data=st.data())
def test_of_few_samples_the_bound_is_the_fewest_of_all_partitions(labels, data):
    gaps = data.draw(st.lists(st.booleans(), min_size=labels.size, max_size=labels.size))
    for matrix in (labels, with_gaps(labels, gaps)):
        least = fewest(matrix)
        bound = lower_bound(matrix)
        assert bound.exact and bound.disagreements == pytest.approx(least)
        # A worse partition is known: the search proves the best one all the same.
        assert lower_bound(matrix, least + 3).disagreements == bound.disagreements
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(bounds, "_FEW", 0)
            assert lower_bound(matrix).disagreements <= least + 1e-9


def test_branching_closes_what_the_relaxation_leaves_open(monkeypatch, capfd):
    labels = np.random.default_rng(38).integers(0, 5, (20, 5))
    reached = METHODS["LOCALSEARCH"](random_state=0).fit(labels).disagreements_
    best = lower_bound(labels)
    assert best.exact and best.disagreements <= reached
    monkeypatch.setattr(bounds, "_NODES", 1)
    first = lower_bound(labels)
    assert first.disagreements == best.disagreements - 1 and not first.exact
    monkeypatch.setattr(bounds, "_FEW", 0)
    assert lower_bound(labels).disagreements <= first.disagreements
    assert capfd.readouterr() == ("", "")


def test_a_bound_holds_wherever_the_solver_stops(monkeypatch):
    labels, _ = noisy_copies(60, 9, 4, 0.6, seed=1)
    best = lower_bound(labels)
    found = []
    for iterations in (0, 20, 100, 300):
        monkeypatch.setattr(bounds, "_ITERATIONS", iterations)
        found.append(lower_bound(labels).disagreements)
    assert found == sorted(found) and found[0] < found[-1] <= best.disagreements


def test_in_words():
    assert lower_bound([[0], [1]]).words(0) == "the fewest possible"
    bound = bounds.LowerBound(3000.0, False, "triangles")
    assert bound.words(3000.0001) == "within 0.001 % of the fewest possible"
    assert bounds.LowerBound(0.0, False, "triangles").words(2) == "not bounded from below"


def test_too_many_rows_are_refused(monkeypatch):
    monkeypatch.setattr(bounds, "_MOST", 3)
    with pytest.raises(TooLargeError, match="4 distinct rows"):
        lower_bound(Ensemble([[0], [1], [2], [3]]))
