"""The tree of a consensus, its splits against definitions, and what its tests leave."""

import numpy as np
import pytest
from hypothesis import given

from coassoc import ConfigError, Ensemble
from coassoc.confidence import agreement_with_base
from coassoc.selection import agreement, consensus_tree
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
    assert tree.n_clusters == 3
    assert same_partition(tree.labels, truth)
    assert same_partition(tree.partition(3), truth)
    # Inside the groups the noise is independent, and the tests say so.
    inside = tree.splits.iloc[2:]
    assert len(inside) and not (inside["p_tree"] <= 0.05).any()


def test_independent_clusterings_are_one_cluster():
    labels = np.random.default_rng(0).integers(0, 4, (80, 10))
    tree = consensus_tree(labels)
    assert tree.n_clusters == 1
    assert not tree.labels.any()
    assert tree.splits["p"].iloc[0] > 0.05
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
    labels = np.repeat([[0, 0], [1, 1], [2, 2]], [5, 6, 7], axis=0)
    tree = consensus_tree(labels)
    assert tree.n_clusters == tree.largest == 3
    one = consensus_tree(np.zeros((10, 3), dtype=int))
    assert one.n_clusters == one.largest == 1 and one.splits.empty


def test_what_is_refused():
    with pytest.raises(ConfigError, match=r"least is 0. It must be a positive number of samples"):
        consensus_tree([[0, 0], [1, 1]], least=0)
    with pytest.raises(ConfigError, match=r"n_clusters is 9\. The tree has 1 to 2"):
        consensus_tree([[0, 0], [1, 1]], least=1).partition(9)
