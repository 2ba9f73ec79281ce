"""Methods that end the same refinement: one run of the workflow, with a group for each method."""

import numpy as np
import pandas as pd

from coassoc.methods import METHODS
from coassoc.seeds import seed_from_names
from coassoc.storage.hdf5 import read_pool, read_run
from snakemake_runs import snakemake, write_configuration

RUN = "results/runs/kmeans-small/Wine/m20/RSEC-H+RSEC-Z/max_iter=20.h5"
MEASURED = "results/timing/kmeans-small/Wine/m20/RSEC-H/max_iter=20.csv"


def test_one_run_has_the_partitions_of_each_ending(finished, tmp_path):
    finished.copy_data(tmp_path)
    configuration = write_configuration(tmp_path)
    told = snakemake(tmp_path, RUN, MEASURED, *configuration)
    assert told.count("rule run_method:") == 1
    pool = read_pool(tmp_path / "data/pools/kmeans-small/Wine.h5")
    for method in ("RSEC-H", "RSEC-Z"):
        run = read_run(tmp_path / RUN, method)
        assert run.attributes["method"] == method
        assert run.attributes["refined_for"] == "RSEC-H, RSEC-Z"
        for repeat, (draw, result) in enumerate(zip(pool.draws[20], run.results[0], strict=True)):
            seed = seed_from_names(0, "kmeans-small", "Wine", "m20", repeat, method)
            alone = METHODS[method](3, max_iter=20, random_state=seed).fit(pool.labels[:, draw])
            np.testing.assert_array_equal(result.labels, alone.labels_)
    assert (pd.read_csv(tmp_path / MEASURED)["status"] == "ok").all()
    assert "Nothing to be done" in snakemake(tmp_path, RUN, "--dry-run", *configuration)
