"""Files of graphs and lists of edges, as `coassoc communities` reads them."""

import pandas as pd
import pytest
from click.testing import CliRunner

from coassoc.command import program
from coassoc.errors import DataError
from coassoc.graphs import adjacency
from coassoc.io.networks import read_network
from coassoc.io.table import TableFile
from refusals import cases, refuses

igraph = pytest.importorskip("igraph", reason="pip install 'coassoc[cells]'")
networkx = pytest.importorskip("networkx")
NAMES = ["Ann", "Bob", "Zoë", "d & e"]
EDGES = [("Ann", "Bob", 1.5), ("Bob", "Zoë", 2.0), ("Zoë", "Ann", 1.0), ("Zoë", "d & e", 3.0)]


def written(folder, ending, directed=False, weight="weight"):
    """The same graph in a file of some format."""
    path = folder / f"graph{ending}"
    graph = (networkx.DiGraph if directed else networkx.Graph)()
    graph.add_nodes_from(NAMES)
    graph.add_edges_from((a, b, {weight: w}) for a, b, w in EDGES)
    if ending == ".net":
        networkx.write_pajek(graph, path)
    elif ending == ".gexf":
        networkx.write_gexf(graph, path)
    elif ending == ".graphml":
        networkx.write_graphml(graph, path)
    else:
        networkx.write_gml(graph, path)
    return path


def read(path, weight=None, undirected=False, **options):
    source = TableFile(str(path), spelled="--{}={}", **options)
    return read_network(source, weight, undirected)


def edges_of(graph):
    ends = ([*sorted(graph.vs[end]["name"] for end in edge.tuple)] for edge in graph.es)
    return {(*pair, weight) for pair, weight in zip(ends, graph.es["weight"], strict=True)}


@pytest.mark.parametrize("ending", [".graphml", ".gml", ".gexf", ".net"])
def test_all_formats_give_the_same_graph_and_directed_ones_are_refused_or_joined(tmp_path, ending):
    graph, line = read(written(tmp_path, ending))
    expected = {(*sorted(edge[:2]), edge[2]) for edge in EDGES}
    # networkx writes other letters than ASCII as entities into GML
    spelled = {"Zo&#235;": "Zoë", "d &amp; e": "d & e", "d &#38; e": "d & e"}
    graph.vs["name"] = [spelled.get(name, name) for name in graph.vs["name"]]
    assert edges_of(graph) == {(*sorted(edge[:2]), edge[2]) for edge in expected}
    assert "4 nodes and 4 edges; nodes named by" in line and "weights from 'weight'" in line
    path = written(tmp_path, ending, directed=True)
    refuses(DataError, r"the graph is directed.* Pass --undirected", read, path)
    assert read(path, undirected=True)[0].ecount() == 4


def test_weights_are_an_attribute_that_is_told(tmp_path):
    path = written(tmp_path, ".graphml", weight="calls")
    graph, line = read(path)
    assert {*graph.es["weight"]} == {1.0}
    assert "edges without weights (attributes of the edges: calls" in line
    assert sorted(read(path, weight="calls")[0].es["weight"]) == [1, 1.5, 2, 3]
    with pytest.raises(DataError, match=r"'cals' is not an attribute of the edges .did you mean"):
        read(path, weight="cals")
    path.write_text(path.read_text().replace(">2.0<", ">nan<"))
    with pytest.raises(DataError, match="the edge of 'Bob' and 'Zoë' has nan for 'calls'"):
        read(path, weight="calls")


def test_lists_of_edges_keep_names_and_weights(tmp_path):
    table = pd.DataFrame(EDGES, columns=["from", "to", "calls"])
    path = tmp_path / "edges.csv"
    table.assign(year=1).to_csv(path, index=False)
    refuses(DataError, r"there are 4 columns, from, to, calls, year\. Pass --col", read, path)
    graph, line = read(path, columns=("from", "to", "calls"))
    assert edges_of(graph) == {(*sorted(edge[:2]), edge[2]) for edge in EDGES}
    assert "weights from column 'calls'" in line
    plain = tmp_path / "edges.txt"
    plain.write_text("# a b\n7 9\n9 8\n8 7\n7 9\n8 8\n")
    refuses(DataError, r"the first line is 7, 9\. Pass --header=false if it", read, plain)
    graph, line = read(plain, header=False)
    assert graph.vs["name"] == ["7", "9", "8"] and graph.ecount() == 5
    assert "1 loop ignored; 1 repeated edge added" in line
    assert adjacency(graph).toarray().tolist() == [[0, 2, 1], [2, 0, 1], [1, 1, 0]]


