"""The tree of a consensus, its splits against definitions, and what its tests leave."""

import numpy as np
import pytest
from hypothesis import given
from scipy.cluster.hierarchy import linkage, to_tree
from scipy.spatial.distance import squareform

from coassoc import ConfigError, Ensemble
from coassoc.confidence import agreement_with_base
from coassoc.selection import agreement, consensus_tree
from coassoc.selection.resampling import half
from coassoc.selection.tree import _closeness
from ensembles import label_matrices, same_partition


def groups(sizes, m, noise, seed=0):
    """m noisy copies of one partition into groups of these sizes; and the partition."""
    generator = np.random.default_rng(seed)
    truth = np.repeat(np.arange(len(sizes)), sizes)
    labels = np.tile(truth[:, None], (1, m))
    other = generator.random(labels.shape) < noise
    labels[other] = generator.integers(0, len(sizes), other.sum())
    return labels, truth


def test_groups_are_found_without_a_number_and_not_split_further():
    labels, truth = groups([40, 30, 20], 12, 0.2)
    tree = consensus_tree(labels, random_state=1)
    assert tree.n_clusters == 3 and same_partition(tree.labels, truth)
    assert same_partition(tree.partition(3), truth)
    # Inside the groups the noise is independent, and the tests say so.
    inside = tree.splits.iloc[2:]
    assert len(inside) and not (inside["p_tree"] <= 0.05).any()


def test_independent_clusterings_are_one_cluster():
    tree = consensus_tree(np.random.default_rng(0).integers(0, 4, (80, 10)))
    assert tree.n_clusters == 1 and not tree.labels.any() and tree.splits["p"].iloc[0] > 0.05
    assert f", p {tree.splits['p'].iloc[0]:.3f})" in tree.verdict
    assert tree.splits["p"].iloc[1:].isna().all()  # what follows is not tested


@given(label_matrices(min_samples=3, max_samples=20, max_clusterings=5, max_clusters=4))
def test_clusters_of_any_size_are_split_at_the_mean_distance_of_their_sides(labels):
    """Down to distinct rows, the height of each split is the mean over the pairs of its sides."""
    if labels.shape[1] < 2:
        return
    tree = consensus_tree(labels, least=1, n_draws=1, n_halves=1)
    distances = 1 - np.mean(labels[:, None] == labels[None], axis=2)
    rows = np.unique(labels, axis=0, return_inverse=True)[1]
    assert same_partition(tree.partition(tree.largest), rows)

    def samples(cluster):
        inside = [f"{name}.".startswith(f"{cluster}.") for name in tree.names]
        return np.array(inside)[tree.leaves]

    assert (np.diff(tree.splits["height"]) <= 0).all()
    for line in tree.splits.itertuples():
        left, right = samples(line.left), samples(line.right)
        assert line.height == pytest.approx(distances[left][:, right].mean())
        assert (left.sum(), right.sum()) == (line.left_size, line.right_size)
        assert not (left & right).any() and (left | right).sum() == line.size


def test_closeness_is_the_mean_co_association_of_what_is_labelled():
    rng = np.random.default_rng(0)
    rows, core, sizes = rng.integers(-1, 3, (9, 4)), rng.integers(-1, 3, (5, 4)), np.arange(1, 6)
    both = (rows[:, None] >= 0) & (core >= 0)
    same = ((rows[:, None] == core) & both).sum(axis=2) @ sizes
    np.testing.assert_allclose(_closeness(rows, core, sizes), same / (both.sum(axis=2) @ sizes))


def test_small_clusters_fall_to_the_nearer_side():
    """Two samples between the groups are no cluster; each goes where more clusterings put it."""
    labels = np.repeat([[0] * 5, [1] * 5, [0, 0, 2, 3, 4], [1, 1, 3, 4, 2]], [20, 20, 1, 1], axis=0)
    tree = consensus_tree(labels, least=5, n_draws=9)
    assert tree.largest == 2
    assert tree.splits.loc["1", ["left_size", "right_size"]].tolist() == [21, 21]
    assert tree.leaves[40] == tree.leaves[0] and tree.leaves[41] == tree.leaves[20]


@pytest.mark.parametrize("missing", [False, True])
def test_numbers_of_levels_and_splits_are_those_of_their_partitions(missing):
    labels, _ = groups([30, 20, 15, 10], 7, 0.3, seed=4)
    if missing:
        labels[np.random.default_rng(1).random(labels.shape) < 0.1] = -1
    tree = consensus_tree(labels, n_draws=9)
    ensemble = Ensemble(labels)
    for c in range(1, tree.largest + 1):
        partition = tree.partition(c)
        assert len(np.unique(partition)) == c
        agreements = agreement_with_base(ensemble, partition, "ARI")
        np.testing.assert_allclose(tree.agreements[:, c - 1], agreements)
    whole = tree.splits.loc["1"]
    assert whole["agreement"] == pytest.approx(agreement(ensemble.labels))
    assert whole["left_size"] + whole["right_size"] == 75


def test_counted_rows_have_the_tree_of_their_samples():
    labels, _ = groups([40, 30, 20], 4, 0.15)
    rows, inverse, sizes = np.unique(labels, axis=0, return_inverse=True, return_counts=True)
    whole = consensus_tree(labels, n_draws=49)
    counted = consensus_tree(Ensemble.from_counts(rows, sizes), n_draws=49)
    assert whole.splits.equals(counted.splits)
    assert same_partition(whole.labels, counted.labels[inverse])


