"""The command ``coassoc cluster``."""

from pathlib import Path
from typing import Any

import click

from coassoc.command.tables import (
    check_not_written,
    measurement_options,
    output_option,
    seed_option,
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
@click.option(
    "--medoid",
    is_flag=True,
    help=(
        "Choose the candidate that agrees most with all algorithms, not the one that the scorer "
        "predicts to be best. Needs -k."
    ),
)
@seed_option
@output_option
def command(
    table: str,
    n_clusters: int | None,
    noise: bool,
    medoid: bool,
    seed: int,
    output: str,
    **options: Any,
) -> None:
    """Cluster the samples in the measurements in TABLE: many algorithms, one answer.

    Sixteen algorithms cluster the measurements as they are and standardised. Candidates are their
    clusterings and consensus partitions of them, and a scorer that was trained on synthetic data
    predicts which candidate is nearest to the classes. If another candidate differs and scores
    nearly as high, the command shows it as well.

    The command writes the report cluster.html and the table cluster.csv with the cluster and
    confidence of each sample. To ask whether there are groups at all, use coassoc subtypes; to
    combine clusterings that you have, use coassoc consensus.
    """
    from coassoc.answer.clusterer import EnsembleClusterer
    from coassoc.command.subtypes import read_measurements
    from coassoc.pages.cluster import conclusion, files_of_cluster, write_cluster

    if medoid and n_clusters is None:
        raise click.UsageError("--medoid needs -k. Add -k.")
    folder = Path(output)
    check_not_written([table], files_of_cluster(folder))
    measured, steps = read_measurements(table, options)
    clusterer = EnsembleClusterer(
        n_clusters, method="medoid" if medoid else None, noise=noise, random_state=seed
    )
    clusterer.fit(measured.X)
    paths = write_cluster(folder, clusterer, measured, Path(table).name, steps)
    click.echo(f"{conclusion(clusterer)}\n\n{' '.join(map(str, paths))}")
