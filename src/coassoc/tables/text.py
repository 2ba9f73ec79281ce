"""The text of a file, packed or not."""

import gzip
import subprocess
from pathlib import Path

from coassoc.errors import DataError, message_of
from coassoc.tables.untrusted import MAX_BYTES


def read_text(path: Path) -> str:
    """A file in UTF-8; a DataError if it is none."""
    try:
        return _decompressed(path).decode("utf-8")
    except UnicodeDecodeError as error:
        raise DataError(f"{path}: not a text file") from error
    except (OSError, EOFError) as error:
        raise DataError(f"{path}: cannot read this file ({message_of(error)})") from error


def _decompressed(path: Path) -> bytes:
    """A file's bytes, unpacked if its name ends in ``.gz`` or ``.Z``.

    A DataError is raised if it cannot be unpacked, or is larger than MAX_BYTES then.
    """
    if path.suffix == ".Z":
        # Python's libraries have no decoder for Unix ``compress``.
        try:
            process = subprocess.run(["gzip", "-dc", path], capture_output=True)
        except FileNotFoundError as error:
            raise DataError(f"{path}: unpacking a .Z file needs the program gzip.") from error
        if process.returncode:
            raise DataError(f"{path}: gzip cannot unpack this file.")
        content = process.stdout
    else:
        with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as stream:
            content = stream.read(MAX_BYTES + 1)
    if len(content) > MAX_BYTES:
        raise DataError(f"{path}: the text is larger than {MAX_BYTES} bytes")
    return content
