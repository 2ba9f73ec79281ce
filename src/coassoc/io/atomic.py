"""Files written atomically: they appear under their names only when they are complete; locks."""

import math
import os
import platform
import time
from contextlib import suppress
from pathlib import Path
from typing import IO

from coassoc.errors import DataError, message_of


def write_bytes(path: str | Path, content: bytes) -> None:
    """Write a temporary file and rename it; the folder is created if necessary."""
    path = Path(path)
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with beside.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, path)
    except OSError as error:
        raise DataError(
            f"{path}: cannot write this file ({message_of(error)}). Fix this problem, or choose "
            "another folder."
        ) from error
    finally:
        with suppress(OSError):
            beside.unlink()


def write_text(path: str | Path, text: str) -> None:
    """Write a string in UTF-8 by :func:`write_bytes`."""
    write_bytes(path, text.encode())


def hold_lock(path: Path, seconds: float = math.inf) -> IO[str]:
    """The open file of a lock, which is held until it is closed or the process has ended.

    On a system without such locks, it is not held.

    Raises
    ------
    TimeoutError
        With the process that still has the lock after some seconds.
    """
    end = time.monotonic() + seconds
    while True:
        path.parent.mkdir(parents=True, exist_ok=True)
        file = path.open("a+")
        is_mine = True
        with suppress(ImportError, OSError):
            import fcntl

            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                is_mine = False
        # The process that had the lock before may have deleted it with its folder.
        if is_mine and path.exists() and os.path.samestat(os.fstat(file.fileno()), path.stat()):
            file.truncate(0)
            file.write(f"process {os.getpid()} on {platform.node()}")
            file.flush()
            return file
        if not is_mine and time.monotonic() > end:
            file.seek(0)
            raise TimeoutError(file.read())
        file.close()
        time.sleep(0.1)
