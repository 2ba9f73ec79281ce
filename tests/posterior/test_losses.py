"""Losses of partitions and their expectations, against definitions."""

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import adjusted_rand_score

from coassoc import ConfigError, DataError
from coassoc.posterior import LOSSES, Draws, expected_loss, losses_of_draws
from oracles.partition_losses import losses, omari_approx, partitions
from sampled_draws import draws_of_groups

OF_TWO = [loss for loss in LOSSES if loss != "omARI.approx"]


@pytest.mark.parametrize("a", [1.0, 0.3, 1.5])
def test_losses_of_all_pairs_of_partitions_are_those_of_the_definitions(a):
    every = list(partitions(5))
    draws = np.array(every).T
    for estimate in every[::3]:
        expected = [losses(truth, estimate, a) for truth in every]
        for loss in OF_TWO if a == 1 else ("Binder", "VI"):
            found = losses_of_draws(draws, estimate, loss, a)
            np.testing.assert_allclose(found, [each[loss] for each in expected], atol=1e-12)


def test_expectations_are_means_over_the_draws_and_the_approximation_is_of_similarities():
    draws = draws_of_groups(12, 40)
    labels = np.arange(12) % 3
    for loss in OF_TWO:
        mean = np.mean([losses(draw, labels)[loss] for draw in draws.T])
        assert expected_loss(draws, labels, loss) == pytest.approx(mean, abs=1e-12)
    approximation = omari_approx(draws.T.tolist(), labels.tolist())
    assert expected_loss(draws, labels, "omARI.approx") == pytest.approx(approximation, abs=1e-12)
    mean = np.mean([1 - adjusted_rand_score(draw, labels) for draw in draws.T])
    assert expected_loss(draws, labels, "omARI") == pytest.approx(mean, abs=1e-12)


@pytest.mark.parametrize(
    ("draws", "said"),
    [
        ([[0, 0], [1, -1]], r"item 1 has no label in draw 1 \(-1\)"),
        ([[0.0, 1.0], [np.nan, 0.0]], r"item 1 has no label in draw 0 \(nan\)"),
        ([["a", None], ["b", "a"]], r"item 0 has no label in draw 1 \(None\)"),
        (np.ma.masked_equal([[0, 1], [1, 7]], 7), "item 1 has no label in draw 1"),
        (pd.DataFrame({"x": [0, 1], "y": [0, None]}, dtype="Int64"), "item 1 has no label in draw"),
        (pd.DataFrame({"name": ["i", "j"], "d": [0, 1]}), "strings and numbers"),
        ([[0.5], [1.0]], "fractions"),
        ([0, 1], "items × draws"),
        (np.empty((3, 0)), "at least one"),
        ([[1j], [0]], "of type complex128"),
    ],
)
def test_what_is_no_draw_is_refused_in_a_sentence(draws, said):
    with pytest.raises(DataError, match=said):
        Draws.of(draws)


def test_what_is_no_loss_is_refused_in_a_sentence():
    draws = [[0], [1]]
    with pytest.raises(ConfigError, match="one of Binder, VI"):
        expected_loss(draws, [0, 1], "binder")
    with pytest.raises(ConfigError, match="from 0 to 2"):
        expected_loss(draws, [0, 1], "VI", a=2.5)
    with pytest.raises(ConfigError, match="no other loss has costs"):
        expected_loss(draws, [0, 1], "NVI", a=1.5)
    with pytest.raises(DataError, match=r"shape \(3,\)"):
        expected_loss(draws, [0, 1, 1])
