"""Labels in text: what separates cells, whether the first line names columns, and comments."""

from __future__ import annotations

import csv
import io
import re
import sys
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from coassoc.errors import DataError, message_of
from coassoc.tables.label_table import encode, is_number, shortened
from coassoc.tables.text import decoded, encoding_of, open_packed, unpacked
from coassoc.tables.untrusted import reading

#: Files of text by what their names end in, and what separates their cells; None if it is seen.
TEXT = {".csv": ",", ".tsv": "\t", ".tab": "\t", ".txt": None, ".arff": ","}
#: Compressed text files end so.
PACKED = (".gz", ".bz2", ".xz", ".zst", ".zip")
#: How some separators are called.
_CALLED = {"tab": "\t", "\\t": "\t", "space": " ", "comma": ",", "semicolon": ";"}
#: What stands for its path.
STANDARD_INPUT = Path("standard input")
#: Bytes in which the first lines of a large file are.
_HEAD = 2**24
#: What files that are no text begin with, and what their names should end in.
_NO_TEXT = {
    b"PK\x03\x04": ".xlsx or .zip",
    b"\x1f\x8b": ".gz",
    b"\x28\xb5\x2f\xfd": ".zst",
    b"\xfd7zXZ\x00": ".xz",
    b"PAR1": ".parquet",
    b"\x89HDF": ".h5",
}
#: How error values of Excel begin, which are labels.
EXCEL_ERROR = r"#(N/A|NA\b|[A-Z0/]+[!?])"
#: What begins as a comment does.
_COMMENT = re.compile(f"(?!{EXCEL_ERROR})#".encode())
#: More columns are no table of clusterings.
_MOST_COLUMNS = 10**6


def kind_of(path: Path) -> str:
    """What a file is by the end of its name: ".csv" whether compressed or not.

    Published results are text, such as wine.result3.gz.
    """
    suffix = path.suffix.lower()
    suffix = Path(path.stem).suffix.lower() if suffix in PACKED else suffix
    return ".csv" if re.fullmatch(r"\.result\d+", suffix) else suffix


class TextHead(NamedTuple):
    """Names of a text file's columns, and how it is written."""

    names: list[str]
    header: bool
    separator: str
    #: Whether its first sample begins with #, as all others do then.
    marked: bool = False


class TextTable(NamedTuple):
    """The lines of a text file without comments, and how it is written."""

    head: TextHead
    lines: bytes
    #: Number of the first line, counted from 1.
    first_line: int = 1

    def columns(
        self, path: Path, places: Sequence[int], convert: Callable[[Any], Any] = encode
    ) -> list[Any]:
        """Some columns, dictionaries of texts in Arrow, as a function makes them of these."""
        return [*map(convert, _columns(path, self, places).columns)]


def separator_of(said: str) -> str:
    """The separator that a user names: one character, or the name of one.

    Raises
    ------
    DataError
        If it is neither.
    """
    separator = _CALLED.get(said, said)
    if len(separator) != 1 or separator in "\"'\r\n" or separator.isalnum():
        raise DataError(
            f"separator is {said!r}; it must be one character that separates cells, or tab, "
            "space, comma or semicolon."
        )
    return separator


def text_table(source: Any, path: Path) -> TextTable:
    """A text file, of which the first lines are looked at.

    Parameters
    ----------
    source : TableFile
    path : path
        Or :data:`STANDARD_INPUT`.

    Raises
    ------
    DataError
        If its head leaves open what it means.
    """
    content = _standard_input() if path is STANDARD_INPUT else unpacked(path)
    return _table(source, path, content)


def text_head(source: Any, path: Path) -> TextHead:
    """As :func:`text_table` finds it, of a file that is too large to be read at once."""
    with reading(path), open_packed(path) as stream:
        content = stream.read(_HEAD)
    table = _table(source, path, content[: content.rfind(b"\n") + 1] or content)
    if table.first_line > 1 or not encoding_of(content).startswith("utf-8"):
        raise DataError(
            f"{path}: what is read in parts is in UTF-8, and has no comments above the names of "
            "the columns; save it so."
        )
    return table.head


