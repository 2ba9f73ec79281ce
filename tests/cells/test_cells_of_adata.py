"""Clusterings of cells in an AnnData object, and Leiden's communities."""

import copy
import importlib.util
import re
import sys
from itertools import permutations
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure
from sklearn.datasets import load_digits
from sklearn.utils.estimator_checks import parametrize_with_checks

from coassoc import ConfigError, DataError, Ensemble, cells, find_consensus
from coassoc.confidence import memberships, sample_confidence
from coassoc.graphs import igraph_of, leiden
from coassoc.metrics import score_partition
from coassoc.pools.base_clusterings import Recipe, check_recipes
from coassoc.pools.generation import generate_pool
from coassoc.pools.leiden import Leiden, neighbor_graph
from coassoc.selection import consensus_tree
from ensembles import groups, noisy_ensemble
from refusals import refused

pytest.importorskip("leidenalg", reason="pip install 'coassoc[cells]'")
ANNDATA = importlib.util.find_spec("anndata") is not None
ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs/tutorials/cells.md"


class Cells:
    """What is used of an AnnData object, whose package cannot be had beside pandas 3."""

    def __init__(self, X):
        self.X = X
        self.obs = pd.DataFrame(index=[str(i) for i in range(len(X))])
        self.obs_names = self.obs.index
        self.obsm, self.obsp, self.uns = {}, {}, {}

    def copy(self):
        return copy.deepcopy(self)


@pytest.fixture
def adata():
    annotated = Cells(groups(n=120, d=5, seed=3)[0])
    for j, column in enumerate(noisy_ensemble(120, 8, 3, seed=0, noise=0.1).T):
        annotated.obs[f"leiden {j}"] = pd.Categorical(column.astype(str))
    return annotated


def test_a_consensus_is_written_where_scanpy_would(adata):
    columns = [name for name in adata.obs if name != "leiden 7"]
    ensemble = Ensemble(adata.obs, columns=columns)
    tree = consensus_tree(ensemble, random_state=2)
    made = cells.consensus(adata, columns, "splits", random_state=2, copy=True)
    assert "consensus" not in adata.obs and adata.uns == {}
    assert cells.consensus(adata, columns, "splits", random_state=2) is None
    for annotated in (adata, made):
        np.testing.assert_array_equal(annotated.obs["consensus"].astype(int), tree.labels)
        confidence, shares = (of(ensemble, tree.labels) for of in (sample_confidence, memberships))
        np.testing.assert_array_equal(annotated.obs["consensus_confidence"], confidence)
        np.testing.assert_array_equal(annotated.obsm["consensus_memberships"], shares)
        pd.testing.assert_frame_equal(annotated.uns["consensus"]["splits"], tree.splits)
        asked = {"columns": columns, "n_clusters": 3, "random_state": 2}
        assert annotated.uns["consensus"]["params"] == {**asked, "method": "consensus_tree"}


def test_clusters_keep_names_of_cells(adata):
    names = np.array(["B", "T", "NK"])
    cells.consensus(adata, [*adata.obs], 3)
    found = adata.obs["consensus"].astype(int).to_numpy()
    adata.obs["type"] = pd.Categorical(names[(found + 1) % 3])
    columns = [f"leiden {j}" for j in range(8)]
    earlier = pd.Series([*adata.obs["type"][20:], "NK"], index=[*adata.obs_names[20:], "gone"])
    for align_to in ("type", earlier):
        cells.consensus(adata, columns, 3, key_added="named", align_to=align_to)
        assert adata.obs["named"].tolist() == adata.obs["type"].tolist()
        assert adata.obs["named"].cat.categories.tolist() == ["B", "NK", "T"]
        shares = adata.obsm["named_memberships"]
        np.testing.assert_allclose(shares, adata.obsm["consensus_memberships"][:, [2, 1, 0]])
        assert adata.uns["named"]["summary"].startswith("3 of 3 clusters and ")
        assert adata.uns["named"]["alignment"]["samples"].sum() == 120 - 20 * (align_to is earlier)


