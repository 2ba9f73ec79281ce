"""Files written atomically: they appear under their names only when they are complete."""

import os
from contextlib import suppress
from pathlib import Path

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
