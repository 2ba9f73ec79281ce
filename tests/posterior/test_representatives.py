"""Several partitions with weights, for posteriors of several modes."""

import numpy as np
import pytest

from coassoc import ConfigError
from coassoc.posterior import losses_of_draws, point_estimate, representative_partitions
from oracles.partition_losses import partitions


def two_modes(n_draws=20, seed=0):
    """Draws of six items: three pairs, and two triples, each with items gone astray."""
    random = np.random.default_rng(seed)
    modes = np.array([[0, 0, 1, 1, 2, 2], [0, 0, 0, 1, 1, 1]])
    draws = modes[(random.random(n_draws) < 0.3).astype(int)].T
    return np.where(random.random(draws.shape) < 0.1, 3, draws)


@pytest.mark.parametrize(("loss", "a"), [("VI", 1.0), ("VI", 1.4), ("Binder", 1.0), ("NID", 1.0)])
@pytest.mark.parametrize("seed", [0, 1])
def test_no_two_partitions_of_few_items_are_nearer_to_the_draws(loss, a, seed):
    draws = two_modes(seed=seed)
    each = np.array([losses_of_draws(draws, labels, loss, a) for labels in partitions(6)])
    least = min(np.minimum(one, each).mean(axis=1).min() for one in each)
    found = representative_partitions(draws, 2, loss, a)
    assert found.expected_loss == pytest.approx(least, abs=1e-12)
    losses = np.array([losses_of_draws(draws, labels, loss, a) for labels in found.labels.T])
    assert losses.min(axis=0).mean() == pytest.approx(least, abs=1e-12)
    np.testing.assert_allclose(losses[found.nearest, np.arange(20)], losses.min(axis=0))
    np.testing.assert_array_equal(found.weights, np.bincount(found.nearest) / 20)
    assert (np.diff(found.weights) <= 0).all()


def test_one_partition_is_the_point_estimate_and_as_many_as_draws_lose_nothing():
    draws = two_modes()
    one = representative_partitions(draws, 1)
    np.testing.assert_array_equal(one.labels[:, 0], point_estimate(draws).labels)
    assert one.weights == [1]
    every = representative_partitions(draws, len(np.unique(draws, axis=1).T), random_state=3)
    assert every.expected_loss == pytest.approx(0, abs=1e-12)
    assert "1 partition of 6 items, with fractions of the draws" in repr(one)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"n_partitions": 0}, "n_partitions is 0. Choose a number from 1 to 3"),
        ({"n_partitions": 4}, "n_partitions is 4. Choose a number from 1 to 3"),
        ({"n_partitions": 2, "n_starts": 0}, "n_starts is 0"),
        ({"n_partitions": 2, "loss": "omARI.approx"}, "loss is 'omARI.approx'"),
    ],
)
def test_what_is_not_allowed_is_refused_in_a_sentence(arguments, message):
    draws = np.array([[0, 0, 0], [0, 0, 1], [0, 1, 1], [0, 1, 2]])
    with pytest.raises(ConfigError, match=message):
        representative_partitions(draws, **arguments)
