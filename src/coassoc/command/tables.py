"""Options by which commands read a table of labels."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from coassoc.ensemble import Ensemble


def _names(ctx: click.Context, option: click.Parameter, value: str | None) -> tuple[str, ...]:
    return () if value is None else tuple(name.strip() for name in value.split(","))


_OPTIONS = (
    click.option("--id", help='Column that names the samples; "first" for the first one.'),
    click.option(
        "--columns",
        callback=_names,
        metavar="A,B,…",
        help="Columns that are clusterings; by default all but that of the names.",
    ),
    click.option("--separator", metavar="CHAR", help="Of a text file: a comma, for .tsv a tab."),
    click.option(
        "--header", type=bool, metavar="BOOL", help="Whether a text file names its columns."
    ),
    click.option(
        "--variable", default="labels", show_default=True, help="Array in .npz, .h5 or .mat."
    ),
)


def table_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the options that :func:`read_ensemble` takes."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def read_ensemble(file: str, options: dict[str, Any]) -> tuple[Ensemble, dict[int, str]]:
    """The base clusterings in a file, or in standard input where it is "-".

    Samples without any label are set aside: their places in the file, and their names.
    """
    from coassoc.ensemble import Ensemble
    from coassoc.tables.label_files import LabelFile, open_table

    source = LabelFile(file, spelled="--{} {}", **options)
    labels, unlabelled = open_table(source).labels(source.id, columns=source.columns).split()
    return Ensemble.from_labels(labels), unlabelled
