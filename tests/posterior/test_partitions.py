"""Losses, estimates from similarities, several partitions, and how sure they are."""

from functools import cache

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import adjusted_rand_score

from coassoc import ConfigError, DataError
from coassoc.posterior import (
    LOSSES,
    Draws,
    allocation_probabilities,
    credible_ball,
    expected_loss,
    losses_of_draws,
    number_probabilities,
    partial_partition,
    point_estimate,
    representative_partitions,
    similarity_estimate,
    similarity_loss,
    similarity_matrix,
)
from ensembles import noisy_ensemble
from oracles.partition_losses import losses, omari_approx, partitions
from refusals import refused, refuses

# -- LOSSES ----------------------------------------------------------------------------------------

# Losses of partitions and their expectations, against definitions.


OF_TWO = [loss for loss in LOSSES if loss != "omARI.approx"]


@pytest.mark.parametrize(("a", "n"), [(1.0, 5), (0.3, 5), (1.5, 5), (1.0, 2)])
def test_losses_of_all_pairs_of_partitions_are_those_of_the_definitions(a, n):
    every = list(partitions(n))
    draws = np.array(every).T
    for estimate in every[::3]:
        expected = [losses(truth, estimate, a) for truth in every]
        for loss in OF_TWO if a == 1 else ("Binder", "VI"):
            found = losses_of_draws(draws, estimate, loss, a)
            np.testing.assert_allclose(found, [each[loss] for each in expected], atol=1e-12)


def test_expectations_are_means_over_the_draws_and_the_approximation_is_of_similarities():
    draws = noisy_ensemble(12, 40, 3, seed=0)
    labels = np.arange(12) % 3
    large = draws.astype(np.uint64)
    large[:, 0] += np.uint64(2**63 + 5)  # floating-point numbers would be equal
    np.testing.assert_array_equal(losses_of_draws(large, labels), losses_of_draws(draws, labels))
    for loss in OF_TWO:
        mean = np.mean([losses(draw, labels)[loss] for draw in draws.T])
        assert expected_loss(draws, labels, loss) == pytest.approx(mean, abs=1e-12)
    assert expected_loss(draws.astype(float), labels) == expected_loss(draws, labels)
    approximation = omari_approx(draws.T.tolist(), labels.tolist())
    assert expected_loss(draws, labels, "omARI.approx") == pytest.approx(approximation, abs=1e-12)
    mean = np.mean([1 - adjusted_rand_score(draw, labels) for draw in draws.T])
    assert expected_loss(draws, labels, "omARI") == pytest.approx(mean, abs=1e-12)


@refused(
    DataError,
    ([[0, 0], [1, -1]], "column 1 has no label in item 1"),
    ([[0.0, 1.0], [np.nan, 0.0]], "column 0 has no label in item 1"),
    ([["a", None], ["b", "a"]], "column 1 has no label in item 0"),
    (np.ma.masked_equal([[0, 1], [1, 7]], 7), "column 1 has no label in item 1"),
    (pd.DataFrame({"x": [0, 1], "y": [0, None]}, dtype="Int64"), "no label in item 1"),
    (pd.DataFrame({"name": ["i", "j"], "d": [0, 1]}), "column 0 holds strings, but"),
    ([[0.5], [1.0]], "column 0 has 0.5, but a label is"),
    ([[0] * 20, range(100, 140, 2)], "item 1 change by equal steps"),
    ([0, 1], "items × draws"),
    (np.empty((3, 0)), "at least one"),
    ([[1j], [0]], "column 0 has values of type complex"),
)
def test_what_is_no_draw_is_refused_in_a_sentence(draws):
    Draws.of(draws)


TWO, ESTIMATE_OF_TWO = [[0], [1]], [0, 1]
FOUR = np.array([[0, 0, 0], [0, 0, 1], [0, 1, 1], [0, 1, 2]])


