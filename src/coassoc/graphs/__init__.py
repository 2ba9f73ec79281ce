"""Communities of graphs, their consensus, and whether they are stable.

The package igraph comes with the extra ``[cells]``; networkx is never imported.
"""

from coassoc.graphs.adjacency import (
    adjacency,
    checked_resolutions,
    igraph_of,
    leiden,
    rewired,
)
from coassoc.graphs.consensus import (
    GraphConsensus,
    description_length,
    edge_co_association,
    graph_consensus,
)
from coassoc.graphs.stability import Communities, communities

__all__ = [
    "Communities",
    "GraphConsensus",
    "adjacency",
    "checked_resolutions",
    "communities",
    "description_length",
    "edge_co_association",
    "graph_consensus",
    "igraph_of",
    "leiden",
    "rewired",
]
