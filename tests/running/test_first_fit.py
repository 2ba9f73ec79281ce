"""The fit that figures look into is the run's first repeat."""

from __future__ import annotations

import numpy as np
import pytest

from coassoc.methods import METHODS
from coassoc.pools.draws import make_draws
from coassoc.running.runs import execute_run, first_fit
from coassoc.storage.hdf5 import write_dataset, write_pool
from coassoc.storage.records import Dataset, Pool
from ensembles import noisy_ensemble

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def test_first_fit_is_the_first_repeat(blobs, tmp_path):
    X, y = blobs
    write_dataset(tmp_path / "set.h5", Dataset(X, y))
    labels = noisy_ensemble(45, 8, 3, seed=1)
    write_pool(tmp_path / "pool.h5", Pool(labels, y, make_draws(8, [4], 2, seed=0)))
    fit = {
        "method": "ACMK-SC",
        "estimator": METHODS.method("ACMK-SC").record(),
        "parameters": {"order": 2},
        "m": 4,
        "pool": "pool",
        "dataset": "set",
        "pool_file": tmp_path / "pool.h5",
        "features": tmp_path / "set.h5",
    }
    estimator, pool, features = first_fit(fit, seed=5)
    np.testing.assert_array_equal(features, X)
    run = execute_run(
        tmp_path / "run.h5",
        pool,
        METHODS["ACMK-SC"],
        method="ACMK-SC",
        points=[{"order": 2}],
        m=4,
        n_clusters=3,
        seed=5,
        names=("pool", "set"),
        features=X,
    )
    np.testing.assert_array_equal(estimator.labels_, run.results[0][0].labels)
    lwea = {"method": "LWEA", "estimator": METHODS.method("LWEA").record(), "parameters": {}}
    labels_only, _, nothing = first_fit({**fit, **lwea, "features": ""}, 5)
    assert nothing is None and len(labels_only.labels_) == 45
