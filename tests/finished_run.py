"""One small real run of the workflow, shared by all tests that look at one."""

import fcntl
import shutil
from dataclasses import dataclass
from pathlib import Path

import pytest

from snakemake_runs import snakemake, write_configuration


@dataclass
class SmallRun:
    """A finished run: its folder, and the arguments that name its configuration."""

    folder: Path
    configuration: tuple[str, ...]
    targets: tuple[str, ...] = ("eccms_table4", "eccms_figure2")

    def copy_data(self, folder: Path) -> None:
        """Copy its data set and pool, for a test of what is made of them."""
        shutil.copytree(self.folder / "data", folder / "data")

    def copy(self, target: Path) -> Path:
        """The folder with its modification times, for a test that changes something.

        Without the locks of a run that looks at the folder just now.
        """
        unlocked = shutil.ignore_patterns("locks")
        return Path(shutil.copytree(self.folder, target, symlinks=True, ignore=unlocked))


@pytest.fixture(scope="session")
def finished(tmp_path_factory, request) -> SmallRun:
    """Read only: tests that change something, or run dry, work on a copy. Made once for all."""
    base = tmp_path_factory.getbasetemp()
    outside = (base.parent if hasattr(request.config, "workerinput") else base) / "finished"
    outside.mkdir(exist_ok=True)
    with (outside / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        run = SmallRun(outside / "two cores", write_configuration(outside))
        if not (outside / "done").exists():
            snakemake(run.folder, *run.targets, *run.configuration)
            (outside / "done").touch()
    return run