@refused(
    (ConfigError, DataError),
    (lambda: expected_loss(TWO, ESTIMATE_OF_TWO, "binder"), "one of Binder, VI"),
    (lambda: expected_loss(TWO, ESTIMATE_OF_TWO, "VI", a=2.5), "from 0 to 2"),
    (lambda: expected_loss(TWO, ESTIMATE_OF_TWO, "NVI", a=1.5), "choose the loss Binder or VI"),
    (lambda: expected_loss(TWO, [0, 1, 1]), r"shape \(3,\)"),
    (lambda: expected_loss(TWO, [0, -1]), "^labels: column 0 has no label in item 1"),
    (lambda: similarity_estimate(np.eye(3), "VI"), r"Binder or VI\.lb"),
    (lambda: representative_partitions(FOUR, 0), "n_partitions is 0. Choose a number from 1"),
    (lambda: representative_partitions(FOUR, 2, "omARI.approx"), "loss is 'omARI.approx'"),
    (lambda: point_estimate(FOUR, n_starts=0), "n_starts is 0"),
    (lambda: point_estimate(FOUR, max_clusters=-1), "max_clusters is -1"),
    (lambda: credible_ball(TWO, ESTIMATE_OF_TWO, loss="NVI"), "It must be VI or Binder"),
    (lambda: credible_ball(TWO, ESTIMATE_OF_TWO, 1.0), "greater than 0 and less than 1"),
    (lambda: partial_partition(TWO, 0.0), "above 0 and at most 1"),
)
def test_arguments_that_are_not_allowed_are_refused_in_a_sentence(call):
    call()


# -- SIMILARITIES ----------------------------------------------------------------------------------

# Estimates from posterior similarities: the least loss of all partitions, by the definitions.


@pytest.fixture(scope="module")
def draws():
    return noisy_ensemble(7, 30, 3, seed=2)


@pytest.mark.parametrize("loss", ["Binder", "VI.lb"])
@pytest.mark.parametrize("a", [0.7, 1.0, 1.4])
@pytest.mark.parametrize("most", [None, 2])
def test_no_partition_has_less_loss(draws, loss, a, most):
    P = similarity_matrix(draws)
    found = similarity_estimate(P, loss, a, most)
    allowed = ([*z] for z in partitions(7) if most is None or max(z) < most)
    least = min(similarity_loss(P, z, loss, a) for z in allowed)
    assert found.expected_loss == pytest.approx(least, abs=1e-9)
    assert similarity_loss(P, found.labels, loss, a) == pytest.approx(least, abs=1e-9)


def test_binder_is_the_expected_loss_of_the_draws_and_the_bound_is_below_vi(draws):
    P = similarity_matrix(draws)
    # What no estimate changes: the entropy of the draws, for which the bound has that of P.
    sizes = [(column[:, None] == column).sum(axis=1) for column in draws.T]
    constant = np.log2(P.sum(axis=1)).mean() - np.log2(sizes).mean()
    for z in ([0, 0, 1, 1, 2, 2, 2], [0] * 7, range(7)):
        exact = expected_loss(draws, [*z], "Binder", 1.3)
        assert similarity_loss(P, [*z], "Binder", 1.3) == pytest.approx(exact)
        bound = similarity_loss(P, [*z]) - constant
        assert bound <= expected_loss(draws, [*z], "VI") + 1e-12


def test_the_bound_is_exact_for_one_draw(draws):
    P, z = similarity_matrix(draws[:, :1]), [0, 1, 1, 0, 2, 2, 1]
    for a in (0.5, 1.0):
        exact = expected_loss(draws[:, :1], z, "VI", a)
        assert similarity_loss(P, z, "VI.lb", a) == pytest.approx(exact)


# -- REPRESENTATIVES -------------------------------------------------------------------------------

# Several partitions with weights, for posteriors of several modes.


def two_modes(n_draws=20, seed=0):
    """Draws of six items: three pairs, and two triples, each with items gone astray."""
    random = np.random.default_rng(seed)
    modes = np.array([[0, 0, 1, 1, 2, 2], [0, 0, 0, 1, 1, 1]])
    draws = modes[(random.random(n_draws) < 0.3).astype(int)].T
    return np.where(random.random(draws.shape) < 0.1, 3, draws)


@pytest.mark.parametrize(("loss", "a"), [("VI", 1.0), ("VI", 1.4), ("Binder", 1.0), ("NID", 1.0)])
def test_no_two_partitions_of_few_items_are_nearer_to_the_draws(loss, a):
    draws = two_modes(seed=1)
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
    assert repr(one) == (
        "1 partition of 6 items, with fractions of the draws and numbers of clusters: 100 % with "
        f"{len({*one.labels[:, 0]})}\nexpected loss {one.expected_loss:.6g}"
    )


