"""Compiled loop of EC-CMS's Algorithm 1, over the entries of n' × n' arrays off the diagonal.

`free` is True off Ω, and `E_share` the share of Y₁ that E is there; see :mod:`.algorithm`.
"""

from __future__ import annotations

from coassoc.numerics.compiled import compiled

__all__ = ["update_pairs"]

_ARRAY = ", float64[:, ::1]"
_MASK = ", boolean[:, ::1]"
_NUMBER = ", float64"


@compiled(
    f"UniTuple(float64, 10)(int64[:, ::1]{_ARRAY}{_MASK}{6 * _ARRAY}, float64[::1]{4 * _NUMBER})"
)
def update_pairs(tiles, A, free, C, C_previous, F, Y1, Y2, P, root, lam, gamma1, gamma2, E_share):
    """Eqs. (11), (13), (14) on tiles and their mirror images, in place, and the next P of (9).

    P may lie where the previous C does: an entry is read before it is overwritten.

    A row of `tiles` has the first row, the one after the last, and the same for the columns.

    Returns
    -------
    tuple of float
        Sums of squares of the new C, E, F, Y₁, Y₂, and of the changes of C, E, F and the residuals
        A − C − E and C − F.
    """
    C_size = E_size = F_size = Y1_size = Y2_size = 0.0
    C_change = E_change = F_change = Y1_change = Y2_change = 0.0
    for t in range(tiles.shape[0]):
        for i in range(tiles[t, 0], tiles[t, 1]):
            for j in range(tiles[t, 2], min(tiles[t, 3], i)):
                # (13): both entries of the symmetric F
                mean = (C[i, j] + C[j, i]) / 2 + (Y2[i, j] + Y2[j, i]) / (2 * gamma2)
                f = min(max(mean, 0.0), root[i] * root[j])
                F_size += 2 * f**2
                F_change += 2 * (f - F[i, j]) ** 2
                F[i, j] = F[j, i] = f
                for k, l in ((i, j), (j, i)):
                    a, c, y1 = A[k, l], C[k, l], Y1[k, l]
                    # (11), with what E was before
                    e = e_previous = 0.0
                    if free[k, l]:
                        e = (y1 + gamma1 * (a - c)) / (lam + gamma1)
                        e_previous = E_share * y1
                    # (14)
                    y1 += gamma1 * (a - c - e)
                    y2 = Y2[k, l] + gamma2 * (c - f)
                    Y1[k, l], Y2[k, l] = y1, y2
                    C_size += c**2
                    E_size += e**2
                    Y1_size += y1**2
                    Y2_size += y2**2
                    C_change += (c - C_previous[k, l]) ** 2
                    E_change += (e - e_previous) ** 2
                    Y1_change += (a - c - e) ** 2
                    Y2_change += (c - f) ** 2
                    # (9)
                    P[k, l] = gamma1 * (a - e) + y1 + gamma2 * f - y2
    sizes = (C_size, E_size, F_size, Y1_size, Y2_size)
    return sizes + (C_change, E_change, F_change, Y1_change, Y2_change)  # noqa: RUF005