def _table(source: Any, path: Path, content: bytes) -> TextTable:
    for mark, ending in _NO_TEXT.items():
        if content.startswith(mark):
            raise DataError(f"{path}: this is no text; let the name of the file end in {ending}.")
    if source.encoding or encoding_of(content) != "utf-8":
        content = decoded(path, content, source.encoding).encode()
    if b"\0" in content[:_HEAD]:
        order = "utf-16-be" if content.startswith(b"\0") else "utf-16-le"
        said = source.spelled.format("encoding", order)
        raise DataError(f"{path}: not a text file in UTF-8; say {said} if it is one in UTF-16.")
    if kind_of(path) == ".arff":
        return _arff(path, content)
    separator = _separator(source, path, content)
    if separator == " ":  # however many
        content = re.sub(rb"(?m)^ +| +(?=\r?$)", b"", re.sub(rb"  +", b" ", content))
    content, first_line = _without_comments(source, path, content, separator)
    first, second = _first_rows(path, content, separator)
    # The next line has as many of it, or the first one is a title.
    line = separator.join(second) or first[0]
    marks = ";\t,|:" + " " * (source.separator is None)
    found = [mark for mark in marks if len(first) == 1 and mark in first[0]]
    other = [mark for mark in found if line.count(mark) >= first[0].count(mark)]
    if other:
        said = source.spelled.format("separator", repr(other[0]))
        raise DataError(
            f"{path}: the first line has one column, {shortened(first[0])!r}; say {said} if it has "
            "several."
        )
    names, header = column_names(source, path, first, second)
    # Arrow needs the end of the last line.
    content += b"\n" * (not content.endswith((b"\n", b"\r")))
    marked = bool(_COMMENT.match("".join((second if header else first)[:1]).encode()))
    return TextTable(TextHead(names, header, separator, marked), content, first_line)


def column_names(
    source: Any, path: Path, first: Sequence[str], second: Sequence[Any]
) -> tuple[list[str], bool]:
    """Names of the columns of a table with these first rows, and whether the first row has them.

    Raises
    ------
    DataError
        If the first row may be one of names or of labels.
    """
    if not any(map(str.strip, first)):
        raise DataError(
            f"{path}: the first line is empty; remove what is above the names of the columns."
        )
    number = next((cell for cell in first if is_number(cell)), None)
    if source.header is None and number is not None:
        no, yes = (source.spelled.format("header", value) for value in ("false", "true"))
        raise DataError(
            f"{path}: the first line holds the number {number}; say {no} if it is a sample, {yes} "
            "if it names the columns."
        )
    if source.header is False:
        return [*map(str, range(1, len(first) + 1))], False
    if len(second) > len(first) + 1 or (len(first) > 2 and not any(map(str.strip, first[1:]))):
        raise DataError(
            f"{path}: the first line, {shortened(first[0])!r}, does not name the columns, as a "
            "title does not; remove what is above the line with their names."
        )
    # R's write.table leaves out the name of the first column.
    if len(second) == len(first) + 1:
        if source.id != "first":
            said = source.spelled.format("id", "first")
            raise DataError(
                f"{path}: the first line has one value less than the second, as R writes it where "
                f"rows have names; say {said} if the first column names the samples."
            )
        first = ["", *first]
    return [cell.strip() for cell in first], True


@cache
def _standard_input() -> bytes:
    """All of it, since a table may be opened twice."""
    return sys.stdin.buffer.read()


def _separator(source: Any, path: Path, content: bytes) -> str:
    if source.separator is not None:
        return separator_of(source.separator)
    usual = TEXT.get(kind_of(path), ",")
    if usual is not None:
        return usual
    lines = (line for line in content[:_HEAD].splitlines() if not _COMMENT.match(line))
    first = re.sub(rb'"[^"]*"', b"x", next(lines, b""))
    return next((mark for mark in "\t;, " if mark.encode() in first.strip()), ",")


def _without_comments(source: Any, path: Path, content: bytes, separator: str) -> tuple[bytes, int]:
    """The lines that are no comments, and the number of the first one.

    A comment begins with #. So do the names of columns in some programs (``np.savetxt``, PLINK),
    without which the next line is a sample; and names of samples, in each line with as many cells.
    """
    if not (content.startswith(b"#") or b"\n#" in content):
        return content, 1
    mark, lines = separator.encode(), content.splitlines(keepends=True)
    first = next((k for k, line in enumerate(lines) if not _COMMENT.match(line)), len(lines))
    if first == len(lines):
        raise DataError(
            f"{path}: all lines begin with #, as comments do; remove the # of the line that names "
            "the columns, or quote the first cells of samples."
        )

    def is_wide(line: bytes) -> bool:
        return line.lstrip(b"# ").count(mark) == lines[first].count(mark)

    def has_number(k: int) -> bool:
        cells = b"".join(lines[k : k + 1]).decode(errors="replace").split(separator)
        return any(is_number(cell.strip(" \"'\r\n")) for cell in cells)

    above = lines[first - 1] if first else b"##"
    if source.header is not False and not above.startswith(b"##") and is_wide(above):
        if has_number(first):
            first -= 1
            lines[first] = above.lstrip(b"# ")
        elif not above.startswith(b"# ") or not has_number(first + 1):
            line = shortened(decoded(path, above, "utf-8").strip())
            raise DataError(
                f"{path}: {line!r} may name the columns or be a comment; remove its # or the line."
            )
    rows = [
        line
        for line in lines[first + 1 :]
        if not _COMMENT.match(line) or (is_wide(line) and not line.startswith(b"# "))
    ]
    marked = [line for line in rows if _COMMENT.match(line)]
    if 0 < len(marked) < len(rows):
        line = shortened(decoded(path, marked[0], "utf-8").strip())
        raise DataError(
            f"{path}: {line!r} may be a sample or a comment; quote its first cell or remove it."
        )
    return b"".join([lines[first], *rows]), 1 + first


