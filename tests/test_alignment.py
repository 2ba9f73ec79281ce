"""Clusters keep the names that they had."""

from itertools import permutations

import numpy as np
import pandas as pd
import pytest

from coassoc import DataError, align, find_consensus
from ensembles import noisy_ensemble
from programs import coassoc
from refusals import refuses


def test_as_many_samples_as_possible_keep_their_names():
    rng = np.random.default_rng(1)
    for _ in range(30):
        old = rng.integers(4, size=40)
        now = np.where(rng.random(40) < 0.4, rng.integers(4, size=40), old)
        counts = np.zeros((4, 4), int)
        np.add.at(counts, (now, old), 1)
        sizes = np.minimum(counts.sum(axis=0), counts.sum(axis=1)[:, None])
        may = np.where(2 * counts > sizes, counts, 0)
        best = max(may[range(4), order].sum() for order in permutations(range(4)))
        found = align(now, to=old)
        assert np.count_nonzero(found.labels == old) == pytest.approx(40 * found.kept)
        assert round(40 * found.kept) == best


def test_what_was_split_merged_is_new_or_gone():
    old = pd.Series(list("aaaaaabbbbccddee") + ["gone"] * 2)
    now = pd.Series([0] * 4 + [1] * 2 + [2] * 4 + [3] * 4 + [4, 5, 4, 5], dtype=object)
    now[18] = 6  # a new sample
    found = align(now, to=old)
    a, b, c = found.labels[[0, 6, 10]]
    assert [a, b, c] == ["a", "b", "c"] and found.labels[4] == "new 1"
    assert [*map(str, found.changes)] == [
        "a was split into a (67 %), new 1 (33 %).",
        "c was merged from c (50 %), d (50 %).",
        "new 2 is new, with samples from e (50 %), gone (50 %).",
        "new 3 is new, with samples from e (50 %), gone (50 %).",
        "new 4 is new.",
        "e no longer exists. Its samples are now in new 2 (50 %), new 3 (50 %).",
        "gone no longer exists. Its samples are now in new 2 (50 %), new 3 (50 %).",
    ]
    assert found.table["samples"].sum() == 18
    assert found.summary.startswith(
        "3 of 7 clusters and 55.6 % of the 18 samples in both clusterings keep "
    )


def test_missing_labels_have_no_name():
    assert align([5, -1, 5, 6], to=[0, 0, -1, 3]).labels.tolist() == [0, -1, 0, 3]
    assert align([5, -1, 5, 6], to=["x", "x", None, "y"]).labels.tolist() == ["x", None, "x", "y"]
    assert align(["p", "q"], to=["3", "3"]).labels.tolist() == [3, 4]
    assert align([-1, 0], to=["x", "y"]).labels.tolist() == [None, "y"]


def test_samples_must_be_known():
    for labels, to, message in (
        ([0, 1], [0], "'labels' has 2 samples, but 'to' has 1"),
        (pd.Series([0, 1]), [0, 1], "'labels' has sample names in its index, but 'to' has none"),
        ([0, 1], pd.Series([0, 1]), "'to' has sample names in its index, but 'labels' has none"),
        (pd.Series([0, 1], index=["a", "a"]), pd.Series([0]), "labels: two samples are named 'a'"),
        (pd.Series([0]), pd.Series([0], index=[3]), "have no labelled sample in common"),
        ([[0, 1]], [0], r"labels has the shape \(1, 2\). Pass one label for each sample"),
    ):
        refuses(DataError, message, align, labels, to=to)


def test_a_consensus_is_aligned(tmp_path, undrawn):
    labels = pd.DataFrame(noisy_ensemble(80, 8, 4, seed=0, noise=0.1)).add_prefix("run ")
    labels.index = pd.Index([f"s{i}" for i in range(80)], name="sample")
    earlier = find_consensus(labels[:70], 4).table["cluster"].map(dict(enumerate("wxyz")))
    again = find_consensus(labels[::-1], 4, align_to=earlier)
    assert (again.table["cluster"][earlier.index] == earlier).mean() >= 0.95
    np.testing.assert_array_equal(again.labels, find_consensus(labels[::-1], 4).labels)

    labels[::-1].to_csv(tmp_path / "labels.csv")
    earlier.to_csv(tmp_path / "old.csv")
    words = ["consensus", tmp_path / "labels.csv", "-k", 4, "-o", tmp_path]
    words += ["--align-to", tmp_path / "old.csv", "cluster"]
    assert "Pass --id" in coassoc(*words, "--columns", "run 0,run 1", code=None).output
    done = coassoc(*words, "--id", "first")
    assert again.alignment is not None and again.alignment.summary in done.output
    made = pd.read_csv(tmp_path / "consensus.csv", index_col=0)
    assert made[again.choice.method].tolist() == again.names.tolist()
    assert "4 of 4 clusters and " in (tmp_path / "consensus.html").read_text()
