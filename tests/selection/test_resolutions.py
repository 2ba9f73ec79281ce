"""Which resolution: agreement of runs, levels that were planted, and none where there are none."""

from itertools import combinations
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from coassoc import ConfigError, DataError, Ensemble, cells
from coassoc.metrics import adjusted_rand_index, contingency_table
from coassoc.pages.resolutions import write_resolutions
from coassoc.selection import compare_resolutions, resolutions_in
from coassoc.selection.resolutions import _compare_runs, _p_values, _tested_stability
from ensembles import groups, noisy_ensemble
from programs import coassoc
from refusals import cases, refuses

NAMES = [f"leiden_{value}_{seed}" for value in ("0.5", "1", "1.5") for seed in range(3)]


def runs(n: int = 60) -> pd.DataFrame:
    labels = np.hstack([noisy_ensemble(n, 3, c, seed=c, noise=0.2) for c in (2, 3, 4)])
    return pd.DataFrame(labels, columns=NAMES)


def affinities(labels: np.ndarray) -> np.ndarray:
    """Personalised PageRank of each sample in the graph of its clusters, with restarts of 0.1."""
    same = (labels[:, None] == labels).astype(float)
    return 0.9 * same / same.sum(axis=1) + 0.1 * np.eye(len(labels))


def element_centric(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return 1 - np.abs(affinities(a) - affinities(b)).sum(axis=1) / (2 * 0.9)


def test_similarities_are_those_of_the_definition():
    table = runs()
    table.iloc[3:9, 4] = -1
    found = compare_resolutions(table)
    labels = table.to_numpy()
    for k, columns in enumerate(np.arange(9).reshape(3, 3)):
        each, aris = [], []
        consistency = np.zeros((2, 60))
        for i, j in combinations(columns, 2):
            both = (labels[:, i] >= 0) & (labels[:, j] >= 0)
            values = element_centric(labels[both, i], labels[both, j])
            each.append(values.mean())
            aris.append(adjusted_rand_index(contingency_table(labels[both, i], labels[both, j])))
            consistency[:, both] += [values, np.ones(both.sum())]
        line = found.table.iloc[k]
        assert line["stability"] == pytest.approx(np.mean(each))
        assert line["ARI"] == pytest.approx(np.mean(aris))
        np.testing.assert_allclose(found.consistency[:, k], consistency[0] / consistency[1])
        assert line["error"] == pytest.approx(np.sqrt(2 * np.var(each)))
        most = np.argmax([each[0] + each[1], each[0] + each[2], each[1] + each[2]])
        np.testing.assert_array_equal(found.labels[:, k], labels[:, columns[most]])
    whole = runs().to_numpy()
    between = [element_centric(a, b).mean() for a in whole.T[:3] for b in whole.T[3:6]]
    assert compare_resolutions(runs()).table["next"].iloc[0] == pytest.approx(np.mean(between))


def test_one_run_at_each_resolution_is_compared_with_its_neighbours(tmp_path):
    table = runs()[["leiden_0.5_0", "leiden_1_0", "leiden_1.5_0"]]
    a, b, c = table.to_numpy().T
    found = compare_resolutions(table)
    near = (element_centric(b, a) + element_centric(b, c)) / 2
    np.testing.assert_allclose(found.consistency[:, 1], near)
    np.testing.assert_allclose(found.consistency[:, 0], element_centric(a, b))
    one = found.clusters.query("resolution == 1").set_index("cluster")["stability"]
    np.testing.assert_allclose(one[2], near[b == 2].mean())
    assert found.table["next"].tolist()[:2] == pytest.approx(
        [element_centric(a, b).mean(), element_centric(b, c).mean()]
    )
    assert found.levels == [] and "no resolution can be called stable" in found.verdict
    assert found.table["stability"].isna().all()
    write_resolutions(tmp_path / "r", found, "runs")
    refuses(ConfigError, "null data need several runs", compare_resolutions, table, null=[table])


def test_clusters_and_where_their_samples_go():
    fine = np.repeat([0, 1, 2, 3], 5)
    other = fine.copy()
    other[0] = 3
    columns = {"r0.5_0": fine // 2, "r0.5_1": fine // 2, "r2_0": fine, "r2_1": fine, "r2_2": other}
    found = compare_resolutions(pd.DataFrame(columns))
    clusters = found.clusters[found.clusters["resolution"] == 2].set_index("cluster")
    assert clusters["size"].tolist() == [5, 5, 5, 5]
    assert clusters["parent"].tolist() == [0, 0, 1, 1] and (clusters["from_parent"] == 1).all()
    # Of cluster 0, four of five are among four and one is in another; of 3, all are among six.
    expected = [(1 + (4 * 4 / 5 + 1 / 6) / 5) / 2, 1, 1, (1 + 5 / 6) / 2]
    np.testing.assert_allclose(clusters["stability"], expected)
    assert found.flows["of_next"].eq(1).all() and found.flows["of_cluster"].eq(0.5).all()


def test_samples_may_be_counted():
    labels = runs(400)
    rows, sizes = np.unique(labels, axis=0, return_counts=True)
    counted = Ensemble.from_counts(pd.DataFrame(rows, columns=NAMES), sizes)
    one, other = compare_resolutions(labels), compare_resolutions(counted)
    pd.testing.assert_frame_equal(one.table, other.table)
    pd.testing.assert_frame_equal(one.clusters, other.clusters)


@cases(
    "names, values",
    (["leiden_0.5_0", "leiden_0.25_1"], [0.5, 0.25]),
    (["PCA10_snn_res.0.8", "PCA10_snn_res.1"], [0.8, 1.0]),
    (["res1", "res10", "res1.0"], [1.0, 10.0, 1.0]),
    (["seed1_res0.5", "seed2_res0.5"], [0.5, 0.5]),
    ([0.5, 2], [0.5, 2.0]),
    (["cpm_1e-4_0", "cpm_1e-05_0"], [1e-4, 1e-5]),
    (["cpm_1e3_0", "cpm_1e4_0"], [1e3, 1e4]),
)
def test_resolutions_are_read_from_names(names, values):
    assert resolutions_in(names).tolist() == values


def test_a_pattern_says_where_the_resolution_is():
    found = resolutions_in(["s1_r0.5_k15", "s2_r1_k30"], r"r(?P<resolution>[\d.]+)_k")
    assert found.tolist() == [0.5, 1.0]
    for pattern in (r"r([\d.]+)_k", "r("):
        with pytest.raises(ConfigError, match="a regular expression with a group called"):
            resolutions_in(["s1_r0.5_k15"], pattern)
    with pytest.raises(DataError, match=r"the name of column .s1_k15. contains no resolution"):
        resolutions_in(["s1_k15"], r"r(?P<resolution>[\d.]+)_k")


def test_what_cannot_be_compared_is_told():
    for name in ("k5_s1", "leiden_0,5", "run2_0.5", "leiden_0.5_seed1"):
        refuses(DataError, r"contains no resolution.* pass a pattern", resolutions_in, [name])
    with pytest.raises(DataError, match="the name of column 'leiden' contains no resolution"):
        compare_resolutions(runs().rename(columns={NAMES[0]: "leiden"}))
    with pytest.raises(DataError, match=r"'leiden_2_0' is the only clustering at resolution 2"):
        compare_resolutions(runs().rename(columns={NAMES[0]: "leiden_2_0"}))
    with pytest.raises(ConfigError, match=r"resolutions has 2 numbers, but there are 9"):
        compare_resolutions(runs(), [1, 2])
    apart = [[0, -1], [0, -1], [-1, 1], [-1, 0]]
    refuses(DataError, "0 and 1 have no sample in common", compare_resolutions, apart, [1, 1])


def test_runs_that_divide_nothing_have_no_tested_stability():
    two, one = np.repeat([0, 1], 3), np.repeat([0, 1], [5, 1])
    ensemble = Ensemble(np.column_stack([two, two, one, one]))
    stable, of_clusters = _tested_stability(
        ensemble, [_compare_runs(ensemble, columns) for columns in ([0, 1], [2, 3])]
    )
    assert stable.tolist() == [1, 0] and [x.tolist() for x in of_clusters] == [[1, 1], [0, 0]]
    runs = compare_resolutions(np.column_stack([two, np.repeat(range(3), 2)]), [1, 1]).table
    assert runs[["fewest", "most"]].iloc[0].tolist() == [2, 3]


def test_values_are_compared_with_the_largest_of_each_draw():
    curve, draws = np.full(4, 0.5), np.full((19, 4), 0.5)
    draws[:, 2] = np.linspace(0, 0.4, 19)
    assert _p_values([*curve[:, None]], draws).tolist() == [1, 1, 0.05, 1]
    # Of several values at a resolution each is compared with the largest ones of the draws.
    p = _p_values([np.full(3, 0.5), curve[:1], np.array([0.3, 0.5, 0.1]), curve[:1]], draws)
    assert p[5] == 0.05 < p[4] and (np.delete(p, [4, 5]) == 1).all()


class Graph(SimpleNamespace):
    """What is used of an AnnData object with a graph."""

    def __init__(self, graph):
        obs = pd.DataFrame(index=[f"c{i}" for i in range(graph.shape[0])])
        super().__init__(obs=obs, obs_names=obs.index, obsm={}, uns={})
        self.obsp = {"connectivities": graph}


def blocks(chances, n: int = 160) -> Graph:
    """A graph whose edges have a chance between groups of 40, halves of these, and within them."""
    half, rng = np.arange(n) // 20, np.random.default_rng(1)
    level = (half[:, None] // 2 == half // 2).astype(int) + (half[:, None] == half)
    upper = sp.csr_array(np.triu(rng.random((n, n)) < np.array(chances)[level], 1).astype(float))
    return Graph(upper + upper.T)


def test_planted_levels_are_found_and_none_in_a_random_graph():
    pytest.importorskip("igraph", reason="pip install 'coassoc[cells]'")
    adata, resolutions = blocks([0.01, 0.2, 0.8]), (0.3, 0.6, 1, 1.5, 2.5, 4)
    found = cells.resolutions(adata, resolutions, 4, null="degrees", key_added="r")
    assert {4, 8} <= {*found.table["clusters"][found.levels]}
    told = "Stable, and more so than expected by chance (smallest p 0.05, smallest possible 0.05): "
    assert adata.uns["r"]["verdict"].startswith(told)
    half = np.arange(160) // 20
    for value in found.levels:
        codes = adata.obs[f"r_{value:g}"].cat.codes
        cut = contingency_table(half, codes)  # between the levels some groups are divided
        assert (np.count_nonzero(cut, axis=1) == 1).all()
        truth = {4: half // 2, 8: half}.get(cut.shape[1], codes)
        assert adjusted_rand_index(contingency_table(truth, codes)) == 1
    assert adata.obsm["r_consistency"].shape == (160, 6)
    for table, names in (("clusters", ["cluster", "parent"]), ("flows", ["next_cluster"])):
        assert {*map(type, adata.uns["r"][table][names].to_numpy().ravel())} == {str}
    assert (found.clusters.query("resolution == @found.levels[0]")["p"] == 0.05).all()
    found = cells.resolutions(blocks([0.1, 0.1, 0.1]), (0.6, 1, 2.5), 4, null="degrees")
    assert found.levels == [] and found.clusters["p"].min() > 0.05
    told = "No resolution is stable and more so than expected by chance (smallest p "
    assert found.verdict.startswith(told)


def test_a_single_cluster_does_not_hide_the_level_beside_it():
    groups = np.arange(100) // 25
    moved = np.where(np.arange(100) == 0, 3, groups)
    labels = np.column_stack([np.zeros((100, 2), int), groups, moved])
    found = compare_resolutions(labels, [0.1, 0.1, 1, 1])
    assert found.table["stability"][1] < found.table["stability"][0.1] == 1 and found.levels == [1]


def test_groups_of_cells_are_more_stable_than_a_cloud_and_subsamples_are_compared():
    pytest.importorskip("igraph", reason="pip install 'coassoc[cells]'")
    X, y = groups(n=150, d=6, seed=3)
    adata = Graph(sp.csr_array((150, 150)))
    adata.obsm["X_pca"] = X + 8 * y[:, None]
    options = {"use_rep": "X_pca", "share": 0.8, "random_state": 1}
    found = cells.resolutions(adata, (0.2, 0.5, 1), 4, **options)
    assert found.levels and found.table["p"].min() == 0.05
    assert (found.ensemble.labels < 0).mean() == pytest.approx(0.2)
    again = cells.resolutions(adata, (0.2, 0.5, 1), 4, **options)
    pd.testing.assert_frame_equal(found.table, again.table)
    refuses(ConfigError, "null is 'cloud' and use_rep is None", cells.resolutions, adata)


def test_the_program_writes_a_page_and_tables(tmp_path):
    runs().rename_axis("cell").to_csv(tmp_path / "meta.csv")
    done = coassoc("resolutions", tmp_path / "meta.csv", "--id", "cell", "-o", tmp_path)
    found = compare_resolutions(runs())
    assert found.verdict in done.output and "Labels alone cannot show" in found.verdict
    table = pd.read_csv(tmp_path / "resolutions.csv", index_col=0)
    np.testing.assert_allclose(table["stability"], found.table["stability"], rtol=1e-5)
    samples = pd.read_csv(tmp_path / "resolutions_samples.csv")
    assert samples["1"].tolist() == found.labels[:, 1].tolist()
    untested = (tmp_path / "resolutions.html").read_text()
    assert untested.count("data:image/png") == 2 and "significant p" not in untested
    with pytest.warns(UserWarning, match="With 1 null draw the smallest possible p is"):
        tested = compare_resolutions(runs(), null=[runs().sample(frac=1, random_state=0)])
    write_resolutions(tmp_path / "tested", tested, "mine")
    page = (tmp_path / "tested.html").read_text()
    assert "the 95 % quantile of the stability" in page and "significant p" in page


def test_p_values_are_standardised_by_the_draws_and_the_observed_value():
    values = [np.array([2.0, 1.0]), np.array([0.4])]
    draws = np.array([[1.0, 0.2], [2.5, 0.1], [0, 0.3]])
    curves = np.vstack(([2.0, 0.4], draws))
    mean, spread = curves.mean(axis=0), curves.std(axis=0)
    largest = ((draws - mean) / spread).max(axis=1)
    z = [(2 - mean[0]) / spread[0], (1 - mean[0]) / spread[0], (0.4 - mean[1]) / spread[1]]
    expected = [(1 + sum(largest >= each)) / 4 for each in z]
    np.testing.assert_allclose(_p_values(values, draws), expected)
    assert len({*expected}) > 1
