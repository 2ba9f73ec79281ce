"""Numerics that several methods share."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import scipy.linalg
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.sparse.csgraph import connected_components
from scipy.sparse.linalg import ArpackError, LinearOperator, eigsh

__all__ = [
    "RankConstraint",
    "adjust_rank_penalty",
    "bipartite_components",
    "bottom_laplacian_eigenvectors",
    "component_indicators",
    "eigenpairs_within",
    "graph_components",
    "history_of",
    "leading_eigenpairs",
    "leading_eigenpairs_below",
    "project_columns_on_simplex",
    "simplex_qp",
    "squared_distances",
]

Array = NDArray[np.float64]

#: Below this order, or above this share of the spectrum, LAPACK is as fast as Krylov subspaces.
_KRYLOV_ORDER, _KRYLOV_SHARE = 500, 1 / 50

#: Dimension of the Krylov subspace and its restarts, beyond which LAPACK is as fast again, and the
#: residual accepted, relative to the eigenvalue.
_KRYLOV_DIMENSION, _KRYLOV_RESTARTS, _KRYLOV_TOLERANCE = 40, 10, 1e-10

#: Up to this order LAPACK finds the smallest eigenvalues of a Laplacian as fast as Lanczos does.
_DENSE_EIGENPROBLEM = 300

#: Restarts of a Lanczos iteration after which LAPACK takes over.
_LANCZOS_RESTARTS = 100


def history_of(names: Sequence[str], rounds: Sequence[Sequence[float]]) -> dict[str, NDArray]:
    """What an iteration recorded, `rounds` with one number for each name, as an array per name."""
    return dict(zip(names, map(np.array, zip(*rounds, strict=True)), strict=True))


def eigenpairs_within(
    A: Array,
    *,
    by_index: tuple[int, int] | None = None,
    by_value: tuple[float, float] | None = None,
) -> tuple[Array, Array]:
    """Eigenpairs of a symmetric matrix within a part of its spectrum.

    Parameters
    ----------
    A : (q, q) array
        Symmetric.
    by_index : pair of int, optional
        First and last, counted from 0 for the smallest eigenvalue.
    by_value : pair of float, optional
        Bounds of the eigenvalues, the lower one excluded. All pairs where neither is given.

    Returns
    -------
    values : (k,) array
        Smallest first.
    vectors : (q, k) array
        Orthonormal columns.
    """
    try:
        return scipy.linalg.eigh(
            A, subset_by_index=by_index, subset_by_value=by_value, check_finite=False
        )
    except np.linalg.LinAlgError:
        # Inverse iteration, which finds a part of the vectors, may fail at a multiple eigenvalue;
        # divide and conquer, which finds all of them, does not.
        values, vectors = scipy.linalg.eigh(A, driver="evd", check_finite=False)
    part = slice(None)
    if by_index is not None:
        part = slice(by_index[0], by_index[1] + 1)
    elif by_value is not None:
        part = slice(*np.searchsorted(values, by_value, side="right"))
    return values[part], vectors[:, part]


def leading_eigenpairs(A: Array, n_largest: int) -> tuple[Array, Array]:
    """Algebraically largest eigenvalues, in decreasing order, and eigenvectors of a symmetric A.

    Parameters
    ----------
    A : (q, q) array
        Symmetric.
    n_largest : int
        How many pairs, at most q.

    Returns
    -------
    values : (n_largest,) array
    vectors : (q, n_largest) array
        Orthonormal columns.

    Notes
    -----
    A few pairs of a large matrix come from Krylov subspaces. These may miss copies of a multiple
    eigenvalue; a search orthogonal to the vectors found must therefore not find a larger
    eigenvalue. Otherwise, and where the pairs are hardly separated from the next, LAPACK computes
    them.
    """
    order = len(A)
    if order >= _KRYLOV_ORDER and n_largest <= _KRYLOV_SHARE * order:
        found = _krylov_eigenpairs(A, n_largest)
        if found is not None:
            return found
    wanted = None if n_largest >= order else (order - n_largest, order - 1)
    values, vectors = eigenpairs_within(A, by_index=wanted)
    return values[::-1], vectors[:, ::-1]


def _krylov_eigenpairs(A: Array, n_largest: int) -> tuple[Array, Array] | None:
    """The pairs from ARPACK, or None where they do not converge or one was missed."""
    # Reading one triangle takes half the time; BLAS expects columns, A and its transpose are equal.
    triangle = np.asfortranarray(A.T if A.flags.c_contiguous else A)

    def times(x: Array) -> Array:
        return scipy.linalg.blas.dsymv(1.0, triangle, x)

    start, other_start = np.random.default_rng(0).standard_normal((2, len(A)))
    dimension = max(2 * n_largest + 1, _KRYLOV_DIMENSION)
    try:
        whole = LinearOperator(A.shape, times, dtype=A.dtype)
        values, vectors = eigsh(
            whole,
            n_largest,
            which="LA",
            v0=start,
            ncv=dimension,
            maxiter=_KRYLOV_RESTARTS,
            tol=_KRYLOV_TOLERANCE,
        )
        # Moving the eigenvalues found below all others leaves the missed ones on top. The first
        # start has no share in a missed copy, so the search needs another.
        size = 2 * np.abs(values).max()
        rest = LinearOperator(
            A.shape, lambda x: times(x) - vectors @ (size * (vectors.T @ x)), dtype=A.dtype
        )
        (missed,) = eigsh(rest, 1, which="LA", v0=other_start, tol=1e-4, return_eigenvectors=False)
    except ArpackError:
        return None
    order = np.argsort(values)[::-1]
    if missed > values[order[-1]] + 1e-8 * size:
        return None
    return values[order], vectors[:, order]


def leading_eigenpairs_below(A: Array, n_largest: int, bound: float) -> tuple[Array, Array]:
    """Largest eigenvalues, known to be at most `bound`, and eigenvectors of a symmetric A.

    For graphs whose normalised weights have many eigenvalues close to their largest, 1: Krylov
    subspaces of A itself then need hundreds of products, those of (bound I − A)⁻¹ a few dozen.

    Parameters
    ----------
    A : (q, q) array
        Symmetric, no eigenvalue above `bound`.
    n_largest : int
        How many pairs, at most q.
    bound : float
        Positive.

    Returns
    -------
    values : (n_largest,) array
        Largest first.
    vectors : (q, n_largest) array
        Orthonormal columns.
    """
    order = len(A)
    if order > _INVERSE_ORDER and n_largest <= order // 10:
        found = _inverse_eigenpairs(A, n_largest, bound)
        if found is not None:
            return found
    values, vectors = eigenpairs_within(A, by_index=(order - n_largest, order - 1))
    return values[::-1], vectors[:, ::-1]


#: Below this order LAPACK is as fast as a factorisation and its solutions; how far the shift is
#: above the bound, relative to it.
_INVERSE_ORDER, _SHIFT = 300, 1e-6


def _inverse_eigenpairs(A: Array, n_largest: int, bound: float) -> tuple[Array, Array] | None:
    """The pairs from ARPACK, or None where they do not converge or a copy of one was missed."""
    shifted = -A
    shifted.flat[:: len(A) + 1] += bound * (1 + _SHIFT)
    start, other_start = np.random.default_rng(0).standard_normal((2, len(A)))
    try:
        factor = scipy.linalg.cho_factor(shifted, overwrite_a=True, check_finite=False)
        inverse = LinearOperator(
            A.shape, lambda x: scipy.linalg.cho_solve(factor, x, check_finite=False), dtype=A.dtype
        )
        ncv = max(2 * n_largest + 1, 30)
        theta, vectors = eigsh(inverse, n_largest, which="LA", v0=start, ncv=ncv, tol=1e-12)
        rest = LinearOperator(
            A.shape, lambda x: inverse @ x - vectors @ (theta * (vectors.T @ x)), dtype=A.dtype
        )
        (missed,) = eigsh(rest, 1, which="LA", v0=other_start, tol=1e-3, return_eigenvectors=False)
    except (ArpackError, np.linalg.LinAlgError):
        return None
    if missed > theta.min() * (1 + 1e-6):
        return None
    values = bound * (1 + _SHIFT) - 1 / theta
    largest_first = np.argsort(-values)
    return values[largest_first], vectors[:, largest_first]


def squared_distances(left: Array, right: Array) -> Array:
    """(p, q) array of ‖f_k − f_l‖², never negative, for rows f_k of `left` and f_l of `right`."""
    D = left @ (-2 * right.T)
    D += np.einsum("ij,ij->i", left, left)[:, None]
    D += np.einsum("ij,ij->i", right, right)
    return np.maximum(D, 0.0, out=D)


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
    Σ_k r_k max(v_k − θ, 0) is convex and falls with θ, so that Newton's steps from a θ that is
    too small rise to the root and reach it once the positive entries are the right ones.
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


# -- graphs with a wanted number of connected components ----------------------------------------


def graph_components(S: NDArray) -> tuple[int, NDArray[np.intp]]:
    """Connected components of the graph with an edge wherever the symmetric S is positive.

    Returns
    -------
    count : int
    component : (q,) integer array
        Component of each node, 0 … count−1.
    """
    component = np.full(len(S), -1, dtype=np.intp)
    count = 0
    for seed in range(len(S)):
        if component[seed] >= 0:
            continue
        frontier = np.array([seed])
        component[seed] = count
        while len(frontier):
            reached = np.zeros(len(S), dtype=bool)
            for start in range(0, len(frontier), 128):
                reached |= (S[frontier[start : start + 128]] > 0).any(axis=0)
            frontier = np.flatnonzero(reached & (component < 0))
            component[frontier] = count
        count += 1
    return count, component


def bipartite_components(H: Array) -> tuple[int, NDArray[np.intp]]:
    """Components of the graph that links row k to column e where H_ke > 0, counted by their rows.

    Columns without links count for nothing, rows without links for a component each.

    Returns
    -------
    count : int
    component : (q,) integer array
        Component of each row, 0 … count−1.
    """
    q, L = H.shape
    rows, columns = np.nonzero(H > 0)
    links = sp.coo_array((np.ones(len(rows), dtype=bool), (rows, columns + q)), shape=(q + L,) * 2)
    found = connected_components(links, directed=False)[1][:q]
    used, component = np.unique(found, return_inverse=True)
    return len(used), component


def component_indicators(component: NDArray, count: int, r: Array) -> Array:
    """(q, count) indicators of the components, of unit length over the samples."""
    size = np.bincount(component, weights=r, minlength=count)
    F = np.zeros((len(component), count))
    F[np.arange(len(component)), component] = 1 / np.sqrt(size[component])
    return F


def bottom_laplacian_eigenvectors(
    S: Array | LinearOperator, r: Array, n_vectors: int, component: NDArray, count: int
) -> tuple[Array, float]:
    """Eigenvectors of the smallest eigenvalues of a graph Laplacian, on microclusters.

    The Laplacian of the n × n graph P S Pᵀ, restricted to vectors constant on microclusters, is
    diag(S r) − N^{1/2} S N^{1/2} after scaling by N^{1/2}. Its null space is known beforehand:
    the indicators of the connected components.

    Parameters
    ----------
    S : (q, q) array or LinearOperator
        Symmetric, non-negative edge weights.
    r : (q,) array
        Sizes of the microclusters.
    n_vectors : int
        How many, from `count` to q.
    component, count
        Connected components, from :func:`graph_components`.

    Returns
    -------
    F : (q, n_vectors) array
        Values of the eigenvectors on the microclusters; of unit length over the samples.
    total : float
        Sum of their eigenvalues.
    """
    null = component_indicators(component, count, r)
    missing = n_vectors - count
    if missing == 0:
        return null, 0.0
    root = np.sqrt(r)
    degree = S @ r
    if len(r) > max(_DENSE_EIGENPROBLEM, 4 * n_vectors):
        try:
            values, Y = _lanczos_bottom(S, root, degree, null * root[:, None], missing)
        except ArpackError:
            pass  # hardly any gap to the next eigenvalue
        else:
            return np.hstack((null, Y / root[:, None])), float(values.sum())
    K = S @ np.eye(len(r)) if isinstance(S, LinearOperator) else S.copy()
    K *= -root
    K *= root[:, None]
    K.flat[:: len(r) + 1] += degree
    values, Y = eigenpairs_within(K, by_index=(0, n_vectors - 1))
    return Y / root[:, None], float(values.sum())


def _lanczos_bottom(
    S: Array | LinearOperator, root: Array, degree: Array, known: Array, n_vectors: int
) -> tuple[Array, Array]:
    """The smallest eigenpairs of diag(d) − N^{1/2} S N^{1/2} orthogonal to `known` ones.

    A Lanczos iteration sees one vector of an eigenspace, so that of a multiple eigenvalue it may
    return too few; the rest of the space is therefore searched once more for a smaller value.
    """
    top = 2 * float(degree.max())  # no eigenvalue of a Laplacian is larger
    values, found = _lanczos(S, root, degree, known, n_vectors, top, 0.0)
    while True:
        others = np.hstack((known, found))
        if _lanczos(S, root, degree, others, 1, top, 1e-3)[0][0] > 1.01 * values[-1]:
            return values, found
        value, extra = _lanczos(S, root, degree, others, 1, top, 0.0)
        if value[0] >= values[-1]:
            return values, found
        order = np.argsort(np.append(values, value), kind="stable")[:n_vectors]
        found = np.hstack((found, extra))[:, order]
        values = np.append(values, value)[order]


def _lanczos(
    S: Array | LinearOperator,
    root: Array,
    degree: Array,
    known: Array,
    n_vectors: int,
    top: float,
    tol: float,
) -> tuple[Array, Array]:
    def product(x: Array) -> Array:
        x = x.ravel()
        scaled = root * x
        # Reading one triangle of a dense S takes half the time; BLAS expects columns.
        if isinstance(S, LinearOperator):
            linked = S @ scaled
        else:
            linked = scipy.linalg.blas.dsymv(1.0, S.T, scaled)
        y = degree * x
        y -= root * linked
        # Known eigenvectors are moved to the upper end of the spectrum.
        y += known @ (top * (known.T @ x))
        return y

    operator = LinearOperator(S.shape, matvec=product, dtype=np.float64)
    # A start of its own for each search: the last one has no share in a copy it missed.
    start = np.random.default_rng(known.shape[1]).standard_normal(len(root))
    start -= known @ (known.T @ start)
    dimension = max(2 * n_vectors + 1, _KRYLOV_DIMENSION)
    values, vectors = eigsh(
        operator, n_vectors, which="SA", tol=tol, v0=start, ncv=dimension, maxiter=_LANCZOS_RESTARTS
    )
    order = np.argsort(values)
    return values[order], vectors[:, order]


def adjust_rank_penalty(
    penalty: float, rank_gap: float, next_gap: float, tol: tuple[float, float]
) -> tuple[float, bool]:
    """Step of the usual schedule for rank(Laplacian) = n − c (Nie, Wang & Huang 2014).

    Parameters
    ----------
    penalty : float
        Weight of the term that stands for the rank constraint.
    rank_gap : float
        Sum of the c smallest eigenvalues; 0 when there are at least c components.
    next_gap : float
        Sum of the c + 1 smallest eigenvalues; 0 when there are more than c components.
    tol : (float, float)
        Largest `rank_gap` and smallest `next_gap` that count as positive.

    Returns
    -------
    penalty : float
        Doubled with too few components, halved with too many.
    met : bool
        Whether neither was the case.
    """
    if rank_gap > tol[0]:
        return penalty * 2, False
    if next_gap < tol[1]:
        return penalty / 2, False
    return penalty, True


class RankConstraint:
    """c connected components, by a penalty λ Σ_ij S_ij ‖f_i − f_j‖² on the edges of a graph S.

    F are the eigenvectors of the c smallest eigenvalues of the graph's Laplacian, sought among the
    vectors constant on microclusters. The penalty is adapted by :func:`adjust_rank_penalty`. With
    more than c components F is not determined and stays what it was.

    Parameters
    ----------
    n_components : int
        c; no more than there are microclusters can be had.
    r : (q,) array
        Sizes of the microclusters.
    penalty : float
        First λ.
    tol : (float, float)
        See :func:`adjust_rank_penalty`.
    S : (q, q) array or LinearOperator
        The graph to begin with.
    components : (int, (q,) integer array)
        Its components, from :func:`graph_components` or :func:`bipartite_components`.

    Attributes
    ----------
    F : (q, c) array
        Values of the eigenvectors on the microclusters.
    penalty : float
        λ.
    rank_gap : float
        Sum of the c smallest eigenvalues of the last graph.
    count : int
        Number of its components.
    component : (q,) integer array
        Component of each microcluster.
    """

    def __init__(
        self,
        n_components: int,
        r: Array,
        penalty: float,
        tol: tuple[float, float],
        S: Array | LinearOperator,
        components: tuple[int, NDArray[np.intp]],
    ) -> None:
        self.n_components, self.r = min(n_components, len(r)), r
        self.penalty, self.tol = penalty, tol
        self.F = np.zeros((len(r), 1))
        self._embed(S, components)

    def update(self, S: Array | LinearOperator, components: tuple[int, NDArray[np.intp]]) -> bool:
        """F and λ after the graph has changed; returns whether it has c components."""
        next_gap = self._embed(S, components)
        self.penalty, met = adjust_rank_penalty(self.penalty, self.rank_gap, next_gap, self.tol)
        return met

    def _embed(self, S: Array | LinearOperator, components: tuple[int, NDArray[np.intp]]) -> float:
        """Returns the sum of the c + 1 smallest eigenvalues, as 0 or as infinite."""
        self.count, self.component = components
        if self.count > self.n_components:
            self.rank_gap = 0.0
            return 0.0
        self.F, self.rank_gap = bottom_laplacian_eigenvectors(
            S, self.r, self.n_components, self.component, self.count
        )
        return np.inf


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
    objective, so that it ends after finitely many.
    """
    H = np.asarray(H, dtype=np.float64)
    f = np.asarray(f, dtype=np.float64)
    w = np.zeros(len(f))
    w[np.argmin(np.diagonal(H) / 2 + f)] = 1.0
    tolerance = 1e-12 * max(np.abs(H).max(), np.abs(f).max())
    support = np.flatnonzero(w)
    for _ in range(100 * len(f)):
        w = _minimise_on_support(H, f, w, support, tolerance)
        gradient = H @ w + f
        entering = int(gradient.argmin())
        if gradient[entering] >= gradient @ w - tolerance:
            break
        support = np.append(np.flatnonzero(w), entering)
    return w / w.sum()


def _minimise_on_support(
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
