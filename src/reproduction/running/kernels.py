"""The kernels of OpenBLAS, which determine how a processor rounds.

By default, OpenBLAS uses the kernels of the processor on which it runs. The study requests one kind
of kernel, so that its numbers are the same on every x86-64 processor with AVX2. On other processors
these kernels would end the process, so the study requests nothing. The library itself never
requests kernels.
"""

import os
import platform
from collections.abc import MutableMapping
from pathlib import Path

#: The kernels that the study requests, and the variable that requests them from OpenBLAS.
PINNED, VARIABLE = "Haswell", "OPENBLAS_CORETYPE"
_PROCESSORS = Path("/proc/cpuinfo")


def can_run_pinned(machine: str | None = None, processors: Path = _PROCESSORS) -> bool:
    """Whether this system is Linux on x86-64 with AVX2. On other systems this is unknown.

    Parameters
    ----------
    machine : str, optional
        Kind of processor. The default is that of this machine.
    processors : path
        File in which Linux lists the features of its processors.
    """
    if (machine or platform.machine()) != "x86_64" or not processors.is_file():
        return False
    lines = processors.read_text().splitlines()
    features = next((line for line in lines if line.startswith("flags")), "")
    return "avx2" in features.split()


def pin_kernel(environment: MutableMapping[str, str] = os.environ) -> None:
    """Request the pinned kernels if they can run and no others were requested.

    OpenBLAS reads the variable when NumPy is first imported, so the request affects only the
    processes that this process starts.
    """
    if can_run_pinned():
        environment.setdefault(VARIABLE, PINNED)
