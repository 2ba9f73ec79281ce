"""Jobs and Snakemake killed in the middle, and repeats over their limit.

The method is one of the test's own. It notes every fit in a file, and waits in the middle of a fit
while as many repeats are finished as the test allows.
"""

import shutil
import subprocess
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from snakemake_runs import SMALL, command, environment, run_contents, snakemake, write_configuration

TARGET = "results/runs/kmeans-small/Wine/m10/Slow/shift=0+1.h5"
#: Points times repeats.
N_FITS = 6

METHOD = """
import os, time
from pathlib import Path
import numpy as np
from coassoc.methods import integer
from coassoc.methods.base import ConsensusClusterer


class Slow(ConsensusClusterer):
    shift: int = integer(0)

    def _consensus(self, ensemble, X, random_state):
        if ensemble.n_samples == 178:  # all of them, and not the few that warm a process up
            self._wait()
        self.history_["noise"] = random_state.normal(size=5)
        return (random_state.permutation(ensemble.n_samples) + self.shift) % self.n_clusters

    def _wait(self):
        with open("fits.txt", "a") as file:
            file.write(f"{self.shift} {self.random_state}\\n")
        partial, allowed = Path("PARTIAL"), Path("allowed.txt")
        while len(list(partial.glob("*point*.npz"))) >= int(allowed.read_text()):
            time.sleep(0.05)
"""

ENTRY = "Slow: {title: Takes its time, paper: none, estimator: 'slow:Slow'}\n"


@pytest.fixture(scope="module")
def prepared(finished, tmp_path_factory) -> Path:
    """A folder with the pool, and the run as it is when nothing disturbs it."""
    folder = tmp_path_factory.mktemp("prepared") / "work"
    finished.copy_data(folder)
    start_folder(folder, N_FITS)
    run(folder)
    assert len(fits(folder)) == N_FITS == len(set(fits(folder)))
    return folder


def start_folder(folder: Path, allowed: int) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "slow.py").write_text(METHOD.replace("PARTIAL", f"{TARGET}.partial"))
    (folder / "slow.yaml").write_text(ENTRY)
    (folder / "fits.txt").write_text("")
    allow(folder, allowed)


def allow(folder: Path, allowed: int) -> None:
    """Let so many repeats finish."""
    beside = folder / "allowed.new"
    beside.write_text(str(allowed))
    beside.replace(folder / "allowed.txt")


def fits(folder: Path) -> list[str]:
    return (folder / "fits.txt").read_text().splitlines()


def asked(folder: Path) -> list[str]:
    """The run, of a configuration with the method."""
    return [TARGET, *write_configuration(folder, SMALL + "methods: [slow.yaml]\n")]


def run(folder: Path, *arguments: str, fails: bool = False) -> str:
    return snakemake(folder, *asked(folder), *arguments, fails=fails)


@pytest.fixture
def folder(prepared, tmp_path) -> Path:
    """A copy of the folder in which the run is still to be made."""
    copy = tmp_path / "work"
    shutil.copytree(prepared, copy)
    (copy / TARGET).unlink()
    start_folder(copy, allowed=2)
    return copy


@pytest.fixture
def running(folder) -> Iterator[psutil.Process]:
    """The workflow in the background; whatever is left of it at the end is killed."""
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    process = psutil.Popen(command(folder, *asked(folder)), env=environment(), **quiet)
    yield process
    with suppress(psutil.NoSuchProcess):
        _kill(*process.children(recursive=True), process)
    allow(folder, N_FITS)  # a job that outlived its Snakemake comes to its end


def n_saved(folder: Path) -> int:
    """Repeats in the journal of the run."""
    return len([*Path(f"{folder / TARGET}.partial").glob("*-point*.npz")])


def _kill(*processes: psutil.Process) -> None:
    for process in processes:
        with suppress(psutil.NoSuchProcess):
            process.kill()
            process.wait(300)


def _until(condition: Callable[[], object], what: str) -> None:
    end = time.monotonic() + 300
    while not condition():
        assert time.monotonic() < end, f"waited in vain for {what}"
        time.sleep(0.05)


def _job(snakemake: psutil.Process) -> psutil.Process:
    """The outermost process that runs the script of the method."""
    processes = snakemake.children(recursive=True)
    return next(x for x in processes if "run_method.py" in " ".join(x.cmdline()))


def test_a_killed_job_and_a_killed_snakemake(prepared, folder, running):
    _until(lambda: len(fits(folder)) == 3, "the third fit")
    assert n_saved(folder) == 2
    # The job alone: Snakemake starts it again, and it goes on where it was.
    _kill(_job(running))
    allow(folder, 4)
    _until(lambda: len(fits(folder)) == 6, "the fifth fit, after the third was done again")
    # Snakemake alone: its job goes on, and keeps the next Snakemake from the same file.
    job = _job(running)
    _kill(running)
    run(folder, "--unlock")
    assert "an earlier job is still writing this file (process " in run(folder, fails=True)
    # Its job too, as when the power fails.
    _kill(job, *job.children(recursive=True))
    assert n_saved(folder) == 4 and not (folder / TARGET).exists()
    allow(folder, N_FITS)
    run(folder)
    # One fit was lost at each kill; all others were done once.
    assert sorted(Counter(fits(folder)).values()) == [1, 1, 1, 1, 2, 2]
    assert run_contents(folder / TARGET) == run_contents(prepared / TARGET)
    assert not (folder / f"{TARGET}.partial").exists()
