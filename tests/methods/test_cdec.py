"""CDEC against golden outputs and n × n arrays.

The stored outputs are those of the authors' program under Octave 7.3 for the distinct rows of the
stored ensembles in lexicographic order, with the start given. Octave's qp took the place of
quadprog.
"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coassoc import Ensemble
from coassoc.methods.cdec import balanced_consensus
from ensembles import label_matrices, with_defaults
from oracles import cdec as oracle

balanced_consensus = with_defaults(balanced_consensus, "CDEC")
few = st.integers(1, 4)


@pytest.mark.parametrize("run", ["a", "b", "c"])
def test_golden(golden, run):
    expected = golden.outputs("cdec")
    ensemble = Ensemble(golden.ensemble.distinct_labels)
    lam, gamma = float(expected[f"lam_{run}"]), float(expected[f"gamma_{run}"])
    labels, weights, iteration = balanced_consensus(ensemble, expected["start"], lam, gamma)
    np.testing.assert_array_equal(labels, expected[f"labels_{run}"])
    np.testing.assert_allclose(weights, expected[f"alpha_{run}"], atol=1e-10)
    np.testing.assert_allclose(iteration.history["objective"], expected[f"objective_{run}"])
    assert iteration.converged


@given(label_matrices(max_samples=15), few, st.sampled_from([0.0, 1e-3, 0.1]), st.integers(0, 3))
def test_no_group_of_equal_samples_gains_by_moving(labels, n_clusters, lam, seed):
    ensemble = Ensemble(labels)
    micro = ensemble.microclusters
    start = np.random.default_rng(seed).integers(0, n_clusters, micro.count)
    clusters, weights, iteration = balanced_consensus(ensemble, start, lam, gamma=0.1)
    partition = micro.expand(clusters)
    reached = oracle.objective(labels, partition, weights, lam, 0.1)
    np.testing.assert_allclose(iteration.history["objective"][-1], reached, atol=1e-9)
    assert len(np.unique(clusters)) == len(np.unique(start))
    for moved in oracle.moves(labels, partition):
        assert oracle.objective(labels, moved, weights, lam, 0.1) > reached - 1e-9
