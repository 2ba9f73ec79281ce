from __future__ import annotations
from typing import Any
import numpy as np
from coassoc.numerics.compiled import compiled


@compiled("i(s2, f1, f1, i, f, i1, s2, i1, s1, f1, f1, f1, f2, i2, i1, i1, i, i)")
def sweep_counts(
    rows, weights, f, kind, b_cost, z, N, size, M, A, J, sums, gain, stamp, version, order, start, most
):
    """sums: E, m, moved."""
    n_draws, places = len(weights), len(size)
    Jm, joint, part = np.empty(n_draws), np.empty(n_draws), np.empty(n_draws)
    d = np.zeros(len(f))
    d[1:] = f[1:] - f[:-1]
    W = weights.sum()
    used = (size > 0).sum()

    for t in range(start, len(order)):
        i = order[t]
        row, k = rows[i], z[i]
        empty = -1
        if used < most and (k < 0 or size[k] > 1):
            for l in range(places):
                if size[l] == 0:
                    empty = l
                    break
            if empty < 0:
                return t
        if k < 0:
            sums[1] += 1
            for b in range(n_draws):
                r = row[b]
                if r > 0:
                    M[r] += 1
                    A[b] += d[M[r]]
        Em = sums[0] if k < 0 else sums[0] - d[size[k]]
        if kind != 0:
            if k < 0:
                Jm[:] = J
            else:
                own = N[k]
                for b in range(n_draws):
                    Jm[b] = J[b] - d[own[row[b]]]
        c = max(f[np.int64(sums[1])], 1.0)
        best, least = -1, np.inf
        for step in range(-1, places):
            # Its own cluster comes first, and wins where another is as good.
            l = k if step < 0 else step
            if l < 0 or (step >= 0 and (l == k or (size[l] == 0 and l != empty))):
                continue
            own = N[l]
            E = sums[0] if l == k else Em + d[size[l] + 1]
            if kind == 0:
                if stamp[i, l] != version[l]:
                    up = 0 if l == k else 1
                    s0, s1, s2, s3 = 0.0, 0.0, 0.0, 0.0
                    for b in range(0, n_draws - 3, 4):
                        s0 += weights[b] * d[own[row[b]] + up]
                        s1 += weights[b + 1] * d[own[row[b + 1]] + up]
                        s2 += weights[b + 2] * d[own[row[b + 2]] + up]
                        s3 += weights[b + 3] * d[own[row[b + 3]] + up]
                    for b in range(n_draws - n_draws % 4, n_draws):
                        s0 += weights[b] * d[own[row[b]] + up]
                    gain[i, l], stamp[i, l] = (s0 + s1) + (s2 + s3), version[l]
                value = b_cost * E * W - 2 * gain[i, l]
            else:
                if l == k:
                    joint[:] = J
                elif l == empty:
                    joint[:] = Jm
                else:
                    for b in range(n_draws):
                        joint[b] = Jm[b] + d[own[row[b]] + 1]
                if kind == 1:
                    for b in range(n_draws):
                        den = c - joint[b]
                        part[b] = weights[b] * (A[b] + E - 2 * joint[b]) / (den if den > 0 else 1.0)
                elif kind == 2:
                    for b in range(n_draws):
                        part[b] = weights[b] * (max(A[b], E) - joint[b])
                elif kind == 3:
                    for b in range(n_draws):
                        den = c - min(A[b], E)
                        part[b] = weights[b] * (max(A[b], E) - joint[b]) / (den if den > 0 else 1.0)
                else:
                    for b in range(n_draws):
                        mean = (A[b] + E) / 2
                        den = mean - A[b] * E / c
                        part[b] = weights[b] * (mean - joint[b]) / (den if den > 0 else 1.0)
                s0, s1, s2, s3 = 0.0, 0.0, 0.0, 0.0
                for b in range(0, n_draws - 3, 4):
                    s0 += part[b]
                    s1 += part[b + 1]
                    s2 += part[b + 2]
                    s3 += part[b + 3]
                for b in range(n_draws - n_draws % 4, n_draws):
                    s0 += part[b]
                value = (s0 + s1) + (s2 + s3)
            if value < (least if best != k else least - 1e-11 * W):
                best, least = l, value
        if best == k:
            continue
        sums[2] += 1
        if k >= 0:
            own = N[k]
            for b in range(n_draws):
                r = row[b]
                if r > 0:
                    J[b] -= d[own[r]]
                    own[r] -= 1
            size[k] -= 1
            used -= size[k] == 0
            version[k] += 1
        own = N[best]
        for b in range(n_draws):
            r = row[b]
            if r > 0:
                own[r] += 1
                J[b] += d[own[r]]
        sums[0] = Em + d[size[best] + 1]
        used += size[best] == 0
        size[best] += 1
        version[best] += 1
        z[i] = best
    return len(order)


