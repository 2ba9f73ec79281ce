"""Pages on a consensus, a comparison of numbers and a tree, and their pictures."""

import io
import re

import numpy as np
import pandas as pd
import pytest

from coassoc.confidence import agreement_with_base, sample_confidence
from coassoc.consensus import Consensus, find_consensus
from coassoc.ensemble import Ensemble
from coassoc.io.labels import EncodedLabels
from coassoc.pages.consensus import write_consensus
from coassoc.pages.n_clusters import write_n_clusters
from coassoc.pages.pictures import plot_confidence, plot_consensus_matrix
from coassoc.pages.report import Section, write_report
from coassoc.pages.tree import plot_tree, write_tree
from coassoc.selection import CRITERIA, consensus_tree, select_n_clusters
from ensembles import noisy_copies, noisy_ensemble
from oracles.common import co_association

# -- CONSENSUS -------------------------------------------------------------------------------------

# A consensus and a comparison of numbers of clusters as files, and the pages on them.


LABELS = np.array([[0, 0, 0], [0, 0, 0], [0, 0, -1], [1, 1, 1], [1, 1, 1], [1, 0, 1]], np.int8)
FOUND = np.array([0, 0, 0, 1, 1, 1])
NAMES = ["a, b", 'say "k"', "<i>", "é", "$x", "plain"]


def known(base: Ensemble) -> Consensus:
    """A consensus without a method."""
    return Consensus(base, FOUND, sample_confidence(base, FOUND), None)


def test_the_page_holds_its_pictures_and_what_failed(tmp_path):
    labels = EncodedLabels(["p", "<b>$q$</b>"], LABELS[:, :2], np.array(NAMES, dtype=object))
    found = {"<LWEA>": find_consensus(Ensemble.from_labels(labels), 2)}
    failures = {"A": "skipped: labels < 0"}
    for name in ("one", "two"):
        write_consensus(tmp_path / name, found, "mine & yours", failures=failures)
    page = (tmp_path / "one.html").read_text()
    assert page == (tmp_path / "two.html").read_text() and page.count("data:image/png;base64,") == 2
    assert "<title>Consensus of mine &amp; yours</title>" in page
    assert "&lt;LWEA&gt;" in page and "<LWEA>" not in page
    nmi = agreement_with_base(found["<LWEA>"].ensemble, found["<LWEA>"].labels)[1]
    row = f'<td class="words">&lt;b&gt;$q$&lt;/b&gt;</td><td>2</td><td>0</td><td>{nmi:.3f}</td>'
    assert row in re.sub(r"\s*\n\s*", "", page) and "A: skipped: labels &lt; 0" in page
    assert not re.search(r"(src|href)=\"(?!data:)", page)


def test_missing_names_are_numbers(tmp_path, undrawn):
    write_consensus(tmp_path / "p", {"A": known(Ensemble(LABELS))}, "mine")
    assert pd.read_csv(tmp_path / "p.csv")["sample"].tolist() == [1, 2, 3, 4, 5, 6]


def test_a_line_for_each_number_says_which_criteria_choose_it(tmp_path):
    labels = np.random.default_rng(0).integers(0, 4, (40, 6))
    labels[0, 0] = -1
    found = select_n_clusters(labels, "LWEA", range(2, 5), n_draws=3)
    failures = {"DREC": "skipped: no"}
    write_n_clusters(tmp_path / "n", {"<LWEA>": found}, "mine & yours", failures)
    table = pd.read_csv(tmp_path / "n.csv").set_index("n_clusters")
    assert set(table["method"]) == {"<LWEA>"} and table.index.tolist() == [2, 3, 4]
    names = list(CRITERIA)
    assert np.allclose(table[names], found.criteria[names], rtol=1e-5)
    chosen = table["chosen by"].dropna()
    assert {x: c for c, names in chosen.items() for x in names.split(", ")} == found.chosen
    page = (tmp_path / "n.html").read_text()
    assert "How many clusters? mine &amp; yours" in page
    assert "&lt;LWEA&gt;" in page and "DREC: skipped: no" in page
    assert "Numbers of clusters by criterion: PAC" in page
    assert page.count(" *</td>") == len(CRITERIA) and page.count("data:image/png;base64,") == 1
    assert not re.search(r"(src|href)=\"(?!data:)", page)


@pytest.mark.parametrize(("columns", "folded"), [(30, 0), (31, 1)])
def test_long_tables_are_folded(tmp_path, undrawn, columns, folded):
    labels = np.random.default_rng(0).integers(0, 3, (40, columns))
    found = Consensus(Ensemble(labels), labels[:, 0], np.ones(len(labels)), None)
    write_consensus(tmp_path / "p", {"A": found}, "mine")
    assert (tmp_path / "p.html").read_text().count("<details>") == folded


