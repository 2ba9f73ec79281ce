"""Files of graphs: GraphML, GML, GEXF and Pajek, and lists of edges in tables."""

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple
from xml.etree import ElementTree

import numpy as np

from coassoc.errors import DataError, did_you_mean
from coassoc.io.display import count_of
from coassoc.io.features import numbers_in
from coassoc.io.files import check_options, open_table
from coassoc.io.labels import texts_in
from coassoc.io.table import STANDARD_INPUT, Table, TableFile, listed
from coassoc.io.text import TEXT, kind_of
from coassoc.io.untrusted import check_is_file, in_own_process

#: Suffixes of files of graphs, and the formats of igraph; igraph does not read GEXF.
GRAPHS = {".graphml": "graphml", ".gml": "gml", ".net": "pajek", ".paj": "pajek", ".gexf": ""}
#: Names of the two columns of nodes in the header of a list of edges.
_ENDS = {
    *("source", "target", "from", "to", "src", "dst", "ego", "alter"),
    *("node1", "node2", "node_1", "node_2", "u", "v"),
}
#: Attributes of nodes that name them: the first one whose values are complete and differ.
_NAMES = ("name", "label", "id")


class _Parts(NamedTuple):
    """The parts of a graph: ends of the edges, and attributes by their names."""

    directed: bool
    n: int
    edges: Any
    of_nodes: dict[str, list[Any]]
    of_edges: dict[str, list[Any]]


def read_network(
    source: TableFile, weight: str | None = None, undirected: bool = False
) -> tuple[Any, str]:
    """A graph in a file, and what was read.

    Parameters
    ----------
    source : TableFile
        A file of a graph (:data:`GRAPHS`), or a table with an edge in each row: two columns of
        nodes, and optionally a third one of weights.
    weight : str, optional
        Attribute of the edges with their weights, in files of graphs. Default: "weight", or weights
        of 1 if there is no such attribute.
    undirected : bool
        Whether the directions of a directed graph are ignored.

    Returns
    -------
    graph : igraph.Graph
        With the attributes ``name`` of the nodes and ``weight`` of the edges.
    line : str

    Raises
    ------
    DataError
        If the file cannot be read, or the graph is directed.
    """
    import igraph

    path = source.path
    if kind_of(path) in GRAPHS:
        check_is_file(path)
        text = ("id", "columns", "without", "separator", "header", "encoding", "sheet")
        check_options(source, [path], unused=text)
        parts = in_own_process(_parts_of, path)
        names, remark = _names(parts)
        weights, more = _weights(path, parts, weight)
    else:
        if weight is not None or undirected:
            option = "--undirected" if weight is None else "--weight"
            raise DataError(
                f"{path}: {option} is for files of graphs ({', '.join(GRAPHS)}). Leave out this "
                "option. In a table, the third column has the weights."
            )
        parts, names, weights, more = _edges_in(source)
        remark = "edges without directions"
    if parts.directed and not undirected:
        raise DataError(
            f"{path}: the graph is directed, and communities ignore directions. Pass --undirected "
            "to read each arc as an edge; the weights of arcs between the same nodes are added."
        )
    graph = igraph.Graph(parts.n, parts.edges)
    graph.vs["name"], graph.es["weight"] = names, weights
    ends = np.sort(np.reshape(parts.edges, (-1, 2)), axis=1)
    loops = int((ends[:, 0] == ends[:, 1]).sum())
    repeated = len(ends) - len(np.unique(ends, axis=0))
    line = (
        f"{path}: {count_of(parts.n, 'node')} and {count_of(len(ends), 'edge')}; {remark}; {more}"
    )
    line += f"; {count_of(loops, 'loop')} ignored" if loops else ""
    line += f"; {count_of(repeated, 'repeated edge')} added to the first" if repeated else ""
    return graph, line


def _parts_of(path: Path) -> _Parts:
    """The parts of a graph in a file, read by igraph; in a child process."""
    if kind_of(path) == ".gexf":
        return _gexf(path)
    import igraph

    graph = igraph.Graph.Read(str(path), format=GRAPHS[kind_of(path)])
    of_nodes = {name: graph.vs[name] for name in graph.vs.attributes()}
    of_edges = {name: graph.es[name] for name in graph.es.attributes()}
    return _Parts(graph.is_directed(), graph.vcount(), graph.get_edgelist(), of_nodes, of_edges)


