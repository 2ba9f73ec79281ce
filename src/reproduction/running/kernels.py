"""The kernels of OpenBLAS, by which another processor rounds in another way.

OpenBLAS takes those of the processor that it finds. The study asks for one kind, so that its
numbers are the same on every x86-64 processor that has AVX2; on others they would end the process,
and nothing is asked for. The library itself asks for nothing.
"""

from __future__ import annotations

import os
import platform
from collections.abc import MutableMapping
from pathlib import Path

#: The kernels that the study requests, and the variable that requests them from OpenBLAS.
PINNED, VARIABLE = "Haswell", "OPENBLAS_CORETYPE"
_PROCESSORS = Path("/proc/cpuinfo")


def can_run_pinned(machine: str | None = None, processors: Path = _PROCESSORS) -> bool:
    """Whether this is Linux on x86-64 with AVX2; of other systems it is not known.

    Parameters
    ----------
    machine : str, optional
        Kind of processor; that of this machine by default.
    processors : path
        Where Linux lists its processors' features.
    """
    if (machine or platform.machine()) != "x86_64" or not processors.is_file():
        return False
    lines = processors.read_text().splitlines()
    features = next((line for line in lines if line.startswith("flags")), "")
    return "avx2" in features.split()


def pin_kernel(environment: MutableMapping[str, str] = os.environ) -> None:
    """Ask for the pinned kernels where they can run and nobody asked for others.

    OpenBLAS reads this when NumPy is first imported: it is for the processes that this one starts.
    """
    if can_run_pinned():
        environment.setdefault(VARIABLE, PINNED)
