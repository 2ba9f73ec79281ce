"""Compiled loops of EC-CMS's Algorithm 1, over n' × n' arrays whose diagonal is 0.

`free` is True off Ω, and `E_share` the share of Y₁ that E is there; see :mod:`.algorithm`.
"""

from coassoc.numerics.compiled import compiled


@compiled("UniTuple(f, 2)(i2, f2, f2, f2, f1, f)")
def update_F(tiles, C, Y2, F, root, gamma2):
    """Eq. (13) on tiles and their mirror images, in place.

    A row of `tiles` has the first row, the one after the last, and the same for the columns.

    Returns
    -------
    tuple of float
        Sums of squares of F and of its changes.
    """
    size = change = 0.0
    for t in range(tiles.shape[0]):
        for i in range(tiles[t, 0], tiles[t, 1]):
            for j in range(tiles[t, 2], min(tiles[t, 3], i)):
                mean = (C[i, j] + C[j, i]) / 2 + (Y2[i, j] + Y2[j, i]) / (2 * gamma2)
                f = min(max(mean, 0.0), root[i] * root[j])
                size += 2 * f**2
                change += 2 * (f - F[i, j]) ** 2
                F[i, j] = F[j, i] = f
    return size, change


@compiled("UniTuple(f, 8)(f2, b2, f2, f2, f2, f2, f2, f, f, f, f)")
def update_E_Y(A, free, C, F, Y1, Y2, P, lam, gamma1, gamma2, E_share):
    """Eqs. (11) and (14) on some rows, in place, and the next P of (9).

    Before, P holds the previous C.

    Returns
    -------
    tuple of float
        Sums of squares of C, E, Y₁, Y₂, of the changes of C and E, and of the residuals A − C − E
        and C − F.
    """
    C_size = E_size = Y1_size = Y2_size = 0.0
    C_change = E_change = Y1_change = Y2_change = 0.0
    for i in range(A.shape[0]):
        for j in range(A.shape[1]):
            a, c, f, y1 = A[i, j], C[i, j], F[i, j], Y1[i, j]
            # (11), with what E was before
            e = (y1 + gamma1 * (a - c)) / (lam + gamma1) if free[i, j] else 0.0
            e_previous = E_share * y1 if free[i, j] else 0.0
            # (14)
            y1 += gamma1 * (a - c - e)
            y2 = Y2[i, j] + gamma2 * (c - f)
            Y1[i, j], Y2[i, j] = y1, y2
            C_size += c**2
            E_size += e**2
            Y1_size += y1**2
            Y2_size += y2**2
            C_change += (c - P[i, j]) ** 2
            E_change += (e - e_previous) ** 2
            Y1_change += (a - c - e) ** 2
            Y2_change += (c - f) ** 2
            # (9)
            P[i, j] = gamma1 * (a - e) + y1 + gamma2 * f - y2
    sizes = (C_size, E_size, Y1_size, Y2_size)
    return sizes + (C_change, E_change, Y1_change, Y2_change)  # noqa: RUF005
