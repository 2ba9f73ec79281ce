"""Credible balls, allocations, partial partitions and chains."""

import numpy as np
import pytest

from coassoc import ConfigError, DataError
from coassoc.posterior import (
    allocation_probabilities,
    chain_estimates,
    credible_ball,
    effective_draws,
    losses_of_draws,
    number_probabilities,
    partial_partition,
    point_estimate,
    similarity_matrix,
)
from oracles.partition_losses import losses
from sampled_draws import draws_of_groups

DRAWS = draws_of_groups(18, 200)
ESTIMATE = point_estimate(DRAWS).labels


def canonical(labels):
    return [list(dict.fromkeys(labels)).index(label) for label in labels]


@pytest.mark.parametrize("loss", ["VI", "Binder"])
@pytest.mark.parametrize("level", [0.05, 0.5, 0.8, 0.95])
def test_the_ball_is_the_smallest_that_has_its_mass(loss, level):
    ball = credible_ball(DRAWS, ESTIMATE, level, loss)
    away = np.array([losses(draw, ESTIMATE.tolist())[loss] for draw in DRAWS.T.tolist()])
    np.testing.assert_allclose(ball.distances, away, atol=1e-12)
    assert ball.mass == (away <= ball.radius + 1e-9).mean() == ball.inside.mean() >= level
    assert (away < ball.radius - 1e-9).mean() < level


@pytest.mark.parametrize("loss", ["VI", "Binder"])
def test_bounds_are_those_of_wade_and_ghahramani(loss):
    ball = credible_ball(DRAWS, ESTIMATE, 0.9, loss)
    away = losses_of_draws(DRAWS, ESTIMATE, loss)
    numbers = np.array([len(set(draw)) for draw in DRAWS.T])
    inside = np.flatnonzero(ball.inside)
    least, most = numbers[inside].min(), numbers[inside].max()
    for bound, number in ((ball.horizontal, None), (ball.upper, least), (ball.lower, most)):
        among = [j for j in inside if number is None or numbers[j] == number]
        far = [j for j in among if away[j] >= away[among].max() - 1e-9]
        expected = {tuple(canonical(DRAWS[:, j])) for j in far}
        assert {tuple(labels) for labels in bound.tolist()} == expected
        assert len(bound) == len(expected)


def test_similarities_are_shares_of_the_draws():
    expected = (DRAWS[:, None] == DRAWS[None]).mean(axis=2)
    np.testing.assert_allclose(similarity_matrix(DRAWS), expected)
    np.testing.assert_allclose(similarity_matrix(np.repeat(DRAWS, 2, axis=1)), expected)
    assert similarity_matrix([[0, 0], [1, 1]]).tolist() == [[1, 0], [0, 1]]


def test_numbers_of_clusters_have_their_shares():
    assert number_probabilities([[0, 0, 5, 0], [0, 1, 5, 1]]) == {1: 0.5, 2: 0.5}
    assert sum(number_probabilities(DRAWS).values()) == pytest.approx(1)


def test_distinct_draws_count_as_equally_frequent_ones():
    assert effective_draws([[0, 0, 5, 0], [0, 1, 5, 1]]) == 2
    assert effective_draws([[0, 1, 2], [0, 1, 2]]) == 1
    assert effective_draws(np.eye(5, dtype=int)) == 5


def test_items_are_where_matched_clusters_have_them():
    labels = np.array([0, 0, 0, 1, 1])
    # The same, with other names; one item elsewhere; and a cluster that is matched with none.
    draws = np.array([[7, 7, 7, 3, 3], [1, 1, 0, 0, 0], [0, 0, 2, 1, 1]]).T
    third = 1 / 3
    expected = [[1, 0], [1, 0], [third, third], [0, 1], [0, 1]]
    np.testing.assert_allclose(allocation_probabilities(draws, labels), expected)
    found = allocation_probabilities(DRAWS, ESTIMATE)
    assert found.shape == (18, ESTIMATE.max() + 1)
    assert (found.sum(axis=1) <= 1 + 1e-12).all()


@pytest.mark.parametrize("probability", [0.2, 0.6, 0.95, 1.0])
def test_a_partial_partition_has_the_probability_that_it_states(probability):
    found = partial_partition(DRAWS, probability)
    known = found.labels >= 0
    inside = found.labels[known]
    pattern = inside[:, None] == inside
    among = DRAWS[known]
    held = ((among[:, None] == among[None]) == pattern[..., None]).all(axis=(0, 1))
    assert found.probability == held.mean() >= probability
    assert sorted(found.order) == list(range(18))
    assert (np.diff(found.probabilities) <= 0).all()
    assert known.sum() == (found.probabilities >= probability).sum()


@pytest.mark.filterwarnings("error")  # a chain may have fewer draws than items
def test_chains_that_agree_and_chains_that_do_not():
    x, y = np.repeat([[0], [0], [1], [1]], 6, axis=1), np.repeat([[0], [1], [0], [1]], 6, axis=1)
    found = chain_estimates(np.hstack([x, x, y]), np.repeat(["a", "b", "c"], 6))
    assert found.chains == ["a", "b", "c"]
    first, _, last = (estimate.labels.tolist() for estimate in found.estimates)
    assert (first, last) == ([0, 0, 1, 1], [0, 1, 0, 1])
    np.testing.assert_allclose(found.VI, [[0, 0, 2], [0, 0, 2], [2, 2, 0]], atol=1e-12)
    with pytest.raises(ConfigError, match="one chain for each of the 6 draws"):
        chain_estimates(x, [0, 1])
    masked = np.ma.masked_equal(x, 1)
    with pytest.raises(DataError, match="item 2 has no label in draw 0"):
        chain_estimates(masked, ["a"] * 6)
    with pytest.raises(DataError, match="item 2 has no label"):
        credible_ball(x, masked[:, 0])


def test_what_is_not_allowed_is_refused_in_a_sentence():
    with pytest.raises(ConfigError, match="It must be VI or Binder"):
        credible_ball(DRAWS, ESTIMATE, loss="NVI")
    with pytest.raises(ConfigError, match="greater than 0 and less than 1"):
        credible_ball(DRAWS, ESTIMATE, 1.0)
    with pytest.raises(ConfigError, match="above 0 and at most 1"):
        partial_partition(DRAWS, 0.0)
