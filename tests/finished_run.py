"""One small real run of the workflow, shared by all tests that look at one."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

import pytest

from snakemake_runs import said, snakemake, write_configuration


@dataclass
class SmallRun:
    """A finished run: its folder, and the arguments that name its configuration."""

    folder: Path
    configuration: tuple[str, str]
    targets: tuple[str, ...] = ("eccms_table4", "eccms_figure2")

    def snakemake(self, *arguments: str, folder: Path | None = None, cores: int = 2):
        """Run the workflow again, in this folder or another one."""
        return snakemake(folder or self.folder, *arguments, *self.configuration, cores=cores)

    def copy(self, target: Path) -> Path:
        """The folder with its modification times, for a test that changes something."""
        return Path(shutil.copytree(self.folder, target, symlinks=True))


@pytest.fixture(scope="session")
def finished(tmp_path_factory) -> SmallRun:
    """Read only: tests that change something work on a copy."""
    outside = tmp_path_factory.mktemp("workflow")
    run = SmallRun(outside / "two cores", write_configuration(outside))
    done = run.snakemake(*run.targets)
    assert done.returncode == 0, said(done)[-3000:]
    return run
