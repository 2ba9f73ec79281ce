"""Options by which commands read a table of labels or of measurements."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from coassoc.ensemble import Ensemble
    from coassoc.tables.label_files import TableFile


def _names(ctx: click.Context, option: click.Parameter, value: str | None) -> tuple[str, ...]:
    return () if value is None else tuple(name.strip() for name in value.split(","))


#: What the columns of any table are, and how it is written.
_OF_TABLES = (
    click.option(
        "--id",
        help='Column that names the samples; "first" for the first one, as of measurements by '
        "default where it has texts.",
    ),
    click.option(
        "--columns",
        callback=_names,
        metavar="A,B,…",
        help="Columns that are read, or patterns such as 'leiden_*'; by default all but that of "
        "the names.",
    ),
    click.option(
        "--except",
        "without",
        callback=_names,
        metavar="A,B,…",
        help="Columns that are not, or patterns.",
    ),
    click.option(
        "--missing",
        multiple=True,
        metavar="VALUE",
        help="What stands for a missing value, such as 0 or unassigned; may be repeated.",
    ),
    click.option(
        "--separator",
        metavar="CHAR",
        help="Of a text file, or its name, such as tab; a comma, for .tsv a tab, for .txt any.",
    ),
    click.option(
        "--header", type=bool, metavar="BOOL", help="Whether the first line names the columns."
    ),
    click.option("--encoding", metavar="NAME", help="Of a text file; UTF-8 by default."),
    click.option("--sheet", metavar="NAME", help="Of an Excel file; the first one by default."),
    click.option(
        "--variable",
        metavar="NAME",
        help='Array in .npz, .h5 or .mat; by default "labels", of measurements "X".',
    ),
)
_OF_LABELS = (
    click.option(
        "--in",
        "in_",
        type=click.Choice(["rows", "columns"]),
        help="Where the clusterings are; asked about where there are more columns than rows.",
    ),
    click.option(
        "--each-file",
        type=click.Choice(["clustering", "members", "samples"]),
        help="What each file of a folder has: a clustering of all samples (of which members has "
        "a cluster in each line), or some of the samples.",
    ),
)


def table_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the options that :func:`table_file` takes."""
    for option in reversed(_OF_TABLES):
        command = option(command)
    return command


def label_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Those of :func:`table_options`, and what tables of labels need besides."""
    for option in reversed(_OF_LABELS):
        command = option(command)
    return table_options(command)


def check_not_written(files: Iterable[str], made: Iterable[Path]) -> None:
    """Refuse a file that the results would be written over."""
    targets = {*map(os.path.realpath, made)}
    for file in files:
        if os.path.realpath(file) in targets:
            raise click.BadParameter(f"{file} would be written over.", param_hint="--output")


def table_file(file: str, options: dict[str, Any]) -> TableFile:
    """The file that a user gives with these options."""
    from coassoc.tables.label_files import TableFile

    return TableFile(file, spelled="--{} {}", **options)


def read_ensemble(source: TableFile) -> tuple[Ensemble, dict[int, str]]:
    """The base clusterings in a file, or in standard input where it is "-".

    Samples without any label are set aside: their places in the file, and their names.
    """
    from coassoc.ensemble import Ensemble
    from coassoc.tables.label_files import open_table

    labels, unlabelled = open_table(source).labels().split()
    check_several(labels.clusterings, source.file)
    if unlabelled:
        told = f"{len(unlabelled)} samples have no label at all, and are left out"
        click.echo(f"{source.file}: {told}.", err=True)
    return Ensemble.from_labels(labels), unlabelled


def check_several(clusterings: Sequence[Any], file: str) -> None:
    """Refuse a single clustering, which would be its own consensus."""
    from coassoc.errors import DataError

    if len(clusterings) < 2:
        raise DataError(
            f"{file}: {clusterings[0]!r} is the only clustering; two or more can be combined."
        )
