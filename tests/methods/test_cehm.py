"""CEHM against golden outputs and loops over samples."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from coassoc import Ensemble
from coassoc.methods.cehm import hyperedge_medoids, spread, support
from ensembles import label_matrices
from oracles import cehm as oracle
from oracles.spectral import jaccard


def test_golden_partitions_from_given_medoids(golden):
    expected = golden.outputs("cehm")
    ensemble, c = golden.ensemble, golden.n_clusters
    assert len(expected["medoids"]) == 3
    for medoids, partition in zip(expected["medoids"], expected["partitions"], strict=True):
        labels = spread(ensemble, medoids, c)
        for _ in range(100):
            labels = support(ensemble, labels, c).argmax(axis=1)
        np.testing.assert_array_equal(ensemble.microclusters.expand(labels), partition)


@given(labels=label_matrices(max_samples=12, max_clusterings=4), data=st.data())
def test_no_exchange_of_a_medoid_is_better(labels, data):
    ensemble = Ensemble(labels)
    L = ensemble.n_clusters_total
    c = data.draw(st.integers(1, L))
    medoids = hyperedge_medoids(ensemble, c)
    assert len(set(medoids)) == c
    overlaps = jaccard(labels)
    least = oracle.cost(overlaps, medoids)
    for k in range(c):
        for other in range(L):
            exchanged = [*medoids[:k], other, *medoids[k + 1 :]]
            assert oracle.cost(overlaps, exchanged) >= least - 1e-9
