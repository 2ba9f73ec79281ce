"""How many clusterings put pairs of samples together, for many clusterings, by bits.

A sample's labels are written as planes of bits: plane 0 says which clusterings have the sample, and
plane p + 1 has bit p of its label in each of them. Two samples are together where no plane of
their labels differs, so that 64 clusterings are compared at a time, however many labels they have.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coassoc.numerics.compiled import compiled
from coassoc.numerics.threads import over_blocks, row_blocks

#: Rows of a block of pairs.
_ROWS = 64


def label_planes(labels: NDArray) -> NDArray[np.uint64]:
    """The planes of bits of some labels.

    Parameters
    ----------
    labels : (n, m) integer array
        Labels from 0 on; negative where one is missing.

    Returns
    -------
    (n, 1 + p, w) array
        p the bits of the largest label, w = ⌈m / 64⌉.
    """
    there = labels >= 0
    bits = int(labels.max(initial=0)).bit_length()
    planes = [there, *((labels >> bit & 1).astype(bool) & there for bit in range(bits))]
    packed = np.packbits(np.stack(planes, axis=1), axis=2)
    missing = -packed.shape[2] % 8
    return np.ascontiguousarray(np.pad(packed, ((0, 0), (0, 0), (0, missing)))).view(np.uint64)


def pair_counts(
    planes: NDArray[np.uint64],
) -> Iterator[tuple[slice, NDArray[np.int32], NDArray[np.int32]]]:
    """Blocks of rows of the two matrices behind a consensus matrix.

    Parameters
    ----------
    planes : (n, 1 + p, w) array
        Of :func:`label_planes`.

    Yields
    ------
    rows : slice
    together : (r, n) array
        How many clusterings put the samples of these rows together with each sample.
    common : (r, n) array
        How many clusterings have both.
    """

    def counts(rows: slice) -> tuple[slice, NDArray[np.int32], NDArray[np.int32]]:
        together = np.empty((rows.stop - rows.start, len(planes)), dtype=np.int32)
        common = np.empty_like(together)
        _compare(planes, rows.start, together, common)
        return rows, together, common

    blocks = row_blocks(len(planes), _ROWS)
    for few in row_blocks(len(blocks), 16):
        yield from over_blocks(counts, blocks[few])


@compiled("void(s2, s2, f2)")
def tally(together: Any, common: Any, counts: Any) -> None:
    """Add the pairs of a block to those counted by how many clusterings have and join them.

    Parameters
    ----------
    together, common : (r, n) array
        Of :func:`pair_counts`.
    counts : (m + 1, m + 1) array
        Changed in place; rows by `common`, columns by `together`.
    """
    for i in range(len(together)):
        for j in range(together.shape[1]):
            counts[common[i, j], together[i, j]] += 1.0


@compiled("void(uint64[:, :, ::1], i, s2, s2)")
def _compare(planes: Any, start: Any, together: Any, common: Any) -> None:
    """Fill the counts of some rows from `start` on."""

    def ones(word):  # type: ignore[no-untyped-def]
        """How many bits are set; compilers know this way of counting."""
        word -= (word >> np.uint64(1)) & np.uint64(0x5555555555555555)
        word = (word & np.uint64(0x3333333333333333)) + (
            (word >> np.uint64(2)) & np.uint64(0x3333333333333333)
        )
        word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
        return (word * np.uint64(0x0101010101010101)) >> np.uint64(56)

    n, n_planes, n_words = planes.shape
    for i in range(len(together)):
        for j in range(n):
            here, both = np.uint64(0), np.uint64(0)
            for w in range(n_words):
                seen = planes[start + i, 0, w] & planes[j, 0, w]
                other = np.uint64(0)
                for p in range(1, n_planes):
                    other |= planes[start + i, p, w] ^ planes[j, p, w]
                both += ones(seen)
                here += ones(seen & ~other)
            together[i, j] = here
            common[i, j] = both
