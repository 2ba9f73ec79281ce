"""CEAM against golden outputs and n × n arrays.

The stored outputs are those of the authors' program under Octave 7.3, with its search for the
nearest samples changed so that all of equal distance count.
"""

import numpy as np
import pytest

from coassoc import Ensemble
from coassoc.methods import METHODS
from coassoc.methods.ceam import adaptive_multiplex, cut_vectors
from ensembles import with_defaults
from goldens import FOLDER, Golden, assert_rows
from oracles import ceam as oracle

adaptive_multiplex = with_defaults(adaptive_multiplex, "CEAM")


@pytest.mark.parametrize("run", ["a", "b"])
def test_golden(golden, run):
    expected = golden.outputs("ceam")
    alpha, n_neighbors = float(expected[f"alpha_{run}"]), int(expected[f"n_neighbors_{run}"])
    W = adaptive_multiplex(golden.ensemble, alpha, n_neighbors)
    assert_rows(W, expected, f"W_{run}", 1e-13)
    # The program drops any vector of the null space of a graph in parts.
    if golden.name != "gdisc40":
        vectors = golden.ensemble.microclusters.expand(cut_vectors(W, golden.n_clusters))
        assert_rows(vectors @ vectors.T, expected, f"projector_{run}", 1e-10)
    settings_of_run = {"alpha": alpha, "n_neighbors": n_neighbors, "random_state": 0}
    model = METHODS["CEAM"](golden.n_clusters, **settings_of_run).fit(golden.ensemble)
    np.testing.assert_array_equal(np.asarray(model.affinity_), np.asarray(W))


def test_digits_of_which_nearly_all_rows_differ():
    with np.load(FOLDER / "cases.npz") as cases:
        labels = cases["Digits, a part/labels"][::13]
    graph = adaptive_multiplex(Ensemble(labels), n_rounds=2)
    expected = oracle.final_graph(labels, 0.85, 20, 2)
    np.testing.assert_allclose(np.asarray(graph), expected, atol=1e-12)


def test_cut_vectors_leave_the_constant_one_out():
    golden = Golden("gdisc40")
    W = adaptive_multiplex(golden.ensemble)
    vectors = golden.ensemble.microclusters.expand(cut_vectors(W, 4))
    degrees = np.asarray(W).sum(axis=1)
    np.testing.assert_allclose(vectors.T @ np.sqrt(degrees), 0, atol=1e-12)
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(4), atol=1e-12)
