"""Methods that end the same refinement: one job of the workflow, and a file for each method."""

import numpy as np
import pandas as pd

from coassoc.methods import METHODS
from coassoc.seeds import seed_from_names
from coassoc.storage.hdf5 import read_pool, read_run
from snakemake_runs import snakemake, write_configuration

RULE = "run_RSEC-H+RSEC-Z"


def path(method: str, kind: str = "runs", end: str = "h5") -> str:
    return f"results/{kind}/kmeans-small/Wine/m20/{method}/max_iter=20.{end}"


def test_one_job_makes_a_file_for_each_ending(finished, tmp_path):
    finished.copy_data(tmp_path)
    configuration = write_configuration(tmp_path)
    measured = path("RSEC-H", "timing", "csv")
    told = snakemake(tmp_path, path("RSEC-Z"), measured, *configuration)
    assert told.count(f"rule {RULE}:") == 1 and "rule run_method:" not in told
    pool = read_pool(tmp_path / "data/pools/kmeans-small/Wine.h5")
    for method in ("RSEC-H", "RSEC-Z"):
        run = read_run(tmp_path / path(method))
        assert run.attributes["method"] == method
        assert run.attributes["refined_for"] == "RSEC-H, RSEC-Z"
        for repeat, (draw, result) in enumerate(zip(pool.draws[20], run.results[0], strict=True)):
            seed = seed_from_names(0, "kmeans-small", "Wine", "m20", repeat, method)
            alone = METHODS[method](3, max_iter=20, random_state=seed).fit(pool.labels[:, draw])
            np.testing.assert_array_equal(result.labels, alone.labels_)
    assert (pd.read_csv(tmp_path / measured)["status"] == "ok").all()
    # What the other ending needs is there already; a file that is lost is made again, with both.
    again = snakemake(tmp_path, path("RSEC-H"), "--dry-run", *configuration)
    assert "Nothing to be done" in again
    (tmp_path / path("RSEC-H")).unlink()
    lost = snakemake(tmp_path, path("RSEC-Z"), path("RSEC-H"), "--dry-run", *configuration)
    assert f"rule {RULE}:" in lost
