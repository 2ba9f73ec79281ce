"""The command ``coassoc cluster``."""

from pathlib import Path
from typing import Any

import click

from coassoc.command.tables import (
    check_not_written,
    measurement_options,
    output_option,
    progress_removed,
    seed_option,
    show_step,
)

_EXAMPLES = """\b
Examples:
  coassoc cluster measurements.csv --id first --samples rows -k 5 -o results
  coassoc cluster genes.csv --samples columns --log --most-variable 5000
"""


@click.command(short_help="Cluster a table of measurements.", epilog=_EXAMPLES)
@click.argument("table")
@click.option(
    "-k",
    "--n-clusters",
    type=click.IntRange(min=1),
    metavar="NUMBER",
    help="Number of clusters. Default: the command compares 2 to 15.",
)
@measurement_options
@click.option("--noise", is_flag=True, help="Leave outliers without a cluster.")
@seed_option
@output_option
def command(
    table: str,
    n_clusters: int | None,
    noise: bool,
    seed: int,
    output: str,
    **options: Any,
) -> None:
    """Cluster the samples in the measurements in TABLE: many algorithms, one answer.

    Sixteen algorithms cluster the measurements as they are and standardised. Candidates are their
    clusterings and consensus partitions of them. The answer is the candidate that agrees most with
    the algorithms; without -k, among candidates with 2 to 15 clusters.

    The command writes the report cluster.html and the table cluster.csv with the cluster and
    confidence of each sample. To ask whether there are groups at all, use coassoc subtypes; to
    combine clusterings that you have, use coassoc consensus.
    """
    from coassoc.answer.clusterer import EnsembleClusterer
    from coassoc.command.subtypes import read_measurements
    from coassoc.pages.cluster import conclusion, files_of_cluster, write_cluster

    folder = Path(output)
    check_not_written([table], files_of_cluster(folder))
    measured, steps = read_measurements(table, options)
    clusterer = EnsembleClusterer(n_clusters, noise=noise, random_state=seed, report=show_step)
    with progress_removed():
        clusterer.fit(measured.X)
    paths = write_cluster(folder, clusterer, measured, Path(table).name, steps)
    click.echo(f"{conclusion(clusterer)}\n\n{' '.join(map(str, paths))}")