def test_columns_without_values_are_left_out(tmp_path):
    table = pd.DataFrame({"a": ["", None], "b": np.nan, "c": [False, False], "d": [0.0, np.nan]})
    write_report(tmp_path / "p.html", "title", [Section(table=table)])
    page = (tmp_path / "p.html").read_text()
    assert re.findall(r"<th[^>]*>(\w)</th>", page) == ["c", "d"] and page.count("<td") == 4


# -- PICTURES --------------------------------------------------------------------------------------

# Pictures of a consensus: what is drawn where, and that it is drawn for many samples.


@pytest.fixture(scope="module")
def shuffled():
    """Base clusterings of four classes in random order, and the classes."""
    order = np.random.default_rng(0).permutation(120)
    return Ensemble(noisy_ensemble(120, 8, 4, seed=1)[order]), np.repeat(np.arange(4), 30)[order]


def test_matrix_is_the_ordered_co_association(shuffled):
    ensemble, y = shuffled
    axis = plot_consensus_matrix(ensemble, y).axes[0]
    order = np.lexsort((-sample_confidence(ensemble, y), y))
    expected = co_association(ensemble.labels)[np.ix_(order, order)]
    np.testing.assert_allclose(axis.images[0].get_array(), expected)
    assert len(axis.lines) == 2 * 3 and axis.get_title() == "4 clusters"


def test_pairs_that_never_met_are_no_number():
    labels = np.array([[0, -1], [0, -1], [-1, 0], [-1, 1], [0, 0]])
    drawn = plot_consensus_matrix(Ensemble(labels), [0, 0, 1, 1, 1]).axes[0].images[0].get_array()
    assert np.ma.count_masked(np.ma.masked_invalid(drawn)) == 2 * 2 * 2


def test_a_single_base_clustering_and_a_single_cluster_are_drawn():
    matrix = plot_consensus_matrix(Ensemble([[0], [0], [1]]), [0, 0, 0])
    assert matrix.axes[0].get_title() == "1 cluster"
    plot_confidence([0, 0, 0], np.ones(3))
    many = Ensemble(np.repeat(np.arange(3), 400)[:, None])
    picture = plot_consensus_matrix(many, np.repeat(np.arange(3), 400)).axes[0].images[0]
    assert picture.get_array().shape == (400, 400)


# -- TREE PAGES ------------------------------------------------------------------------------------

# The page on a tree of clusters, its files and its pictures.


def test_files_have_the_numbers_of_the_tree(tmp_path):
    labels, _ = noisy_copies(90, 8, 3, 0.15, seed=2)
    labels = labels.astype(np.int8)
    labels[4] = -1  # a sample without any label
    names = np.array([f"s<{i}>" for i in range(90)], dtype=object)
    labels, _ = EncodedLabels([*"abcdef", "$g$", "<h>"], labels, names).split()
    tree = consensus_tree(Ensemble.from_labels(labels), n_draws=99)
    _, splits, clusters = write_tree(tmp_path / "t", tree, "mine & yours")
    splits = pd.read_csv(splits, index_col="cluster", dtype={"cluster": str})
    np.testing.assert_allclose(splits["height"], tree.splits["height"], rtol=1e-5)
    np.testing.assert_allclose(splits["p_tree"], tree.splits["p_tree"], rtol=1e-5)
    assert splits["kept"].tolist() == tree.splits["kept"].tolist()
    clusters = pd.read_csv(clusters, dtype=str)
    assert len(clusters) == 89 and "s<4>" not in set(clusters["sample"])
    assert clusters["cluster"].astype(int).tolist() == (tree.labels + 1).tolist()
    # The name of a finest cluster leads to the kept one around it.
    for _, inside in clusters.groupby("finest cluster"):
        assert inside["cluster"].nunique() == 1


def test_verdicts_and_pictures_where_there_is_little_to_show():
    chance = consensus_tree(np.random.default_rng(5).integers(0, 3, (40, 6)), n_draws=99)
    assert chance.verdict.startswith("The base clusterings agree no more than expected by chance")
    assert chance.verdict.endswith("The tree keeps 0 splits, which leads to 1 cluster.")
    one = consensus_tree(Ensemble(np.zeros((9, 2), dtype=int)))
    assert one.verdict == "There is one cluster, and no part of it is large enough to split off."
    for tree in (chance, one):
        plot_tree(tree).savefig(io.BytesIO())
