"""Options of commands that read a table of labels or measurements."""

from __future__ import annotations

import os
import re
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

if TYPE_CHECKING:
    from coassoc.ensemble import Ensemble
    from coassoc.io.labels import EncodedLabels
    from coassoc.io.table import TableFile


def _names(ctx: click.Context, option: click.Parameter, value: str | None) -> tuple[str, ...]:
    return () if value is None else tuple(name.strip() for name in value.split(","))


#: The seed of a command. scikit-learn accepts seeds up to 2³² − 1.
seed_option = click.option(
    "--seed", type=click.IntRange(0, 2**32 - 1), default=0, help="Seed of the random numbers."
)
#: Option for the folder of the results, in commands that write nothing else.
output_option = click.option(
    "-o",
    "--output",
    type=click.Path(file_okay=False),
    default=".",
    metavar="FOLDER",
    help="Folder for results.",
)
id_option = click.option(
    "--id",
    metavar="COLUMN",
    help=(
        'Column that names the samples, or "first" for the first column. A first column without a '
        "header is used automatically if all its values differ."
    ),
)
separator_option = click.option(
    "--separator",
    metavar="CHAR",
    help=(
        "Character between columns, or one of the words tab, space and semicolon. Default: a "
        "comma; for .tsv a tab; for .txt the separator found in the first line."
    ),
)
header_option = click.option(
    "--header", type=bool, metavar="BOOL", help="Whether the first line names the columns."
)


def _part(ctx: click.Context, option: click.Parameter, value: str | None) -> str | None:
    """The variable of a file; --layer and --obsm name one of .h5ad files."""
    if value is not None and ctx.params.get("variable") is not None:
        raise click.UsageError(
            "--variable, --layer and --obsm name an array each. Pass one of them."
        )
    if value is not None and option.name != "variable":
        value = f"{'layers' if option.name == 'layer' else 'obsm'}/{value}"
    return ctx.params.setdefault("variable", value) or value


