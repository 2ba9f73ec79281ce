"""Options of commands that read a table of labels or measurements."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from coassoc.ensemble import Ensemble
    from coassoc.io.labels import EncodedLabels
    from coassoc.io.table import TableFile


def _names(ctx: click.Context, option: click.Parameter, value: str | None) -> tuple[str, ...]:
    return () if value is None else tuple(name.strip() for name in value.split(","))


#: The seed of a command. scikit-learn accepts seeds up to 2³² − 1.
seed_option = click.option(
    "--seed",
    type=click.IntRange(0, 2**32 - 1),
    default=0,
    show_default=True,
    help="Seed of the random numbers.",
)
#: Option for the folder of the results, in commands that write nothing else.
output_option = click.option(
    "-o", "--output", default=".", show_default=True, metavar="FOLDER", help="Folder for results."
)
header_option = click.option(
    "--header", type=bool, metavar="BOOL", help="Whether the first line names the columns."
)
#: Options for the columns of any table and for its format.
_OF_TABLES = (
    click.option(
        "--id",
        metavar="COLUMN",
        help=(
            'Column that names the samples, or "first" for the first column. A first column '
            "without a header is used automatically if all its values differ."
        ),
    ),
    click.option(
        "--columns",
        callback=_names,
        metavar="A,B,…",
        help=(
            "Columns to read (names or patterns such as 'leiden_*'). Default: all columns except "
            "those of --id and --except."
        ),
    ),
    click.option(
        "--except",
        "without",
        callback=_names,
        metavar="A,B,…",
        help="Columns to ignore (names or patterns).",
    ),
    click.option(
        "--separator",
        metavar="CHAR",
        help=(
            "Character between columns, or one of the words tab, space and semicolon. Default: a "
            "comma; for .tsv a tab; for .txt the separator found in the first line."
        ),
    ),
    header_option,
    click.option("--encoding", metavar="NAME", help="Encoding of a text file. Default: UTF-8."),
    click.option(
        "--sheet",
        metavar="NAME",
        help="Sheet of an Excel file to read, if the file has several sheets.",
    ),
)
_in = click.option(
    "--in",
    "in_",
    type=click.Choice(["rows", "columns"]),
    help=(
        "Whether the clusterings are the rows or the columns. Default: the columns. Required if "
        "there are more columns than rows. If the clusterings are rows, --id names them."
    ),
)
_each_file = click.option(
    "--each-file",
    type=click.Choice(["clustering", "members", "samples"]),
    help=(
        "Content of each file of a folder or pattern such as 'runs/*/labels.tsv': one clustering "
        "of all samples, the members of one cluster on each line, or all clusterings of some "
        "samples."
    ),
)


def table_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options for :func:`table_file` to a command."""
    for option in reversed(_OF_TABLES):
        command = option(command)
    return command


def label_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options of :func:`table_options` and those for tables of labels."""
    missing = _missing("Value that marks a missing label, such as 0 or unassigned.")
    return table_options(_in(missing(_variable("labels")(_each_file(command)))))


def measurement_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options of :func:`table_options` and those for tables of measurements."""
    missing = _missing("Value that marks a missing measurement, such as -999.")
    return table_options(missing(_variable("X")(command)))


def _missing(meaning: str) -> Callable[..., Any]:
    return click.option(
        "--missing", multiple=True, metavar="VALUE", help=f"{meaning} May be repeated."
    )


def _variable(default: str) -> Callable[..., Any]:
    return click.option(
        "--variable",
        metavar="NAME",
        help=f'Array to read from .npz, .h5 or .mat files. Default: "{default}".',
    )


def check_not_written(files: Iterable[str], outputs: Iterable[Path]) -> None:
    """Reject an output that would overwrite an input file, or whose folder is a file."""
    outputs = [*outputs]
    for folder in {folder for path in outputs for folder in path.parents}:
        if folder.is_file():
            raise click.BadParameter(
                f"{folder} is a file. Pass the name of a folder.", param_hint="--output"
            )
    targets = {*map(os.path.realpath, outputs)}
    for file in files:
        if os.path.realpath(file) in targets:
            raise click.BadParameter(
                f"The results would overwrite {file}. Choose another folder with -o.",
                param_hint="--output",
            )


def reject(message: str, options: Mapping[str, Any]) -> None:
    """Raise an error about the first of these options that was passed; {0} stands for its name.

    Options that were not passed are None or (). False is a value, such as that of --header.
    """
    for option in (option for option, value in options.items() if value not in (None, ())):
        raise click.UsageError(message.replace("{0}", option))


def table_file(file: str, options: dict[str, Any]) -> TableFile:
    """The file that a user describes with these options."""
    from coassoc.io.table import TableFile

    if not file:
        raise click.UsageError(
            "The name of the table is empty. Pass a file, or - for standard input."
        )
    if options.get("each_file"):
        reject(
            "{0} does not work with --each-file, whose files have a sample in each row. Leave out "
            "{0}.",
            {"--in rows": options["in_"] == "rows" or None},
        )
    return TableFile(file, spelled="--{} {}", **options)


def show_progress(text: str) -> None:
    """Replace the last line of a terminal; an empty string removes it."""
    if sys.stderr.isatty():
        click.echo(f"\r{text}\033[K", err=True, nl=False)


@contextmanager
def named_after(file: str, argument: str = "labels") -> Iterator[None]:
    """Inside this context, errors about an argument name the file."""
    from coassoc.errors import DataError

    try:
        yield
    except DataError as error:
        raise DataError(re.sub(f"^{argument}:", f"{file}:", str(error))) from error


def read_labels(source: TableFile) -> EncodedLabels:
    """The labels in a file, or in standard input for "-". A line says what was read."""
    from coassoc.io.files import open_table
    from coassoc.io.labels import labels_of

    labels = labels_of(open_table(source))
    click.echo(f"{labels.line}.", err=True)
    return labels


def read_ensemble(source: TableFile) -> tuple[Ensemble, dict[int, str], str]:
    """The base clusterings in a file, and a description.

    Samples without any label are returned separately, with their positions and names.
    """
    from coassoc.display import count_of
    from coassoc.ensemble import Ensemble

    labels, unlabelled = read_labels(source).split()
    check_several(labels.clusterings, source.file)
    if unlabelled:
        message = f"leaving out {count_of(len(unlabelled), 'sample')} without any label"
        click.echo(f"{source.file}: {message}.", err=True)
    return Ensemble.from_labels(labels), unlabelled, labels.line


def check_several(clusterings: Sequence[Any], file: str) -> None:
    """Reject a single clustering, because it would be its own consensus."""
    from coassoc.errors import DataError

    if len(clusterings) < 2:
        raise DataError(
            f"{file}: the only clustering is {clusterings[0]!r}. Pass at least two clusterings to "
            "combine."
        )
