"""The search for the partition of least expected loss."""

import warnings
from functools import cache
from itertools import combinations

import numpy as np
import pytest

from coassoc import ConfigError, TooLargeError, use_threads
from coassoc.posterior import (
    LOSSES,
    Draws,
    expected_loss,
    point_estimate,
    search,
    similarity_matrix,
)
from ensembles import noisy_ensemble
from oracles.partition_losses import losses, omari_approx, partitions
from refusals import refuses

COSTS = [*((loss, 1.0) for loss in LOSSES), *((x, a) for x in ("Binder", "VI") for a in (0.6, 1.5))]


def least_of_all(draws, loss, a):
    every = partitions(len(draws))
    if loss == "omARI.approx":
        return min(omari_approx(draws.T.tolist(), labels) for labels in every)
    return least_of_each_loss(tuple(map(tuple, draws.T.tolist())), a)[loss]


@cache
def least_of_each_loss(draws, a):
    """Among all partitions of the items; the oracle makes all losses at once."""
    distinct, counts = np.unique(draws, axis=0, return_counts=True)
    least: dict[str, float] = {}
    for labels in partitions(distinct.shape[1]):
        made = [losses(truth, labels, a) for truth in distinct.tolist()]
        for loss in made[0]:
            mean = np.dot(counts, [of_draw[loss] for of_draw in made]) / counts.sum()
            least[loss] = min(mean, least.get(loss, np.inf))
    return least


@pytest.mark.parametrize(("loss", "a"), COSTS)
@pytest.mark.parametrize("seed", [0, 1])
def test_no_partition_of_few_items_has_less_loss(loss, a, seed):
    draws = noisy_ensemble(6, 12, 3, seed)
    found = point_estimate(draws, loss, a)
    assert found.expected_loss == pytest.approx(least_of_all(draws, loss, a), abs=1e-12)
    assert found.expected_loss == expected_loss(draws, found.labels, loss, a)


@pytest.mark.parametrize("loss", ["NVI", "ID", "NID", "omARI"])
def test_a_search_in_some_of_the_draws_finishes_with_all(monkeypatch, loss):
    monkeypatch.setattr(search, "_DRAWS", 4)
    draws = noisy_ensemble(6, 12, 3, seed=0)
    found = point_estimate(draws, loss)
    assert found.expected_loss == pytest.approx(least_of_all(draws, loss, 1.0), abs=1e-12)


@pytest.mark.parametrize("loss", ["Binder", "VI"])
def test_many_items_of_few_rows_are_as_soon_partitioned_as_these(loss):
    """Without their pairs, which would take 74 GB."""
    draws = noisy_ensemble(24, 40, 3, seed=0)
    found = point_estimate(np.tile(draws, (4000, 1)), loss)
    expected = point_estimate(draws, loss)
    assert found.labels.tolist() == np.tile(expected.labels, 4000).tolist()


@pytest.mark.parametrize("loss", LOSSES)
def test_items_that_are_equal_in_all_draws_find_clusters_of_their_own(loss):
    for seed in range(4, 8):
        rows = np.repeat(range(6), np.random.default_rng(seed).integers(1, 5, 6))
        draws = Draws.of(noisy_ensemble(6, 14, 3, seed)[rows], few=True)
        least = min(expected_loss(draws, np.array(z)[rows], loss) for z in partitions(6))
        found = point_estimate(draws, loss, n_starts=1)
        assert found.expected_loss == pytest.approx(least, abs=1e-9)


@pytest.mark.parametrize("loss", LOSSES)
def test_names_and_order_of_draws_repeats_and_threads_change_no_label(loss):
    draws = noisy_ensemble(24, 40, 3, seed=0)
    expected = point_estimate(draws, loss)
    random = np.random.default_rng(1)
    renamed = np.column_stack([random.permutation(90)[draw] for draw in draws.T])
    for same in (renamed, draws[:, random.permutation(40)], np.repeat(draws, 3, axis=1)):
        found = point_estimate(same, loss)
        assert found.labels.tolist() == expected.labels.tolist()
        assert found.expected_loss == pytest.approx(expected.expected_loss, abs=1e-14)
    for number in (1, 3):
        with use_threads(number):
            found = point_estimate(draws, loss)
        assert found.labels.tolist() == expected.labels.tolist()
        assert found.found.tolist() == expected.found.tolist()


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("labels", [np.zeros(20, int), *np.arange(20) % [[20], [3]], np.arange(1)])
@pytest.mark.parametrize("n_draws", [1, 50])
def test_a_posterior_of_one_partition_is_that_partition(loss, labels, n_draws):
    found = point_estimate(np.repeat(labels[:, None], n_draws, axis=1), loss)
    assert found.labels.tolist() == labels.tolist()
    assert found.expected_loss == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("loss", ["Binder", "VI"])
def test_costs_lead_from_items_alone_to_one_cluster(loss):
    draws = noisy_ensemble(24, 40, 3, seed=0)
    found = [point_estimate(draws, loss, a) for a in (0.0, 0.5, 1.0, 1.5, 2.0)]
    numbers = [estimate.n_clusters for estimate in found]
    assert numbers == sorted(numbers, reverse=True) and numbers[-1] == 1
    assert found[0].expected_loss == found[-1].expected_loss == 0