@pytest.mark.parametrize(("c", "method"), [(4, "LWEA"), (None, "LOCALSEARCH")])
def test_a_method_is_asked_as_everywhere(adata, c, method):
    columns = list(adata.obs)
    cells.consensus(adata, columns, c, method, key_added="mine")
    expected = find_consensus(adata.obs[columns], c, method).labels
    np.testing.assert_array_equal(adata.obs["mine"].astype(int), expected)
    assert adata.uns["mine"]["params"]["method"] == method
    cells.consensus(adata, "leiden *", c, method, key_added="all")
    assert adata.uns["all"]["params"]["columns"] == columns


def test_leiden_over_resolutions_and_seeds(adata):
    adata.obsm["X_pca"] = adata.X
    names = cells.leiden(adata, (0.5, 2), 2, use_rep="X_pca", key_added="l")
    assert names == ["l_0.5_0", "l_0.5_1", "l_2_0", "l_2_1"]
    graph = neighbor_graph(adata.X, 15)
    for name, resolution, seed in zip(names, (0.5, 0.5, 2, 2), (0, 1, 0, 1), strict=True):
        expected = leiden(igraph_of(graph), resolution, seed)
        np.testing.assert_array_equal(adata.obs[name].astype(int), expected)
    assert adata.obs["l_2_0"].nunique() > adata.obs["l_0.5_0"].nunique()
    adata.obsp["connectivities"] = graph
    cells.leiden(adata, (2,), 1, key_added="scanpy")
    np.testing.assert_array_equal(adata.obs["scanpy_2_0"], adata.obs["l_2_0"])


#: Of any type, since some arguments have wrong types.
asked: Any = cells
PCA = {"use_rep": "X_pca"}
CHOSEN = ["leiden *"]
OF_NUMBERS = "It must be an integer from 1 to 120, or None"


def test_agreement_of_leaders_is_written(adata):
    columns = [*adata.obs]
    cells.consensus(adata, columns, 4, "LWEA", agreement=True)
    agreed = find_consensus(adata.obs[columns], 4, "LWEA", agreement=True).agreement
    np.testing.assert_allclose(adata.obs["consensus_agreement"], agreed.samples)
    assert adata.uns["consensus"]["verdict"] == agreed.verdict


@refused(
    (ConfigError, DataError),
    (lambda a: asked.consensus(a, ["leidne"], 3), "columns: 'leidne' is not a column"),
    (lambda a: asked.consensus(a, "leiden 0", 3), "'leiden 0', which is only one clustering"),
    (lambda a: asked.consensus(a, [], 3), "Choose the clusterings with columns=NAMES"),
    (lambda a: asked.consensus(a, CHOSEN, 3, align_to="t"), "align_to is 't'. .* leiden 0, "),
    (lambda a: asked.consensus(a, CHOSEN, 3, key_added="leiden 0"), "is one of the combined"),
    (lambda a: asked.consensus(a, CHOSEN, "split"), f"n_clusters is 'split'. {OF_NUMBERS}"),
    (lambda a: asked.leiden(a), r"Call scanpy.*neighbors, or pass the name of a"),
    (lambda a: asked.leiden(a, use_rep="X_umap"), "'X_umap'. It must be one of X, X_pca"),
    (lambda a: asked.leiden(a, use_rep="X_gap"), "'X_gap', which has missing or infinite"),
    (lambda a: asked.leiden(a, use_rep="X_none"), "'X_none', which is empty"),
    (lambda a: asked.resolutions(a, 1.0, **PCA), "resolutions is 1.0. It must be a sequence"),
    (lambda a: asked.leiden(a, (1, 1.0), **PCA), r"resolutions is \(1, 1.0\). It must"),
    (lambda a: asked.leiden(a, (1, 1.0000001), **PCA), "that differ in their first six digits"),
    (lambda a: asked.leiden(a, (1,), 0, **PCA), "n_seeds is 0. It must be at least 1"),
    (lambda a: asked.resolutions(a, (1,), 2, share=0.1, **PCA), r"so \d+ of 120 cells are"),
    (lambda a: asked.pl.resolutions(a, "other"), "no 'other'. Call coassoc.cells.resolutions"),
)
def test_what_cannot_be_asked_is_refused(call, adata):
    adata.obsm |= {"X_pca": adata.X, "X_gap": np.where(np.eye(*adata.X.shape), np.nan, adata.X)}
    adata.obsm["X_none"] = adata.X[:, :0]
    call(adata)


