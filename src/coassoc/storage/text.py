"""Text files that appear only when they are whole."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from coassoc.errors import DataError

__all__ = ["write_text"]


def write_text(path: str | Path, text: str) -> None:
    """Write a text in UTF-8 beside its place, then move it there.

    Raises
    ------
    DataError
        If the file cannot be written.
    """
    path = Path(path)
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        beside.write_bytes(text.encode())
        os.replace(beside, path)
    except OSError as error:
        raise DataError(f"{path}: cannot write this file: {error.strerror}.") from error
    finally:
        with suppress(OSError):
            beside.unlink()
