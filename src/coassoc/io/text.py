"""Text: its bytes and encoding, the separator of cells, and whether the first line has names."""

import codecs
import csv
import io
import lzma
import re
import subprocess
import sys
import zipfile
from collections.abc import Sequence
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import Any

from coassoc.errors import DataError, message_of
from coassoc.io.labels import NUMBER
from coassoc.io.table import STANDARD_INPUT, Table, TableFile
from coassoc.io.untrusted import most_bytes, reading

#: Suffixes of text files with the separator of their cells, or None if the separator is detected
#: from the content.
TEXT = {".csv": ",", ".tsv": "\t", ".tab": "\t", ".txt": None, ".gct": "\t"}
#: Suffixes of files of arrays.
ARRAYS = (".npy", ".npz", ".h5", ".hdf5", ".mat", ".mtx")
#: Names of some separators.
SEPARATORS = {
    **{"tab": "\t", "\\t": "\t", "space": " ", "whitespace": " "},
    **{"comma": ",", "semicolon": ";"},
}
#: Number of bytes that are unpacked at a time.
_PIECE = 2**24
#: Suffixes of packed files, after that of the content.
PACKED = (".gz", ".bz2", ".xz", ".zst", ".zip")
#: Byte-order marks.
_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, codecs.BOM_UTF8)
#: A cell in quotation marks.
_QUOTED = re.compile(rb'"[^"]*"')
#: Number of leading bytes to search for NUL, which does not occur in text.
_HEAD = 2**24


def kind_of(path: Path) -> str:
    """Kind of a file by the ending of its name, such as ".csv" for packed files, too."""
    suffix = path.suffix.lower()
    return Path(path.stem).suffix.lower() if suffix in PACKED else suffix


def read_text(path: Path, encoding: str | None = None) -> str:
    """A file as text, unpacked according to its name, in UTF-8 or the encoding of its mark."""
    return _decoded(path, unpacked(path), encoding)


def _decoded(path: Path, content: bytes, encoding: str | None = None) -> str:
    encoding = encoding or ("utf-16" if content.startswith(_MARKS[:2]) else "utf-8-sig")
    try:
        return content.decode(encoding)
    except (LookupError, UnicodeError) as error:
        raise DataError(
            f"{path}: cannot read the text ({message_of(error)}). Pass its encoding (encoding=, "
            "--encoding), such as latin-1."
        ) from error


def unpacked(path: Path) -> bytes:
    """A file's bytes; a DataError if they are too many for this file."""
    limit, code = most_bytes(), 0
    with reading(path):
        if path.suffix.lower() == ".z":  # Python's libraries have no decoder for Unix compress
            command, pipe = ["gzip", "-dc", str(path)], subprocess.PIPE
            with subprocess.Popen(command, stdout=pipe, stderr=subprocess.DEVNULL) as process:
                content = process.stdout.read(limit + 1)  # type: ignore[union-attr]
            code = process.returncode
        else:
            pieces: list[bytes] = []
            with _opened(path) as stream:  # Arrow allocates what is asked for
                while sum(map(len, pieces)) <= limit and (piece := stream.read(_PIECE)):
                    pieces.append(piece)
            content = b"".join(pieces)
    if len(content) > limit:
        raise DataError(
            f"{path}: the file unpacks to more than {limit / 1e6:,.4g} MB. Write a table this "
            "large as Parquet, which is read in parts."
        )
    if code:
        raise DataError(f"{path}: gzip cannot unpack this file. Download or copy the file again.")
    return content


def _opened(path: Path) -> Any:
    """A file that is unpacked according to its name."""
    if path.suffix.lower() == ".xz":
        return lzma.open(path)
    if path.suffix.lower() != ".zip":
        import pyarrow as pa

        return pa.input_stream(path)
    archive = zipfile.ZipFile(path)
    names = [n for n in archive.namelist() if n[-1:] != "/" and not n.startswith("__MACOSX/")]
    if len(names) != 1:
        raise DataError(f"{path}: the archive has {len(names)} files. Unpack it and pass one file.")
    return archive.open(names[0])


