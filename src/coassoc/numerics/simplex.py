"""Projections on the simplex and quadratic programmes over it."""

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def project_columns_on_simplex(V: Array, weights: Array) -> Array:
    """Nearest points of the weighted simplex, column by column and in place.

    Each column v becomes argmin Σ_k r_k (s_k − v_k)² subject to s ≥ 0 and Σ_k r_k s_k = 1, which
    is max(v − θ, 0) for one number θ. With sizes as weights this projects rows of n entries that
    are given by one entry per microcluster.

    Parameters
    ----------
    V : (q, h) array
        Overwritten by the result.
    weights : (q,) array
        r, positive.

    Returns
    -------
    (q, h) array
        `V`.

    Notes
    -----
    Σ_k r_k max(v_k − θ, 0) is convex and decreases with θ. Newton steps from a θ that is too small
    therefore increase to the root and reach it once the set of positive entries is right.
    """
    mean = (weights @ V - 1) / weights.sum()
    top = V.argmax(axis=0)
    theta = np.maximum(mean, V[top, np.arange(V.shape[1])] - 1 / weights[top])
    for _ in range(V.shape[0]):
        positive = theta < V
        mass = weights @ positive
        raised = (weights @ np.where(positive, V, 0.0) - 1) / np.maximum(mass, weights.min())
        if (raised <= theta).all():
            break
        theta = np.maximum(theta, raised)
    V -= theta
    return np.maximum(V, 0.0, out=V)


def project_on_capped_simplex(v: Array, total: float) -> Array:
    """Nearest point of {0 ≤ t ≤ 1, Σ t = total}, which is min(max(v + γ, 0), 1) for one γ.

    Parameters
    ----------
    v : (q,) array
        In increasing order.
    total : float
        From 0 to q.

    Returns
    -------
    (q,) array
        In increasing order.

    Notes
    -----
    The sum rises with γ and is linear between the 2q numbers −v_k and 1 − v_k, where entries leave
    0 and reach 1.
    """
    before = np.concatenate(([0.0], np.cumsum(v)))
    q = len(v)

    def sum_above(bounds: Array) -> Array:
        """Σ_k max(v_k − bound, 0)."""
        first = np.searchsorted(v, bounds)
        return before[q] - before[first] - (q - first) * bounds

    bends = np.sort(np.concatenate((-v, 1 - v)))
    sums = sum_above(-bends) - sum_above(1 - bends)
    right = min(max(int(np.searchsorted(sums, total)), 1), 2 * q - 1)
    rise = sums[right] - sums[right - 1]
    share = (total - sums[right - 1]) / rise if rise > 0 else 0.0
    gamma = bends[right - 1] + share * (bends[right] - bends[right - 1])
    return np.clip(v + gamma, 0.0, 1.0)


def simplex_qp(H: Array, f: Array) -> Array:
    """Minimise ½ wᵀHw + fᵀw over the simplex {w ≥ 0, Σw = 1}, exactly.

    Parameters
    ----------
    H : (q, q) array
        Symmetric positive semidefinite; it may be singular.
    f : (q,) array

    Returns
    -------
    (q,) array
        A minimiser.

    Notes
    -----
    A primal active set method: w is minimal among the vectors with its support, one coordinate
    enters at a time, and steps end where a coordinate reaches zero. Every round lowers the
    objective, so the number of rounds is finite.
    """
    w = np.zeros(len(f))
    w[np.argmin(np.diagonal(H) / 2 + f)] = 1.0
    tolerance = 1e-12 * max(np.abs(H).max(), np.abs(f).max())
    support = np.flatnonzero(w)
    for _ in range(100 * len(f)):
        w = _minimize_on_support(H, f, w, support, tolerance)
        gradient = H @ w + f
        entering = int(gradient.argmin())
        if gradient[entering] >= gradient @ w - tolerance:
            break
        support = np.append(np.flatnonzero(w), entering)
    return w / w.sum()


def _minimize_on_support(
    H: Array, f: Array, w: Array, support: NDArray[np.intp], tolerance: float
) -> Array:
    """Move w to the minimiser with this support, dropping coordinates that reach zero."""
    while True:
        step, bounded = _step_on_support(H, f, w, support, tolerance)
        falling = step < 0
        ratios = w[support[falling]] / -step[falling]
        limit = ratios.min(initial=np.inf)
        length = min(1.0, limit) if bounded else limit
        if not np.isfinite(length):  # no direction of descent left
            return w
        w = w.copy()
        w[support] = np.maximum(w[support] + length * step, 0.0)
        if bounded and length == 1.0:
            return w
        blocked = support[falling][ratios <= length]
        w[blocked] = 0.0
        support = np.setdiff1d(support, blocked)


def _step_on_support(
    H: Array, f: Array, w: Array, support: NDArray[np.intp], tolerance: float
) -> tuple[Array, bool]:
    """Newton step to the minimiser on the support, or an endless descent where H is singular."""
    count = len(support)
    descent = -(H[support] @ w + f[support])
    descent -= descent.mean()
    centre = np.eye(count) - 1 / count
    values, vectors = np.linalg.eigh(centre @ H[np.ix_(support, support)] @ centre)
    part = vectors.T @ descent
    curved = values > 1e-12 * max(values[-1], np.abs(H).max())
    flat = vectors[:, ~curved] @ part[~curved]
    if np.abs(flat).max(initial=0.0) > tolerance:
        return flat, False
    return vectors[:, curved] @ (part[curved] / values[curved]), True
