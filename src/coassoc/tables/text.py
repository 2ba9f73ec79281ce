"""The text of a file, packed or not, in any encoding."""

import codecs
import gzip
import lzma
import subprocess
import zipfile
from pathlib import Path
from typing import Any

from coassoc.errors import DataError, message_of
from coassoc.tables.untrusted import most_bytes, reading

#: What files of some encodings begin with; longer marks first.
_MARKS = {
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
    codecs.BOM_UTF8: "utf-8-sig",
}


def read_text(path: Path, encoding: str | None = None) -> str:
    """A file as text; a DataError if it is none.

    Parameters
    ----------
    path : path
        Unpacked if its name ends in .gz, .bz2, .xz, .zst, .zip or .Z.
    encoding : str, optional
        UTF-8 by default, or what the mark at the beginning of the file says.
    """
    return decoded(path, unpacked(path), encoding)


def decoded(path: Path, content: bytes, encoding: str | None = None) -> str:
    """Bytes of a file as :func:`read_text` returns them."""
    encoding = encoding or encoding_of(content)
    try:
        return content.decode(encoding)
    except LookupError as error:
        raise DataError(f"{path}: there is no encoding {encoding!r}.") from error
    except UnicodeError as error:
        raise DataError(
            f"{path}: not a text file in {encoding.upper()} ({message_of(error)}); say its "
            "encoding, such as latin-1, if it has another one."
        ) from error


def encoding_of(content: bytes) -> str:
    """The encoding that the beginning of a text has a mark of; without one, UTF-8."""
    return next((name for mark, name in _MARKS.items() if content.startswith(mark)), "utf-8")


def unpacked(path: Path) -> bytes:
    """A file's bytes; a DataError if they cannot be unpacked, or are too many then."""
    with reading(path):
        most = most_bytes(path, floor=2**25)
        with open_packed(path) as stream:
            content: bytes = stream.read(most + 1)
    if len(content) > most:
        raise DataError(
            f"{path}: the text is larger than {most} bytes, too large for this file; if it is "
            "sound, unpack it first."
        )
    return content


def open_packed(path: Path) -> Any:
    """A stream of a file's bytes, unpacked as its name says."""
    kind = path.suffix.lower()
    if kind == ".gz":
        return gzip.open(path)
    if kind == ".xz":
        return lzma.open(path)
    if kind == ".z":
        # Python's libraries have no decoder for Unix ``compress``.
        try:
            return _Gzip(path)
        except FileNotFoundError as error:
            raise DataError(f"{path}: unpacking a .Z file needs the program gzip.") from error
    if kind == ".zip":
        archive = zipfile.ZipFile(path)
        return archive.open(zip_member(path, archive))
    if kind in (".bz2", ".zst"):
        import pyarrow as pa

        return pa.input_stream(path)
    return path.open("rb")


class _Gzip:
    """What the program gzip makes of a file."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._process = subprocess.Popen(
            ["gzip", "-dc", path], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )

    def read(self, n: int) -> bytes:
        assert self._process.stdout is not None
        content = self._process.stdout.read(n)
        if len(content) < n and self._process.wait():
            raise DataError(f"{self._path}: gzip cannot unpack this file.")
        return content

    def __enter__(self) -> "_Gzip":
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.communicate()


def zip_member(path: Path, archive: zipfile.ZipFile) -> str:
    """The only file in an archive."""
    names = [
        name
        for name in archive.namelist()
        if not name.endswith("/") and not name.startswith("__MACOSX/")
    ]
    if len(names) != 1:
        held = ", ".join(names[:8]) or "nothing"
        raise DataError(f"{path}: the archive holds {held} in place of one file; unpack it.")
    return names[0]
