"""Files and folders as tables: text, Parquet, Feather, Excel, arrays and AnnData."""

import re
import warnings
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from coassoc.errors import DataError
from coassoc.io.labels import encoded_columns, labels_of, transpose
from coassoc.io.table import STANDARD_INPUT, Table, TableFile
from coassoc.io.text import (
    ARRAYS,
    PACKED,
    SEPARATORS,
    TEXT,
    column_names,
    kind_of,
    read_text,
    text_table,
)
from coassoc.io.untrusted import check_bytes, check_is_file, in_own_process, reading

#: Size in bytes from which a Parquet file is read in parts. Its table takes several times as much
#: memory.
LARGE = 10**9
#: End of a cell with a formula that was never computed.
_NOT_COMPUTED = re.compile(rb"</f>\s*(<v\s*/>|<v>\s*</v>)?\s*</c>")
#: Largest number of cells in a sheet, empty cells included.
_MOST_CELLS = 2 * 10**7


def open_table(source: TableFile) -> Table:
    """The table in a file or a folder. Only the head of a file is read.

    Raises
    ------
    DataError
        If the kind of file is not supported, its head is ambiguous, or it does not have an option.
    """
    if source.each_file in ("clustering", "members"):
        return _joined_table(source)
    if source.each_file == "map":
        return _map_table(source)
    check_options(source, [source.path])
    return open_file(source)


def open_file(source: TableFile) -> Table:
    """The table in a file, whose options were checked together with those of other files."""
    path, kind = source.path, kind_of(source.path)
    with reading(path):
        if path is STANDARD_INPUT:
            table = text_table(source, path)
        else:
            check_is_file(path)
            if kind not in _TABLES or (path.suffix.lower() in PACKED and kind not in TEXT):
                raise DataError(
                    f"{path}: unknown kind of file. Give a table a name that ends in "
                    f"{', '.join(_TABLES)}; for compressed text add {', '.join(PACKED)}. Soft "
                    "memberships, such as .Q files, are for coassoc memberships, and tables of R "
                    "for write.csv."
                )
            table = _TABLES[kind](source, path)
    table = replace(table, read=reading(path)(table.read), roles=source)
    return transpose(table) if source.in_ == "rows" else table


def check_options(source: TableFile, files: Sequence[Path], unused: Sequence[str] = ()) -> None:
    """Reject an option that no file uses: one of other kinds of files, or one of `unused`.

    Files of unknown kinds may have any format. They are lists of members, or rejected later.
    """
    kinds = {".csv" if file is STANDARD_INPUT else kind_of(file) for file in files}
    formats = _FORMATS if kinds <= {*_TABLES, ".nc"} else {}
    options = formats | dict.fromkeys(unused, ((), "tables with names of columns"))
    for name, (suited, what) in options.items():
        if getattr(source, name) not in (None, ()) and kinds.isdisjoint(suited):
            key = "except" if name == "without" else name
            part = str(source.variable).partition("/")[0] if key == "variable" else ""
            if part in ("layers", "obsm"):
                key, what = part.removesuffix("s"), ".h5ad files"
            raise DataError(
                f"{source.file}: {source.say(key, '…')} is for {what}. Leave out this option."
            )


def is_streamed(source: TableFile) -> bool:
    """Whether labels are read in parts: folders, and Parquet files larger than :data:`LARGE`."""
    path = source.path
    if source.each_file in ("clustering", "members", "map") or source.in_ == "rows":
        return False
    if path.is_dir() and source.each_file is None:
        raise DataError(
            f"{path}: this is a folder. Pass {source.say('each-file', 'clustering')} if each file "
            "has one clustering of the same samples, members if each line lists the members of one "
            "cluster, map if each file is a map of labels, or samples if each file has some of the "
            "samples."
        )
    large = path.is_file() and path.suffix == ".parquet" and path.stat().st_size > LARGE
    return path.is_dir() or large


# -- folders ---------------------------------------------------------------------------------------


def files_below(folder: Path) -> list[Path]:
    """Files in a folder and its subfolders, without hidden files."""
    return sorted(p for p in folder.rglob("*") if p.is_file() and p.name[0] != ".")


