"""Inverse of a sparse symmetric positive definite matrix, by nested dissection, for many columns.

A graph with small separators falls apart into blocks once the separators are taken out. Blocks are
eliminated one after another, a separator after its two sides, which are cut like the graph itself.
When the turn of a block comes, let D be what earlier eliminations left of K on its items, and F
what they left between these and the later items that they are linked to then, the *border*. With
W = D⁻¹F, K⁻¹r is

    forwards    r_border ← r_border − Wᵀ r_block,  r_block ← D⁻¹ r_block,
    backwards   r_block ← r_block − W r_border.

All of it is products of dense blocks, at a small part of the cost of a product with the dense
K⁻¹ (George 1973). It is exact but for rounding.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import scipy.linalg
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.sparse.csgraph import maximum_bipartite_matching

Array = NDArray[np.float64]
#: Items, and what is added to the entries of K between them.
Update = tuple[NDArray[np.intp], Array]

#: Graphs up to this size are not cut: small products take longer per entry.
LEAF = 96
#: A cut may cost at most this share of the multiplications without it.
WORTH = 0.8


@dataclass(frozen=True)
class Dissection:
    """Blocks in the order in which they are eliminated.

    Attributes
    ----------
    order : (n,) integer array
        Items block by block.
    sizes : list of int
        Sizes of the blocks.
    """

    order: NDArray[np.intp]
    sizes: list[int]


def dissect(graph: sp.csr_array) -> Dissection:
    """Cut a graph repeatedly, as long as that makes products with its inverse cheaper.

    Parameters
    ----------
    graph : (n, n) sparse array
        Symmetric pattern; the diagonal is ignored.
    """
    blocks, _ = _blocks(graph, np.arange(graph.shape[0]))
    return Dissection(np.concatenate(blocks), [len(block) for block in blocks])


def _blocks(graph: sp.csr_array, items: NDArray) -> tuple[list[NDArray], int]:
    """The blocks of some items of a graph, and at most so many multiplications per column."""
    n, border = len(items), np.setdiff1d(graph[items].indices, items)
    whole = [items], n * (n + 2 * len(border))
    if n <= LEAF:
        return whole
    *sides, separator = (items[part] for part in separate(graph[items][:, items]))
    s = len(separator)
    if min(map(len, sides)) == 0 or s > n // 3:
        return whole
    (left, of_left), (right, of_right) = (_blocks(graph, side) for side in sides)
    # Eliminating the sides links the separator to all that the items touch, at most.
    cost = of_left + of_right + s * (s + 2 * len(border))
    if cost > WORTH * whole[1]:
        return whole
    return [*left, *right, *([separator] if s else [])], cost


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


@dataclass(frozen=True)
class _Block:
    """One block of the elimination: its items, D⁻¹, W and the border."""

    items: slice
    inverse: Array
    W: Array
    border: NDArray[np.intp]


@dataclass(frozen=True)
class SparseInverse:
    """K⁻¹ as its elimination, from :func:`sparse_inverse`."""

    blocks: list[_Block]

    def solve(self, R: Array) -> None:
        """Overwrite the (n, q) array R, or each of several, with K⁻¹R."""
        for block in self.blocks:
            R[..., block.border, :] -= block.W.T @ R[..., block.items, :]
            R[..., block.items, :] = block.inverse @ R[..., block.items, :]
        for block in reversed(self.blocks):
            R[..., block.items, :] -= block.W @ R[..., block.border, :]


def sparse_inverse(K: sp.csr_array, sizes: list[int]) -> SparseInverse:
    """Eliminate K block by block.

    Parameters
    ----------
    K : (n, n) sparse array
        Symmetric positive definite, rows and columns in the order of a dissection of its pattern.
    sizes : list of int
        Sizes of the dissection's blocks.
    """
    starts = np.cumsum([0, *sizes])
    #: What eliminated blocks leave on later items, by the block that has the first of them.
    pending: dict[int, list[Update]] = defaultdict(list)
    blocks = []
    for number, (start, stop) in enumerate(pairwise(starts)):
        front, border = _front(K, start, stop, pending.pop(number, []))
        n = stop - start
        D, F = front[:n, :n], front[:n, n:]
        inverse = scipy.linalg.inv(D, check_finite=False)
        W = inverse @ F
        blocks.append(_Block(slice(start, stop), inverse, W, border))
        if len(border):
            owner = int(np.searchsorted(starts, border[0], side="right")) - 1
            pending[owner].append((border, front[n:, n:] - F.T @ W))
    return SparseInverse(blocks)


def _front(
    K: sp.csr_array, start: int, stop: int, updates: list[Update]
) -> tuple[Array, NDArray[np.intp]]:
    """D and F above, below F what was left on the border so far; and the border."""
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
