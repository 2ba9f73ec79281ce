import numpy as np
import pytest

from coassoc import Ensemble
from coassoc.methods.ecpcs import ncut_vectors
from coassoc.partition.discretisation import discretize
from coassoc.partition.labels import canonical_labels, vote_labels
from coassoc.similarity import (
    enhanced_co_association,
    jaccard_of_clusters,
    propagated_cluster_similarity,
)
from goldens import assert_rows


def test_matrices_of_the_authors_program(golden):
    expected = golden.outputs("ecpcs_hc")
    ensemble = golden.ensemble
    np.testing.assert_allclose(jaccard_of_clusters(ensemble), expected["jaccard"], rtol=1e-14)
    for steps in (5, 20):
        G = propagated_cluster_similarity(ensemble, steps)
        np.testing.assert_allclose(G, expected[f"Z_t{steps}"], rtol=1e-11, atol=1e-13)
    A = np.asarray(enhanced_co_association(ensemble, 20))
    assert_rows(A, expected, "ECA_t20", 1e-11)


@pytest.mark.parametrize("golden", ["g60", "g150"], indirect=True)
def test_ncut_vectors_of_the_authors_program(golden):
    vectors = ncut_vectors(propagated_cluster_similarity(golden.ensemble), golden.n_clusters)
    expected = golden.outputs("ecpcs_mc")["ncut_evec"]
    np.testing.assert_allclose(vectors * -np.sign(vectors[0]), expected, atol=1e-11)


def test_mc_partition_from_every_start(golden):
    ensemble, c = golden.ensemble, golden.n_clusters
    expected = golden.outputs("ecpcs_mc")
    vectors = ncut_vectors(propagated_cluster_similarity(ensemble), c)
    for start in range(len(vectors)):
        meta = discretize(vectors, [start])
        meta_expected = expected["meta_partitions"][expected["meta_partition_of_start"][start]]
        np.testing.assert_array_equal(canonical_labels(meta), meta_expected)
        labels, won = vote_labels(ensemble, meta, c)
        assert won == c
        # The program breaks tied votes by the numbering of meta-clusters, which the start decides.
        known = expected["object_partitions"]
        assert any(np.array_equal(canonical_labels(labels), partition) for partition in known)


def test_a_meta_cluster_without_votes_takes_the_least_certain_microcluster():
    labels = np.array([[0, 0, 0], [0, 0, 0], [0, 0, 1], [0, 1, 2]])
    ensemble = Ensemble(labels)
    meta = np.array([0, 0, 1, 1, 1, 1])
    clusters, won = vote_labels(ensemble, meta, 2)
    assert won == 1
    # Shares are 1 against ¼ for the first three samples. The last is tied at ½ and goes to the
    # heavier meta-cluster, so that the other one wins nothing and may take it over.
    np.testing.assert_array_equal(canonical_labels(clusters), [0, 0, 0, 1])