def files_of_labels(place: str) -> tuple[Path, list[Path]]:
    """A folder and the files below it, or the files that match a pattern.

    Raises
    ------
    DataError
        If there is none.
    """
    folder = Path(place)
    if not folder.exists() and {*"*?["} & {*place}:
        fixed = next((p for p in folder.parents if p.is_dir()), Path())
        folder, files = fixed, sorted(fixed.glob(str(folder.relative_to(fixed))))
    else:
        files = files_below(folder) if folder.is_dir() else [folder]
    if not files:
        raise DataError(f"{place}: no label file found. Check the folder or pattern.")
    return folder, files


def _joined_table(source: TableFile) -> Table:
    """The clusterings in all files of a folder and its subfolders, in one table.

    The folder may be a pattern of files, such as "runs/*/domains.tsv". A clustering has the name of
    its file, followed by the name of its column if the file has several. Samples are matched by
    their ids if the files have ids; a sample that a file lacks has no label. Otherwise the samples
    must be in the same order.

    Raises
    ------
    DataError
        If files without ids have different numbers of samples, or a file cannot be read.
    """
    import pandas as pd

    folder, files = files_of_labels(source.file)
    has_members = source.each_file == "members"
    check_options(source, files, unused=("id", "classes", "header", "missing") * has_members)
    # The columns of all files are checked together later.
    each = replace(source, each_file=None, columns=("*",), without=())
    frames = []
    for file in files:
        if has_members:
            frame = _members(source, file)
        else:
            frame = labels_of(open_file(replace(each, file=str(file)))).frame
        path = file.relative_to(folder) if folder.is_dir() else Path(file.name)
        path = path.with_suffix("") if path.suffix.lower() in PACKED else path
        stem = path.with_suffix("").as_posix()
        frame.columns = [stem if frame.shape[1] == 1 else f"{stem} {name}" for name in frame]
        frames.append(frame)
    joined = pd.concat(frames, axis=1)
    # The number of samples, and False if they have names.
    sizes = {isinstance(frame.index, pd.RangeIndex) and len(frame) for frame in frames}
    if len(sizes) > 1:
        raise DataError(
            f"{source.file}: the files have different numbers of samples, or only some name their "
            "samples. Choose the column that names the samples, or leave files out with a pattern "
            "such as 'folder/*/labels.tsv'."
        )
    n = len(joined)
    if n == sum(map(len, frames)) and len(frames) > 1:
        raise DataError(
            f"{source.file}: no two files have a sample in common. Check the column that names the "
            "samples."
        )
    if some := sum(len(frame) < n for frame in frames):
        warnings.warn(
            f"{source.file}: {some} of {len(files)} files lack some of the {n:,} samples. The "
            "clustering of a file has missing labels for the samples that the file lacks.",
            stacklevel=2,
        )
    return Table(
        source.file,
        [*joined.columns],
        lambda at: [joined.iloc[:, j] for j in at],
        first_row=1,
        samples=joined.index.to_numpy() if sizes == {False} else None,
        roles=replace(source, id=None, classes=None, missing=()),
    )


def _map_table(source: TableFile) -> Table:
    """The maps in a folder or pattern of files, or in one file, as columns of a table.

    Several files have a map each, of two or three axes. A single file with three axes has a map at
    each place of its first axis, as the bands of a GeoTIFF; the first axis must be the shortest.

    Raises
    ------
    DataError
        If a file is no map, or the maps differ in shape or place.
    """
    from coassoc.io.maps import read_map

    folder, files = files_of_labels(source.file)
    unused = ("id", "classes", "header", "separator", "encoding", "sheet")
    check_options(replace(source, variable=None), [Path("map.npy")], unused)
    found = [read_map(path, source) for path in files]
    grids = [(array.shape, place) for array, place in found]
    names = [path.relative_to(folder).as_posix() if len(files) > 1 else "" for path in files]
    maps = [array for array, _ in found]
    if len(files) == 1 and maps[0].ndim == 3:
        if maps[0].shape[0] > min(maps[0].shape):
            raise DataError(
                f"{files[0]}: the first axis of {maps[0].shape} is not the shortest. Put the maps "
                "along the first axis, or write one file for each map."
            )
        maps = [*maps[0]]
        names = [str(j + 1) for j in range(len(maps))]
    for path, grid in zip(files, grids, strict=True):
        if grid != grids[0]:
            raise DataError(
                f"{path}: the shape or the place of the map differs from {files[0]}. Pass maps of "
                "the same pixels."
            )
    columns, roles = [each.ravel() for each in maps], replace(source, variable=None)
    read = lambda at: [columns[j] for j in at]
    return Table(source.file, names, read, first_row=1, kind="pixel", roles=roles)