@cache
def _standard_input() -> bytes:
    """All of standard input, which is kept because a table may be opened twice."""
    return sys.stdin.buffer.read()


# -- tables ---------------------------------------------------------------------------------------


def text_table(source: TableFile, path: Path) -> Table:
    """Read CSV and similar text."""
    return table_in(source, path, _standard_input() if path is STANDARD_INPUT else unpacked(path))


def table_in(source: TableFile, path: Path, content: bytes) -> Table:
    """The table in the text of a file."""
    if source.encoding or content.startswith(_MARKS):
        content = _decoded(path, content, source.encoding).encode()
    head = content[:_HEAD]
    if 0 < (nul := head.count(b"\0")) < len(head) / 100:
        line = head[: head.index(b"\0")].count(b"\n") + 1
        raise DataError(
            f"{path}: line {line} has a byte 0, which no text has ({nul} in all). The file is "
            "damaged; copy or write it again."
        )
    if nul:
        raise DataError(
            f"{path}: not UTF-8 text. If the file is text, pass its encoding, such as "
            f"{source.say('encoding', 'utf-16-le')}."
        )
    if not content.strip():
        raise DataError(f"{path}: the file is empty. Pass a table.")
    if source.comments:
        content = re.sub(rb"(?m)^#.*\n?", b"", content)
    content = re.sub(rb"\A# Program:featureCounts.*\n", b"", content)
    if kind_of(path) == ".gct":
        return _gct(source, path, content)
    if content.startswith((b"# ", b"##")) or b"\n# " in content or b"\n##" in content:
        raise DataError(
            f"{path}: a line begins with '# ' or '##', as comments do. Remove comments, and the # "
            "before column names."
        )
    separator = _separator(source, path, content)
    if separator == " ":  # any number of spaces or tabs separates two cells
        content = re.sub(rb"(?m)^ | (?=\r?$)", b"", re.sub(rb"[ \t]{2,}|\t", b" ", content))
    first, second = _first_rows(path, content, separator)
    other = [mark for mark in ";\t,|" if mark in "".join(first) and len(first) == 1]
    if other and source.separator is None:
        raise DataError(
            f"{path}: the first line has one column. Pass "
            f"{source.say('separator', repr(other[0]))} if the table has several columns."
        )
    lines = (line.strip() for line in content.split(b"\n", 2)[:2])
    cells = ([*map(_QUOTED.fullmatch, line.split(separator.encode()))] for line in lines)
    if source.header is None and [*map(all, cells)] == [True, False]:
        source = replace(source, header=True)  # R quotes names, and not numbers
    names, header = column_names(source, path, first, second)
    # Arrow requires a line break at the end
    content += b"\n" * (not content.endswith((b"\n", b"\r")))
    read = partial(_columns, path, content, separator, header, len(names))
    return Table(str(path), names, read, first_row=1 + header)


def _gct(source: TableFile, path: Path, content: bytes) -> Table:
    """The numbers of a GCT file, and names of its rows, without other data of rows and columns."""
    version, sizes, head, *rows = [*content.splitlines(), b"", b"", b""]
    rows = [row for row in rows if row.strip()]
    given = [int(size) for size in sizes.split() if size.isdigit()]
    if {b"#1.2": 2, b"#1.3": 4}.get(version.strip()) != len(given):
        raise DataError(f"{path}: this is not a GCT file of version 1.2 or 1.3. Write it again.")
    n, m, of_rows, of_columns = given if len(given) == 4 else (*given, 1, 0)
    rows = rows[of_columns:]
    found = len(rows), len(head.split(b"\t")) - 1 - of_rows
    if found != (n, m):
        raise DataError(f"{path}: rows and columns are {found} instead of {n, m}. Copy it again.")
    form = replace(source, separator="tab", header=True)
    table = table_in(form, Path("table.tsv"), b"\n".join([head, *rows]))
    at = [0, *range(1 + of_rows, len(table.names))]
    names, read = [table.names[j] for j in at], table.read
    return Table(str(path), names, lambda some: read([at[j] for j in some]), first_row=4, id=0)