def test_pictures_are_drawn_as_scanpy_draws_them(adata, monkeypatch):
    columns = [*adata.obs]
    adata.obsm["X_pca"] = adata.X
    with pytest.warns(UserWarning, match="With 3 null draws the smallest possible p is 0.25"):
        found = cells.resolutions(adata, (0.5, 2), 3, use_rep="X_pca", n_draws=3)
    cells.consensus(adata, columns, 3)
    axis = cells.pl.resolutions(adata, show=False)
    curve = axis.containers[0].lines[0].get_ydata()
    np.testing.assert_array_equal(curve, found.table["stability"])
    circles = cells.pl.resolutions_tree(adata, show=False).collections[-1]
    np.testing.assert_array_equal(circles.get_array(), found.clusters["stability"])
    axis = Figure().subplots()
    assert cells.pl.consensus(adata, ax=axis) is axis
    shown = []
    monkeypatch.setattr("matplotlib.pyplot.show", lambda: shown.append(True))
    assert cells.pl.consensus(adata) is None and shown == [True]


def test_weights_are_shares_of_common_neighbours():
    X = np.random.default_rng(0).normal(size=(40, 3))
    order = np.argsort(((X[:, None] - X) ** 2).sum(axis=2), axis=1)
    sets = [set(row[:6]) for row in order]  # with the sample itself
    graph = neighbor_graph(X, 5).toarray()
    for i, j in permutations(range(40), 2):
        linked = j in sets[i] or i in sets[j]
        share = len(sets[i] & sets[j]) / len(sets[i] | sets[j])
        assert graph[i, j] == pytest.approx(share if linked else 0)


def test_leiden_makes_pools(monkeypatch):
    X, y = groups(n=120, d=5, seed=3)
    recipes = [Recipe("Leiden", {"resolution": value, "n_neighbors": 10}) for value in (0.5, 2)]
    check_recipes("mine", recipes)
    labels = generate_pool(X, recipes, size=6, random_state=0)
    again = generate_pool(X, recipes, size=6, random_state=0, n_jobs=2)
    np.testing.assert_array_equal(labels, again)
    counts = labels.max(axis=0) + 1
    assert counts[::2].max() < counts[1::2].min()
    assert score_partition(y, find_consensus(labels, 3).labels)["ARI"] > 0.7
    with pytest.raises(ConfigError, match="'resolution' parameter of Leiden must be a float"):
        check_recipes("mine", [Recipe("Leiden", {"resolution": 0})])
    monkeypatch.setattr("coassoc.pools.base_clusterings.find_spec", lambda name: None)
    with pytest.raises(ConfigError, match=r"mine.clusterer is 'Leiden', .* pip install"):
        check_recipes("mine", recipes)
    with pytest.raises(ConfigError, match=r"^clusterer is 'Leiden', .* pip install"):
        generate_pool(X, recipes, size=2)


@parametrize_with_checks([Leiden()])
def test_leiden_keeps_scikit_learn_s_rules(estimator, check):
    check(estimator)


def test_the_page_on_cells_runs(monkeypatch, tmp_path):
    if not ANNDATA:
        monkeypatch.setitem(sys.modules, "anndata", SimpleNamespace(AnnData=Cells))
    monkeypatch.chdir(tmp_path)
    digits = load_digits()
    third = SimpleNamespace(data=digits.data[::3], target=digits.target[::3])
    monkeypatch.setattr("sklearn.datasets.load_digits", lambda: third)
    text, left = PAGE.read_text(), {}
    for block in re.findall(r"^```python\n(.*?)^```", text, re.M | re.S):
        exec(block, left)
    adata, truth, names = left["adata"], left["digits"].target, left["names"]

    def score(column):
        return score_partition(truth, adata.obs[column].cat.codes.to_numpy())["ARI"]

    base = [*map(score, names)]
    assert len(base) == 20 and score("consensus") >= np.median(base)
    assert adata.obs["ten"].nunique() == 10 and score("splits") > min(base)
    if ANNDATA:
        adata.write_h5ad(tmp_path / "a.h5ad")