@cases(
    "name, content, options, said",
    ("e.csv", "from,to,w\na,b,1\nb,c,\n", {}, "row 3 has the weight nan"),
    ("e.csv", "from,to,w\na,b,1\nb,c,-2\n", {}, "row 3 has the weight -2"),
    ("e.csv", "from,to,w\na,b,1\nb,c,x\n", {}, "column 'w' has 'x', which is not a number"),
    ("e.csv", "from,to\na,b\n,c\n", {}, "row 3 has no node in column 'from'. Fill it"),
    ("e.csv", "ann,bob\nbob,zoe\n", {}, "the first line is ann, bob. Pass --header=false"),
    ("e.csv", "from,to\na,b\n", {"weight": "w"}, "--weight is for files of graphs"),
    ("e.graphml", "<graphml>", {}, "cannot read this file"),
    ("e.gexf", "<gexf><graph/>", {}, "cannot read this file"),
    ("e.gml", "graph [ node [ id 1 ] ]", {"header": True}, "--header=… is for"),
    (
        "e.gexf",
        '<gexf><graph><nodes><node id="a"/></nodes>'
        '<edges><edge source="a" target="b"/></edges></graph></gexf>',
        {},
        "an edge ends at 'b', which is no node",
    ),
)
def test_what_is_no_graph_is_refused(tmp_path, name, content, options, said):
    path = tmp_path / name
    path.write_text(content)
    refuses(DataError, said, read, path, **options)
    refuses(DataError, "file not found", read, tmp_path / f"none{path.suffix}")


def test_the_command_writes_a_page_and_the_nodes(tmp_path):
    graph = networkx.planted_partition_graph(4, 12, 0.8, 0.03, seed=1)
    graph.graph.clear()  # its partition is a list, which GraphML cannot hold
    path = tmp_path / "planted.graphml"
    networkx.write_graphml(networkx.relabel_nodes(graph, "node {}".format), path)
    done = CliRunner().invoke(program, ["communities", str(path), "-o", str(tmp_path)])
    assert done.exit_code == 0 and "Stable communities at resolution" in done.output
    table = pd.read_csv(tmp_path / "communities.csv")
    assert table["node"].tolist() == [f"node {i}" for i in graph]
    group = table["node"].str.removeprefix("node ").astype(int) // 12
    assert pd.crosstab(group, table["community"]).gt(0).sum().tolist() == [1] * 4
    assert table["certainty"].between(0.5, 1).all()
    page = (tmp_path / "communities.html").read_text()
    assert "Stable communities" in page and "Communities at resolution" in page
    weak = tmp_path / "edges.csv"
    noise = networkx.gnp_random_graph(60, 0.1, seed=1)
    weak.write_text("from,to\n" + "".join(f"{a},{b}\n" for a, b in noise.edges))
    done = CliRunner().invoke(program, ["communities", str(weak), "-o", str(tmp_path)])
    assert done.exit_code == 0 and done.output.count("No stable communities: ") == 1
    assert pd.read_csv(tmp_path / "communities.csv")["community"].isna().all()


def test_nodes_are_named_by_the_first_attribute_that_tells_them_apart(tmp_path):
    graph = igraph.Graph([(0, 1), (1, 2)])
    for attributes, names, said in (
        ({"name": ["a", "b", "c"], "label": ["x", "y", "z"]}, ["a", "b", "c"], "named by 'name'"),
        ({"name": ["a", "a", "c"], "label": ["x", "y", "z"]}, ["x", "y", "z"], "named by 'label'"),
        ({"name": ["a", "", "c"], "label": ["x", "x", "x"]}, ["n0", "n1", "n2"], "named by 'id'"),
        ({"label": [1.0, 2.5, 3.0]}, ["1", "2.5", "3"], "named by 'label'"),
    ):
        for attribute in graph.vs.attributes():
            del graph.vs[attribute]
        for name, values in attributes.items():
            graph.vs[name] = values
        graph.write_graphml(str(tmp_path / "g.graphml"))
        found, line = read(tmp_path / "g.graphml")
        assert found.vs["name"] == names and said in line
    (tmp_path / "g.net").write_text("*Vertices 2\n*Edges\n1 2\n")
    found, line = read(tmp_path / "g.net")
    assert found.vs["name"] == ["1", "2"] and "nodes numbered from 1" in line


GEXF = """<gexf><graph {}><nodes><node id="a"/><node id="b"/><node id="c"/></nodes>
<edges><edge source="a" target="b"{}/><edge source="b" target="c" weight="2.5"/></edges>
</graph></gexf>"""


@cases(
    "usual, edge, directed",
    ("", "", False),
    ('defaultedgetype="undirected"', ' type="directed"', True),
    ('defaultedgetype="directed"', "", True),
    ('defaultedgetype="mutual"', ' type="undirected"', True),  # the other edge,
)
def test_edges_of_gephi_have_weight_one_and_the_usual_direction(tmp_path, usual, edge, directed):
    path = tmp_path / "g.gexf"
    path.write_text(GEXF.format(usual, edge))
    if directed:
        refuses(DataError, "the graph is directed", read, path)
    graph, line = read(path, undirected=directed)
    assert edges_of(graph) == {("a", "b", 1.0), ("b", "c", 2.5)} and "weights from" in line


def test_weights_of_arcs_between_the_same_nodes_are_added(tmp_path):
    arcs = networkx.DiGraph()
    edges = [("a", "b", 1.5), ("b", "a", 2.0), ("b", "c", 1.0), ("c", "c", 7.0)]
    arcs.add_weighted_edges_from(edges)
    networkx.write_gml(arcs, tmp_path / "g.gml")
    graph, line = read(tmp_path / "g.gml", undirected=True)
    assert "1 loop ignored; 1 repeated edge added to the first" in line
    assert adjacency(graph).toarray().tolist() == [[0, 3.5, 0], [3.5, 0, 1], [0, 1, 0]]
