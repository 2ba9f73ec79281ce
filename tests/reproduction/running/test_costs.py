"""Requests to a cluster: enough for every run that was measured, and not too much."""

import re
import runpy
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
import yaml

from benchmarks.cluster_requests import Use
from coassoc import Ensemble
from coassoc.bench.storage.hdf5 import DrawSizes, read_run, write_pool
from coassoc.bench.storage.records import RepeatResult
from coassoc.methods import METHODS, Method
from coassoc.methods.base import needed_memory
from coassoc.methods.parameters import Cost
from plans import settings
from reproduction.running import costs
from reproduction.running.ending import report_results
from reproduction.study.plan import Plan
from snakemake_runs import ROOT, SMALL
from tasks import execute_run, noisy_pool, task

#: Megabytes of the worker process and of the two Snakemakes around a job on a cluster, none of
#: which are in the measured runs; SLURM saw up to 714 MB for the smallest runs.
AROUND = 130 + 370


@pytest.fixture(scope="module")
def runs() -> list[Use]:
    """Runs of the default and of the full configuration, as Snakemake's benchmarks saw them."""
    lines = pd.read_csv(ROOT / "tests/golden/runs.csv")
    # Their base clusterings are few and coarse, so requests for more are not below these.
    shape = lines["n_samples"], lines["rows"], *([number] * len(lines) for number in (10, 100, 1))
    memory = lines["megabytes"] + AROUND
    known = lines["n_features"], lines["fits"], memory, lines["processor"]
    return [*map(Use, lines["method"], map(DrawSizes, *shape), *known)]


def test_no_run_exceeded_its_request(runs):
    assert len(runs) > 100
    for use in runs:
        assert use.memory <= 1 and use.time <= 1, use


def test_requests_cover_the_memory_without_which_a_fit_is_refused():
    ensemble = Ensemble(np.random.default_rng(0).integers(0, 60, (2000, 9)))
    draws = DrawSizes(2000, 2000, 9, ensemble.n_clusters_total, 1)
    for name in METHODS:
        method = METHODS[name]
        needed = needed_memory(method.estimator(n_clusters=2), ensemble)
        assert 0 < 1e3 * needed < costs.memory_mb(method, draws, 5), name


def test_a_method_without_a_cost_requests_what_an_unknown_one_may_need():
    class Mine:
        def fit(self, labels):
            pass

    method = Method("Mine", "mine:Mine")
    vars(method)["estimator"] = Mine
    draws = DrawSizes(5000, 2000, 20, 400, 1)
    assert 1300 < costs.memory_mb(method, draws, None) < 1500
    Mine.cost = Cost(seconds=1.0, power=1.0)
    assert costs.seconds(method, draws, None) == 2
    Mine.depends_on_sample_order = True
    assert costs.seconds(method, draws, None) == 5
    Mine.cost = Cost(squares=1)
    assert costs.memory_mb(method, draws, None) < 1320


def test_the_forecast_counts_what_the_requested_targets_lack(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    targets = ["hclce_table2", "lta_table4", "audit_n_clusters"]
    plan = Plan({**settings(), "targets": targets, "kept": None})
    plan.write()
    told = {name: costs.forecast(plan, [name]) for name in [*targets, "all", "findings"]}
    runs = [int(re.search(r"(\d+) runs?\b", text)[1]) for text in told.values()]
    assert min(runs[:2]) > runs[2] == 0 and runs[3] == runs[4] == sum(runs[:2])
    assert "measurement" not in told["hclce_table2"]
    assert re.match(
        r"missing: [1-9]\d* measurements and .*no estimate; the others take", told["all"]
    )


# -- BATCH JOBS ------------------------------------------------------------------------------------

# The job of a batch: each run has the file that a job of its own would give it.


def run_batch(files):
    """Run the script of the rule, which makes these files, in the working directory."""
    tasks = {file: [task(name).record() for name in files[file]] for file in files}
    job = SimpleNamespace(
        input=SimpleNamespace(pool="pool.h5", features=[]),
        output=["batch.txt"],
        log=["log"],
        params=SimpleNamespace(tasks=tasks),
        config={"limits": {"minutes": 5, "memory_mb": None}},
    )
    runpy.run_path(str(ROOT / "scripts/run_method.py"), init_globals={"snakemake": job})


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    # Those of all that tests import; a job loads what its own forks need.
    monkeypatch.setattr("coassoc.numerics.compiled._kernels", [])
    write_pool("pool.h5", noisy_pool())
    return tmp_path


def test_a_batch_makes_the_files_of_single_jobs(folder):
    files = {"LWEA.h5": ["LWEA"], "LWGP.h5": ["LWGP"], "both.h5": ["RSEC-H", "RSEC-Z"]}
    run_batch(files)
    assert (folder / "batch.txt").read_text().splitlines() == [*files]
    for file, methods in files.items():
        for name in methods:
            alone = execute_run(folder / f"{name}-alone.h5", task(name), noisy_pool())
            for made, single in zip(read_run(file, name).results[0], alone.results[0], strict=True):
                assert made.labels.tolist() == single.labels.tolist()
    before = (folder / "LWEA.h5").stat().st_mtime_ns
    (folder / "LWGP.h5").unlink()
    run_batch(files)
    assert (folder / "LWGP.h5").exists() and (folder / "LWEA.h5").stat().st_mtime_ns == before


def test_repeats_that_something_else_cut_off_are_told(folder, monkeypatch):
    lost = RepeatResult(None, status="failed: the process was ended by SIGKILL")
    monkeypatch.setattr("coassoc.bench.runs.repeats_cut_off", lambda runs: [lost])
    with pytest.raises(SystemExit, match=r"1 repeat without a result \(.*LWEA.h5: the process was"):
        run_batch({"LWEA.h5": ["LWEA"]})


# -- END OF A RUN ----------------------------------------------------------------------------------

# What is said at the end of a run.


TABLE = "results/tables/eccms/table4.html"


def planned() -> Plan:
    """The plan of the process that a run is started by."""
    plan = Plan(yaml.safe_load(SMALL))
    plan.write()
    return plan


def test_the_end_says_where_to_look_and_what_has_no_number(finished, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(finished.copy(tmp_path / "copy"))
    report_results(planned(), [TABLE, "results/tables/eccms/table5.html"])
    assert capsys.readouterr().err == f"Open {TABLE}.\n"
    for path in Path("results/scores/eccms").iterdir():
        scores = pd.read_parquet(path)
        bad = scores["source"].str.contains("/LWEA/") & (scores["repeat"] > 0)
        scores.loc[bad, "status"] = "failed: ValueError: bug"
        scores.to_parquet(path)
    report_results(planned(), [TABLE])
    run = "(results/runs/kmeans-small/Wine/m20/LWEA/default.h5)"
    fits = f"LWEA on Wine: {bad.sum()} of {bad.sum() + 1} fits failed: ValueError: bug"
    assert f"  {fits} {run}" in capsys.readouterr().err
