"""The command ``coassoc posterior``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from coassoc.command.tables import (
    check_not_written,
    header_option,
    output_option,
    seed_option,
)

if TYPE_CHECKING:
    from coassoc.posterior.losses import Loss

_EXAMPLES = """\b
Examples:
  coassoc posterior draws.csv --draws rows
  coassoc posterior draws.csv --draws rows --loss Binder -a 1.5 -o results
  coassoc posterior idata.nc --variable z
  coassoc posterior chain-1.csv chain-2.csv --variable z
"""
_LOSSES = ("Binder", "VI", "NVI", "ID", "NID", "omARI", "omARI.approx")


@click.command(short_help="Summarise posterior draws of partitions.", epilog=_EXAMPLES)
@click.argument("files", nargs=-1, required=True)
@click.option(
    "--draws",
    type=click.Choice(["rows", "columns"]),
    help="Whether draws are the rows of the table (as in salso and mcclust) or its columns.",
)
@click.option(
    "--loss",
    type=click.Choice(_LOSSES, case_sensitive=False),
    default="VI",
    show_default=True,
    help="Loss whose posterior expectation the partition minimises.",
)
@click.option(
    "-a",
    "a",
    type=click.FloatRange(0, 2),
    default=1.0,
    show_default=True,
    help=(
        "Cost of separating two items that a draw joins, for Binder and VI. Joining two items that "
        "a draw separates costs 2 − a."
    ),
)
@click.option(
    "--max-clusters",
    type=click.IntRange(min=1),
    help="Maximum number of clusters. Default: no limit.",
)
@click.option(
    "-n",
    "--n-clusters",
    type=click.IntRange(min=1),
    help="Exact number of clusters, for the losses Binder and VI. The command then chooses -a.",
)
@click.option(
    "--starts",
    type=click.IntRange(min=1),
    default=40,
    show_default=True,
    help="Maximum number of starting partitions from which to search for the best partition.",
)
@click.option(
    "--seconds",
    type=click.FloatRange(min=0),
    help=(
        "Time in seconds after which no new search starts and the current searches stop early. "
        "Default: no limit."
    ),
)
@click.option(
    "--level",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.95,
    show_default=True,
    help="Probability for the credible ball and the partial partition.",
)
@click.option(
    "--variable", help="Variable that holds the labels, in netCDF, Stan CSV or .npz files."
)
@click.option("--id", help='Column that names the rows, or "first" for the first column.')
@click.option("--chain", help="Column that names the chain of each row, if draws are rows.")
@click.option(
    "--separator",
    metavar="CHAR",
    help="Character between columns. Default: comma, or tab for .tsv.",
)
@header_option
@seed_option
@output_option
def command(
    files: tuple[str, ...],
    loss: Loss,
    a: float,
    max_clusters: int | None,
    n_clusters: int | None,
    starts: int,
    seconds: float | None,
    level: float,
    seed: int,
    output: str,
    **source: Any,
) -> None:
    """Summarise the draws of partitions in FILES: the partition to report and its uncertainty.

    FILES are tables in any format that coassoc consensus reads, Stan CSV files, netCDF files of
    ArviZ or PyMC, or .npy or .npz files. If you pass several files, each file is one chain. Missing
    labels cause an error.

    The command writes the report posterior.html and three tables. posterior.csv lists, for each
    item, its cluster in the partition with the smallest expected loss, the probability of this
    cluster, and its clusters at the bounds of the credible ball. posterior_similarity.csv lists the
    fraction of draws in which two items share a cluster. posterior_clusters.csv lists the
    probability of each number of clusters.
    """
    from coassoc.io.draws import read_draws
    from coassoc.pages.posterior import files_of_posterior, write_posterior
    from coassoc.posterior import Draws, point_estimate

    stem = Path(output) / "posterior"
    check_not_written(files, files_of_posterior(stem))
    table = read_draws(files, **source)
    about = f"{', '.join(Path(file).name for file in files)}: {table.line}"
    click.echo(f"{about}.", err=True)
    search: dict[str, Any] = {"loss": loss, "a": a, "max_clusters": max_clusters}
    search |= {"n_starts": starts, "random_state": seed}
    search |= {"n_clusters": n_clusters, "seconds": seconds}
    estimate = point_estimate(Draws.of_items(table.labels), **search)
    written = write_posterior(stem, table, estimate, level, about, **search)
    click.echo(f"{estimate}\n\n{' '.join(map(str, written))}")
