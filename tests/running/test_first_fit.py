"""The fit that figures look into is the run's first repeat."""

from __future__ import annotations

import numpy as np
import pytest

from coassoc.pools.draws import make_draws
from coassoc.running.runs import first_fit, read_inputs
from coassoc.storage.hdf5 import write_dataset, write_pool
from coassoc.storage.records import Dataset, Pool
from ensembles import noisy_ensemble
from tasks import execute_run, task

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


@pytest.mark.parametrize("n_clusters", [None, 4])
def test_first_fit_is_the_first_repeat(blobs, tmp_path, n_clusters):
    """Also where another number of clusters is configured than the classes of the pool."""
    X, y = blobs
    write_dataset(tmp_path / "set.h5", Dataset(X, y))
    labels = noisy_ensemble(45, 8, 3, seed=1)
    write_pool(tmp_path / "pool.h5", Pool(labels, y, make_draws(8, [4], 2, seed=0)))
    pool, features = read_inputs(tmp_path / "pool.h5", tmp_path / "set.h5")
    np.testing.assert_array_equal(features, X)
    what = task("ACMK-SC", points=[{"order": 2}], m=4, n_clusters=n_clusters, seed=5)
    estimator = first_fit(what, pool, features)
    assert estimator.n_clusters == (n_clusters or 3)
    run = execute_run(tmp_path / "run.h5", what, pool, features)
    np.testing.assert_array_equal(estimator.labels_, run.results[0][0].labels)
    assert run.attributes["n_clusters"] == (n_clusters or 3)


def test_labels_alone_are_enough_for_methods_that_see_no_features(tmp_path):
    labels = noisy_ensemble(45, 8, 3, seed=1)
    write_pool(tmp_path / "pool.h5", Pool(labels, None, make_draws(8, [4], 2, seed=0)))
    pool, features = read_inputs(tmp_path / "pool.h5")
    assert features is None
    assert len(first_fit(task("LWEA", m=4), pool).labels_) == 45
