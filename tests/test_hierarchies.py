"""The consensus of hierarchies: cophenetic distances, majority-rule clusters, and who may join."""

import numpy as np
import pandas as pd
import pytest
from scipy.cluster.hierarchy import cophenet, linkage
from scipy.spatial.distance import squareform

from coassoc import ConfigError, DataError
from coassoc.hierarchies import consensus_hierarchy, cophenetic_distances, read_newick
from programs import coassoc
from refusals import cases, refuses


def trees(n=12, number=7, noise=0.4):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 3))
    return [linkage(X + noise * rng.normal(size=X.shape), "average") for _ in range(number)]


def newick(tree):
    """A linkage matrix as a Newick tree with lengths."""
    nodes = {i: (f"s{i}", 0.0) for i in range(len(tree) + 1)}
    for t, (a, b, height, _) in enumerate(tree):
        both = nodes[int(a)], nodes[int(b)]
        parts = [f"{text}:{float(height - below)!r}" for text, below in both]
        nodes[len(tree) + 1 + t] = f"({','.join(parts)})", height
    return nodes[2 * len(tree)][0] + ";"


@pytest.mark.parametrize("average", ["mean", "median"])
def test_distances_are_the_average_of_cophenetic_distances(average):
    given = trees()
    found = consensus_hierarchy(given, average)
    dense = getattr(np, average)([squareform(cophenet(tree)) for tree in given], axis=0)
    np.testing.assert_allclose(found.distances, dense)
    np.testing.assert_allclose(found.linkage, linkage(squareform(dense), "average"))


def test_majority_clusters_are_those_in_more_than_half_of_the_trees():
    given = trees()
    counts = {}
    for tree in given:
        members = {i: frozenset([i]) for i in range(12)}
        for t, (a, b, *_) in enumerate(tree):
            members[12 + t] = members[int(a)] | members[int(b)]
            counts[members[12 + t]] = counts.get(members[12 + t], 0) + 1
    expected = {cluster: k / 7 for cluster, k in counts.items() if k > 3.5}
    found = consensus_hierarchy(given)
    assert {frozenset(c): share for c, share in found.clusters} == pytest.approx(expected)
    # They are nested, so that the tree has them and no others.
    names, D = cophenetic_distances(found.newick)
    assert {frozenset(c) for c, _ in consensus_hierarchy([found.newick]).clusters} == {
        frozenset(names.index(str(i)) for i in c) for c in expected
    }
    assert D.max() > 0


def test_newick_trees_have_the_distances_of_their_dendrograms_in_any_order():
    given = trees()
    found = consensus_hierarchy([newick(tree) for tree in given])
    order = [found.names.index(f"s{i}") for i in range(12)]
    expected = consensus_hierarchy(given).distances
    np.testing.assert_allclose(found.distances[np.ix_(order, order)], expected)


def test_ties_are_one_cluster_and_names_may_be_quoted():
    text = "(('a;b',c,'it''s')0.9:2,[comment; here] d);\n"
    (names, D), second = read_newick(text + "(d,('a;b',c),'it''s')'root';")
    assert names == ["a;b", "c", "it's", "d"]
    assert D.tolist() == [[0, 1, 1, 3], [1, 0, 1, 3], [1, 1, 0, 3], [3, 3, 3, 0]]
    again = consensus_hierarchy([(names, D)])
    assert [c for c, _ in again.clusters] == [[0, 1, 2, 3], [0, 1, 2]]
    assert again.newick == "(('a;b',c,'it''s')1,d)1;"
    assert read_newick("((a:0,b:0):0,c:.5);")[0][1].tolist() == [[0, 0, 0.5]] * 2 + [[0.5, 0.5, 0]]
    assert read_newick(again.newick)[0][1].tolist() == (D - (D > 1)).tolist()
    # A cluster in half of the trees is not in most of them.
    assert [c for c, _ in consensus_hierarchy([(names, D), second]).clusters] == [[0, 1, 2, 3]]


def test_nested_columns_part_samples_by_levels():
    table = pd.DataFrame({"broad": [0, 0, 0, 1], "fine": [0, 0, 1, 2]}, list("wxyz"))
    names, D = cophenetic_distances(table)
    assert names == list("wxyz") and D[0].tolist() == [0, 0, 1, 2]
    with pytest.raises(DataError, match="samples 2 and 3 share a cluster in column 1 but not"):
        cophenetic_distances(np.array([[0, 0], [0, 0], [0, 1], [1, 1]]))