_variable = click.option(
    "--variable",
    callback=_part,
    metavar="NAME",
    help='Array to read from .npz, .h5 or .mat files. Default: "labels", or "X" for measurements.',
)
_layer, _obsm = (
    click.option(f"--{name}", callback=_part, expose_value=False, metavar="NAME", help=what)
    for name, what in (
        ("layer", "Layer of an .h5ad file to read instead of X."),
        ("obsm", "Array of obsm of an .h5ad file to read instead of X, such as X_pca."),
    )
)
_missing = click.option(
    "--missing",
    multiple=True,
    metavar="VALUE",
    help=(
        "Value that marks a missing label or measurement, such as 0, unassigned or -999. May be "
        "repeated."
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
    type=click.Choice(["clustering", "members", "samples", "map"]),
    help=(
        "Content of each file of a folder or pattern such as 'runs/*/labels.tsv': one clustering "
        "of all samples, the members of one cluster on each line, all clusterings of some samples, "
        "or a map of labels (array, PNG or GeoTIFF; a single file may have several maps)."
    ),
)


def table_options(command: Callable[..., Any], *more: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options for :func:`table_file` to a command: the columns and format of a table."""
    options = (
        id_option,
        click.option(
            "--columns",
            callback=_names,
            metavar="A,B,…",
            help=(
                "Columns to read (names or patterns such as 'leiden_*'). Default: all columns "
                "except those of --id and --except."
            ),
        ),
        click.option(
            "--except",
            "without",
            callback=_names,
            metavar="A,B,…",
            help="Columns to ignore (names or patterns).",
        ),
        separator_option,
        header_option,
        click.option("--encoding", metavar="NAME", help="Encoding of a text file. Default: UTF-8."),
        click.option(
            "--sheet",
            metavar="NAME",
            help="Sheet of an Excel file to read, if the file has several sheets.",
        ),
    )
    for option in reversed((*options, *more)):
        command = option(command)
    return command


def label_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options of :func:`table_options` and those for tables of labels."""
    return table_options(command, _in, _missing, _variable, _each_file)


def measurement_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options of :func:`table_options`, those of measurements, and preprocessing."""
    preprocessing = (
        click.option(
            "--impute",
            type=click.Choice(["median", "mean", "knn"]),
            help="How to impute missing values. Default: missing values cause an error.",
        ),
        click.option(
            "--drop-empty", is_flag=True, help="Leave out features that are missing in all samples."
        ),
        click.option("--log", is_flag=True, help="Transform x to log2(x + 1)."),
        click.option(
            "--most-variable",
            type=click.IntRange(min=1),
            metavar="N",
            help="Keep the N features with the largest median absolute deviation.",
        ),
        click.option(
            "--centre",
            type=click.Choice(["median", "mean"]),
            help="Shift the median or mean of each feature to 0.",
        ),
        click.option(
            "--z-scores", is_flag=True, help="Scale features to mean 0 and standard deviation 1."
        ),
    )
    command = table_options(command, _missing, _variable, _layer, _obsm, *preprocessing)
    return click.option(
        "--samples",
        type=click.Choice(["rows", "columns"]),
        help="Whether samples are the rows or the columns. Required, except for .h5ad.",
    )(command)


def check_not_written(files: Iterable[str], outputs: Iterable[Path]) -> None:
    """Reject an output that would overwrite an input file."""
    targets = {*map(os.path.realpath, outputs)}
    for file in files:
        if os.path.realpath(file) in targets:
            message = f"The results would overwrite {file}. Choose another folder with -o."
            raise click.UsageError(message)


def reject(message: str, *names: str) -> None:
    """Raise an error if one of these parameters was passed; {0} stands for its option."""
    context = click.get_current_context()
    for parameter in context.command.params:
        source = context.get_parameter_source(parameter.name or "")
        if parameter.name in names and source is ParameterSource.COMMANDLINE:
            raise click.UsageError(message.replace("{0}", parameter.opts[-1]))


def table_file(file: str, options: dict[str, Any]) -> TableFile:
    """The file that a user describes with these options."""
    from coassoc.io.table import TableFile

    if options.get("each_file") and options["in_"] == "rows":
        raise click.UsageError(
            "--in rows does not work with --each-file, whose files have a sample in each row."
        )
    return TableFile(file, spelled="--{}={}", **options)


def show_progress(text: str) -> None:
    """Replace the last line of a terminal; an empty string removes it."""
    if sys.stderr.isatty():
        click.echo(f"\r{text}\033[K", err=True, nl=False)


#: Step → time and amount of its first report.
_STARTS: dict[str, tuple[float, int]] = {}


def show_step(step: str, done: int, total: int) -> None:
    """Replace the last line of a terminal by the progress of a step; the last one removes it.

    From 90 s on, the line has the time that remains at the mean speed of the step.
    """
    start, first = _STARTS.setdefault(step, (time.monotonic(), done))
    seconds = (time.monotonic() - start) / max(done - first, 1) * (total - done)
    left = f", about {seconds / 60:.0f} min left" if seconds >= 90 else ""
    show_progress(f"{step}: {done} of {total}{left}" if done < total else "")
    if done >= total:
        del _STARTS[step]  # the same step may begin again


@contextmanager
def progress_removed() -> Iterator[None]:
    """At the end of this context, also after an error, no line of progress is left."""
    try:
        yield
    finally:
        show_progress("")


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


def read_ensemble(
    source: TableFile, weights: dict[str, int] | None = None
) -> tuple[Ensemble, dict[int, str], str, Any]:
    """The base clusterings in a file, samples without any label, a description, and the classes.

    Samples without any label have their positions and names. `weights` says how often some
    clusterings count.
    """
    import numpy as np

    from coassoc.ensemble import Ensemble
    from coassoc.errors import did_you_mean
    from coassoc.io.display import count_of

    labels, unlabelled = read_labels(source).split()
    if unlabelled:
        message = f"leaving out {count_of(len(unlabelled), 'sample')} without any label"
        click.echo(f"{source.file}: {message}.", err=True)
    if weights:
        names = [*map(str, labels.clusterings)]
        for name in weights.keys() - {*names}:
            raise click.UsageError(
                f"--weight: {name!r} is not a clustering{did_you_mean(name, names)}."
            )
        labels = labels.repeated(np.array([weights.get(name, 1) for name in names]))
    return Ensemble.from_labels(labels), unlabelled, labels.line, labels.classes
