"""The command ``coassoc posterior``."""

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
  coassoc posterior chain-1.csv chain-2.csv --variable z --burn-in 500
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
    help="Loss whose posterior expectation the partition minimises.",
)
@click.option("-n", "--n-clusters", type=click.IntRange(min=1), help="Exact number of clusters.")
@click.option(
    "--a",
    type=click.FloatRange(0, 2),
    default=1.0,
    help=(
        "Cost of separating two items that a draw joins, for the losses Binder and VI. The "
        "opposite mistake costs 2 - a."
    ),
)
@click.option("--max-clusters", type=click.IntRange(min=1), help="Largest number of clusters.")
@click.option(
    "--starts",
    "n_starts",
    type=click.IntRange(min=1),
    default=40,
    help="Largest number of starts of the search.",
)
@click.option(
    "--seconds",
    type=click.FloatRange(min=0),
    help="Time limit of the search. Results then depend on the machine.",
)
@click.option(
    "--level",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.95,
    help="Probability of the credible ball and of the items that are jointly certain.",
)
@click.option(
    "--representatives",
    type=click.IntRange(min=2),
    default=2,
    help="Number of partitions that represent a posterior with several modes.",
)
@click.option(
    "--burn-in",
    type=click.IntRange(min=0),
    default=0,
    help="Number of first draws of each chain to leave out.",
)
@click.option(
    "--thin", type=click.IntRange(min=1), default=1, help="Keep every N-th draw.", metavar="N"
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
    a: float,
    n_clusters: int | None,
    max_clusters: int | None,
    n_starts: int,
    seconds: float | None,
    level: float,
    representatives: int,
    burn_in: int,
    thin: int,
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
    cluster, and its clusters at the bounds of the credible ball and in the representative
    partitions. posterior_similarity.csv lists the
    fraction of draws in which two items share a cluster. posterior_clusters.csv lists the
    probability of each number of clusters.
    """
    from coassoc.io.chains import read_draws
    from coassoc.pages.posterior import files_of_posterior, write_posterior
    from coassoc.posterior import Draws, convergence, point_estimate

    stem = Path(output) / "posterior"
    check_not_written(files, files_of_posterior(stem))
    table = read_draws(files, **source).after(burn_in, thin)
    about = f"{', '.join(Path(file).name for file in files)}: {table.line}"
    click.echo(f"{about}.", err=True)
    draws = Draws.of(table.labels, chains=table.chains, names=table.items, few=True)
    estimate = point_estimate(
        draws, loss, a, max_clusters, n_starts, seed, n_clusters=n_clusters, seconds=seconds
    )
    chains = convergence(draws, estimate.labels, representatives, seed)
    written = write_posterior(stem, draws, estimate, chains, level, about)
    click.echo(f"{chains}\n{estimate}\n\n{' '.join(map(str, written))}")
