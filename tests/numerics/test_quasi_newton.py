"""L-BFGS-B against SciPy's, and the weights of its inner product."""

from functools import partial

import numpy as np
import pytest
from scipy.optimize import fmin_l_bfgs_b

from coassoc.numerics import quasi_newton

minimize_in_box = partial(quasi_newton.minimize_in_box, stationarity=1e-3)


def problem(seed):
    """A quadratic plus ripples on a small matrix, a start and a number of iterations."""
    rng = np.random.default_rng(seed)
    shape = tuple(rng.integers(2, 12, 2))
    n = shape[0] * shape[1]
    A = rng.normal(size=(n, n))
    A = A @ A.T / n - (0.2 if seed % 3 == 0 else 0.0) * np.eye(n)
    b = rng.normal(size=n) * rng.choice([0.1, 1, 10])
    ripple = rng.choice([0.0, 1.0, 5.0, 40.0])

    def function(x):
        flat = x.ravel()
        value = flat @ A @ flat / 2 - b @ flat + ripple * np.sin(9 * flat).sum()
        return value, (A @ flat - b + 9 * ripple * np.cos(9 * flat)).reshape(x.shape)

    start = rng.integers(0, 3, shape) / 2 if seed % 2 else rng.random(shape)
    return function, start, int(rng.integers(1, 25))


@pytest.mark.parametrize("seed", range(200))
def test_takes_the_same_steps_as_scipy(seed):
    function, start, max_iter = problem(seed)
    calls = []

    def counted(x):
        calls.append(1)
        return function(x)

    def flat(x):
        value, gradient = function(x.reshape(start.shape))
        return value, gradient.ravel()

    box, settings = [(0, 1)] * start.size, {"m": 5, "pgtol": 1e-3, "maxiter": max_iter}
    expected, value, info = fmin_l_bfgs_b(flat, start.ravel(), bounds=box, **settings)
    point = minimize_in_box(counted, start, np.ones(len(start)), max_iter=max_iter)
    np.testing.assert_allclose(point.ravel(), expected, atol=1e-7)
    assert len(calls) == info["funcalls"]
    assert function(point)[0] == pytest.approx(value)


@pytest.mark.parametrize("seed", range(8))
def test_weights_stand_for_repeated_rows(seed):
    function, start, max_iter = problem(seed)
    sizes = np.random.default_rng(seed).integers(1, 5, len(start))
    rows = np.repeat(np.arange(len(start)), sizes)
    first = np.searchsorted(rows, np.arange(len(start)))

    def weighted(x):
        # Each copy of a row has its share of the gradient.
        value, gradient = function(x)
        return value, gradient / sizes[:, None]

    def repeated(x):
        value, gradient = weighted(x[first])
        return value, gradient[rows]

    whole = minimize_in_box(repeated, start[rows], np.ones(len(rows)), max_iter=max_iter)
    short = minimize_in_box(weighted, start, sizes.astype(float), max_iter=max_iter)
    np.testing.assert_allclose(short[rows], whole, atol=1e-7)


def test_a_start_that_is_stationary_is_returned():
    start = np.array([[0.0, 1.0]])
    point = minimize_in_box(lambda x: (0.0, np.array([[2.0, -3.0]])), start, np.ones(1), max_iter=9)
    np.testing.assert_array_equal(point, start)


def test_a_function_without_descent_is_given_up():
    start = np.full((2, 2), 0.5)
    lying = minimize_in_box(
        lambda x: (float(x.sum()), -np.ones((2, 2))), start, np.ones(2), max_iter=9
    )
    np.testing.assert_array_equal(lying, start)