def _separator(source: TableFile, path: Path, content: bytes) -> str:
    """The separator, from the user, the name of the file or the first line."""
    if source.separator is None:
        first = re.sub(rb'"[^"]*"', b"x", content.partition(b"\n")[0]).strip()
        seen = next((mark for mark in "\t;, " if mark.encode() in first), ",")
        return TEXT.get(kind_of(path), ",") or seen
    separator = SEPARATORS.get(source.separator, source.separator)
    if len(separator) != 1 or separator in "\"'\r\n" or separator.isalnum():
        raise DataError(
            f"separator is {source.separator!r}. It must be the one character that separates "
            "cells, or one of the words tab, space, comma and semicolon."
        )
    return separator


def _first_rows(path: Path, content: bytes, separator: str) -> tuple[list[str], list[str]]:
    end = content.find(b"\n", content.find(b"\n") + 1) + 1 or len(content)
    # A quoted name may span several lines.
    end = max(end, content.rfind(b"\n", 0, 2**16) + 1)
    if content.count(separator.encode(), 0, end) > 4 * 10**6:
        raise DataError(
            f"{path}: the first line has more than a million columns. Check the separator."
        )
    text = io.StringIO(_decoded(path, content[:end]), newline="")
    try:
        rows = csv.reader(text, delimiter=separator)
        return next(rows, []), next(filter(None, rows), [])
    except csv.Error as error:
        raise DataError(
            f"{path}: not a table in UTF-8 ({message_of(error)}). Close the quotation marks of "
            "the file, or remove cells with long strings."
        ) from error


def column_names(
    source: TableFile, path: Path, first: Sequence[str], second: Sequence[Any]
) -> tuple[list[str], bool]:
    """Names of the columns of a table with these first rows, and whether the first row has them."""
    number = next((cell for cell in first if NUMBER.fullmatch(cell.strip(" \"'"))), None)
    if source.header is None and number is not None:
        no, yes = (source.say("header", value) for value in ("false", "true"))
        raise DataError(
            f"{path}: the first line holds the number {number}. Pass {no} if this line is a "
            f"sample, or {yes} if it names the columns."
        )
    if source.header is False:
        return [*map(str, range(1, len(first) + 1))], False
    # R's write.table leaves out the name of the first column.
    names = ["", *first] if len(second) == len(first) + 1 else first
    names = [cell.strip() for cell in names]
    if len(second) > len(names) or not any(names[1:] or names):
        raise DataError(
            f"{path}: the first line does not name the columns. Remove everything above the column "
            "names."
        )
    return names, True


def _columns(
    path: Path, content: bytes, separator: str, header: bool, m: int, at: Sequence[int]
) -> list[Any]:
    """Some columns of a text file, as dictionaries of strings in Arrow."""
    import pyarrow as pa
    from pyarrow import csv as arrow

    # Use numbers as names, because names in the file may occur twice.
    every = [str(j) for j in range(m)]
    options = (
        # Arrow counts rows only if a single thread reads them.
        arrow.ReadOptions(
            use_threads=False,
            column_names=every,
            skip_rows_after_names=int(header),
            block_size=2**24,
        ),
        arrow.ParseOptions(
            delimiter=separator,
            newlines_in_values=True,
            # In a table of one column an empty line is a missing label.
            ignore_empty_lines=len(every) > 1,
        ),
        arrow.ConvertOptions(
            include_columns=[every[j] for j in at],
            column_types=dict.fromkeys(every, pa.dictionary(pa.int32(), pa.string())),
            strings_can_be_null=False,
        ),
    )
    try:
        return arrow.read_csv(pa.BufferReader(content), *options).columns
    except (OSError, pa.ArrowInvalid) as error:
        raise DataError(
            f"{path}: cannot read the table ({message_of(error)}). Write the same number of cells "
            "in each row, and all text in UTF-8."
        ) from error
