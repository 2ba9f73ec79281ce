"""Compiled loops of LTA's Algorithm 2. The arrays are the transposes of the paper's matrices."""

import numpy as np

from coassoc.numerics.compiled import compiled


@compiled("Tuple((f1, f1, c1))(c2, c2)")
def gram(F1, F2):
    """G₁₁, G₂₂ and G₁₂ of FᴴF in every Fourier slice F = (F₁, F₂), summed over some rows."""
    q = F1.shape[1]
    G11, G22, G12 = np.zeros(q), np.zeros(q), np.zeros(q, dtype=np.complex128)
    for i in range(F1.shape[0]):
        for f in range(q):
            x, y = F1[i, f], F2[i, f]
            G11[f] += x.real**2 + x.imag**2
            G22[f] += y.real**2 + y.imag**2
            G12[f] += x.conjugate() * y
    return G11, G22, G12


@compiled("void(c2, c2, f1, f1, c1)")
def shrink(F1, F2, w11, w22, w12):
    """(F₁, F₂) W in place, in every Fourier slice."""
    for i in range(F1.shape[0]):
        for f in range(F1.shape[1]):
            x, y = F1[i, f], F2[i, f]
            F1[i, f] = x * w11[f] + y * w12[f].conjugate()
            F2[i, f] = x * w12[f] + y * w22[f]


@compiled("UniTuple(f, 3)(i2, i1, f2, f2, f2, f2, f2, f2, f, f, f)")
def update_others(tiles, group, A, X1, X2, E, L1, L3, lam, mu, next_mu):
    """Eqs. (15), (17), (20), (22) and the next T of Eq. (13), on tiles and their mirror images.

    X₁ and X₂ hold P(:,:,1) and P(:,:,2), and T(:,:,1) and T(:,:,2) afterwards; E, Λ₁ and Λ₃ are
    overwritten. Samples of one `group` have M = 1.

    Returns
    -------
    tuple of float
        Largest entries of |P(:,:,1) − B|, |P(:,:,2) − C| and |P(:,:,2) + E − A|.
    """
    worst_B = worst_C = worst_E = 0.0
    # A division takes as long as the rest of an entry.
    per_mu, per_next_mu, per_both = 1 / mu, 1 / next_mu, 1 / (2 * lam + mu)
    for t in range(tiles.shape[0]):
        for i in range(tiles[t, 0], tiles[t, 1]):
            for j in range(tiles[t, 2], min(tiles[t, 3], i + 1)):
                a = A[i, j]
                # (17) and (20): B and C are symmetric
                b = (X1[i, j] + X1[j, i] + (L1[i, j] + L1[j, i]) * per_mu) / 2
                b = 1.0 if group[i] == group[j] else min(max(b, 0.0), 1.0)
                c = (X2[i, j] + X2[j, i] + (L3[i, j] + L3[j, i]) * per_mu) / 2
                c = min(max(c, 0.0), 1.0)
                for half in range(2 if i > j else 1):
                    k, l = (i, j) if half == 0 else (j, i)
                    p1, p2 = X1[k, l], X2[k, l]
                    # (15), where Λ₂ = −2λE
                    e = (mu * a + 2 * lam * E[k, l] - mu * p2) * per_both
                    # (22)
                    l1 = L1[k, l] + mu * (p1 - b)
                    l3 = L3[k, l] + mu * (p2 - c)
                    worst_B = max(worst_B, abs(p1 - b))
                    worst_C = max(worst_C, abs(p2 - c))
                    worst_E = max(worst_E, abs(p2 + e - a))
                    E[k, l], L1[k, l], L3[k, l] = e, l1, l3
                    # (13)
                    X1[k, l] = b - l1 * per_next_mu
                    X2[k, l] = (a + c - e - (l3 - 2 * lam * e) * per_next_mu) / 2
    return worst_B, worst_C, worst_E
