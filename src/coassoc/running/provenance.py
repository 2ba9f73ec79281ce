"""Where a number comes from: the version of the code and of the libraries."""

from __future__ import annotations

import ast
import hashlib
import os
import platform
import subprocess
from collections.abc import Iterable, Sequence
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

__all__ = ["code_fingerprint", "commit", "hardware", "source_files", "versions"]


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


def source_files(module: str, folders: Sequence[str | Path]) -> list[Path]:
    """Source files on which the results of a module depend.

    Parameters
    ----------
    module : str
        Dotted name.
    folders : sequence of paths
        Where modules are looked for; what is found in none of them, as installed libraries, is
        left out.

    Returns
    -------
    list of Path
        The module's file and those of all modules that it imports, directly or not, sorted.
    """
    found: set[Path] = set()
    waiting = [module]
    while waiting:
        name = waiting.pop()
        path = _source_file(name, folders)
        if path is not None and path not in found:
            found.add(path)
            names = name.split(".")
            package = names if path.name == "__init__.py" else names[:-1]
            waiting += _imported(path.read_text(encoding="utf-8"), tuple(package))
    return sorted(found)


def _source_file(module: str, folders: Sequence[str | Path]) -> Path | None:
    for folder in folders:
        place = Path(folder, *module.split("."))
        for path in (place.with_suffix(".py"), place / "__init__.py"):
            if path.is_file():
                return path
    return None


@cache
def _imported(text: str, package: tuple[str, ...]) -> list[str]:
    """Dotted names that may be modules which a source text in a package imports."""
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return []  # whoever runs it is told
    names: list[str] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else ()
            base = ".".join([*above, *filter(None, [node.module])])
            names += [base, *(f"{base}.{alias.name}" for alias in node.names)]
    return names


def code_fingerprint(files: Iterable[str | Path]) -> str:
    """Hash of the names and contents of source files, wherever they lie."""
    digest = hashlib.sha256()
    for name, content in sorted((Path(file).name, Path(file).read_bytes()) for file in files):
        digest.update(f"{name} {len(content)}\n".encode() + content)
    return digest.hexdigest()[:16]


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
