"""Runs of soft memberships: aligned as well as by all permutations, whatever their order."""

import re
from itertools import combinations, permutations, product

import numpy as np
import pandas as pd
import pytest

from coassoc import ConfigError, DataError, align_memberships, find_consensus
from coassoc.soft import co_association, compare_numbers
from refusals import cases, refuses


def memberships(n, K, n_runs, noise, seed):
    """Noisy runs of the same memberships, with their columns in any order."""
    rng = np.random.default_rng(seed)
    base = rng.dirichlet(np.full(K, 0.4), n)
    runs = [(1 - noise) * base + noise * rng.dirichlet(np.ones(K), n) for _ in range(n_runs)]
    return [run[:, rng.permutation(K)] for run in runs]


def h_prime(runs):
    """H' of runs as they are, by its definition."""
    scale = np.sqrt(2 * len(runs[0]))
    return np.mean([1 - np.linalg.norm(Q - R) / scale for Q, R in combinations(runs, 2)])


@pytest.mark.parametrize(("noise", "seed"), [*product((0.3, 0.9, 1.0), range(4)), (0.9, 5)])
def test_h_is_the_largest_of_all_permutations(noise, seed):
    runs = memberships(15 if seed % 2 else 3, 3, 4, noise, seed)
    if seed > 3:  # two clusters are equal
        runs = [np.column_stack([x, (1 - x) / 2, (1 - x) / 2]) for x, *_ in (Q.T for Q in runs)]
        runs = [np.roll(Q, r, axis=1) for r, Q in enumerate(runs)]
    level = align_memberships(runs).levels[3]
    orders = [[Q[:, p] for p in map(list, permutations(range(3)))] for Q in runs]
    best = max(h_prime([runs[0], *rest]) for rest in product(*orders[1:]))
    assert level.h == pytest.approx(best, abs=1e-9)
    assert level.h == pytest.approx(h_prime(level.aligned), abs=1e-9)


def test_similarity_is_that_of_the_best_permutation_of_each_pair():
    runs = memberships(20, 4, 3, 0.6, 5)
    found = align_memberships(runs).levels[4].similarity
    for i, j in combinations(range(3), 2):
        each = (h_prime([runs[i], runs[j][:, list(p)]]) for p in permutations(range(4)))
        assert found[i, j] == found[j, i] == pytest.approx(max(each), abs=1e-9)
    assert (found.diagonal() == 1).all()


def test_runs_and_columns_in_any_order_are_aligned_alike():
    runs, rng = memberships(50, 5, 8, 0.4, 1), np.random.default_rng(2)
    first = align_memberships(runs).levels[5]
    shuffled = [runs[r][:, rng.permutation(5)] for r in range(7, -1, -1)]
    again = align_memberships(shuffled).levels[5]
    assert again.h == pytest.approx(first.h, abs=1e-12)
    np.testing.assert_allclose(again.memberships, first.memberships, atol=1e-12)
    np.testing.assert_allclose(again.aligned[::-1], first.aligned, atol=1e-12)
    np.testing.assert_array_equal(again.labels, first.labels)


def test_permuted_copies_are_one_mode_that_is_their_mean():
    (Q,) = memberships(30, 4, 1, 0.5, 3)
    level = align_memberships([Q, Q[:, ::-1], Q[:, [2, 0, 3, 1]]]).levels[4]
    assert level.h == pytest.approx(1, abs=1e-6) and len(level.modes) == 1
    order = np.argsort(-Q.sum(axis=0))
    np.testing.assert_allclose(level.memberships, Q[:, order], atol=1e-12)
    np.testing.assert_allclose(level.modes[0].memberships, Q[:, order], atol=1e-12)
    top = np.sort(Q, axis=1)[:, ::-1]
    np.testing.assert_allclose(level.confidence, top[:, 0] - top[:, 1])


def test_modes_are_runs_of_which_every_two_agree():
    a, b = memberships(40, 3, 1, 0, 1)[0], memberships(40, 3, 1, 0, 2)[0]
    found = align_memberships({"a": a, "b": b, "a2": a[:, ::-1], "a3": a, "b2": b[:, ::-1]})
    assert [sorted(mode.runs) for mode in found.modes[3]] == [[0, 2, 3], [1, 4]]
    assert found.names == ["a", "b", "a2", "a3", "b2"]


