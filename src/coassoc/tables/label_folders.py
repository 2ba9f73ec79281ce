"""Folders with a file for each clustering, as programs write one for each run or algorithm."""

import warnings
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from coassoc.errors import DataError
from coassoc.tables.label_files import TableFile, open_table
from coassoc.tables.label_table import Column, EncodedLabels, LabelTable, Wanted, shortened
from coassoc.tables.label_text import PACKED, separator_of
from coassoc.tables.text import read_text

__all__ = ["joined_table"]


def joined_table(source: TableFile) -> LabelTable:
    """The clusterings of all files in a folder and its folders, side by side.

    Each is called like its file, and by its column too where a file has several. Samples are
    matched by their ids if the files have these, and are in the same order otherwise.

    Raises
    ------
    DataError
        If the files have other samples, or one cannot be read.
    """
    folder = Path(source.file)
    files = sorted(path for path in folder.rglob("*") if path.is_file() and path.name[0] != ".")
    files = files if folder.is_dir() else [folder]
    if not files:
        raise DataError(f"{folder}: there is no file of labels.")
    read = _members if source.each_file == "members" else _clusterings
    parts = read(source, files)
    names, columns = [], []
    for file, part in zip(files, parts, strict=True):
        order = _order(files[0], parts[0], file, part)
        called = _stem(file.relative_to(folder) if folder.is_dir() else Path(file.name))
        several = len(part.clusterings) > 1
        for name, clusters, values in zip(
            part.clusterings, part.labels.T, part.values, strict=True
        ):
            names.append(f"{called} {name}" if several else called)
            columns.append(Column(clusters[order], values, made_elsewhere=True))
    wanted = Wanted(columns=source.columns, without=source.without, in_="columns")
    return LabelTable(
        str(folder),
        names,
        lambda places: [columns[place] for place in places],
        first_row=1,
        samples=parts[0].samples,
        wanted=wanted,
        spelled=source.spelled,
    )


def _stem(path: Path) -> str:
    """A file's name in its folder without what it ends in."""
    path = path.with_suffix("") if path.suffix.lower() in PACKED else path
    return path.with_suffix("").as_posix()


def _clusterings(source: TableFile, files: Sequence[Path]) -> list[EncodedLabels]:
    return [
        open_table(replace(source, file=str(file), each_file=None, columns=(), without=())).labels()
        for file in files
    ]


def _order(
    first_file: Path, first: EncodedLabels, file: Path, part: EncodedLabels
) -> np.ndarray | slice:
    """Places of the samples of the first file in another one."""
    n = len(first.labels)
    if (first.samples is None) != (part.samples is None) or len(part.labels) != n:
        raise DataError(
            f"{file}: {len(part.labels)} samples, and {n} in {first_file}; each clustering has all "
            "of them, in the same order or with ids."
        )
    if first.samples is None:
        return slice(None)
    place = {name: i for i, name in enumerate(part.samples)}
    for name in first.samples:
        if name not in place:
            raise DataError(f"{file}: there is no sample {name!r}, as in {first_file}.")
    return np.array([place[name] for name in first.samples])


def _members(source: TableFile, files: Sequence[Path]) -> list[EncodedLabels]:
    """Files whose lines are clusters, each a list of its samples, as MCL writes them."""
    listed = [_clusters_listed(source, file) for file in files]
    samples = [*dict.fromkeys(name for clusters in listed for name in clusters)]
    some = [name for name in samples if not all(name in clusters for clusters in listed)]
    if some:
        warnings.warn(
            f"{source.file}: {len(some)} samples, such as {shortened(some[0])!r}, are in some "
            "files only and unlabelled in the others; a list of members has nothing but the names "
            "of the samples of a cluster in each line.",
            stacklevel=2,
        )
    parts = []
    for clusters in listed:
        labels = np.array([clusters.get(name, -1) for name in samples])
        names = np.array(samples, dtype=object)
        parts.append(
            EncodedLabels([""], labels[:, None], names, values=[[*range(labels.max() + 1)]])
        )
    return parts


def _clusters_listed(source: TableFile, file: Path) -> dict[str, int]:
    """The cluster of each sample that a file lists."""
    text = read_text(file, source.encoding)
    separator = separator_of(source.separator) if source.separator else None
    separator = separator or next((mark for mark in "\t;, " if mark in text), "\t")
    if '"' in text:
        raise DataError(
            f"{file}: there are quotation marks; a list of members has the names of the samples of "
            "a cluster in each line, with tabs, commas, semicolons or spaces between them."
        )
    clusters: dict[str, int] = {}
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    for number, line in enumerate(lines):
        for name in filter(None, map(str.strip, line.split(separator))):
            if clusters.setdefault(name, number) != number:
                raise DataError(
                    f"{file}: the sample {name!r} is in the clusters {clusters[name] + 1} and "
                    f"{number + 1}."
                )
    if not clusters:
        raise DataError(f"{file}: no cluster is listed.")
    return clusters