def test_identical_clusterings_are_their_own_tree():
    tree = consensus_tree(np.repeat([[0, 0], [1, 1], [2, 2]], [5, 6, 7], axis=0))
    assert tree.n_clusters == tree.largest == 3
    one = consensus_tree(np.zeros((10, 3), dtype=int))
    assert one.n_clusters == one.largest == 1 and one.splits.empty


def test_what_is_refused():
    with pytest.raises(ConfigError, match=r"least is 0. It must be a positive number of samples"):
        consensus_tree([[0, 0], [1, 1]], least=0)
    with pytest.raises(ConfigError, match=r"n_clusters is 9\. The tree has 1 to 2"):
        consensus_tree([[0, 0], [1, 1]], least=1).partition(9)


def test_p_of_the_tree_is_that_of_meinshausen_and_what_is_kept_follows_from_the_columns():
    labels, _ = groups([30, 20, 15, 10, 8], 8, 0.25, seed=2)
    tree = consensus_tree(labels, n_draws=199, stability=0.6)
    splits = tree.splits
    last = [name for name in splits.index if not {f"{name}.1", f"{name}.2"} & {*splits.index}]
    tested, kept = {"": 0.0}, {""}
    for name in sorted(splits.index, key=len):
        parent = name.rpartition(".")[0]
        if tested.get(parent, 1.0) <= 0.05:
            n_last = sum(f"{x}.".startswith(f"{name}.") for x in last)
            p = min(1.0, splits.loc[name, "p"] * len(last) / n_last)
            tested[name] = max(tested[parent], p)
            assert splits.loc[name, "p_tree"] == pytest.approx(tested[name])
        else:
            assert splits.loc[name, ["p", "p_tree"]].isna().all()
        if parent in kept and tested.get(name, 1) <= 0.05 and splits.loc[name, "stability"] >= 0.6:
            kept.add(name)
    assert splits.index[splits["kept"]].tolist() == [x for x in splits.index if x in kept]
    assert 1 < len(tested) - 1 < len(splits) and tree.n_clusters == len(kept)
    assert f"Of {len(splits)} splits, {(splits['p_tree'] <= 0.05).sum()} are sig" in tree.verdict
    assert consensus_tree(labels, n_draws=199, stability=1.01).n_clusters == 1


@pytest.mark.parametrize("seed", [0, 1, 3])  # without ties that decide
def test_the_stability_of_a_side_is_its_jaccard_coefficient_in_halves(seed):
    labels, _ = groups([8, 7], 400, 0.8, seed)
    tree = consensus_tree(labels, least=4, n_draws=9, n_halves=5)
    first = tree.splits.loc["1"]
    sides = [{*np.flatnonzero(tree.of_splits(["1"])[tree.leaves] == k)} for k in (0, 1)]
    assert [len(side) for side in sides] == [first["left_size"], first["right_size"]]
    coefficients = np.zeros((5, 2))
    for b in range(5):
        own = labels[:, half(400, b, 0)]
        distances = 1 - np.mean(own[:, None] == own[None], axis=2)
        trees = to_tree(linkage(squareform(distances, checks=False), "average"), rd=True)[1]
        nodes = [{*node.pre_order()} for node in trees]
        for k, side in enumerate(sides):
            coefficients[b, k] = max(len(side & node) / len(side | node) for node in nodes)
    assert first["stability"] == pytest.approx(coefficients.mean(axis=0).min(), abs=1e-9)


def test_partitions_of_nested_splits_and_their_numbers():
    labels, truth = groups([20, 20, 20, 20], 12, 0.05)
    tree = consensus_tree(np.column_stack([labels, np.tile((truth // 2)[:, None], 12)]))
    assert same_partition(tree.partition(2), truth // 2)
    assert same_partition(tree.partition(4), truth)
    assert same_partition(tree.of_splits(["1"])[tree.leaves], truth // 2)
    one = tree.of_splits(["1", "1.1"])[tree.leaves]
    assert len(np.unique(one)) == 3 and len({(a, b) for a, b in zip(one, truth, strict=True)}) == 4


def test_an_outlier_of_both_sides_falls_to_the_nearer_one():
    """It joins last, and shares one clustering of five with the second group alone."""
    rows = [[0] * 5, [0, 0, 1, 1, 1], [2, 2, 1, 2, 2]]
    tree = consensus_tree(np.repeat(rows, [20, 15, 1], axis=0), least=5, n_draws=9)
    assert tree.leaves[35] == tree.leaves[20] != tree.leaves[0]


def test_no_split_is_more_significant_than_the_one_around_it():
    raw = 0
    for seed in range(12):
        labels, _ = groups([16, 12, 8], 4, 0.75, seed=seed)
        splits = consensus_tree(labels, n_draws=39, level=0.9, n_halves=1, least=2).splits
        last = [name for name in splits.index if not {f"{name}.1", f"{name}.2"} & {*splits.index}]
        for name, p in splits["p_tree"].dropna().items():
            if (around := name.rpartition(".")[0]) in splits.index:
                n_last = sum(f"{x}.".startswith(f"{name}.") for x in last)
                assert p >= splits.loc[around, "p_tree"]
                raw += splits.loc[name, "p"] * len(last) / n_last < splits.loc[around, "p_tree"]
    assert raw  # that the rule changed something