def _arff(path: Path, content: bytes) -> TextTable:
    """The table in a file of Weka, whose texts are in single quotes."""
    mark = re.search(rb"(?im)^[ \t]*@data\b.*$", content)
    if mark is None or re.match(rb"\s*\{", content[mark.end() :]):
        what = "a sparse" if mark else "without @data, which is no"
        raise DataError(f"{path}: {what} ARFF file; save the table as .csv.")
    named = rb"(?im)^[ \t]*@attribute\s+(?:'([^']*)'|\"([^\"]*)\"|(\S+))"
    found = re.findall(named, content[: mark.start()])
    names = [decoded(path, b"".join(name)) for name in found]
    if not names:
        raise DataError(f"{path}: no attribute is named before @data.")
    lines = re.sub(rb"(?m)^%.*\n?", b"", content[mark.end() :].lstrip()).replace(b"'", b'"')
    first_line = 1 + content.count(b"\n", 0, content.find(b"\n", mark.end()) + 1)
    return TextTable(TextHead(names, False, ","), lines, first_line)


def _first_rows(path: Path, content: bytes, separator: str) -> tuple[list[str], list[str]]:
    end = content.find(b"\n", content.find(b"\n") + 1) + 1 or len(content)
    if content.count(separator.encode(), 0, end) > 2 * _MOST_COLUMNS:
        raise DataError(f"{path}: the first line has more than {_MOST_COLUMNS} columns.")
    try:
        # Names in quotes may have several lines.
        end = max(end, content.rfind(b"\n", 0, 2**16) + 1)
        text = io.StringIO(decoded(path, content[:end]), newline="")
        rows = csv.reader(text, delimiter=separator)
        first, second = next(rows, []), next(filter(None, rows), [])
    except csv.Error as error:
        if "field limit" in str(error):
            raise DataError(
                f"{path}: a cell has more than {csv.field_size_limit():,} characters, as where a "
                "quotation mark is not closed; such columns cannot be read, so leave them out of "
                "the file."
            ) from error
        raise DataError(f"{path}: not a table in UTF-8 ({message_of(error)}).") from error
    if not content.strip():
        raise DataError(f"{path}: the file is empty.")
    return first, second


def _columns(path: Path, table: TextTable, places: Sequence[int]) -> Any:
    """Some columns of a text file as a table of Arrow."""
    import pyarrow as pa
    from pyarrow import csv as arrow

    wrong: list[str] = []

    def refuse(row: Any) -> str:
        number = row.number + table.first_line - 1
        wrong.append(
            f"row {number} has {row.actual_columns} values in place of {row.expected_columns}"
        )
        return "error"

    # Numbers as names: those of the file may stand there twice.
    every = [str(place) for place in range(len(table.head.names))]
    options = (
        # Rows are counted where one thread reads.
        arrow.ReadOptions(
            use_threads=False,
            column_names=every,
            skip_rows_after_names=int(table.head.header),
            block_size=2**24,
        ),
        arrow.ParseOptions(
            delimiter=table.head.separator,
            newlines_in_values=True,
            # In a table of one column an empty line is a missing label.
            ignore_empty_lines=len(every) > 1,
            invalid_row_handler=refuse,
        ),
        arrow.ConvertOptions(
            include_columns=[every[place] for place in places],
            column_types=dict.fromkeys(every, pa.dictionary(pa.int32(), pa.string())),
            strings_can_be_null=False,
        ),
    )
    try:
        return arrow.read_csv(pa.BufferReader(table.lines), *options)
    except (OSError, pa.ArrowInvalid) as error:
        reason = wrong[0] if wrong else f"not a table in UTF-8 ({message_of(error)})"
        raise DataError(f"{path}: {reason}.") from error