@pytest.mark.parametrize("seed", range(4))
def test_draws_belong_to_their_nearest_partition_in_the_order_of_weights(seed):
    draws = np.random.default_rng(seed).integers(0, 3, (6, 30))
    found = representative_partitions(draws, 4, n_starts=2, random_state=seed)
    losses = np.array([losses_of_draws(draws, labels, "VI") for labels in found.labels.T])
    np.testing.assert_allclose(losses[found.nearest, np.arange(30)], losses.min(axis=0))
    np.testing.assert_array_equal(found.weights, np.bincount(found.nearest, minlength=4) / 30)


# -- UNCERTAINTY -----------------------------------------------------------------------------------

# Credible balls, allocations, partial partitions and chains.


DRAWS = noisy_ensemble(18, 200, 3, seed=0)


@cache
def estimate():
    return point_estimate(DRAWS).labels


def canonical(labels):
    return [list(dict.fromkeys(labels)).index(label) for label in labels]


@pytest.mark.parametrize("loss", ["VI", "Binder"])
@pytest.mark.parametrize("level", [0.05, 0.5, 0.8, 0.95])
def test_the_ball_is_the_smallest_that_has_its_mass(loss, level):
    ball = credible_ball(DRAWS, estimate(), level, loss)
    away = np.array([losses(draw, estimate().tolist())[loss] for draw in DRAWS.T.tolist()])
    np.testing.assert_allclose(ball.distances, away, atol=1e-12)
    assert ball.mass == (away <= ball.radius + 1e-9).mean() == ball.inside.mean() >= level
    assert (away < ball.radius - 1e-9).mean() < level


@pytest.mark.parametrize("loss", ["VI", "Binder"])
def test_bounds_are_those_of_wade_and_ghahramani(loss):
    ball = credible_ball(DRAWS, estimate(), 0.9, loss)
    away = losses_of_draws(DRAWS, estimate(), loss)
    numbers = np.array([len(set(draw)) for draw in DRAWS.T])
    inside = np.flatnonzero(ball.inside)
    least, most = numbers[inside].min(), numbers[inside].max()
    for bound, number in ((ball.horizontal, None), (ball.upper, least), (ball.lower, most)):
        among = [j for j in inside if number is None or numbers[j] == number]
        far = [j for j in among if away[j] >= away[among].max() - 1e-9]
        expected = {tuple(canonical(DRAWS[:, j])) for j in far}
        assert {tuple(labels) for labels in bound.tolist()} == expected
        assert len(bound) == len(expected)
    assert f"{100 * ball.mass:.1f} % of the draws within a radius of {ball.radius:.3g}" in repr(
        ball
    )
    assert f"bounds: upper {least}, lower {most}, horizontal {max(ball.horizontal[0]) + 1}" in repr(
        ball
    )


def test_numbers_of_clusters_have_their_shares():
    for draws in (
        [[0, 0, 5, 0], [0, 1, 5, 1]],
        [[*"aaca"], [*"abcb"]],
        [[0, 0, 10**9, 0], [0, 1, 10**9, 1]],
    ):
        assert number_probabilities(draws) == {1: 0.5, 2: 0.5}
    assert sum(number_probabilities(DRAWS).values()) == pytest.approx(1)


def test_items_are_where_matched_clusters_have_them():
    labels = np.array([0, 0, 0, 1, 1])
    # The same, with other names; one item elsewhere; and a cluster that is matched with none.
    draws = np.array([[7, 7, 7, 3, 3], [1, 1, 0, 0, 0], [0, 0, 2, 1, 1]]).T
    third = 1 / 3
    expected = [[1, 0], [1, 0], [third, third], [0, 1], [0, 1]]
    np.testing.assert_allclose(allocation_probabilities(draws, labels), expected)
    found = allocation_probabilities(DRAWS, estimate())
    assert found.shape == (18, estimate().max() + 1) and (found.sum(axis=1) <= 1 + 1e-12).all()


@pytest.mark.parametrize("probability", [0.2, 0.6, 0.95, 1.0])
def test_a_partial_partition_has_the_probability_that_it_states(probability):
    found = partial_partition(DRAWS, probability)
    known = found.labels >= 0
    inside = found.labels[known]
    pattern = inside[:, None] == inside
    among = DRAWS[known]
    held = ((among[:, None] == among[None]) == pattern[..., None]).all(axis=(0, 1))
    assert found.probability == held.mean() >= probability
    assert sorted(found.order) == list(range(18)) and (np.diff(found.probabilities) <= 0).all()
    assert found.probabilities[known.sum() - 1] == pytest.approx(found.probability)