def _members(source: TableFile, file: Path) -> Any:
    """A file whose lines are clusters, each a list of its samples, as MCL writes them.

    If every line begins with a different word that ends in a colon, this word names the cluster.
    """
    import pandas as pd

    text = read_text(file, source.encoding)
    mark = SEPARATORS.get(source.separator or "", source.separator)
    mark = mark or next((mark for mark in "\t;, " if mark in text), "\t")
    numbered = {i: line for i, line in enumerate(text.splitlines(), 1) if line.strip()}
    places = [i for i, line in numbered.items() if not line.startswith("#")]
    lines = [numbered[i] for i in places]
    heads = [line.split(":", 1)[0] for line in lines if ":" in line.split(mark)[0]]
    if len({*heads}) == len(heads) == len(lines) and not any(mark in head for head in heads):
        lines = [line.split(":", 1)[1] for line in lines]
    clusters: dict[str, int] = {}
    for number, line in enumerate(lines):
        for name in map(str.strip, line.strip(mark + " ").split(mark)):
            if not name and mark != " ":
                raise DataError(
                    f"{file}: line {places[number]} has two separators without a name between "
                    "them. Delete one of them, or write the name."
                )
            if name and clusters.setdefault(name, number) != number:
                raise DataError(
                    f"{file}: sample {name!r} is on the lines {places[clusters[name]]} and "
                    f"{places[number]}. List each sample only once."
                )
    if not clusters:
        raise DataError(
            f"{file}: no cluster is listed. Write the sample names of one cluster on each line."
        )
    return pd.DataFrame([*clusters.values()], index=[*clusters])


# -- formats ---------------------------------------------------------------------------------------


def typed_table(source: TableFile, path: Path) -> Table:
    """Read Parquet or Feather."""
    schema = arrow_schema(path)
    # pandas stores which column was its index.
    index = (schema.pandas_metadata or {}).get("index_columns", [])
    named = schema.names.index(index[0]) if len(index) == 1 and index[0] in schema.names else None
    read = partial(in_own_process, _arrow, path)
    return Table(str(path), list(schema.names), read, first_row=1, id=named)


def arrow_schema(path: Path) -> Any:
    """The schema of a Parquet or Feather file."""
    import pyarrow.feather
    import pyarrow.parquet  # once here, not in each child process  # noqa: F401

    return in_own_process(_arrow, path, None)


def _arrow(path: Path, at: Sequence[int] | None) -> Any:
    """Some columns of a Parquet or Feather file, or its schema."""
    import pyarrow as pa
    from pyarrow import feather, parquet

    if kind_of(path) == ".feather":
        table = feather.read_table(path, memory_map=True, use_threads=False)
        schema, n, column = table.schema, table.num_rows, table.column
    else:
        file = parquet.ParquetFile(path)
        schema, n = file.schema_arrow, file.metadata.num_rows

        def column(j: int) -> Any:
            return file.read([schema.names[j]], use_threads=False).column(0)

    if at is None:
        return schema
    check_bytes(path, "the table", 8 * n * len(at))
    for field in map(schema.field, at):
        if pa.types.is_nested(field.type):
            raise DataError(
                f"{path}: column {field.name!r} has nested values of type {field.type}. Unnest "
                "the column, or choose other columns."
            )
    columns = [column(j) for j in at]
    for each in columns:  # a damaged column would fail or crash later, where no file is known
        each.validate(full=True)
        if len(each) != n:
            raise DataError(f"{path}: the columns differ in length. Save the file again.")
    return columns


