"""Folders with a file for each clustering, such as the output of many runs or algorithms."""

import warnings
from dataclasses import replace
from pathlib import Path

import pandas as pd

from coassoc.errors import DataError
from coassoc.io.files import check_options, open_file
from coassoc.io.labels import labels_of
from coassoc.io.table import Table, TableFile
from coassoc.io.text import PACKED, SEPARATORS, read_text


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


def joined_table(source: TableFile) -> Table:
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
    folder, files = files_of_labels(source.file)
    has_members = source.each_file == "members"
    check_options(source, files, unused=("id", "classes", "header", "missing") * has_members)
    read = _members if has_members else _clustering
    frames = [read(source, file) for file in files]
    for file, frame in zip(files, frames, strict=True):
        stem = _stem(file.relative_to(folder) if folder.is_dir() else Path(file.name))
        frame.columns = [stem if frame.shape[1] == 1 else f"{stem} {name}" for name in frame]
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


def _stem(path: Path) -> str:
    """Path of a file without its endings."""
    path = path.with_suffix("") if path.suffix.lower() in PACKED else path
    return path.with_suffix("").as_posix()


def _clustering(source: TableFile, file: Path) -> pd.DataFrame:
    # The columns of all files are checked together later.
    each = replace(source, file=str(file), each_file=None, columns=("*",), without=())
    return labels_of(open_file(each)).frame


def _members(source: TableFile, file: Path) -> pd.DataFrame:
    """A file whose lines are clusters, each a list of its samples, as MCL writes them.

    If every line begins with a different word that ends in a colon, this word names the cluster.
    """
    text = read_text(file, source.encoding)
    mark = SEPARATORS.get(source.separator or "", source.separator)
    mark = mark or next((mark for mark in "\t;, " if mark in text), "\t")
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    heads = [line.split(":", 1)[0] for line in lines if ":" in line.split(mark)[0]]
    if len({*heads}) == len(heads) == len(lines) and not any(mark in head for head in heads):
        lines = [line.split(":", 1)[1] for line in lines]
    clusters: dict[str, int] = {}
    for number, line in enumerate(lines):
        for name in filter(None, map(str.strip, line.split(mark))):
            if clusters.setdefault(name, number) != number:
                raise DataError(
                    f"{file}: sample {name!r} is in the clusters {clusters[name] + 1} and "
                    f"{number + 1}. List each sample only once."
                )
    if not clusters:
        raise DataError(
            f"{file}: no cluster is listed. Write the sample names of one cluster on each line."
        )
    return pd.DataFrame([*clusters.values()], index=[*clusters])
