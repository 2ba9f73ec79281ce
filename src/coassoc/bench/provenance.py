"""Where a number comes from: the version of the code and of the libraries, and the machine."""

import platform
import subprocess
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path


@cache
def commit() -> str:
    """Short hash of the checked-out commit, "+changes" appended if files differ from it.

    "unknown" if no repository tracks the package. The folders above an installed package may belong
    to the repository of another project.
    """
    try:
        _git("ls-files", "--error-unmatch", Path(__file__).name)
        return _git("describe", "--always", "--dirty=+changes", "--exclude=*")
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def _git(*words: str) -> str:
    folder = Path(__file__).parent
    done = subprocess.run(["git", *words], cwd=folder, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def versions() -> dict[str, str]:
    """Versions of Python, this package and the numerical libraries."""
    software = {"python": platform.python_version(), "machine": platform.machine()}
    for name in ("coassoc", "numpy", "scipy", "scikit-learn"):
        try:
            software[name] = version(name)
        except PackageNotFoundError:
            software[name] = "unknown"
    return software


def hardware() -> dict[str, str | int]:
    """Model of the processor and the cores that this process may use."""
    from joblib import cpu_count

    return {"cpu": _processor(), "cores": cpu_count()}


def kernel() -> str:
    """Kind of processor for which OpenBLAS chose its kernels, such as "Haswell".

    Different kernels round differently. Runs and pools record the kernels, but different kernels
    alone do not cause a rerun. "unknown" if NumPy and SciPy use another library, such as
    Accelerate.
    """
    import scipy.linalg.lapack  # noqa: F401  threadpoolctl sees what is loaded
    from threadpoolctl import threadpool_info

    kinds = {info["architecture"] for info in threadpool_info() if info.get("architecture")}
    return ", ".join(sorted(kinds)) or "unknown"


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    models = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(models, platform.machine())
