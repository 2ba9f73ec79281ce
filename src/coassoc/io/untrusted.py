"""Untrusted files: limits on their size, and readers in a separate process.

A few bytes can declare any size, and a damaged file can crash compiled code, or keep it busy for
ever.
"""

import faulthandler
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from coassoc.errors import CoassocError, DataError, message_of
from coassoc.numerics.memory import memory_of_machine

#: Largest size of a file, packed or unpacked, and of an array.
MAX_BYTES = 4 * 1024**3
#: For larger content, the largest ratio of the unpacked size to the size of the file.
_PACKED = 200
#: Seconds that a reader may take.
_SECONDS = 300.0


def check_is_file(path: Path) -> None:
    """Raise a DataError if the file does not exist."""
    if not path.is_file():
        raise DataError(f"{path}: file not found.")


def most_bytes(path: str | Path, floor: int = 2**28) -> int:
    """Largest allowed size of the unpacked content in bytes, given the size of the file.

    Packing reduces a table of labels to between a tenth and a hundredth of its size.
    """
    file = Path(path)
    packed = max(floor, _PACKED * file.stat().st_size if file.is_file() else 0)
    return int(min(MAX_BYTES, packed, memory_of_machine() * 1e6 / 4))


def check_bytes(path: str | Path, name: str, n_bytes: int) -> None:
    """Reject content that would fill the memory, before it is read."""
    most = most_bytes(path)
    if n_bytes > most:
        raise DataError(
            f"{path}: {name} is larger than {most} bytes, more than an intact file of this size "
            "can hold. Write the file again."
        )


@contextmanager
def reading(place: Any) -> Iterator[None]:
    """Context of every reader, which reports any error as a sentence that names the file.

    Libraries raise many kinds of errors for files of other formats. A missing package is not an
    error of the file.
    """
    try:
        yield
    except (CoassocError, ModuleNotFoundError):
        raise
    except Exception as error:
        reason = message_of(error) or "no further details"
        kind = "" if isinstance(error, OSError) else f"{type(error).__name__}: "
        raise DataError(
            f"{place}: cannot read this file ({kind}{reason}). Check the file and its format."
        ) from error


def in_own_process(read: Callable[..., Any], source: Any, *arguments: Any) -> Any:
    """Call ``read(source, *arguments)`` in a child process; return its result or raise its error.

    `read` must be a function of a module, not a nested function. A DataError is raised if the
    process dies, as with SciPy's reader of MATLAB files on some damaged files, or if it takes
    minutes or more memory than its file allows.
    """
    from coassoc.numerics.processes import ChildProcess, ProcessDied

    memory = 3 * most_bytes(source) / 1e6 + 500
    with ChildProcess(_quietly, memory_mb=memory) as process:
        try:
            return process.call(read, source, *arguments, seconds=_SECONDS)
        except ProcessDied:
            raise DataError(
                f"{source}: the file is damaged, and its reader crashed. Save the file again."
            ) from None
        except TimeoutError:
            raise DataError(
                f"{source}: reading this file took more than {_SECONDS:g} s and was stopped. If "
                "the file is damaged, save it again; otherwise split it."
            ) from None


def _quietly(read: Callable[..., Any], source: Any, *arguments: Any) -> Any:
    """Read without a traceback of a crash, because the error names the file and the reason."""
    faulthandler.disable()
    with reading(source):
        return read(source, *arguments)