@cases(
    "given, told",
    ([], "hierarchies is empty"),
    (["((a,b),c);", "((a,b),d);"], "sample 'c' does not occur exactly once in each"),
    ([pd.DataFrame({"k": [0, 1]}, ["a", "a"])], "sample 'a' does not occur exactly once"),
    (["((a,b),c);((a,c),b);"], "a text has 2 Newick trees"),
    ([np.eye(4)], "an array of floats is not a SciPy linkage matrix"),
)
def test_what_is_no_hierarchy_is_refused(given, told):
    refuses(DataError, told, consensus_hierarchy, given)
    refuses(ConfigError, r"average is 'mode'\.", consensus_hierarchy, given, "mode")


@cases(
    "text, told",
    ("((a,b),c);\n(a b,c);", "2, character 4: 'b' stands where : or , or [)] must be"),
    ("((a,b),c;", "1, character 9: ';' stands where"),
    ("(a,b)),c);", "character 6: '[)]' stands where a name or : or ; must be"),
    ("(a,b)", "character 6: the text ends where a name or : or ; must be"),
    ("(a'b,c);", 'character 3: "\'" stands'),
    ("(a[b,c);", "character 3: '\\[' stands"),
    ("(a:1:2,b);", "character 5: ':' stands where , or [)]"),
    ("(a,,b);", "character 4: ',' stands where [(] or a name"),
    ("(a,a);", "character 4: the name 'a' occurs twice"),
    ("a;", "fewer than two samples"),
    ("\n", "2, character 1: the text ends where [(] or a name must be"),
    *((f"(a:{x},b);", f"character 4: the branch length '{x}'") for x in ("x", "-1", "1e400")),
)
def test_text_that_is_no_newick_is_refused_by_its_place(text, told):
    refuses(DataError, f"Newick tree: line .*{told}", read_newick, text)


def test_tree_reads_newick_trees(tmp_path):
    (tmp_path / "trees.nwk").write_text("((a,b),(c,d));\n((a,b),c,d);\n(((a,b),c),d);\n")
    words = ["tree", tmp_path / "trees.nwk", "-o", tmp_path]
    assert "3 trees of 4 samples" in coassoc(*words).stderr
    assert (tmp_path / "tree.nwk").read_text() == "((a,b)1,c,d)1;\n"
    assert pd.read_csv(tmp_path / "tree.csv")["members"].tolist() == ["a b c d", "a b"]
    for option in ("--id", "--seed"):
        assert f"{option} is for tables" in coassoc(*words, option, "1", code=2).stderr
    (tmp_path / "trees.nwk").write_text("((a,b),c;\n")
    assert "trees.nwk: line 1, character 9: ';' stands" in coassoc(*words, code=1).stderr


def test_the_program_joins_tables_with_nested_columns(tmp_path, undrawn):
    for name, fine in (("a", "001122"), ("b", "001123"), ("c", "012233")):
        levels = pd.DataFrame({"coarse": [*"000011"], "fine": [*fine]}, index=[*"uvwxyz"])
        (tmp_path / "in").mkdir(exist_ok=True)
        levels = levels.iloc[::-1].rename_axis("id")
        if name == "c":
            levels.reset_index().to_parquet(tmp_path / "in/c.parquet")
        else:
            levels.to_csv(tmp_path / f"in/{name}.csv", sep=";")
    words = ["tree", tmp_path / "in", "--nested", "--id", "id", "-o", tmp_path]
    assert "--sheet=… is for Excel" in coassoc(*words, "--sheet", "a", code=1).stderr
    coassoc(*words, "--separator", "semicolon")
    table = pd.read_csv(tmp_path / "tree.csv").set_index("members")["fraction of hierarchies"]
    found = {frozenset(members.split()): share for members, share in table.items()}
    assert [found[frozenset(each)] for each in ("uvwx", "wx", "yz")] == [1, 1, 1]
    assert found[frozenset("uv")] == pytest.approx(2 / 3, abs=1e-6)


def test_half_of_the_trees_are_no_majority_and_doubled_quotes_are_one():
    assert consensus_hierarchy(["((a,b),c,d);", "(a,b,(c,d));"]).newick == "(a,b,c,d)1;"
    assert read_newick("('it''s',b);")[0][0] == ["it's", "b"]
