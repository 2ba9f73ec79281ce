"""Inverse of a sparse symmetric positive definite matrix, by nested dissection, for many columns.

A graph with small separators falls apart into blocks once the separators are taken out. With the
items ordered (left, right, separator), and recursively inside left and right,

    K = [K_L  0   B_L]        x_S = Q⁻¹ (r_S − W_Lᵀ r_L − W_Rᵀ r_R),   W = K⁻¹B,
        [0   K_R  B_R],       x_L = K_L⁻¹ r_L − W_L x_S,
        [B_Lᵀ B_Rᵀ K_S]       Q = K_S − B_Lᵀ W_L − B_Rᵀ W_R.

All of it is products of dense blocks, at a small part of the cost of a product with the dense
K⁻¹ (George 1973). It is exact; only the order of the sums differs.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.linalg
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.sparse.csgraph import maximum_bipartite_matching

Array = NDArray[np.float64]

#: Graphs up to this size are not cut: one product with a dense inverse is faster.
LEAF = 160
#: A cut has to save at least this share of the dense product.
WORTH = 0.8


@dataclass(frozen=True)
class Dissection:
    """A tree of cuts.

    Attributes
    ----------
    order : (n,) integer array
        Items in the order left, right, separator; an arbitrary order in a leaf.
    parts : tuple of two Dissections, or None
        The two sides, whose orders are already part of `order`; None for a leaf.
    cost : int
        Multiplications per column of the right-hand side.
    """

    order: NDArray[np.intp]
    parts: tuple[Dissection, Dissection] | None
    cost: int


def dissect(graph: sp.csr_array) -> Dissection:
    """Cut a graph repeatedly, as long as that makes products with its inverse cheaper.

    Parameters
    ----------
    graph : (n, n) sparse array
        Symmetric pattern; the diagonal is ignored.
    """
    n = graph.shape[0]
    leaf = Dissection(np.arange(n), None, n * n)
    if n <= LEAF:
        return leaf
    left, right, separator = separate(graph)
    if not len(left) or not len(right) or len(separator) > n // 3:
        return leaf
    parts = [dissect(graph[side][:, side]) for side in (left, right)]
    s = len(separator)
    cost = sum(part.cost for part in parts) + 2 * s * (n - s) + s * s
    if cost > WORTH * leaf.cost:
        return leaf
    order = np.concatenate((left[parts[0].order], right[parts[1].order], separator))
    return Dissection(order, (parts[0], parts[1]), cost)


def separate(graph: sp.csr_array) -> tuple[NDArray, NDArray, NDArray]:
    """Two sides without a link between them, and the separator that was taken out.

    METIS bisects the graph; the smallest set of items that covers all cut links is the separator.
    """
    import pymetis

    coo = graph.tocoo()
    off = coo.row != coo.col
    clean = sp.csr_array((np.ones(off.sum()), (coo.row[off], coo.col[off])), shape=graph.shape)
    adjacency = pymetis.CSRAdjacency(
        clean.indptr.astype(np.int64).tolist(), clean.indices.astype(np.int64).tolist()
    )
    _, parts = pymetis.part_graph(2, adjacency, recursive=True)
    side = np.asarray(parts)
    cover = np.zeros(len(side), dtype=bool)
    left, right = np.flatnonzero(side == 0), np.flatnonzero(side == 1)
    cut = clean[left][:, right]
    rows, columns = _vertex_cover(cut)
    cover[left[rows]] = True
    cover[right[columns]] = True
    return left[~cover[left]], right[~cover[right]], np.flatnonzero(cover)


def _vertex_cover(cut: sp.csr_array) -> tuple[NDArray, NDArray]:
    """Smallest set of rows and columns that covers all entries (König's theorem)."""
    match = maximum_bipartite_matching(cut, perm_type="column")  # row → column
    n_rows, n_columns = cut.shape
    owner = np.full(n_columns, -1)
    owner[match[match >= 0]] = np.flatnonzero(match >= 0)
    # Items reached from unmatched rows along alternating paths.
    row_seen = match < 0
    column_seen = np.zeros(n_columns, dtype=bool)
    frontier = row_seen.copy()
    while frontier.any():
        reached = (np.asarray(frontier @ cut) > 0) & ~column_seen
        column_seen |= reached
        frontier = np.zeros(n_rows, dtype=bool)
        owners = owner[reached]
        frontier[owners[owners >= 0]] = True
        frontier &= ~row_seen
        row_seen |= frontier
    return np.flatnonzero(~row_seen & (np.diff(cut.indptr) > 0)), np.flatnonzero(column_seen)


@dataclass
class _Dense:
    """A leaf: its inverse."""

    inverse: Array

    def solve(self, R: Array) -> None:
        """Overwrite R with K⁻¹R."""
        R[...] = self.inverse @ R


@dataclass
class _Cut:
    """Two sides, their coupling W to the separator, and the inverse of Q."""

    sides: tuple[tuple[slice, _Dense | _Cut, Array], ...]
    separator: slice
    inverse: Array

    def solve(self, R: Array) -> None:
        """Overwrite R with K⁻¹R."""
        for rows, _, W in self.sides:
            R[self.separator] -= W.T @ R[rows]
        x_S = self.inverse @ R[self.separator]
        R[self.separator] = x_S
        for rows, side, W in self.sides:
            side.solve(R[rows])
            R[rows] -= W @ x_S


def sparse_inverse(K: sp.csr_array, tree: Dissection) -> _Dense | _Cut:
    """K⁻¹ in a form that solves for many columns in place.

    Parameters
    ----------
    K : (n, n) sparse array
        Symmetric positive definite, rows and columns already in the order of `tree`.
    tree : Dissection
        From :func:`dissect` of K's pattern.

    Returns
    -------
    object with a method ``solve(R)`` that overwrites the (n, q) array R with K⁻¹R
    """
    if tree.parts is None:
        return _Dense(scipy.linalg.inv(K.toarray(), overwrite_a=True, check_finite=False))
    n_left, n_right = (len(part.order) for part in tree.parts)
    separator = slice(n_left + n_right, K.shape[0])
    Q = K[separator][:, separator].toarray()
    sides = []
    places = slice(n_left), slice(n_left, n_left + n_right)
    for rows, part in zip(places, tree.parts, strict=True):
        side = sparse_inverse(K[rows][:, rows], part)
        B = K[rows][:, separator]
        W = B.toarray()
        side.solve(W)
        Q -= B.T @ W
        sides.append((rows, side, W))
    return _Cut(tuple(sides), separator, scipy.linalg.inv(Q, check_finite=False))
