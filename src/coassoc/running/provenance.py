"""Where a number comes from: the version of the code and of the libraries."""

from __future__ import annotations

import os
import platform
import subprocess
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

__all__ = ["commit", "hardware", "versions"]


@cache
def commit() -> str:
    """Short hash of the checked-out commit, "+changes" appended if files differ from it.

    "unknown" where the package was not installed from a repository.
    """
    folder = Path(__file__).parent
    try:
        described = subprocess.run(
            ["git", "describe", "--always", "--dirty=+changes", "--exclude=*"],
            cwd=folder,
            capture_output=True,
            text=True,
            check=True,
        )
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return described.stdout.strip()


def versions() -> dict[str, str]:
    """Versions of Python, this package and the numerical libraries."""
    found = {"python": platform.python_version(), "machine": platform.machine()}
    for name in ("coassoc", "numpy", "scipy", "scikit-learn"):
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "unknown"
    return found


def hardware() -> dict[str, str | int]:
    """Model of the processor and the cores that this process may use."""
    try:
        cores = len(os.sched_getaffinity(0))
    except AttributeError:  # not a Linux system
        cores = os.cpu_count() or 1
    return {"cpu": _processor(), "cores": cores}


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    models = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(models, platform.machine())
