"""Numbers of clusterings that co-cluster pairs of samples, computed with bits.

The labels of a sample are stored as planes of bits: plane 0 marks the clusterings that label the
sample, and plane p + 1 has bit p of its label in each clustering. Two samples are co-clustered if
no plane of their labels differs, so 64 clusterings are compared at a time for any number of labels.
"""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from coassoc.numerics.compiled import compiled
from coassoc.numerics.threads import over_blocks, row_blocks

#: Number of rows in a block of pairs, and in a block that is consumed at once.
_ROWS, _FEW_ROWS = 64, 8
#: Number of samples whose planes fit into the cache of a core.
_TILE = 256


def label_planes(labels: NDArray) -> NDArray[np.uint64]:
    """The planes of bits of some labels.

    Parameters
    ----------
    labels : (n, m) integer array
        Labels from 0 on; negative if missing.

    Returns
    -------
    (1 + p, w, n) array
        Planes, where p is the number of bits of the largest label and w = ⌈m / 64⌉.
    """
    labelled = labels >= 0
    bits = int(labels.max(initial=0)).bit_length()
    planes = [labelled, *((labels >> bit & 1).astype(bool) & labelled for bit in range(bits))]
    packed = np.packbits(np.stack(planes), axis=2)
    missing = -packed.shape[2] % 8
    words = np.pad(packed, ((0, 0), (0, 0), (0, missing))).view(np.uint64)
    return np.ascontiguousarray(words.transpose(0, 2, 1))


def pair_counts(
    planes: NDArray[np.uint64],
) -> Iterator[tuple[slice, NDArray[np.int32], NDArray[np.int32]]]:
    """Blocks of rows of the two matrices behind a consensus matrix.

    Parameters
    ----------
    planes : (1 + p, w, n) array
        Result of :func:`label_planes`.

    Yields
    ------
    rows : slice
    together : (r, n) array
        Number of clusterings that co-cluster the samples of these rows with each sample.
    common : (r, n) array
        Number of clusterings that label both.
    """
    n = planes.shape[2]

    def counts(rows: slice) -> tuple[slice, NDArray[np.int32], NDArray[np.int32]]:
        return rows, *_compared(planes, rows, n)

    blocks = row_blocks(n, _ROWS)
    for few in row_blocks(len(blocks), 16):
        yield from over_blocks(counts, blocks[few])


def count_agreements(labels: NDArray) -> NDArray[np.float64]:
    """(q, q) number of columns in which two rows have the same label; −1 marks a missing label."""
    counts = np.empty((len(labels), len(labels)))
    for rows, together, _ in pair_counts(label_planes(labels)):
        counts[rows] = together
    return counts


def sums_over_pairs(draws: NDArray, clusters: NDArray[np.int64]) -> tuple[NDArray, NDArray]:
    """Sums over pairs of samples; each pair is compared once and not stored.

    Parameters
    ----------
    draws : (n, m) integer array
        Labels from 0 on; negative if missing.
    clusters : (n,) array
        0 … k−1.

    Returns
    -------
    counts : (m + 1, m + 1) array
        Number of pairs for each number of clusterings that label both samples (rows) and co-cluster
        them (columns).
    sums : (n, k) array
        Sums of the consensus of each sample with the other samples of each cluster; 0 for pairs
        that no clustering labels together.
    """
    planes = label_planes(draws)
    (n, m), k = draws.shape, int(clusters.max()) + 1
    total = np.zeros((m + 1, m + 1)), np.zeros((n, k))

    def part(rows: slice) -> tuple[NDArray, NDArray]:
        counts, sums = np.zeros((m + 1, m + 1)), np.zeros((n, k))
        for start in range(rows.start, rows.stop, _FEW_ROWS):
            some = slice(start, min(start + _FEW_ROWS, rows.stop))
            _add_pairs(*_compared(planes, some, n - start), clusters, start, counts, sums)
        return counts, sums

    # Limit the number of parts, so that they take little memory.
    for added in over_blocks(part, row_blocks(n, max(512, -(-n // 16)))):
        for whole, one in zip(total, added, strict=True):
            whole += one
    return total


def _compared(
    planes: NDArray[np.uint64], rows: slice, width: int
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Both counts of some samples with the last `width` samples."""
    together, common = np.empty((2, rows.stop - rows.start, width), dtype=np.int32)
    _compare(planes, rows.start, together, common)
    return together, common


@compiled("void(s2, s2, i1, i, f2, f2)")
def _add_pairs(together, common, clusters, start, counts, sums):
    """Add the pairs of the samples from `start` on with later samples."""
    for i in range(len(together)):
        cluster = clusters[start + i]
        for j in range(i + 1, together.shape[1]):
            here, both = together[i, j], common[i, j]
            counts[both, here] += 1.0
            share = here / max(both, 1)
            sums[start + i, clusters[start + j]] += share
            sums[start + j, cluster] += share


@compiled("void(uint64[:, :, ::1], i, s2, s2)")
def _compare(planes, start, together, common):
    """Fill the counts of the samples from `start` on with the last samples."""

    def ones(word):
        """Number of set bits; compilers recognise this way of counting."""
        word -= (word >> np.uint64(1)) & np.uint64(0x5555555555555555)
        word = (word & np.uint64(0x3333333333333333)) + (
            (word >> np.uint64(2)) & np.uint64(0x3333333333333333)
        )
        word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
        return (word * np.uint64(0x0101010101010101)) >> np.uint64(56)

    n_planes, n_words, n = planes.shape
    width = together.shape[1]
    other = np.empty(_TILE, dtype=np.uint64)
    together[:] = 0
    common[:] = 0
    for first in range(0, width, _TILE):
        size = min(_TILE, width - first)
        tile = slice(n - width + first, n - width + first + size)
        for i in range(len(together)):
            joined, both = together[i, first : first + size], common[i, first : first + size]
            for w in range(n_words):
                other[:] = 0
                for p in range(1, n_planes):
                    word, row = planes[p, w, start + i], planes[p, w, tile]
                    for j in range(size):
                        other[j] |= word ^ row[j]
                word, row = planes[0, w, start + i], planes[0, w, tile]
                for j in range(size):
                    seen = word & row[j]
                    joined[j] += np.int32(ones(seen & ~other[j]))
                    both[j] += np.int32(ones(seen))
