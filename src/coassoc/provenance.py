"""Where a number comes from: the version of the code and of the libraries."""

from __future__ import annotations

import platform
import subprocess
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

__all__ = ["commit", "versions"]


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
