"""Communities of graphs, their consensus, and whether they are stable.

The package igraph comes with the extra ``[cells]``; networkx is never imported.
"""

from coassoc.graphs.adjacency import adjacency as adjacency
from coassoc.graphs.adjacency import checked_resolutions as checked_resolutions
from coassoc.graphs.adjacency import igraph_of as igraph_of
from coassoc.graphs.adjacency import leiden as leiden
from coassoc.graphs.adjacency import rewired as rewired
from coassoc.graphs.consensus import GraphConsensus as GraphConsensus
from coassoc.graphs.consensus import description_length as description_length
from coassoc.graphs.consensus import edge_co_association as edge_co_association
from coassoc.graphs.consensus import graph_consensus as graph_consensus
from coassoc.graphs.stability import Communities as Communities
from coassoc.graphs.stability import communities as communities
