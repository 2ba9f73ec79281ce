"""The command ``coassoc posterior``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from coassoc.command.tables import (
    check_not_written,
    header_option,
    id_option,
    output_option,
    seed_option,
    separator_option,
)

_EXAMPLES = """\b
Examples:
  coassoc posterior draws.csv --draws rows --loss Binder -o results
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
    "-n",
    "--n-clusters",
    type=click.IntRange(min=1),
    help="Exact number of clusters, for the losses Binder and VI.",
)
@click.option(
    "--variable", help="Variable that holds the labels, in netCDF, Stan CSV or .npz files."
)
@click.option("--chain", help="Column that names the chain of each row, if draws are rows.")
@id_option
@separator_option
@header_option
@seed_option
@output_option
def command(
    files: tuple[str, ...],
    loss: Any,
    n_clusters: int | None,
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
    search = {"loss": loss, "n_clusters": n_clusters, "random_state": seed}
    draws = Draws.of(table.labels, few=True)
    estimate = point_estimate(draws, **search)
    written = write_posterior(stem, table, draws, estimate, 0.95, about, **search)
    click.echo(f"{estimate}\n\n{' '.join(map(str, written))}")
