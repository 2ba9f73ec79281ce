"""Files of anybody: how large they may be, and readers in a process of their own.

A few bytes can promise any size, and a damaged file can crash compiled code and its process.
"""

import faulthandler
import math
import multiprocessing
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import Any

from coassoc.errors import DataError

#: No file, packed or unpacked, and no array may be larger.
MAX_BYTES = 4 * 1024**3


def check_size(path: Path, name: str, shape: Sequence[int]) -> None:
    """Refuse an array of more than MAX_BYTES before it is read; its numbers take eight each."""
    if 8 * math.prod(shape) > MAX_BYTES:
        sizes = " × ".join(map(str, shape))
        raise DataError(f"{path}: {name} is {sizes}, more than {MAX_BYTES} bytes")


def in_own_process(read: Callable[..., Any], source: Any, *arguments: Any) -> Any:
    """Call ``read(source, *arguments)`` in a child process, and return or raise what it does.

    `read` is a function of a module, not one made inside another function. A process that dies, as
    SciPy's reader of MATLAB files does on some damaged ones, is a DataError.
    """
    # A forked child has everything imported; only on Linux is forking safe.
    start = "fork" if sys.platform == "linux" else "spawn"
    context = multiprocessing.get_context(start)
    # The error says what happened; where in the reader is of no use to anybody here.
    quiet = faulthandler.disable
    with ProcessPoolExecutor(1, mp_context=context, initializer=quiet) as executor:
        try:
            return executor.submit(read, source, *arguments).result()
        except BrokenProcessPool:
            raise DataError(f"{source}: the file is damaged; its reader crashed") from None
