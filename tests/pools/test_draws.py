"""Which base clusterings the repeats draw from a pool."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coassoc.errors import ConfigError, DataError
from coassoc.pools.draws import ALL, check_labelled, make_draws, shuffle_pool
from coassoc.storage.records import Pool


@given(st.integers(1, 40), st.integers(1, 6), st.data())
def test_random_draws(pool_size, repeats, data):
    m = data.draw(st.integers(1, pool_size))
    draws = make_draws(pool_size, [m], repeats, names=("p", "d"))[m]
    assert draws.shape == (repeats, m)
    assert (np.diff(draws, axis=1) > 0).all()
    assert draws.min() >= 0
    assert draws.max() < pool_size
    more = make_draws(pool_size, [m, 1], repeats + 3, names=("p", "d"))[m]
    np.testing.assert_array_equal(more[:repeats], draws)


def test_random_draws_are_uniform_and_named():
    drawn = make_draws(10, [4], 1000, names=("p", "d"))[4]
    counts = np.bincount(drawn.ravel(), minlength=10)
    assert (abs(counts - 400) < 5 * np.sqrt(400 * 0.6)).all()
    other = make_draws(10, [4], 1000, names=("p", "e"))[4]
    assert not np.array_equal(drawn, other)


def test_disjoint_draws():
    draws = make_draws(200, [20], 10, scheme="disjoint")[20]
    assert draws.shape == (10, 20)
    assert sorted(draws.ravel()) == list(range(200))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((10, [11], 1), "a pool of 10 base clusterings is too small for an ensemble of 11"),
        ((10, [4], 3, "disjoint"), "too small for 3 disjoint ensembles of 4"),
        ((10, [4], 3, "any"), "draws.scheme is 'any'. It must be 'random' or 'disjoint'"),
    ],
)
def test_draws_that_cannot_be_made(arguments, message):
    with pytest.raises(ConfigError, match=message):
        make_draws(*arguments)


def shuffled(percent, name="d", n=200):
    """Which sample is at each place when so many percent are shuffled."""
    pool = Pool(np.arange(n)[:, None], np.arange(n), {1: np.array([[0]])}, {}, None)
    permuted = shuffle_pool(pool, name, percent=percent)
    assert sorted(permuted.y) == list(range(n))
    np.testing.assert_array_equal(permuted.labels[:, 0], permuted.y)
    return permuted.y


def test_a_percentage_of_the_samples_is_shuffled_and_the_others_stay():
    places = np.arange(200)
    none, tenth, half, whole = (shuffled(percent) for percent in (0, 10, 50, 100))
    assert (none == places).all()
    assert 15 <= (tenth != places).sum() <= 20  # a few of the chosen come back to their places
    assert 90 <= (half != places).sum() <= 100
    assert (whole != places).sum() >= 190
    assert not np.array_equal(whole, shuffled(100, "e"))
    stays = half == places  # those of a small percentage are among those of a larger one
    np.testing.assert_array_equal(tenth[stays], places[stays])


def test_all_that_is_known_of_a_sample_moves_with_it():
    places = np.arange(50)
    known = {"samples": places.astype(str), "truths": np.array([places, 49 - places])}
    pool = Pool(places[:, None], places, {1: np.array([[0]])}, {}, **known)
    moved = shuffle_pool(pool, "d", random_state=0)
    order = moved.labels[:, 0]
    assert not np.array_equal(order, places)
    np.testing.assert_array_equal(moved.y, order)
    np.testing.assert_array_equal(moved.samples, order.astype(str))
    np.testing.assert_array_equal(moved.truths, [order, 49 - order])


def test_draws_of_all_base_clusterings():
    draws = make_draws(7, [ALL, 3], 2, random_state=1, names=("p", "d"))
    assert draws[ALL].tolist() == [list(range(7))] * 2
    alone = make_draws(7, [3], 2, random_state=1, names=("p", "d"))
    np.testing.assert_array_equal(draws[3], alone[3])


def test_a_sample_without_any_label_in_a_draw_is_refused():
    labels = np.array([[0, -1, 1], [-1, 0, -1], [-1, -1, 2]])
    draws = {2: np.array([[0, 1]])}
    check_labelled(labels[:2], draws, "pool x")
    check_labelled(labels, {3: np.array([[0, 1, 2]])}, "pool x")
    for times, said in ((1, " has"), (2, " (and 1 more) has"), (3, " (and 2 more) has")):
        with pytest.raises(DataError) as error:
            check_labelled(np.vstack([labels[:2], *[labels[2:]] * times]), draws, "pool x")
        assert str(error.value) == (
            f"pool x: sample 3{said} no label in any of the 2 base clusterings of draw 0. "
            "Draw more base clusterings, or leave out fewer samples."
        )
