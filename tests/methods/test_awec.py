"""AWEC against golden outputs and n × n arrays.

The stored outputs are those of the authors' program under Octave 7.3, with three of its lines
changed as the module's docstring says: all neighbours of equal rank count, samples without links
get none, and eigenvectors of equal eigenvalues are left out.
"""

import numpy as np
import pytest

from coassoc.methods import METHODS
from coassoc.methods.awec import first_order_topology, learn_graph, second_order_topology
from coassoc.similarity import co_association
from ensembles import with_defaults
from goldens import assert_rows

learn_graph = with_defaults(learn_graph, "AWEC")


def topologies(ensemble, n_clusters):
    A = co_association(ensemble)
    T = first_order_topology(A, n_clusters)
    return A, [T, second_order_topology(T)]


def test_golden_topologies(golden):
    expected = golden.outputs("awec")
    _, (T1, T2) = topologies(golden.ensemble, golden.n_clusters)
    assert_rows(T1, expected, "T1", 1e-13)
    assert_rows(T2, expected, "T2", 1e-13)


@pytest.mark.parametrize(("run", "lam", "gamma"), [("a", 0.1, 10), ("b", 0.02, 1)])
def test_golden_graphs(golden, run, lam, gamma):
    expected = golden.outputs("awec")
    c = golden.n_clusters
    C, Z, weights, iteration = learn_graph(*topologies(golden.ensemble, c), c, lam, gamma)
    for key, matrix in (("C", C), ("Z", Z)):
        assert_rows(matrix, expected, f"{key}_{run}", 1e-9)
    np.testing.assert_allclose(weights, expected[f"weights_{run}"], atol=1e-9)
    residuals = np.transpose(list(iteration.history.values()))
    np.testing.assert_allclose(residuals, expected[f"residuals_{run}"], atol=1e-9)
    model = METHODS["AWEC"](c, lam=lam, gamma=gamma).fit(golden.ensemble)
    np.testing.assert_allclose(np.asarray(model.affinity_), np.asarray(Z), rtol=0, atol=1e-12)
    assert model.n_iter_ == len(residuals) and model.converged_
