"""The page on a tree of clusters, its files and its pictures."""

import io

import numpy as np
import pandas as pd
import pytest

from coassoc.ensemble import Ensemble
from coassoc.io.labels import EncodedLabels
from coassoc.pages.tree import plot_resolutions, plot_tree, write_tree
from coassoc.selection import consensus_tree
from ensembles import noisy_copies


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    labels, _ = noisy_copies(90, 8, 3, 0.15, seed=2)
    labels = labels.astype(np.int8)
    labels[4] = -1  # a sample without any label
    names = np.array([f"s<{i}>" for i in range(90)], dtype=object)
    labels, unlabelled = EncodedLabels([*"abcdef", "$g$", "<h>"], labels, names).split()
    tree = consensus_tree(Ensemble.from_labels(labels), n_draws=99)
    stem = tmp_path_factory.mktemp("tree") / "t"
    made = write_tree(stem, tree, "mine & yours", len(unlabelled))
    return tree, dict(zip(("page", "splits", "clusters"), made, strict=True))


def test_files_have_the_numbers_of_the_tree(written):
    tree, files = written
    splits = pd.read_csv(files["splits"], index_col="cluster", dtype={"cluster": str})
    np.testing.assert_allclose(splits["height"], tree.splits["height"], rtol=1e-5)
    np.testing.assert_allclose(splits["p_tree"], tree.splits["p_tree"], rtol=1e-5)
    assert splits["kept"].tolist() == tree.splits["kept"].tolist()
    clusters = pd.read_csv(files["clusters"], dtype=str)
    assert len(clusters) == 89 and "s<4>" not in set(clusters["sample"])
    assert clusters["cluster"].astype(int).tolist() == tree.labels.tolist()
    # The name of a finest cluster leads to the kept one around it.
    for _, inside in clusters.groupby("finest cluster"):
        assert inside["cluster"].nunique() == 1


def test_verdicts_and_pictures_where_there_is_little_to_show():
    chance = consensus_tree(np.random.default_rng(5).integers(0, 3, (40, 6)), n_draws=99)
    assert chance.verdict.startswith("The base clusterings agree no more than expected by chance")
    assert chance.verdict.endswith("This applies to 0 splits and gives 1 cluster.")
    one = consensus_tree(Ensemble(np.zeros((9, 2), dtype=int)))
    assert one.verdict == "There is one cluster, and no part of it is large enough to split off."
    for tree in (chance, one):
        for figure in (plot_tree(tree), plot_resolutions(tree)):
            figure.savefig(io.BytesIO())
