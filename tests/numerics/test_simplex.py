import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coassoc.numerics.simplex import project_on_capped_simplex, simplex_qp


def objective(H, f, w):
    return w @ H @ w / 2 + f @ w


@given(
    st.integers(0, 10**6),
    st.integers(1, 9),
    st.integers(0, 9),
    st.integers(-3, 6),
    st.integers(-3, 6),
    st.booleans(),
)
def test_meets_the_optimality_conditions(seed, q, rank, size_H, size_f, doubled):
    rng = np.random.default_rng(seed)
    B = rng.normal(size=(q, rank)) * 10.0 ** (size_H / 2)
    f = rng.normal(size=q) * 10.0**size_f
    if doubled:
        B, f = np.vstack((B, B)), np.concatenate((f, f))
    H = B @ B.T
    w = simplex_qp(H, f)
    assert w.min() >= 0 and w.sum() == pytest.approx(1, abs=1e-12)
    gradient = H @ w + f
    scale = max(np.abs(H).max(), np.abs(f).max())
    assert gradient @ w - gradient.min() <= 1e-10 * scale


def test_not_worse_than_any_point_of_a_grid():
    H = np.array([[2.0, 1.0, 0.0], [1.0, 2.0, 0.5], [0.0, 0.5, 1.0]])
    f = np.array([-1.0, -1.2, -0.4])
    steps = [np.array([i, j, 20 - i - j]) / 20 for i in range(21) for j in range(21 - i)]
    best = min(objective(H, f, w) for w in steps)
    assert objective(H, f, simplex_qp(H, f)) <= best


def test_linear_and_single():
    np.testing.assert_array_equal(
        simplex_qp(np.zeros((3, 3)), np.array([2.0, -1.0, 0.0])), [0, 1, 0]
    )
    np.testing.assert_array_equal(simplex_qp(np.eye(1), np.array([5.0])), [1])


def test_interior_minimiser():
    np.testing.assert_allclose(
        simplex_qp(np.diag([1.0, 2.0, 4.0]), np.zeros(3)), [4 / 7, 2 / 7, 1 / 7]
    )


@settings(max_examples=80)
@given(
    v=st.lists(
        st.sampled_from([-2.0, -0.5, 0.0, 0.25, 0.5, 1.0, 1.5, 7.0]), min_size=1, max_size=8
    ),
    share=st.floats(0, 1),
)
def test_capped_simplex_is_one_shift_clipped(v, share):
    v = np.sort(v)
    total = share * len(v)
    t = project_on_capped_simplex(v, total)
    np.testing.assert_allclose(t.sum(), total, atol=1e-12)
    assert ((t >= 0) & (t <= 1)).all()
    shifts = (t - v)[(t > 0) & (t < 1)]
    if len(shifts):
        np.testing.assert_allclose(shifts, shifts[0], atol=1e-12)
        assert (v[t == 0] + shifts[0] <= 1e-12).all() and (v[t == 1] + shifts[0] >= 1 - 1e-12).all()
