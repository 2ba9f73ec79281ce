"""Eq. (9) of EC-CMS: 2Φ + (γ₁+γ₂)I is block diagonal over the connected components of H.

The microclusters are ordered by component, so that (9) is one small product per component.
Components that are still large have small separators, and nested dissection inverts them without
forming the dense inverse.

Without its separators, a graph with small separators consists of separate blocks. Blocks are
eliminated one after another, a separator after its two sides, which are divided like the graph
itself. When a block is eliminated, let D be the remaining part of K on its items, and F the
remaining part between these items and the later items that are linked to them, the *border*. With
W = D⁻¹F, K⁻¹r is

    forwards    r_border ← r_border − Wᵀ r_block,  r_block ← D⁻¹ r_block,
    backwards   r_block ← r_block − W r_border.

These are products of dense blocks, which cost a small fraction of a product with the dense K⁻¹
(George 1973). The result is exact except for rounding.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from itertools import pairwise

import numpy as np
import scipy.linalg
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.sparse.csgraph import connected_components, maximum_bipartite_matching

from coassoc.ensemble import Microclusters
from coassoc.numerics.threads import over_blocks, row_blocks
from coassoc.partition.labels import Array

#: Approximate number of columns in a block that is solved at once. With wider blocks products take
#: a tenth less time, but fewer blocks are left for the threads.
COLUMNS = 384
#: Items, and the number added to the entries of K between them.
Update = tuple[NDArray[np.intp], Array]

#: Graphs up to this size are not cut, because small products take longer per entry.
LEAF = 96
#: A cut may cost at most this fraction of the multiplications without it.
WORTH = 0.8


def components_of(
    H: sp.csr_array,
) -> tuple[NDArray[np.intp], NDArray[np.intp], list[list[int]]]:
    """The connected components of a graph with a symmetric (n, n) matrix.

    Returns
    -------
    order : (n,) integer array
        Items by component: first the small components, by size, then the large ones, block by
        block of their dissections.
    small : (q,) integer array
        Sizes of the components that are too small for nested dissection.
    large : list of list of int
        Sizes of the blocks of each other component.
    """
    component = connected_components(H, directed=False)[1]
    size = np.bincount(component)
    order = np.lexsort((component, size[component]))
    sizes = np.sort(size)
    large = []
    for start, stop in zip(np.cumsum(sizes) - sizes, np.cumsum(sizes), strict=True):
        if stop - start > LEAF:
            members = order[start:stop]
            by_block, blocks = dissect(H[members][:, members])
            order[start:stop] = members[by_block]
            large.append(blocks)
    return order, sizes[sizes <= LEAF], large


def component_solver(
    H: sp.csr_array,
    micro: Microclusters,
    gamma: float,
    small: NDArray[np.intp],
    large: list[list[int]],
) -> tuple[Array, Callable[[Array], None]]:
    """(2Φ + γI)⁻¹, applied to all columns of a right-hand side.

    In the notation of :class:`InvariantMatrix` the matrix is (−2H, d) with
    d = 2·degree + γ − 2e_H. On vectors constant on microclusters, scaled by √r, it acts as
    K = diag(d) − 2 N^{1/2} H N^{1/2}, and inside microclusters as d.

    Parameters
    ----------
    H : (n', n') sparse array
    micro : Microclusters
    gamma : float
        γ₁ + γ₂.
    small, large
        Sizes of the components of H, from :func:`components_of`; H and `micro` are in their order.

    Returns
    -------
    d : (n',) array
    solve : function
        Overwrites panels of columns, a (q, at least n', s) array, with their solutions.
    """
    e_H = -H.diagonal()
    d = 2 * (H @ micro.r + e_H) + gamma - 2 * e_H
    root = sp.diags_array(np.sqrt(micro.r))
    K = sp.csr_array(sp.diags_array(d) - 2 * (root @ H @ root))
    inverses, solvers = [], []
    start = 0
    for size, number in zip(*np.unique(small, return_counts=True), strict=True):
        rows = slice(start, start + size * number)
        inverses.append((rows, _inverse_of_blocks(K[rows][:, rows], size)))
        start = rows.stop
    for sizes in large:
        rows = slice(start, start + sum(sizes))
        solvers.append((rows, sparse_inverse(K[rows][:, rows], sizes)))
        start = rows.stop

    def solve_panels(P: Array) -> None:
        for rows, M in inverses:
            number, size, _ = M.shape
            part = P[:, rows].reshape(len(P), number, size, -1)  # a view
            if size == 1:
                part *= M
            else:
                part[...] = M @ part
        for rows, solve_component in solvers:
            solve_component(P[:, rows])

    def solve(P: Array) -> None:
        together = max(1, COLUMNS // P.shape[2])
        over_blocks(lambda panels: solve_panels(P[panels]), row_blocks(len(P), together))

    return d, solve


def _inverse_of_blocks(K: sp.csr_array, size: int) -> NDArray:
    """Inverses of the diagonal blocks of a block-diagonal matrix, (number, size, size)."""
    blocks = np.zeros((K.shape[0] // size, size, size))
    entries = K.tocoo()
    blocks[entries.row // size, entries.row % size, entries.col % size] = entries.data
    return np.linalg.inv(blocks)


# -- nested dissection ----------------------------------------------------------------------------


def dissect(graph: sp.csr_array) -> tuple[NDArray[np.intp], list[int]]:
    """Cut a graph repeatedly, as long as this makes products with its inverse cheaper.

    Parameters
    ----------
    graph : (n, n) sparse array
        Symmetric pattern; the diagonal is ignored.

    Returns
    -------
    order : (n,) integer array
        Items block by block, in the order in which blocks are eliminated.
    sizes : list of int
        Sizes of the blocks.
    """
    blocks, _ = _blocks(graph, np.arange(graph.shape[0]))
    return np.concatenate(blocks), [len(block) for block in blocks]


def _blocks(graph: sp.csr_array, items: NDArray) -> tuple[list[NDArray], int]:
    """The blocks of some items of a graph, and an upper bound on the multiplications per column."""
    n, border = len(items), np.setdiff1d(graph[items].indices, items)
    whole = [items], n * (n + 2 * len(border))
    if n <= LEAF:
        return whole
    *sides, separator = (items[part] for part in separate(graph[items][:, items]))
    s = len(separator)
    if min(map(len, sides)) == 0 or s > n // 3:
        return whole
    (left, of_left), (right, of_right) = (_blocks(graph, side) for side in sides)
    # Eliminating the sides links the separator at most to all neighbours of the items.
    cost = of_left + of_right + s * (s + 2 * len(border))
    if cost > WORTH * whole[1]:
        return whole
    return [*left, *right, *([separator] if s else [])], cost


def separate(graph: sp.csr_array) -> tuple[NDArray, NDArray, NDArray]:
    """Two sides without a link between them, and the separator.

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


def sparse_inverse(K: sp.csr_array, sizes: list[int]) -> Callable[[Array], None]:
    """Eliminate K block by block.

    Parameters
    ----------
    K : (n, n) sparse array
        Symmetric positive definite, rows and columns in the order of a dissection of its pattern.
    sizes : list of int
        Sizes of the dissection's blocks.

    Returns
    -------
    function
        Overwrites an (n, q) array R, or each of several, with K⁻¹R.
    """
    starts = np.cumsum([0, *sizes])
    #: Contributions of eliminated blocks to later items, by the block of the first of these items.
    pending: dict[int, list[Update]] = defaultdict(list)
    #: Items, D⁻¹, W and border of each block.
    blocks = []
    for number, (start, stop) in enumerate(pairwise(starts)):
        front, border = _front(K, start, stop, pending.pop(number, []))
        n = stop - start
        D, F = front[:n, :n], front[:n, n:]
        inverse = scipy.linalg.inv(D, check_finite=False)
        W = inverse @ F
        blocks.append((slice(start, stop), inverse, W, border))
        if len(border):
            owner = int(np.searchsorted(starts, border[0], side="right")) - 1
            pending[owner].append((border, front[n:, n:] - F.T @ W))

    def solve(R: Array) -> None:
        for items, inverse, W, border in blocks:
            R[..., border, :] -= W.T @ R[..., items, :]
            R[..., items, :] = inverse @ R[..., items, :]
        for items, _, W, border in reversed(blocks):
            R[..., items, :] -= W @ R[..., border, :]

    return solve


def _front(
    K: sp.csr_array, start: int, stop: int, updates: list[Update]
) -> tuple[Array, NDArray[np.intp]]:
    """D and F in the upper rows, the updates of the border in the lower ones; and the border."""
    rows = K[start:stop]
    touched = np.unique(np.concatenate((rows.indices, *(items for items, _ in updates))))
    border = touched[touched >= stop]
    items = np.concatenate((np.arange(start, stop), border))
    front = np.zeros((len(items), len(items)))
    front[: stop - start] = rows[:, items].toarray()
    for touched_before, update in updates:
        places = np.searchsorted(items, touched_before)
        front[np.ix_(places, places)] += update
    return front, border
