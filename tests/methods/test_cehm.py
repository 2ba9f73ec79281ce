"""CEHM against golden outputs and loops over samples."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from coassoc import Ensemble
from coassoc.methods.cehm import hyperedge_medoids, spread, support
from ensembles import label_matrices, label_matrices_with_gaps
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


@given(labels=label_matrices_with_gaps(max_samples=12), data=st.data())
def test_growth_sample_by_sample(labels, data):
    ensemble = Ensemble(labels)
    labels, micro = ensemble.labels, ensemble.microclusters
    L = ensemble.n_clusters_total
    c = data.draw(st.integers(1, min(micro.count, L)))
    medoids = np.array(data.draw(st.permutations(range(L))))[:c]
    partition = spread(ensemble, medoids, c)
    expected = oracle.grow(labels, medoids, c)
    # Equal supports may be given to either cluster: what counts is how much they support.
    there = oracle.support(labels, expected, c)
    here = support(ensemble, partition, c)[micro.assignment]
    if (micro.expand(partition) == expected).all():
        np.testing.assert_allclose(here, there, atol=1e-12)
    else:
        ranked = np.sort(oracle.support(labels, micro.expand(partition), c), axis=1)
        assert c > 1 and (np.isclose(ranked[:, -1], ranked[:, -2], atol=1e-9)).any()


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