def test_a_mode_is_bounded_by_its_farthest_pair_and_by_the_mean_over_clusters():
    """A complete link of pong's G: the mean over matched clusters, and every two runs of a mode."""
    x = np.linspace(0.2, 0.7, 9)
    # With two clusters, a shift of all memberships by √2 d is a distance of d.
    shifted = [np.column_stack([x + d * 2**0.5, 1 - x - d * 2**0.5]) for d in (0, 0.02, 0.035)]
    assert [sorted(mode.runs) for mode in align_memberships(shifted).modes[2]] == [[1, 2], [0]]
    # Two of three clusters are 0.04 apart, and the third is equal.
    Q, R = (np.column_stack([x + d, 0.9 - x - d, 0 * x + 0.1]) for d in (0, 0.04 * 2**0.5))
    for threshold, n_modes in ((0.97, 1), (0.975, 2)):
        assert len(align_memberships([Q, R], threshold).modes[3]) == n_modes


def test_numbers_describe_the_largest_mode_and_of_equal_ones_the_most_typical():
    a, b = memberships(40, 3, 1, 0, 1)[0], memberships(40, 3, 1, 0, 2)[0]
    level = align_memberships([b, a, a[:, ::-1]]).levels[3]
    np.testing.assert_allclose(level.memberships, a[:, np.argsort(-a.sum(axis=0))], atol=1e-12)
    np.testing.assert_array_equal(level.labels, level.memberships.argmax(axis=1))
    assert [sorted(x.runs) for x in align_memberships([a, b, b, a]).modes[3]] == [[0, 3], [1, 2]]
    between = (a + b) / 2
    assert align_memberships([a, between, b], threshold=1).modes[3][0].runs == [1]


@pytest.mark.parametrize(("loss", "columns"), [(0.004, [0, 2, 1]), (0.3, [1, 2, 0])])
def test_clusters_keep_their_numbers_at_a_small_loss_of_h(loss, columns):
    """Two clusters of the odd run have one half of each of two others: H' hardly tells which."""
    usual = np.repeat(np.eye(3), [20, 10, 10], axis=0)
    coarse = np.repeat(np.eye(2), [25, 15], axis=0)
    odd = np.repeat(np.eye(3)[1:], [30, 10], axis=0)
    odd[np.r_[0:10, 20:25]] = [1, 0, 0]
    odd[:5] = [1 - loss, loss, 0]
    best = align_memberships([usual, usual, odd]).levels[3]
    assert best.columns.tolist() == [[0, 1, 2], [0, 1, 2], [1, 0, 2]]
    level = align_memberships([coarse, usual, usual, odd]).levels[3]
    # The new cluster is the last. The odd run has most of the first one of K = 2 in its own first.
    assert level.columns.tolist() == [[0, 2, 1], [0, 2, 1], columns]
    assert best.h - 0.001 <= level.h <= best.h + 1e-12


def test_a_cluster_that_splits_is_the_parent_of_its_parts():
    Q = memberships(60, 4, 1, 0.2, 7)[0]
    merged = np.column_stack([Q[:, 2], Q[:, 0] + Q[:, 3], Q[:, 1]])
    coarse = np.column_stack([merged[:, 0] + merged[:, 2], merged[:, 1]])
    found = align_memberships([Q, coarse[:, ::-1], merged])
    assert list(found.levels) == [2, 3, 4]
    for split, fine in zip(found.splits, (merged, Q), strict=True):
        before = found.memberships[split.K]
        after = found.memberships[split.next_K]
        sums = np.column_stack([after[:, split.parents == k].sum(axis=1) for k in range(split.K)])
        np.testing.assert_allclose(sums, before, atol=1e-12)
        assert split.similarity == pytest.approx(1) and len(split.parts) == 1
        np.testing.assert_allclose(*(A[:, np.argsort(A[0])] for A in (after, fine)), atol=1e-12)
        # The cluster that goes on has its place; the new one is the last.
        assert (split.parents[: split.K] == np.arange(split.K)).all()
    assert align_memberships([coarse, Q]).splits[0].similarity == pytest.approx(1)  # K + 2
    # Of 37 samples, 12 are a cluster and 25 are among 40, which is the new one by least squares.
    two, three = np.repeat(np.eye(2), [37, 35], axis=0), np.eye(3).repeat([12, 20, 40], axis=0)
    three = three[np.r_[0:12, 32:72, 12:32]]
    found = align_memberships([two, three[:, [2, 0, 1]]])
    # Of the new cluster 15 samples are those of another one than the other 25.
    assert found.splits[0].similarity == pytest.approx(1 - np.sqrt(15 / 72))
    level = found.levels[3]
    assert level.labels[[0, 12, 37, 52]].tolist() == [0, 2, 2, 1]
    blocks = np.repeat(np.eye(3), [30, 25, 20], axis=0)
    two = np.column_stack([blocks[:, 0], blocks[:, 1] + blocks[:, 2]])
    # The larger part continues the cluster of 45, which is the first at K = 2.
    level = align_memberships([two, blocks[:, [2, 1, 0]]]).levels[3]
    assert level.labels[[0, 30, 55]].tolist() == [1, 0, 2]


