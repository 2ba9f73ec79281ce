"""Moves of items between clusters that lower an expected loss, compiled.

Two states know the sums A, E and J of :mod:`coassoc.posterior.losses` while items move. That of
:func:`sweep_sums` counts, for every cluster of the estimate and every cluster of a draw, the items
that they share, and so has J of every draw; that of :func:`sweep_pairs` has the number of draws
that have an item together with the items of a cluster, and so the sum of J over the draws, which
is enough for losses that are functions of it.

In both, z has the cluster of each item, −1 of items that are in none yet and do not count, and
`totals` has E, the number of items in clusters, the moves of the last sweep, and, for pairs alone,
the sums of J and A over the draws.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from coassoc.numerics.compiled import compiled

#: Numbers of the losses of :func:`sweep_sums`.
KINDS = {"VI": 0, "NVI": 1, "ID": 2, "NID": 3, "omARI": 4}


@compiled("i(s2, f1, f1, i, f, i1, s2, i1, s1, f1, f1, f1, f2, i2, i1, i1, i1, i, i)")
def sweep_sums(
    rows: Any,
    weights: Any,
    f: Any,
    kind: int,
    b_cost: float,
    z: Any,
    shared: Any,
    size: Any,
    seen: Any,
    A: Any,
    J: Any,
    totals: Any,
    near: Any,
    stamp: Any,
    version: Any,
    settled: Any,
    order: Any,
    start: int,
    most: int,
) -> int:
    """Move items, in an order from a place on, each to the cluster where the loss is least.

    Parameters
    ----------
    rows : (n, B) array
        Cluster of each item in each draw, counted over all draws; 0 where it is alone.
    weights : (B,) array
    f : (n + 2,) array
    kind : int
        Of :data:`KINDS`.
    b_cost : float
        2 − a, for VI.
    z : (n,) array
    shared : (places, L) array
        Items that a cluster shares with a cluster of a draw.
    size : (places,) array
    seen : (L,) array
        Items of each cluster of a draw that are in a cluster.
    A, J : (B,) arrays
    totals : array
    near : (n, places) array
        For VI, by how much J would grow, over all draws, with an item in a cluster; it holds where
        `stamp` is the cluster's `version`, a number that changes with its items.
    settled : (n,) array
        Sum of the versions at which an item was in its best cluster: while it is the same, it still
        is.
    order : array of items
    start, most : int
        First place in `order`, and the largest number of clusters.

    Returns
    -------
    int
        Place in `order` up to which items were moved; it ends early where there is no room for
        another cluster.
    """
    n_draws, places = len(weights), len(size)
    others, joint, part = np.empty(n_draws), np.empty(n_draws), np.empty(n_draws)
    d = np.zeros(len(f))
    d[1:] = f[1:] - f[:-1]
    W = weights.sum()
    used = (size > 0).sum()
    now = version.sum()
    for t in range(start, len(order)):
        i = order[t]
        row, k = rows[i], z[i]
        if k >= 0 and settled[i] == now:
            continue
        empty = -1
        if used < most and (k < 0 or size[k] > 1):
            for l in range(places):
                if size[l] == 0:
                    empty = l
                    break
            if empty < 0:
                return t
        rest = totals[0]
        if k < 0:
            totals[1] += 1
            for b in range(n_draws):
                if row[b] > 0:
                    seen[row[b]] += 1
                    A[b] += d[seen[row[b]]]
        else:
            rest -= d[size[k]]
        if kind != 0:
            others[:] = J
            if k >= 0:
                own = shared[k]
                for b in range(n_draws):
                    others[b] -= d[own[row[b]]]
        most_f = max(f[np.int64(totals[1])], 1.0)
        best, least = -1, np.inf
        for step in range(-1, places):
            # Its own cluster comes first, and wins where another is as good.
            l = k if step < 0 else step
            if l < 0 or (step >= 0 and (l == k or (size[l] == 0 and l != empty))):
                continue
            own = shared[l]
            E = totals[0] if l == k else rest + d[size[l] + 1]
            if kind != 0:
                if l == k:
                    joint[:] = J
                elif l == empty:
                    joint[:] = others
                else:
                    for b in range(n_draws):
                        joint[b] = others[b] + d[own[row[b]] + 1]
            if kind == 0 and l == empty:
                part[:] = 0.0
                near[i, l], stamp[i, l] = 0.0, version[l]
            elif kind == 0 and stamp[i, l] != version[l]:
                more = 0 if l == k else 1
                for b in range(n_draws):
                    part[b] = weights[b] * d[own[row[b]] + more]
            elif kind == 1:
                for b in range(n_draws):
                    below = most_f - joint[b]
                    above = A[b] + E - 2 * joint[b]
                    part[b] = weights[b] * above / (below if below > 0 else 1.0)
            elif kind == 2:
                for b in range(n_draws):
                    part[b] = weights[b] * (max(A[b], E) - joint[b])
            elif kind == 3:
                for b in range(n_draws):
                    below = most_f - min(A[b], E)
                    above = max(A[b], E) - joint[b]
                    part[b] = weights[b] * above / (below if below > 0 else 1.0)
            elif kind == 4:
                for b in range(n_draws):
                    mean = (A[b] + E) / 2
                    below = mean - A[b] * E / most_f
                    part[b] = weights[b] * (mean - joint[b]) / (below if below > 0 else 1.0)
            value = 0.0
            if kind != 0 or stamp[i, l] != version[l]:
                # Four sums at a time: one would wait for each of its additions.
                s0, s1, s2, s3 = 0.0, 0.0, 0.0, 0.0
                for b in range(0, n_draws - 3, 4):
                    s0 += part[b]
                    s1 += part[b + 1]
                    s2 += part[b + 2]
                    s3 += part[b + 3]
                for b in range(n_draws - n_draws % 4, n_draws):
                    s0 += part[b]
                value = (s0 + s1) + (s2 + s3)
            if kind == 0:
                if stamp[i, l] != version[l]:
                    near[i, l], stamp[i, l] = value, version[l]
                value = b_cost * E * W - 2 * near[i, l]
            if value < (least if best != k else least - 1e-11 * W):
                best, least = l, value
        if best == k:
            settled[i] = now
            continue
        totals[2] += 1
        now += 1 if k < 0 else 2
        if k >= 0:
            own = shared[k]
            for b in range(n_draws):
                if row[b] > 0:
                    J[b] -= d[own[row[b]]]
                    own[row[b]] -= 1
            size[k] -= 1
            used -= size[k] == 0
            version[k] += 1
        own = shared[best]
        for b in range(n_draws):
            if row[b] > 0:
                own[row[b]] += 1
                J[b] += d[own[row[b]]]
        totals[0] = rest + d[size[best] + 1]
        used += size[best] == 0
        size[best] += 1
        version[best] += 1
        z[i] = best
    return len(order)


@compiled("void(s2, f1, i1, s2, i1, s1, f1, f1, f1, i1, i1, i1)")
def move_sums(
    rows: Any,
    f: Any,
    z: Any,
    shared: Any,
    size: Any,
    seen: Any,
    A: Any,
    J: Any,
    totals: Any,
    version: Any,
    items: Any,
    into: Any,
) -> None:
    """Take items out of their clusters and put them into others; −1 stands for none."""
    d = np.zeros(len(f))
    d[1:] = f[1:] - f[:-1]
    for t in range(len(items)):
        i = items[t]
        row, k, l = rows[i], z[i], into[t]
        for step in (-1, 1):
            cluster = k if step < 0 else l
            if cluster < 0:
                continue
            own = shared[cluster]
            up = 0 if step < 0 else 1
            for b in range(len(J)):
                if row[b] > 0:
                    J[b] += step * d[own[row[b]] + up]
                    own[row[b]] += step
            totals[0] += step * d[size[cluster] + up]
            size[cluster] += step
            version[cluster] += 1
        if (k < 0) != (l < 0):
            step, up = (-1, 0) if l < 0 else (1, 1)
            for b in range(len(J)):
                if row[b] > 0:
                    A[b] += step * d[seen[row[b]] + up]
                    seen[row[b]] += step
            totals[1] += step
        z[i] = l


@compiled("f1(s1, s1, i1, f1)")
def joint_of_merged(x: Any, y: Any, starts: Any, f: Any) -> Any:
    """(B,) by how much J of each draw grows if two clusters with these `shared` items merge."""
    more = np.zeros(len(starts) - 1)
    for b in range(len(more)):
        for r in range(starts[b], starts[b + 1]):
            if x[r] > 0 and y[r] > 0:
                more[b] += f[x[r] + y[r]] - f[x[r]] - f[y[r]]
    return more


@compiled("i(f2, i, f, i1, f2, i1, f1, i1, i, i)")
def sweep_pairs(
    pairs: Any,
    kind: int,
    b_cost: float,
    z: Any,
    near: Any,
    size: Any,
    totals: Any,
    order: Any,
    start: int,
    most: int,
) -> int:
    """As :func:`sweep_sums`, for Binder's loss (kind 0) and omARI of expectations (1).

    Parameters
    ----------
    pairs : (n, n) array
        Draws that have two items together.
    near : (n, places) array
        Sums of `pairs` over the items of each cluster, the item itself included.
    """
    n, places = near.shape
    W = pairs[0, 0]
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
        rest, apart = totals[0], totals[3]
        if k < 0:
            totals[1] += 1
            totals[4] += near[i].sum()
        else:
            rest -= size[k] - 1
            apart -= near[i, k] - W
        all_pairs = max(totals[1] * (totals[1] - 1) / 2, 1.0)
        A = totals[4] / W
        best, least = -1, np.inf
        for step in range(-1, places):
            # Its own cluster comes first, and wins where another is as good.
            l = k if step < 0 else step
            if l < 0 or (step >= 0 and (l == k or (size[l] == 0 and l != empty))):
                continue
            E = totals[0] if l == k else rest + size[l]
            J = (totals[3] if l == k else apart + near[i, l]) / W
            if kind == 0:
                value = b_cost * E - 2 * J
            else:
                below = (A + E) / 2 - A * E / all_pairs
                value = ((A + E) / 2 - J) / (below if below > 0 else 1.0)
            if value < (least if best != k else least - 1e-11):
                best, least = l, value
        if best == k:
            continue
        totals[2] += 1
        totals[0], totals[3] = rest + size[best], apart + near[i, best]
        if k >= 0:
            for j in range(n):
                near[j, k] -= pairs[i, j]
            size[k] -= 1
            used -= size[k] == 0
        for j in range(n):
            near[j, best] += pairs[i, j]
        used += size[best] == 0
        size[best] += 1
        z[i] = best
    return len(order)


@compiled("void(f2, i1, f2, i1, f1, i1, i1)")
def move_pairs(
    pairs: Any, z: Any, near: Any, size: Any, totals: Any, items: Any, into: Any
) -> None:
    """As :func:`move_sums`, for the state of :func:`sweep_pairs`."""
    W = pairs[0, 0]
    for t in range(len(items)):
        i = items[t]
        k, l = z[i], into[t]
        if k >= 0:
            totals[0] -= size[k] - 1
            totals[1] -= 1
            totals[3] -= near[i, k] - W
            totals[4] -= near[i].sum() - W
            size[k] -= 1
            for j in range(len(z)):
                near[j, k] -= pairs[i, j]
        if l >= 0:
            totals[0] += size[l]
            totals[1] += 1
            totals[3] += near[i, l]
            totals[4] += near[i].sum()
            size[l] += 1
            for j in range(len(z)):
                near[j, l] += pairs[i, j]
        z[i] = l


@compiled("i1(s2, i1, i)")
def together_with(rows: Any, weights: Any, i: int) -> Any:
    """(n,) draws that have an item together with each other one."""
    n, m = rows.shape
    counts = np.zeros(n, dtype=np.int64)
    for j in range(n):
        total = np.int64(0)
        for b in range(m):
            total += weights[b] if rows[j, b] == rows[i, b] and rows[j, b] != 0 else 0
        counts[j] = total
    return counts
