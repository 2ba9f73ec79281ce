import sys

import numpy as np
import pytest

from coassoc import Ensemble
from coassoc.errors import MethodError
from coassoc.methods import METHODS, partitioning
from coassoc.methods.partitioning import co_association_graph, jaccard_graph, vertices
from ensembles import noisy_copies
from goldens import stored_ensemble


def test_graphs_of_the_reference(golden):
    labels, c = golden.labels, golden.n_clusters
    expected = golden.outputs("clusterensembles")
    ensemble = Ensemble(labels)
    source, weights, assignment = vertices(ensemble, c)
    S = co_association_graph(ensemble, source, weights).toarray()
    # These ensembles are so small that every sample is a vertex of its own.
    np.testing.assert_array_equal(weights, 1)
    counts = S[np.ix_(assignment, assignment)]
    np.fill_diagonal(counts, labels.shape[1])
    np.testing.assert_array_equal(counts, expected["cspa_S"])
    W = jaccard_graph(ensemble).toarray()
    np.fill_diagonal(W, 1000)
    np.testing.assert_array_equal(W, expected["mcla_W_int"])


@pytest.mark.parametrize("method", ["CSPA", "HGPA"])
@pytest.mark.parametrize("name", ["g60", "g150", "a giant microcluster"])
def test_parts_are_balanced(method, name):
    labels = np.vstack([np.zeros((160, 3), int), noisy_copies(40, 3, 3, 0.2, seed=0)[0]])
    labels, c = (labels, 4) if name == "a giant microcluster" else stored_ensemble(name)
    parts = METHODS[method](n_clusters=c, random_state=0).fit_predict(labels)
    # METIS exceeds its own limit by about one vertex per bisection on graphs this small.
    assert np.bincount(parts).max() <= 1.03 * len(labels) / c + 3


def test_a_missing_library_is_named(monkeypatch):
    partitioning.mt_kahypar.cache_clear()
    monkeypatch.setitem(sys.modules, "mtkahypar", None)
    with pytest.raises(MethodError, match=r"pip install 'coassoc\[partition\]'"):
        METHODS["HGPA"](n_clusters=2).fit(stored_ensemble("gdisc40")[0])


@pytest.mark.parametrize("method", ["CSPA", "MCLA"])
def test_a_failing_partitioner_is_not_hidden(method, monkeypatch):
    import pymetis

    def fail(*args, **options):
        raise RuntimeError("out of memory")

    monkeypatch.setattr(pymetis, "part_graph", fail)
    with pytest.raises(MethodError, match="out of memory"):
        METHODS[method](n_clusters=2).fit(stored_ensemble("gdisc40")[0])


def test_empty_parts_are_filled_and_counted():
    parts, weights = np.zeros(6, dtype=np.intp), np.array([1, 1, 1, 5, 1, 1])
    labels, nonempty = partitioning.fill_parts(parts, weights, 4)
    assert nonempty == 1
    assert sorted(np.unique(labels)) == [0, 1, 2, 3]
    labels, nonempty = partitioning.fill_parts(np.array([0, 2, 2]), np.ones(3), 5)
    assert nonempty == 2
    assert len(np.unique(labels)) == 3