def distinct_runs(main=0.9, largest=4):
    """Two runs for each K, with this membership of each sample in its cluster."""
    numbers = range(1, largest + 1)
    Q = [np.eye(K) * main + (1 - np.eye(K)) * (1 - main) / max(K - 1, 1) for K in numbers]
    runs = [np.repeat(each / each.sum(axis=1), 12 // len(each), axis=0) for each in Q]
    return align_memberships([*runs, *(each[:, ::-1] for each in runs)])


def scores(name, *values):
    """Scores of K = 1, 2, …, of one or several runs each."""
    return [(name, K, x) for K, each in enumerate(values, 1) for x in np.atleast_1d(each)]


def test_scores_of_each_number_and_evannos_delta():
    given = scores("ln P(D)", [-100, -102], [-60, -62], [-55, -59], [-54, -56])
    given += [*scores("CV error", 0.6, [0.5, 0.4], 0.7), ("log likelihood", 3, -9.0)]
    found = compare_numbers(distinct_runs(), [*given, ("log likelihood", 3, -8.0)])
    assert found.scores[2] == pytest.approx(
        {"CV error": 0.4, "ln P(D)": -61, "sd": 2**0.5, "ΔK": 36 / 2**0.5}
    )
    assert found.scores[3]["ΔK"] == pytest.approx(2 / 8**0.5)
    assert compare_numbers(distinct_runs(), scores("ln P(D)", -3, -2)).scores[1]["sd"] == 0
    assert found.scores[3]["log likelihood"] == -8 and "ΔK" not in found.scores[4]
    assert found.K is None and found.verdict == (
        "The CV error is lowest at K = 2; the mean ln P(D) is highest at K = 4; ΔK is largest at "
        "K = 2; K = 4 is the largest at which most of several runs agree on distinct clusters. "
        "These criteria disagree, so no K is supported."
    )


@cases(
    "values, runs, K, told",
    ((5, 4, 3, 4), (0.8, 3), 3, "lowest at K = 3; K = 3 is the largest .* K = 3 is supported"),
    ((5, 4, 3, 4), (0.79, 3), None, "lowest at K = 3; at no K most .* disagree, so no K"),
    (
        (5, 4, 3, 4),
        (0.9, 4),
        None,
        "lowest at K = 3; K = 4 is the largest .* disagree, so no K",
    ),
    ((5, 4, 3, 6), (0.9, 4), 3, "apart from K = 4 with a worse score than K = 1. K = 3 is su"),
    ((5, 4, 3, 2), (0.9, 4), None, "K = 5 has no score, so no K is supported"),
    ((5, 6, 7, 8), (0.7, 4), None, "lowest at K = 1; .* no evidence of several clusters"),
    ((5,), (0.9, 4), None, "^$"),
    ((5, 4.95, 4.97, 5), (0.9, 2), None, "K = 1 is less than 2 % higher, so no K is supported"),
    ((5, [], 3, [], 6), (0.9, 3), None, "K = 2 has no score, so no K is supported"),
)
def test_a_number_is_supported_only_if_nothing_speaks_against_it(values, runs, K, told):
    found = compare_numbers(distinct_runs(*runs), scores("CV error", *values))
    assert found.K == K and re.search(told, found.verdict)


def test_clusters_that_runs_leave_empty_are_not_distinct():
    two = np.repeat(np.eye(2), 20, axis=0)
    three = np.column_stack([0.95 * two, np.full(40, 0.05)])
    runs = [np.ones((40, 1)), two, two, three, three]
    assert compare_numbers(align_memberships(runs), scores("ln P(D)", -9, -5, -6)).K == 2


@pytest.mark.parametrize(
    ("sizes", "likelihoods", "is_small"),
    [([24, 10, 6], (), True), ([18, 12, 6], (), False), ([24, 10, 6], (-9, -8, -7, -6), False)],
)
def test_small_clusters_that_scores_may_overlook_are_named(sizes, likelihoods, is_small):
    """Those of less than half the mean size, at a K above those of all scores."""
    three = np.repeat(np.eye(3), sizes, axis=0)
    two = np.column_stack([three[:, 0], three[:, 1:].sum(axis=1)])
    aligned = align_memberships([np.ones((len(two), 1)), two, two, three, three])
    given = [*scores("CV error", 5, 4, 4.1, 4.5), *scores("ln P(D)", *likelihoods)]
    found = compare_numbers(aligned, given)
    assert found.K is None and "These criteria disagree" in found.verdict
    said = "can overlook small clusters (one of K = 3 has 6 samples). These"
    assert (said in found.verdict) == is_small


def test_no_number_is_supported_whose_runs_differ_or_are_one():
    runs = [np.repeat(np.eye(2), [k, 12 - k], axis=0) for k in (4, 8)]
    for given in (runs, runs[:1]):
        found = compare_numbers(align_memberships(given), scores("CV error", 3, 1, 2))
        assert found.K is None and "at no K most of several runs agree" in found.verdict


def test_soft_co_association_is_the_mean_product_and_its_consensus_finds_the_clusters():
    runs = memberships(40, 3, 5, 0.3, 6)
    evidence = co_association([*runs, runs[0][:, :1] * 0 + 1])
    dense = np.mean([*(Q @ Q.T for Q in runs), np.ones((40, 40))], axis=0)
    np.fill_diagonal(dense, 1)
    np.testing.assert_allclose(np.asarray(evidence), dense, atol=1e-12)
    found = find_consensus(similarity=evidence, n_clusters=3)
    assert len(np.unique(found.labels)) == 3 and found.confidence.shape == (40,)


ROWS = [[0.5, 0.5], [1, 0], [0, 1]]


@cases(
    "runs, told",
    ([], "runs is empty"),
    ([ROWS, ROWS[:2]], "run 1: 2 samples, but the first run has 3"),
    ([[[0.5, 0.5], [1.1, -0.1]]], "run 0: row 2 has the membership -0.1"),
    ([[[0.5, np.nan]]], "membership nan"),
    ([[[0.5, 0.4], [1, 0]]], "row 1 sum to 0.9"),
    ([[[0.5, 0.5], [1, 0.3]]], "row 2 sum to 1.3"),
    ([[0.5, 0.5]], r"shape is \(2,\)"),
    ([pd.DataFrame(ROWS), ROWS], "some runs name their samples"),
    ([pd.DataFrame(ROWS), pd.DataFrame(ROWS, [0, 1, "x"])], "run 1: sample '2' does not occur"),
)
def test_what_is_no_run_is_refused(runs, told):
    for function in (align_memberships, co_association):
        refuses(DataError, told, function, runs)


def test_a_threshold_out_of_range_is_refused():
    for threshold in (1.5, -0.1):
        with pytest.raises(ConfigError, match=f"threshold is {threshold}"):
            align_memberships([ROWS], threshold=threshold)
    assert len(align_memberships([ROWS, ROWS[::-1]], threshold=0).modes[2]) == 1


def test_rounded_memberships_are_divided_by_their_sums():
    found = align_memberships([np.array(ROWS) * 0.99]).memberships[2]
    np.testing.assert_allclose(found, ROWS, atol=1e-12)
