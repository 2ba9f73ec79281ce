"""The job of a batch: each run has the file that a job of its own would give it."""

import runpy
from types import SimpleNamespace

import pytest

from coassoc.bench.storage.hdf5 import read_run, write_pool
from coassoc.bench.storage.records import RepeatResult
from snakemake_runs import ROOT
from tasks import execute_run, noisy_pool, task


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
