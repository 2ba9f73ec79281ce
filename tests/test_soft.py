"""Runs of soft memberships: aligned as well as by all permutations, whatever their order."""

from itertools import combinations, permutations, product

import numpy as np
import pandas as pd
import pytest

from coassoc import ConfigError, DataError, align_memberships, find_consensus
from coassoc.soft import co_association


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


@pytest.mark.parametrize(("noise", "seed"), [*product((0.3, 0.9, 1.0), range(4))])
def test_h_is_the_largest_of_all_permutations(noise, seed):
    runs = memberships(15, 3, 4, noise, seed)
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
    # Half way between two runs that differ by more than the threshold: no chain joins these.
    scale = np.sqrt(2 * len(a))
    step = a[:, [1, 0, 2]]
    far = np.mean(np.linalg.norm(a - b, axis=0)) / scale
    chain = align_memberships([a, (a + b) / 2, b, step], threshold=1 - 0.6 * far).modes[3]
    assert not any({0, 2} <= {*mode.runs} for mode in chain)


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


def test_soft_co_association_is_the_mean_product_and_its_consensus_finds_the_clusters():
    runs = memberships(40, 3, 5, 0.3, 6)
    evidence = co_association([*runs, runs[0][:, :1] * 0 + 1])
    dense = np.mean([*(Q @ Q.T for Q in runs), np.ones((40, 40))], axis=0)
    np.fill_diagonal(dense, 1)
    np.testing.assert_allclose(np.asarray(evidence), dense, atol=1e-12)
    found = find_consensus(similarity=evidence, n_clusters=3)
    assert len(np.unique(found.labels)) == 3 and found.confidence.shape == (40,)


ROWS = [[0.5, 0.5], [1, 0], [0, 1]]


@pytest.mark.parametrize(
    ("runs", "told"),
    [
        ([], "runs is empty"),
        ([ROWS, ROWS[:2]], "run 1: 2 samples, but the first run has 3"),
        ([[[0.5, 0.5], [1.1, -0.1]]], "run 0: row 2 has the membership -0.1"),
        ([[[0.5, np.nan]]], "membership nan"),
        ([[[0.5, 0.4], [1, 0]]], "row 1 sum to 0.9"),
        ([[0.5, 0.5]], r"shape is \(2,\)"),
        ([pd.DataFrame(ROWS), ROWS], "some runs name their samples"),
        ([pd.DataFrame(ROWS), pd.DataFrame(ROWS, [0, 1, "x"])], "run 1: sample '2' does not occur"),
    ],
)
def test_what_is_no_run_is_refused(runs, told):
    for function in (align_memberships, co_association):
        with pytest.raises(DataError, match=told):
            function(runs)


def test_a_threshold_out_of_range_is_refused():
    with pytest.raises(ConfigError, match="threshold is 97"):
        align_memberships([ROWS], threshold=97)