def greedy(first, among=range(18)):
    """Items in the order of a greedy search from one item, and draws that agree, by definition."""
    draws, inside, kept = [tuple(draw) for draw in DRAWS.T.tolist()], [first], [200]
    while len(inside) < 18:
        best = ([], None)
        for item in sorted({*range(18)} - {*inside}, key=lambda item: item not in among):
            if best[1] in among and item not in among:
                break
            ways = {}
            for draw in draws:
                ways.setdefault(tuple(canonical([draw[i] for i in [*inside, item]])), []).append(
                    draw
                )
            best = max(best, (max(ways.values(), key=len), item), key=lambda end: len(end[0]))
        draws, inside, kept = best[0], [*inside, best[1]], [*kept, len(best[0])]
    return inside, np.array(kept)


@pytest.mark.parametrize("probability", [0.3, 0.9])
def test_no_greedy_search_from_one_item_partitions_more_items(probability):
    found = partial_partition(DRAWS, probability)
    size = (found.labels >= 0).sum()
    assert size >= max((greedy(first)[1] >= 200 * probability).sum() for first in range(18))
    # The items of the set come first, in a greedy order, and then the others.
    order, kept = greedy(found.order[0], np.flatnonzero(found.labels >= 0).tolist())
    assert found.order.tolist() == order
    np.testing.assert_allclose(found.probabilities, kept / 200)


@pytest.mark.parametrize(("other", "held_out"), [([0, 0, 1, 2], 0.8), ([0, 0, 1, 1], 1.0)])
def test_sets_that_halves_of_the_draws_choose_are_counted_in_the_other_halves(other, held_out):
    # The first half chooses all items, which 6 of 10 others have; the last half chooses three.
    found = partial_partition(np.array([[0, 0, 1, 1]] * 16 + [other] * 4).T, 0.9)
    assert (found.held_out, found.holds) == (pytest.approx(held_out), held_out == 1)
    assert ("0.800 in draws that did not" in repr(found)) != found.holds
    assert (found.labels >= 0).sum() == 4 - (held_out < 1)


@pytest.mark.parametrize(("probability", "size"), [(0.9, 4), (0.92, 3)])
def test_so_many_draws_agree_as_requested_and_no_more(probability, size):
    draws = np.array([[0, 0, 1, 1]] * 18 + [[0, 0, 1, 2]] * 2).T
    assert (partial_partition(draws, probability).labels >= 0).sum() == size


# -- DRAWS -----------------------------------------------------------------------------------------


def test_chains_by_iterations_are_refused_and_chains_are_kept():
    chains = np.stack([DRAWS[:, :100].T, DRAWS[:, 100:].T])
    checked = Draws.of(chains)
    assert checked.labels.tolist() == Draws.of(DRAWS).labels.tolist()
    assert checked.chains.tolist() == [1] * 100 + [2] * 100
    refuses(DataError, "100 chains of 2 draws", Draws.of, chains.transpose(1, 0, 2))
    refuses(ConfigError, "one chain for each of the 200 draws", Draws.of, DRAWS, chains=[0, 1])


def test_draws_whose_axes_have_names_are_read_in_any_order():
    class Array:
        def __init__(self, values, dims):
            self.values, self.dims, self.ndim = np.asarray(values), dims, np.ndim(values)
            names = np.array([f"i{k}" for k in range(18)])
            self.coords = {"item": type("Coordinate", (), {"values": names})}

        def transpose(self, *dims):
            return Array(self.values.transpose([self.dims.index(dim) for dim in dims]), dims)

    class Tree:
        def __init__(self, **variables):
            self.posterior = type("Group", (), {"data_vars": variables, "dims": ()})()

    chains = np.stack([DRAWS[:, :100].T, DRAWS[:, 100:].T])
    z = Array(chains.transpose(2, 1, 0), ("item", "draw", "chain"))
    mu = Array(np.full((2, 100, 3), 0.5), ("chain", "draw", "k"))
    dataset = Tree(z=z, mu=mu).posterior
    dataset.transpose = None  # as a Dataset of xarray has
    for draws in (z, Tree(z=z, mu=mu), dataset):
        checked = Draws.of(draws)
        assert checked.labels.tolist() == Draws.of(chains).labels.tolist()
        assert checked.names[3] == "i3"
    refuses(DataError, "with one of: w, z", Draws.of, Tree(w=z, z=z))
    with pytest.raises(DataError, match=r"axes item, draw, x\. They must be chain, draw"):
        Draws.of(Array(chains, ("item", "draw", "x")))
