"""Where the zeros of Ã are: separate problems, and columns that have most of them in common."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import scipy.cluster.hierarchy as hierarchy
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.sparse.csgraph import connected_components
from scipy.spatial.distance import squareform

from coassoc.numerics.threads import row_blocks

#: Components of the co-association graph are solved together until they have so many microclusters.
FEW_MICROCLUSTERS = 64
#: Columns in a group, and in one without common zeros: with more of them products are faster.
WIDTH, WHOLE_WIDTH = 96, 192
#: A group with common zeros in fewer rows than the rest of this share has none.
SHARE = 0.9


class Group(NamedTuple):
    """Columns of Ã that are updated together, and the rows where one of them is not 0."""

    columns: slice
    rows: NDArray[np.intp] | slice


def separate_problems(Z: sp.csr_array) -> Iterator[NDArray[np.intp]]:
    """Microclusters of the connected components of the co-association graph, small ones together.

    Parameters
    ----------
    Z : (n', L) sparse array
        Membership of microclusters in clusters.
    """
    component = connected_components(sp.block_array([[None, Z], [Z.T, None]]), directed=False)[1]
    component = component[: Z.shape[0]]
    size = np.bincount(component)[component]
    order = np.lexsort((component, size))
    starts = np.flatnonzero(np.diff(component[order], prepend=-1))
    first = 0
    for stop in [*starts[1:].tolist(), len(order)]:
        if stop - first >= FEW_MICROCLUSTERS or stop == len(order):
            yield order[first:stop]
            first = stop


def order_by_similarity(counts: NDArray, m: int) -> NDArray[np.intp]:
    """An order of microclusters that gives neighbours similar zeros.

    Parameters
    ----------
    counts : (n', n') integer array
        How many of the `m` base clusterings join each pair.
    """
    if len(counts) <= WIDTH or (counts > 0).mean() > SHARE:
        return np.arange(len(counts))
    distances = squareform(m - counts.astype(np.float64), checks=False)
    tree = hierarchy.linkage(distances, "average")
    return hierarchy.leaves_list(tree).astype(np.intp)


def column_groups(counts: NDArray) -> list[Group]:
    """Groups of neighbouring columns, narrow ones where that leaves out rows."""
    groups = _groups_of(WIDTH, counts)
    if all(isinstance(group.rows, slice) for group in groups):
        return _groups_of(WHOLE_WIDTH, counts)
    return groups


def _groups_of(width: int, counts: NDArray) -> list[Group]:
    groups: list[Group] = []
    for columns in row_blocks(len(counts), width):
        rows = np.flatnonzero(counts[columns].any(axis=0))
        few = len(rows) < SHARE * len(counts)
        groups.append(Group(columns, rows if few else slice(None)))
    return groups