@pytest.mark.parametrize("loss", LOSSES)
def test_there_are_no_more_clusters_than_allowed(loss):
    draws = np.random.default_rng(0).integers(0, 12, (40, 30))
    for most in (1, 2, 5):
        assert point_estimate(draws, loss, max_clusters=most, n_starts=8).n_clusters <= most


def test_more_clusters_than_places_at_first():
    labels = np.arange(200) // 2
    draws = np.column_stack([labels, np.roll(labels, 1), labels])
    for loss in LOSSES:
        assert point_estimate(draws, loss).labels.tolist() == labels.tolist()


def test_what_does_not_fit_into_memory_is_refused_in_a_sentence(monkeypatch):
    draws = noisy_ensemble(6, 5, 3, seed=0)
    monkeypatch.setattr(search, "memory_of_machine", lambda: 1e-6)
    refuses(TooLargeError, "Set max_clusters, or pass fewer draws", point_estimate, draws, "VI")
    monkeypatch.setattr("coassoc.posterior.draws.memory_of_machine", lambda: 1e-6)
    many = Draws.of(np.zeros((40_000, 2), int), few=True)
    refuses(TooLargeError, "40,000 items take 13 GB of memory. Leave", similarity_matrix, many)


def test_fewer_draws_than_items_are_remarked_on():
    random = np.random.default_rng(0)
    draws = np.array([random.permutation(3)[np.repeat([0, 1, 2], 20)] for _ in range(200)])
    with pytest.warns(UserWarning, match=r"rows look like draws, .* \(mean ARI 1.00\)"):
        Draws.of(draws)
    with pytest.warns(UserWarning, match=r"more items \(60\) than draws \(15\). Pass draws.T if"):
        Draws.of(draws.T[:, :15])
    with warnings.catch_warnings(action="error"):
        assert Draws.of(draws.T).n_items == 60
    # Draws of a single cluster, whose name changes, or items that stay in their clusters.
    names = np.repeat(random.integers(0, 3, 10), 10)
    with pytest.warns(UserWarning, match="rows may be draws"):
        Draws.of(np.tile(names, (60, 1)))


def neighbours(labels):
    """Partitions after a move of one item, a merge of two clusters, or a split of one."""
    clusters = np.unique(labels)
    for i in range(len(labels)):
        for cluster in (*clusters, labels.max() + 1):
            yield "move", np.where(np.arange(len(labels)) == i, cluster, labels)
    for first, second in combinations(clusters, 2):
        yield "merge", np.where(labels == first, second, labels)
    for cluster in clusters:
        first, *others = np.flatnonzero(labels == cluster)
        for size in range(1, len(others) + 1):
            for part in combinations(others, size):
                split = labels.copy()
                split[[*part]] = labels.max() + 1
                yield "split", split


@pytest.mark.parametrize(("loss", "a"), COSTS)
@pytest.mark.parametrize(("n_starts", "seed"), [(1, 1), (40, 0)])
def test_no_move_merge_or_split_lowers_the_loss(loss, a, n_starts, seed):
    """Of one start, which others cannot mend, no split: the search makes none in one step."""
    random = np.random.default_rng(seed)
    draws = noisy_ensemble(12, 15, 3, seed) if seed else random.integers(0, 6, (12, 9))
    found = point_estimate(draws, loss, a, n_starts=n_starts)
    for change, labels in neighbours(found.labels):
        if n_starts > 1 or change != "split":
            assert expected_loss(draws, labels, loss, a) > found.expected_loss - 1e-9, change


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("number", [1, 2, 3, 6])
@pytest.mark.parametrize("repeated", [False, True])
def test_no_partition_with_the_requested_number_has_less_loss(loss, number, repeated):
    """Also where that separates items that are equal in all draws."""
    draws = noisy_ensemble(6, 12, 3, seed=1)
    draws = np.repeat(draws[:3], 2, axis=0) if repeated else draws
    found = point_estimate(draws, loss, n_clusters=number)
    every = [np.array(z) for z in partitions(6) if max(z) + 1 == number]
    assert found.n_clusters == number
    least = min(expected_loss(draws, z, loss) for z in every)
    assert found.expected_loss == pytest.approx(least, abs=1e-9)


def test_more_clusters_than_possible_are_refused():
    same = np.repeat([[0], [0], [1], [1]], 9, axis=1)
    for number, most in ((5, None), (3, 2)):
        with pytest.raises(ConfigError, match=f"more than the {most or 4} clusters that are possi"):
            point_estimate(same, n_clusters=number, max_clusters=most)


def test_time_ends_the_search_after_one_start():
    draws = np.random.default_rng(0).integers(0, 4, (30, 40))
    few = point_estimate(draws, seconds=0)
    assert few.is_stopped and "the time limit stopped the search" in repr(few)
    assert len(few.found) == 1
    assert few.expected_loss == pytest.approx(expected_loss(draws, few.labels), abs=1e-12)
    every = point_estimate(draws)
    assert len(every.found) > 1
    slow = point_estimate(draws, seconds=1e6)
    np.testing.assert_array_equal(slow.labels, every.labels)
    assert not slow.is_stopped and "time limit" not in repr(slow)
