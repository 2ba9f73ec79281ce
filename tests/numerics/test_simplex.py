import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coassoc.numerics.simplex import simplex_qp

sizes = st.integers(-3, 6)


@given(st.integers(0, 10**6), st.integers(1, 9), st.integers(0, 9), sizes, sizes, st.booleans())
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