def _excel(source: TableFile, path: Path) -> Table:
    rows = in_own_process(_sheet, path, source.sheet, source.say("sheet", "NAME"))
    if not rows:
        raise DataError(f"{path}: the sheet is empty. Choose another sheet.")
    first = ["" if cell is None else str(cell) for cell in rows[0]]
    names, header = column_names(source, path, first, rows[0])

    def read(at: Sequence[int]) -> list[Any]:
        columns = []
        for cells in ([row[j] for row in rows[header:]] for j in at):
            # openpyxl turns large numbers, which Excel stores as floats, into integers
            cells = [float(x) if isinstance(x, int) and abs(x) >= 2**53 else x for x in cells]
            columns.append(np.array([*cells, None], dtype=object)[:-1])
        return columns

    return Table(str(path), names, read, first_row=1 + header)


def _sheet(path: Path, sheet: str | None, option: str) -> list[list[Any]]:
    """Rows of cells in a sheet, without empty ones at the ends."""
    from openpyxl import load_workbook

    with zipfile.ZipFile(path) as archive:
        check_bytes(path, "the workbook", sum(part.file_size for part in archive.infolist()))
        parts = [n for n in archive.namelist() if fnmatchcase(n, "xl/worksheets/*.xml")]
        is_open = any(_NOT_COMPUTED.search(archive.read(name)) for name in parts)
    pages = {page.title: page for page in load_workbook(path, data_only=True).worksheets}
    if sheet not in pages and (sheet is not None or len(pages) > 1):
        raise DataError(f"{path}: choose one of the sheets {', '.join(pages)} with {option}.")
    page = pages.get(sheet) or next(iter(pages.values()))
    if page.max_row * page.max_column > _MOST_CELLS:
        raise DataError(
            f"{path}: the sheet {page.title!r} has more than {_MOST_CELLS:,} cells, most of them "
            "probably empty. Save the table as .csv."
        )
    dimensions = (*page.row_dimensions.values(), *page.column_dimensions.values())
    if is_open or page.merged_cells or any(each.hidden for each in dimensions):
        raise DataError(
            f"{path}: the sheet {page.title!r} has merged cells, hidden rows or columns, or "
            "formulas without a value. Unmerge, unhide and compute them, and save the file."
        )
    rows = [list(row) for row in page.iter_rows(values_only=True)]
    while rows and all(cell is None for cell in rows[-1]):
        rows.pop()
    while rows and all(row[-1] is None for row in rows):
        rows = [row[:-1] for row in rows]
    return rows


def _cells(source: TableFile, path: Path) -> Table:
    """The table ``obs`` of an AnnData file; its index names the samples."""
    from coassoc.io.arrays import observations

    names = observations(path)
    return Table(
        str(path),
        names,
        lambda at: observations(path, [names[j] for j in at]),
        first_row=1,
        id=0,
        observations=True,
    )


def _array(source: TableFile, path: Path) -> Table:
    """An (n, M) array, or an (n,) array of a single clustering; its columns are numbered from 1."""
    from coassoc.io.arrays import choose_array, label_array

    name, array = choose_array(path, source.variable, source.say("variable", "NAME"), "labels")
    columns = encoded_columns(label_array(path, name, array))
    names = [str(j + 1) for j in range(len(columns))]
    return Table(str(path), names, lambda at: [columns[j] for j in at], first_row=1)


#: Options for some kinds of files: suffixes of the files, and what they are.
_FORMATS: dict[str, tuple[Sequence[str], str]] = {
    "separator": (tuple(TEXT), "text"),
    "encoding": (tuple(TEXT), "text"),
    "header": ((*TEXT, ".xlsx"), "text and Excel files"),
    "sheet": ((".xlsx",), "Excel files"),
    "variable": (ARRAYS[1:-1], "files with several arrays (.npz, .h5, .hdf5 and .mat)"),
}
_TABLES: dict[str, Callable[[TableFile, Path], Table]] = {
    **dict.fromkeys(TEXT, text_table),
    ".parquet": typed_table,
    ".feather": typed_table,
    ".xlsx": _excel,
    **dict.fromkeys(ARRAYS, _array),
    ".h5ad": _cells,
}
