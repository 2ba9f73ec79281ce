"""CDEC against golden outputs and n × n arrays.

The stored outputs are those of the authors' program under Octave 7.3 for the distinct rows of the
stored ensembles in lexicographic order, with the start given. Octave's qp took the place of
quadprog.
"""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coassoc import Ensemble
from coassoc.methods import METHODS
from coassoc.methods.cdec import balanced_consensus
from ensembles import label_matrices, noisy_copies, with_defaults
from goldens import Golden
from oracles import cdec as oracle

balanced_consensus = with_defaults(balanced_consensus, "CDEC")


@pytest.mark.parametrize("run", ["a", "b", "c"])
def test_golden(golden, run):
    expected = golden.outputs("cdec")
    ensemble = Ensemble(golden.ensemble.distinct_labels)
    lam, gamma = float(expected[f"lam_{run}"]), float(expected[f"gamma_{run}"])
    consensus = balanced_consensus(ensemble, expected["start"], lam, gamma)
    np.testing.assert_array_equal(consensus.labels, expected[f"labels_{run}"])
    np.testing.assert_allclose(consensus.weights, expected[f"alpha_{run}"], atol=1e-10)
    np.testing.assert_allclose(consensus.history["objective"], expected[f"objective_{run}"])
    assert consensus.converged


@settings(max_examples=40)
@given(
    labels=label_matrices(max_samples=15),
    n_clusters=st.integers(1, 4),
    lam=st.sampled_from([0.0, 1e-3, 0.1]),
    seed=st.integers(0, 3),
)
def test_no_group_of_equal_samples_gains_by_moving(labels, n_clusters, lam, seed):
    ensemble = Ensemble(labels)
    micro = ensemble.microclusters
    start = np.random.default_rng(seed).integers(0, n_clusters, micro.count)
    consensus = balanced_consensus(ensemble, start, lam, gamma=0.1)
    partition = micro.expand(consensus.labels)
    reached = oracle.objective(labels, partition, consensus.weights, lam, 0.1)
    np.testing.assert_allclose(consensus.history["objective"][-1], reached, atol=1e-9)
    assert len(np.unique(consensus.labels)) == len(np.unique(start))
    for moved in oracle.moves(labels, partition):
        assert oracle.objective(labels, moved, consensus.weights, lam, 0.1) > reached - 1e-9


@pytest.mark.parametrize("gamma", [0.0, 0.1, 10.0])
def test_weights_are_best_for_the_partition(gamma):
    golden = Golden("g60")
    ensemble = golden.ensemble
    start = np.arange(ensemble.microclusters.count) % 3
    consensus = balanced_consensus(ensemble, start, gamma=gamma)
    partition = ensemble.microclusters.expand(consensus.labels)

    def objective(weights):
        return oracle.objective(golden.labels, partition, weights, 1e-4, gamma)

    # Convex: where no step towards a single base clustering helps, none does.
    best = objective(consensus.weights)
    for alone in np.eye(ensemble.n_clusterings):
        assert objective(0.99 * consensus.weights + 0.01 * alone) > best - 1e-9


def test_lambda_balances():
    labels, _ = noisy_copies(90, 10, 3, 0.4, seed=1)
    free = METHODS["CDEC"](3, lam=0.0, random_state=0).fit(labels)
    balanced = METHODS["CDEC"](3, lam=0.1, random_state=0).fit(labels)
    sizes = np.bincount(balanced.labels_)
    assert np.ptp(sizes) < np.ptp(np.bincount(free.labels_))
    assert np.ptp(sizes) <= Ensemble(labels).microclusters.sizes.max()


def test_fewer_distinct_rows_than_clusters():
    model = METHODS["CDEC"](3, random_state=0).fit(np.repeat([[0, 1], [1, 0]], 3, axis=0))
    assert model.n_clusters_found_ == 2
