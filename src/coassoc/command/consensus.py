"""The command ``coassoc consensus``."""

from __future__ import annotations

import click


@click.command(short_help="Combine the clusterings in a file.")
@click.argument("labels", type=click.Path(exists=True, dir_okay=False))
@click.option("-k", "n_clusters", type=click.IntRange(1), required=True, help="Clusters wanted.")
@click.option("-m", "--method", default="LWEA", show_default=True, help="See coassoc methods.")
@click.option("--id", help='Column that names the samples; "first" for the first one.')
def command(labels: str, n_clusters: int, method: str, id: str | None) -> None:
    """Combine the clusterings in the file LABELS, a row per sample and a column per clustering."""
    from coassoc.consensus import find_consensus
    from coassoc.pools.label_files import LabelFile, open_table

    found = find_consensus(open_table(LabelFile(labels)).labels(id=id).labels, n_clusters, method)
    click.echo(found.table.to_csv(index_label="sample"), nl=False)