def _gexf(path: Path) -> _Parts:
    """The parts of a graph in Gephi's XML."""
    parts: dict[str, list[dict[str, str]]] = {"graph": [], "node": [], "edge": []}
    for element in ElementTree.parse(path).iter():
        tag = element.tag.rpartition("}")[2]
        if tag in parts:
            parts[tag].append(dict(element.attrib))
    place = {node["id"]: i for i, node in enumerate(parts["node"])}
    for edge in parts["edge"]:
        for end in (edge["source"], edge["target"]):
            if end not in place:
                raise DataError(f"{path}: an edge ends at {end!r}, which is no node. Add the node.")
    usual = parts["graph"][0].get("defaultedgetype", "undirected")
    directed = any(edge.get("type", usual) != "undirected" for edge in parts["edge"])
    edges = [(place[edge["source"]], place[edge["target"]]) for edge in parts["edge"]]
    weights = [edge.get("weight") for edge in parts["edge"]]
    of_nodes = {name: [node.get(name) for node in parts["node"]] for name in ("label", "id")}
    # An edge without a weight has 1, according to the format.
    of_edges = {"weight": [w or "1" for w in weights]} if any(weights) else {}
    return _Parts(directed, len(place), edges, of_nodes, of_edges)


def _names(parts: _Parts) -> tuple[list[str], str]:
    """Names of the nodes, and the attribute from which they come."""
    for attribute in _NAMES:
        values = parts.of_nodes.get(attribute, [])
        # igraph reads numbers as floats
        texts = [f"{v:.15g}" if isinstance(v, float) else str(v or "") for v in values]
        if texts and all(texts) and len({*texts}) == len(texts):
            return texts, f"nodes named by {attribute!r}"
    return [*map(str, range(1, parts.n + 1))], "nodes numbered from 1"


def _weights(path: Path, parts: _Parts, weight: str | None) -> tuple[list[float], str]:
    """Weights of the edges, and the attribute from which they come."""
    known = [*parts.of_edges]
    if weight is None and "weight" not in known:
        others = f" (attributes of the edges: {listed(known)}; see --weight)" if known else ""
        return [1.0] * len(parts.edges), f"edges without weights{others}"
    name = weight or "weight"
    if name not in known:
        raise DataError(
            f"{path}: {name!r} is not an attribute of the edges{did_you_mean(name, known)}. The "
            f"attributes are {listed(known) or 'none'}. Pass one of them with --weight, or leave "
            "out --weight."
        )
    for (a, b), value in zip(parts.edges, parts.of_edges[name], strict=True):
        try:
            wrong = not np.isfinite(float(value))
        except (TypeError, ValueError):
            wrong = True
        if wrong:
            names = _names(parts)[0]
            raise DataError(
                f"{path}: the edge of {names[a]!r} and {names[b]!r} has {value!r} for {name!r}. "
                "Give each edge a finite number, or choose another attribute with --weight."
            )
    return [*map(float, parts.of_edges[name])], f"weights from {name!r}"


def _edges_in(source: TableFile) -> tuple[_Parts, list[str], list[float], str]:
    """A table with an edge in each row: the graph, names of the nodes, and weights."""
    table = _table(replace(source, comments=True))
    chosen = table.choose()[2]
    if len(chosen) not in (2, 3):
        raise table.error(
            f"there are {len(chosen)} columns, {listed([table.names[j] for j in chosen])}",
            f"Pass {table.say('columns', 'A,B')} for the two nodes of each edge, or "
            f"{table.say('columns', 'A,B,W')} with their weights",
        )
    ends = [texts_in(table, j) for j in chosen[:2]]
    for column, j in zip(ends, chosen, strict=False):
        if "" in column:
            where = table.sample(column.index(""))
            raise table.error(f"{where} has no node in column {table.names[j]!r}", "Fill it")
    weights = np.ones(len(ends[0]))
    more = "edges without weights"
    if len(chosen) == 3:
        weights, name = numbers_in(table, chosen[2:])[:, 0], table.names[chosen[2]]
        more = f"weights from column {name!r}"
        wrong = np.flatnonzero(~(weights >= 0))
        if len(wrong):
            raise table.error(
                f"{table.sample(int(wrong[0]))} has the weight {weights[wrong[0]]:g}",
                "Weights must be numbers of at least 0. Choose other columns with "
                + table.say("columns", "A,B"),
            )
    names = [*Counter(name for edge in zip(*ends, strict=True) for name in edge)]
    place = {name: i for i, name in enumerate(names)}
    edges = [(place[a], place[b]) for a, b in zip(*ends, strict=True)]
    return _Parts(False, len(names), edges, {}, {}), names, weights.tolist(), more


def _table(source: TableFile) -> Table:
    """The table; the first line of a text has names of columns only if that is certain."""
    if source.header is not None or (
        source.path is not STANDARD_INPUT and kind_of(source.path) not in (*TEXT, ".xlsx")
    ):
        return open_table(source)
    table = open_table(replace(source, header=True))
    if {name.lower() for name in table.names[:2]} <= _ENDS:
        return table
    raise table.error(
        f"the first line is {listed(table.names)}",
        f"Pass {source.say('header', 'false')} if it is an edge, or {source.say('header', 'true')} "
        "if it names the columns",
    )
