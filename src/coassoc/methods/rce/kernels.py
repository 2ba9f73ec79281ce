"""Compiled loops of RCE's Algorithm 1; Ã is held as its transpose, see :mod:`.algorithm`."""

from math import log, sqrt

from coassoc.numerics.compiled import compiled

#: Sums Ã_pq + Ã_qp, and what is left of 2, count as no less: all logarithms are finite.
TINY = 1e-280


@compiled("UniTuple(f, 3)(i2, f2, f2, s2, f1, i, f)")
def update_C(tiles, A, C, counts, r, m, lam1):
    """C of (9) for the errors of Theorem 3, on tiles and their mirror images.

    A row of `tiles` has the first row, the one after the last, and the same for the columns.
    With a + b = Ã_pq + Ã_qp, the cleaned value A⁽ⁱ⁾ − E⁽ⁱ⁾ is x₁ = 1 − e₁ where clustering i joins
    the pair and x₀ = e₀ where it does not, so that e₁ and e₀ are the sizes of the errors.
    Equations (17) and (18) are rearranged so that nothing cancels when λ₁ is small or a + b near
    0 or 2.

    Returns
    -------
    divergence : float
        As from :func:`divergence`.
    cost : float
        What Eq. (1) has beside it: Σ_i Σ_pq λ₁ |E⁽ⁱ⁾_pq| − log(1 − A⁽ⁱ⁾_pq + E⁽ⁱ⁾_pq).
    max_error : float
        Largest |E⁽ⁱ⁾_pq|.
    """

    def error(own, other):
        """What is missing of 1; `own` and `other` are a + b and 2 − a − b, or the reverse."""
        return other / (sqrt((1 - lam1) ** 2 + 2 * lam1 * own) + 1 + lam1)

    def kept(own):
        """1 − error."""
        root = sqrt((1 - lam1) ** 2 + 2 * lam1 * own)
        return own / (root + (1 - lam1)) if lam1 <= 1 else (root + (lam1 - 1)) / (2 * lam1)

    fit = cost = max_error = 0.0
    for t in range(tiles.shape[0]):
        for i in range(tiles[t, 0], tiles[t, 1]):
            for j in range(tiles[t, 2], min(tiles[t, 3], i + 1)):
                joined, apart = counts[i, j], m - counts[i, j]
                C[i, j] = C[j, i] = 0.0
                if joined == 0 or apart == 0:
                    continue
                both = max(A[i, j] + A[j, i], TINY)
                rest = max(2 - both, TINY)
                e1, e0 = error(both, rest), error(rest, both)
                log_x1, log_not_x1 = log(kept(both)), log(e1)
                log_x0, log_not_x0 = log(e0), log(kept(rest))
                c = joined * (log_not_x1 - log_x1) + apart * (log_not_x0 - log_x0)
                C[i, j] = C[j, i] = c
                max_error = max(max_error, e1, e0)
                errors = lam1 * (joined * e1 + apart * e0)
                copies = r[i] * r[j] * (1 if i == j else 2)
                cost += copies * (errors - joined * log_not_x1 - apart * log_not_x0)
                fit += copies / 2 * c * (A[i, j] + A[j, i])
                for a in (A[i, j], A[j, i]):
                    if 0 < a < 1:
                        fit += copies / 2 * m * (a * log(a) + (1 - a) * log(1 - a))
    return fit, cost, max_error


@compiled("void(f2, f2, f2, f2, i)")
def update_A(A, C, DA_plus, DA_minus, m):
    """Eq. (11) on some columns of Ã, in place, given D⁺Ã and D⁻Ã.

    The three terms of (10) are taken as aG, B and H/a; B is negative, so that nothing cancels.
    """
    for q in range(A.shape[0]):
        for p in range(A.shape[1]):
            a, c = A[q, p], C[q, p]
            if 0 < a < 1:
                w = 1 / (1 - a)
                G = 2 * m * w + max(c, 0.0) + 2 * DA_plus[q, p]
                B = m * log(a * w) - 2 * m * w
                H = max(-c, 0.0) + 2 * DA_minus[q, p]
                A[q, p] = min(a * (sqrt(B**2 + 4 * G * H) - B) / (2 * G), 1.0)


@compiled("f(f2, f2, f1, f1, i)")
def divergence(A, C, columns, rows, m):
    """The part of Eq. (1) that depends on Ã when E is fixed.

    Σ_pq m (Ã log Ã + (1 − Ã) log(1 − Ã)) + C Ã over some columns and rows of Ã, which stand for
    as many samples as `columns` and `rows` say.
    """
    total = 0.0
    for q in range(A.shape[0]):
        for p in range(A.shape[1]):
            a = A[q, p]
            if 0 < a < 1:
                entropy = m * (a * log(a) + (1 - a) * log(1 - a))
                total += columns[q] * rows[p] * (entropy + C[q, p] * a)
            elif a == 1:
                total += columns[q] * rows[p] * C[q, p]
    return total
