"""Eq. (9) of EC-CMS: 2Φ + (γ₁+γ₂)I is block diagonal over the connected components of H.

The microclusters are ordered by component, so that (9) is one small product per component;
components that are still large have small separators, and nested dissection inverts them without
forming the dense inverse.
"""

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.sparse.csgraph import connected_components

from coassoc.ensemble import Microclusters
from coassoc.methods.base import Array
from coassoc.numerics.dissection import LEAF, Dissection, dissect, sparse_inverse
from coassoc.numerics.threads import over_blocks, row_blocks

#: Columns are solved in blocks of about so many: with wider blocks products take a tenth less time,
#: and there is less to share out.
COLUMNS = 384


class Components(NamedTuple):
    """Connected components of a graph.

    Attributes
    ----------
    order : (n,) integer array
        Items by component: first the small components, by size, then the large ones.
    small : (q,) integer array
        Sizes of the components up to the size that nested dissection leaves alone.
    large : list of Dissection
        The other components, whose orders are already part of `order`.
    """

    order: NDArray[np.intp]
    small: NDArray[np.intp]
    large: list[Dissection]


def components_of(H: sp.csr_array) -> Components:
    """The connected components of a graph with a symmetric (n, n) matrix."""
    component = connected_components(H, directed=False)[1]
    size = np.bincount(component)
    order = np.lexsort((component, size[component]))
    sizes = np.sort(size)
    dissections = []
    for start, stop in zip(np.cumsum(sizes) - sizes, np.cumsum(sizes), strict=True):
        if stop - start > LEAF:
            members = order[start:stop]
            dissections.append(dissect(H[members][:, members]))
            order[start:stop] = members[dissections[-1].order]
    return Components(order, sizes[sizes <= LEAF], dissections)


class ComponentSolver:
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
    components : Components
        Those of H; H and `micro` are in their order.
    """

    def __init__(
        self, H: sp.csr_array, micro: Microclusters, gamma: float, components: Components
    ) -> None:
        e_H = -H.diagonal()
        d = 2 * (H @ micro.r + e_H) + gamma - 2 * e_H
        root = sp.diags_array(np.sqrt(micro.r))
        K = sp.csr_array(sp.diags_array(d) - 2 * (root @ H @ root))
        self.d = d
        self.small = []
        self.large = []
        start = 0
        for size, number in zip(*np.unique(components.small, return_counts=True), strict=True):
            rows = slice(start, start + size * number)
            self.small.append((rows, _inverse_of_blocks(K[rows][:, rows], size)))
            start = rows.stop
        for dissection in components.large:
            rows = slice(start, start + len(dissection.order))
            self.large.append((rows, sparse_inverse(K[rows][:, rows], dissection.sizes)))
            start = rows.stop

    def solve(self, P: Array) -> None:
        """Overwrite panels of columns, a (q, at least n', s) array, with their solutions."""
        together = max(1, COLUMNS // P.shape[2])
        over_blocks(lambda panels: self._solve_panels(P[panels]), row_blocks(len(P), together))

    def _solve_panels(self, P: Array) -> None:
        for rows, M in self.small:
            number, size, _ = M.shape
            part = P[:, rows].reshape(len(P), number, size, -1)  # a view
            if size == 1:
                part *= M
            else:
                part[...] = M @ part
        for rows, inverse in self.large:
            inverse.solve(P[:, rows])


def _inverse_of_blocks(K: sp.csr_array, size: int) -> NDArray:
    """Inverses of the diagonal blocks of a block-diagonal matrix, (number, size, size)."""
    blocks = np.zeros((K.shape[0] // size, size, size))
    entries = K.tocoo()
    blocks[entries.row // size, entries.row % size, entries.col % size] = entries.data
    return np.linalg.inv(blocks)
