"""Available memory."""

import contextlib
import math
import os
from pathlib import Path

#: Bytes that a container may take, in control groups of both versions.
_LIMITS_OF_CONTAINERS = (
    Path("/sys/fs/cgroup/memory.max"),
    Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"),
)


def memory_of_machine() -> float:
    """Megabytes of memory of the machine, or of its container if it has a limit.

    Infinity if the system does not report it, as on Windows.
    """
    n_bytes = math.inf
    with contextlib.suppress(AttributeError):
        n_bytes = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    for file in _LIMITS_OF_CONTAINERS:
        # no container, or the word "max", which means no limit
        with contextlib.suppress(OSError, ValueError):
            n_bytes = min(n_bytes, int(file.read_text()))
    return n_bytes / 1e6