@compiled("void(s2, f1, i1, s2, i1, s1, f1, f1, f1, i1, i1, i)")
def take_counts(rows, f, z, N, size, M, A, J, sums, version, items, whole):
    d = np.zeros(len(f))
    d[1:] = f[1:] - f[:-1]
    for t in range(len(items)):
        i = items[t]
        k, row = z[i], rows[i]
        own = N[k]
        for b in range(len(J)):
            r = row[b]
            if r > 0:
                J[b] -= d[own[r]]
                own[r] -= 1
                if whole:
                    A[b] -= d[M[r]]
                    M[r] -= 1
        sums[0] -= d[size[k]]
        size[k] -= 1
        version[k] += 1
        sums[1] -= 1
        z[i] = -1


@compiled("void(s2, f1, i1, s2, i1, s1, f1, f1, f1, i1, i1, i1)")
def put_counts(rows, f, z, N, size, M, A, J, sums, version, items, into):
    d = np.zeros(len(f))
    d[1:] = f[1:] - f[:-1]
    for t in range(len(items)):
        i, k = items[t], into[t]
        row = rows[i]
        own = N[k]
        for b in range(len(J)):
            r = row[b]
            if r > 0:
                own[r] += 1
                J[b] += d[own[r]]
                M[r] += 1
                A[b] += d[M[r]]
        size[k] += 1
        sums[0] += d[size[k]]
        version[k] += 1
        sums[1] += 1
        z[i] = k


@compiled("f1(s1, s1, i1, f1)")
def joint_of_merged(x, y, starts, f):
    more = np.zeros(len(starts) - 1)
    for b in range(len(more)):
        for r in range(starts[b], starts[b + 1]):
            if x[r] > 0 and y[r] > 0:
                more[b] += f[x[r] + y[r]] - f[x[r]] - f[y[r]]
    return more


@compiled("i(f2, i, f, f, i1, f2, i1, f1, i1, i, i)")
def sweep_pairs(P, kind, b_cost, W, z, S, size, sums, order, start, most):
    """sums: E, m, moved, I, A; kind 0 Binder, 1 omARI of expectations."""
    n, places = S.shape
    used = (size > 0).sum()
    for t in range(start, len(order)):
        i = order[t]
        k = z[i]
        empty = -1
        if used < most and (k < 0 or size[k] > 1):
            for l in range(places):
                if size[l] == 0:
                    empty = l
                    break
            if empty < 0:
                return t
        near = S[i]
        Em, Im = sums[0], sums[3]
        if k < 0:
            sums[1] += 1
            sums[4] += near.sum()
        else:
            Em -= size[k] - 1
            Im -= near[k] - W
        c = max(sums[1] * (sums[1] - 1) / 2, 1.0)
        A = sums[4] / W
        best, least = -1, np.inf
        for step in range(-1, places):
            # Its own cluster comes first, and wins where another is as good.
            l = k if step < 0 else step
            if l < 0 or (step >= 0 and (l == k or (size[l] == 0 and l != empty))):
                continue
            E = sums[0] if l == k else Em + size[l]
            I = sums[3] if l == k else Im + near[l]
            if kind == 0:
                value = b_cost * E - 2 * I / W
            else:
                mean = (A + E) / 2
                den = mean - A * E / c
                value = (mean - I / W) / (den if den > 0 else 1.0)
            if value < (least if best != k else least - 1e-11):
                best, least = l, value
        if best == k:
            continue
        sums[2] += 1
        if k >= 0:
            for j in range(n):
                S[j, k] -= P[i, j]
            size[k] -= 1
            used -= size[k] == 0
        sums[0], sums[3] = Em + size[best], Im + near[best]
        used += size[best] == 0
        for j in range(n):
            S[j, best] += P[i, j]
        size[best] += 1
        z[i] = best
    return len(order)


@compiled("i1(s2, i1, i)")
def together_with(rows, weights, i):
    n, m = rows.shape
    counts = np.zeros(n, dtype=np.int64)
    for j in range(n):
        total = np.int64(0)
        for b in range(m):
            total += weights[b] if rows[j, b] == rows[i, b] and rows[j, b] != 0 else 0
        counts[j] = total
    return counts
