import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coassoc.numerics.simplex import project_on_capped_simplex, simplex_qp


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
