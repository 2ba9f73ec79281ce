"""The compiled loops of EC-CMS's Algorithm 1, over arrays of tiles; see :mod:`.algorithm`.

Sums are added up in :data:`LANES` lanes, the k-th entry of a tile in lane k modulo their number:
so loops become vector instructions, and yet add in one order on every machine.
"""

import numpy as np

from coassoc.numerics.compiled import compiled

LANES = 128


@compiled("f2(i2, f2, b2, f2, f2, f2, f2, f2, f, f, f)")
def update(pairs, root, free, A, C, W, Y1, P, lam, gamma1, gamma2):
    """Eqs. (11), (13), (14) on tiles and their mirror images, in place, and the next P of (9).

    Parameters
    ----------
    pairs : (p, 4) array
        Place of a tile's rows, one more, place of its columns, and one more.
    root : (q, n) array
        The upper bound of F is the product of two.
    free : (q², n²) array
        True off Ω. Row J q + I of this and of the following arrays has the tile of rows I and
        columns J.
    A, C, W, Y1, P : (q², n²) arrays
        W is C + Y₂/γ₂ of the previous round, and P holds the previous C.

    Returns
    -------
    (10, LANES) array
        Parts of the sums of squares of C, Y₁ off Ω, F, Y₁ and Y₂/γ₂, of the changes of the first
        four, and of C − F.
    """
    q, n = root.shape
    keep, give = lam / (lam + gamma1), (lam - gamma1) / (lam + gamma1)
    # All lanes are at fixed places of one array, so that the compiler knows them apart.
    s = np.zeros(11 * LANES)
    p_lane = 10 * LANES
    F, F_before, F_mirror, F_before_mirror = np.empty((4, n * n))
    for pair in range(len(pairs)):
        I, J = pairs[pair, 0], pairs[pair, 2]
        # (13), for both the previous W and the next
        C_mirror, W_mirror, limit = C[I * q + J], W[I * q + J], root[J]
        for i in range(n):
            c, w = C[J * q + I, i * n : i * n + n], W[J * q + I, i * n : i * n + n]
            f, f_before = F[i * n : i * n + n], F_before[i * n : i * n + n]
            for j in range(n):
                f[j] = c[j] + C_mirror[j * n + i]
            for j in range(n):
                f_before[j] = w[j] + W_mirror[j * n + i]
            for j in range(n):
                top = root[I, i] * limit[j]
                before = min(max(f_before[j] / 2, 0.0), top)
                f[j] = min(max((f[j] + f_before[j]) / 2 - before, 0.0), top)
                f_before[j] = before
        for i in range(n):
            f, f_before = F_mirror[i * n : i * n + n], F_before_mirror[i * n : i * n + n]
            for j in range(n):
                f[j] = F[j * n + i]
            for j in range(n):
                f_before[j] = F_before[j * n + i]
        for mirror in range(1 if I == J else 2):
            tile = I * q + J if mirror else J * q + I
            for k in range(0, n * n, LANES):
                part = slice(k, min(k + LANES, n * n))
                a, o, c, w = A[tile, part], free[tile, part], C[tile, part], W[tile, part]
                y, p = Y1[tile, part], P[tile, part]
                f = F_mirror[part] if mirror else F[part]
                f_before = F_before_mirror[part] if mirror else F_before[part]
                for j in range(len(a)):
                    # (11) and (14): off Ω, E is a share of Y₁ after this and Y₁ = λE.
                    y_free = y[j] + gamma1 * (a[j] - c[j])
                    y_next = y_free * keep if o[j] else y_free
                    change = y_next - y[j]
                    e = y_next if o[j] else 0.0
                    e_change = change if o[j] else 0.0
                    y[j] = y_next
                    s[LANES + j] += e * e
                    s[3 * LANES + j] += y_next * y_next
                    s[6 * LANES + j] += e_change * e_change
                    s[8 * LANES + j] += change * change
                    s[p_lane + j] = gamma1 * a[j] + (y_free * give if o[j] else y_free)
                for j in range(len(a)):
                    w_next = c[j] + (w[j] - f_before[j])
                    w[j] = w_next
                    y2 = w_next - f[j]
                    change = f[j] - f_before[j]
                    residual = c[j] - f[j]
                    s[2 * LANES + j] += f[j] * f[j]
                    s[4 * LANES + j] += y2 * y2
                    s[7 * LANES + j] += change * change
                    s[9 * LANES + j] += residual * residual
                    s[p_lane + j] += gamma2 * (f[j] - y2)
                for j in range(len(a)):
                    change = c[j] - p[j]
                    s[j] += c[j] * c[j]
                    s[5 * LANES + j] += change * change
                    p[j] = s[p_lane + j]
    return s[:p_lane].copy().reshape(10, LANES)
