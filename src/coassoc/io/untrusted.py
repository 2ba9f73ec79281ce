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
from coassoc.numerics.threads import memory_of_machine

#: Largest size of the unpacked content of a file, and of an array.
MAX_BYTES = 4 * 1024**3
#: Seconds that a reader may take, and bytes of a file for each of which it may take one more.
_SECONDS, _BYTES = 20.0, 10**7


def check_is_file(path: Path) -> None:
    """Raise a DataError if the file does not exist."""
    if not path.is_file():
        raise DataError(f"{path}: file not found.")


def most_bytes() -> int:
    """Largest allowed size of unpacked content in bytes, for the memory of the machine."""
    return int(min(MAX_BYTES, memory_of_machine() * 1e6 / 4))


def check_bytes(path: str | Path, name: str, n_bytes: int) -> None:
    """Reject content that would fill the memory, before it is read."""
    most = most_bytes()
    if n_bytes > most:
        raise DataError(
            f"{path}: {name} takes {n_bytes / 1e6:,.4g} MB, and at most {most / 1e6:,.4g} MB are "
            "read on this machine. If the file is not damaged, split it."
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
    process dies, as with SciPy's readers on some damaged files, or if it takes more than 20 s
    (more for files from 10 MB on) or more memory than allowed.
    """
    from coassoc.numerics.processes import ChildProcess, ProcessDied

    file = Path(source)
    seconds = _SECONDS + (file.stat().st_size // _BYTES if file.is_file() else 0)
    with ChildProcess(_quietly, memory_mb=3 * most_bytes() / 1e6 + 500) as process:
        try:
            return process.call(read, source, *arguments, seconds=seconds)
        except ProcessDied:
            raise DataError(
                f"{source}: the file is damaged, and its reader crashed. Save the file again."
            ) from None
        except TimeoutError:
            raise DataError(
                f"{source}: reading this file took more than {seconds:g} s and was stopped. If "
                "the file is damaged, save it again; otherwise split it."
            ) from None


def _quietly(read: Callable[..., Any], source: Any, *arguments: Any) -> Any:
    """Read without a traceback of a crash, because the error names the file and the reason."""
    faulthandler.disable()
    with reading(source):
        return read(source, *arguments)
