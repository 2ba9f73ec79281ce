"""The command ``coassoc communities``."""

from pathlib import Path
from typing import Any

import click

from coassoc.command.tables import (
    check_not_written,
    named_after,
    output_option,
    progress_removed,
    seed_option,
    show_step,
    table_file,
    table_options,
)

_EXAMPLES = """\b
Examples:
  coassoc communities karate.gml
  coassoc communities friends.csv --columns from,to,messages -o results
  coassoc communities edges.txt --header false
"""


@click.command(short_help="Find stable communities of a graph.", epilog=_EXAMPLES)
@click.argument("graph")
@table_options
@click.option(
    "--weight",
    metavar="ATTRIBUTE",
    help='Attribute with the weights of the edges, in a file of a graph. Default: "weight".',
)
@click.option(
    "--undirected",
    is_flag=True,
    help="Read the arcs of a directed graph as edges, and add the weights of arcs between the "
    "same nodes.",
)
@seed_option
@output_option
def command(
    graph: str, weight: str | None, undirected: bool, seed: int, output: str, **table: Any
) -> None:
    """Find communities of the graph in the file GRAPH, and whether they are stable.

    GRAPH is a file in the format GraphML (.graphml), GML (.gml), GEXF (.gexf) or Pajek (.net,
    .paj), or a table with an edge in each row: two columns of nodes and, if there is a third, of
    weights. Leiden is run at several resolutions, with several seeds and without a tenth of the
    edges. Communities are stable if the runs agree, and agree more than on random graphs with the
    same degrees.

    The report communities.html shows the communities and the agreement at each resolution.
    communities.csv has the community of each node and its certainty, and
    communities_resolutions.csv the resolutions.
    """
    from coassoc.graphs import communities
    from coassoc.io.networks import read_network
    from coassoc.pages.communities import files_of_communities, write_communities

    stem = Path(output) / "communities"
    check_not_written([graph], files_of_communities(stem))
    read, line = read_network(table_file(graph, table), weight, undirected)
    click.echo(f"{line}.", err=True)
    with progress_removed(), named_after(graph, "graph"):
        found = communities(read, random_state=seed, report=show_step)
    paths = write_communities(stem, read, found, line)
    click.echo(f"{found.verdict}\n\n{' '.join(map(str, paths))}")
