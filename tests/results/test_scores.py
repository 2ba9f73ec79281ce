"""Scores where labels are missing: of the samples that a base clustering has."""

from __future__ import annotations

import numpy as np
import pytest

from coassoc.metrics import adjusted_rand_index, contingency_table, normalized_mutual_information
from coassoc.results.scores import score_pool, score_references, score_run
from coassoc.storage.records import Pool, RepeatResult, Run

LABELS = np.array([[0, 0], [0, 0], [0, -1], [1, 1], [1, 1], [1, 0]])
CLASSES = np.array([0, 0, 1, 1, 1, 1])
FOUND = np.array([0, 0, 0, 1, 1, 1])
#: The samples that the second base clustering has.
THERE = [0, 1, 3, 4, 5]


@pytest.fixture
def pool() -> Pool:
    return Pool(LABELS, CLASSES, {2: np.array([[0, 1]])}, {"fingerprint": "p"})


def second(score) -> float:
    """A score of the second base clustering with the classes."""
    return score(contingency_table(CLASSES[THERE], LABELS[THERE, 1]))


def test_a_base_clustering_is_scored_on_its_samples(pool):
    lines = score_pool(pool)
    assert lines[1]["ARI"] == pytest.approx(second(adjusted_rand_index))
    assert lines[1]["n_clusters"] == 2


def test_agreement_with_base_clusterings_is_on_their_samples(pool):
    attributes = {"pool_fingerprint": "p", "m": 2, "n_clusters": 2}
    (line,) = score_run(Run([{}], [[RepeatResult(FOUND)]], attributes), pool)
    tables = [
        contingency_table(LABELS[:, 0], FOUND),
        contingency_table(LABELS[THERE, 1], FOUND[THERE]),
    ]
    expected = np.mean([normalized_mutual_information(table) for table in tables])
    assert line["ANMI"] == pytest.approx(expected)


def test_the_references_of_an_ensemble(pool):
    lines = score_references(pool, 2, n_clusters=2, seed=0, names=("p", "d"))
    mean = next(line for line in lines if line["reference"] == "ensemble-mean")
    first = adjusted_rand_index(contingency_table(CLASSES, LABELS[:, 0]))
    assert mean["ARI"] == pytest.approx((first + second(adjusted_rand_index)) / 2)
