"""New samples go to the cluster of the fitted ones that they are most similar to."""

import numpy as np
import pandas as pd
import pytest

from coassoc import DataError, Ensemble, find_consensus
from coassoc.methods import METHODS
from coassoc.partition.nearest import nearest_clusters
from ensembles import noisy_copies
from refusals import refuses


@pytest.fixture(scope="module")
def split():
    """Base clusterings of 80 fitted and 60 new samples, none of which has the labels of another."""
    labels, _ = noisy_copies(140, 12, 4, 0.55, seed=0)
    assert len(np.unique(labels, axis=0)) == 140
    order = np.random.default_rng(0).permutation(140)
    return labels[order[:80]], labels[order[80:]]


@pytest.fixture(scope="module")
def lwea(split):
    return METHODS["LWEA"](4).fit(split[0])


def nearest(fitted, labels, new, weights):
    """Cluster with the largest mean weighted co-association, over all pairs of samples."""
    together = (new[:, None] == fitted) & (new[:, None] >= 0)
    both = (new[:, None] >= 0) & (fitted >= 0)
    sums = (together * weights(new)[:, None]).sum(axis=2)
    clusters = range(labels.max() + 1)
    means = [sums[:, labels == k].sum(1) / both.sum(2)[:, labels == k].sum(1) for k in clusters]
    return np.argmax(means, axis=0)


@pytest.mark.parametrize("name", ["EAC-AL", "LWEA", "WEAC", "KCC-Uc", "LOCALSEARCH"])
@pytest.mark.parametrize("missing", [0.0, 0.1])
def test_the_cluster_of_the_largest_mean_co_association(name, missing, split):
    rng = np.random.default_rng(1)
    fitted, new = (np.where(rng.random(labels.shape) < missing, -1, labels) for labels in split)
    c = None if name == "LOCALSEARCH" else 4
    estimator = METHODS[name](c, random_state=0).fit(fitted)
    ensemble = estimator.ensemble_
    weights = getattr(getattr(estimator, "affinity_", None), "weights", np.ones(1000))
    of_rows = lambda rows: weights[ensemble.offsets[:-1] + rows]
    expected = nearest(fitted, estimator.labels_, new, of_rows)
    np.testing.assert_array_equal(estimator.predict(new), expected)


def test_a_label_that_no_fitted_sample_has_is_none(split, lwea):
    strange, without = split[1].copy(), split[1].copy()
    strange[:, 3], without[:, 3] = 77, -1
    np.testing.assert_array_equal(lwea.predict(strange), lwea.predict(without))
    strange[0] = 77
    assert lwea.predict(strange)[0] == -1 and (lwea.predict(strange)[1:] >= 0).all()
    refuses(DataError, "labels: none of the labels occurs in the base", lwea.predict, strange[:1])


def test_columns_are_found_by_their_names(split, lwea):
    names = [f"leiden {j}" for j in range(12)]
    fitted, new = (pd.DataFrame(labels, columns=names).map("cluster {}".format) for labels in split)
    estimator = find_consensus(fitted, 4, "LWEA").estimator
    turned = new[names[::-1]].assign(other=1.5)
    np.testing.assert_array_equal(estimator.predict(turned), lwea.predict(split[1]))
    some = split[1].copy()
    some[:, :4] = -1
    np.testing.assert_array_equal(estimator.predict(new[names[4:]]), lwea.predict(some))


def test_rows_that_are_counted_weigh_as_their_samples(split):
    fitted, new = split
    samples = Ensemble(np.repeat(fitted, np.arange(80) % 3 + 1, axis=0))
    micro = samples.microclusters
    rows = Ensemble.from_counts(samples.distinct_labels, micro.sizes)
    cluster = METHODS["EAC-AL"](4).fit(rows).labels_
    encoded = rows.encode(new)
    expected = nearest_clusters(samples, micro.expand(cluster), encoded)
    np.testing.assert_array_equal(nearest_clusters(rows, cluster, encoded), expected)


def test_samples_with_equal_labels_in_several_clusters_go_where_most_are():
    ensemble = Ensemble(np.array([[0, 0]] * 5 + [[1, 1]] * 2))
    clusters = nearest_clusters(ensemble, np.array([0, 1, 1, 1, 0, 2, 2]), ensemble.labels)
    assert clusters.tolist() == [1] * 5 + [2] * 2
