"""Graphs with a requested number of components: a rank constraint on the Laplacian."""

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.sparse.csgraph import connected_components
from scipy.sparse.linalg import ArpackError, LinearOperator, eigsh

from coassoc.numerics.eigenpairs import eigenpairs_within
from coassoc.numerics.sparse import sparse_rows

Array = NDArray[np.float64]

#: Up to this order LAPACK finds the smallest eigenvalues of a Laplacian as fast as Lanczos does.
_DENSE_EIGENPROBLEM = 300

#: Dimension of the Krylov subspace of a Lanczos iteration, and number of restarts after which
#: LAPACK takes over.
_LANCZOS_DIMENSION, _LANCZOS_RESTARTS = 40, 100


def graph_components(S: NDArray, no_edge: float = 0.0) -> tuple[int, NDArray[np.intp]]:
    """Connected components of the graph with an edge wherever the symmetric S is above `no_edge`.

    Returns
    -------
    count : int
    component : (q,) integer array
        Component of each node, 0 … count−1.
    """
    count, component = connected_components(sparse_rows(S, no_edge), directed=False)
    return int(count), component.astype(np.intp)


def bipartite_components(H: Array) -> tuple[int, NDArray[np.intp]]:
    """Components of the graph that links row k to column e where H_ke > 0, counted by their rows.

    Columns without links are ignored, and each row without links is a component.

    Returns
    -------
    count : int
    component : (q,) integer array
        Component of each row, 0 … count−1.
    """
    q, L = H.shape
    rows, columns = np.nonzero(H > 0)
    links = sp.coo_array((np.ones(len(rows), dtype=bool), (rows, columns + q)), shape=(q + L,) * 2)
    labels = connected_components(links, directed=False)[1][:q]
    used, component = np.unique(labels, return_inverse=True)
    return len(used), component


def bottom_laplacian_eigenvectors(
    S: Array | LinearOperator, r: Array, n_vectors: int, component: NDArray, count: int
) -> tuple[Array, float]:
    """Eigenvectors of the smallest eigenvalues of a graph Laplacian, on microclusters.

    The Laplacian of the n × n graph P S Pᵀ, restricted to vectors constant on microclusters, is
    diag(S r) − N^{1/2} S N^{1/2} after scaling by N^{1/2}. Its null space is known in advance: it
    is spanned by the indicators of the connected components.

    Parameters
    ----------
    S : (q, q) array or LinearOperator
        Symmetric, non-negative edge weights.
    r : (q,) array
        Sizes of the microclusters.
    n_vectors : int
        Number of eigenvectors, from `count` to q.
    component, count
        Connected components, from :func:`graph_components`.

    Returns
    -------
    F : (q, n_vectors) array
        Values of the eigenvectors on the microclusters; of unit length over the samples.
    total : float
        Sum of their eigenvalues.
    """
    null = np.zeros((len(r), count))
    null[np.arange(len(r)), component] = 1 / np.sqrt(np.bincount(component, r))[component]
    missing = n_vectors - count
    if missing == 0:
        return null, 0.0
    root = np.sqrt(r)
    degree = S @ r
    if len(r) > max(_DENSE_EIGENPROBLEM, 4 * n_vectors):
        try:
            values, Y = _lanczos_bottom(S, root, degree, null * root[:, None], missing)
        except ArpackError:
            pass  # almost no gap to the next eigenvalue
        else:
            return np.hstack((null, Y / root[:, None])), float(values.sum())
    K = S @ np.eye(len(r)) if isinstance(S, LinearOperator) else S.copy()
    K *= -root
    K *= root[:, None]
    K.flat[:: len(r) + 1] += degree
    values, Y = eigenpairs_within(K, 0, n_vectors - 1)
    return Y / root[:, None], float(values.sum())


def _lanczos_bottom(
    S: Array | LinearOperator, root: Array, degree: Array, known_vectors: Array, n_vectors: int
) -> tuple[Array, Array]:
    """The smallest eigenpairs of diag(d) − N^{1/2} S N^{1/2} orthogonal to `known_vectors` ones.

    A Lanczos iteration sees one vector of an eigenspace, so it may return too few copies of a
    multiple eigenvalue. The rest of the space is therefore searched once more for a smaller value.
    """
    top = 2 * float(degree.max())  # no eigenvalue of a Laplacian is larger
    links = S if isinstance(S, LinearOperator) else sparse_rows(S)
    values, vectors = _lanczos(links, root, degree, known_vectors, n_vectors, top, 0.0)
    while True:
        others = np.hstack((known_vectors, vectors))
        if _lanczos(links, root, degree, others, 1, top, 1e-3)[0][0] > 1.01 * values[-1]:
            return values, vectors
        value, extra = _lanczos(links, root, degree, others, 1, top, 0.0)
        if value[0] >= values[-1]:
            return values, vectors
        order = np.argsort(np.append(values, value), kind="stable")[:n_vectors]
        vectors = np.hstack((vectors, extra))[:, order]
        values = np.append(values, value)[order]


def _lanczos(
    S: LinearOperator | sp.csr_array,
    root: Array,
    degree: Array,
    known_vectors: Array,
    n_vectors: int,
    top: float,
    tol: float,
) -> tuple[Array, Array]:
    def product(x: Array) -> Array:
        x = x.ravel()
        # Known eigenvectors are moved to the upper end of the spectrum.
        return degree * x - root * (S @ (root * x)) + known_vectors @ (top * (known_vectors.T @ x))

    operator = LinearOperator(S.shape, matvec=product, dtype=np.float64)
    # Each search has its own start, because the last start has no component in a copy that it
    # missed.
    start = np.random.default_rng(known_vectors.shape[1]).standard_normal(len(root))
    start -= known_vectors @ (known_vectors.T @ start)
    dimension = max(2 * n_vectors + 1, _LANCZOS_DIMENSION)
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
        Weight of the term that represents the rank constraint.
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

    F contains the eigenvectors of the c smallest eigenvalues of the Laplacian, among the vectors
    constant on microclusters. :func:`adjust_rank_penalty` adapts the penalty. With more than c
    components, F is not unique and remains unchanged.

    Parameters
    ----------
    n_components : int
        c, at most the number of microclusters.
    r : (q,) array
        Sizes of the microclusters.
    penalty : float
        Initial λ.
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
    components : (int, (q,) integer array)
        Number of its components, and the component of each microcluster.
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
        self.components = count, component = components
        if count > self.n_components:
            self.rank_gap = 0.0
            return 0.0
        self.F, self.rank_gap = bottom_laplacian_eigenvectors(
            S, self.r, self.n_components, component, count
        )
        return np.inf
