"""Compiled moves of units of items between clusters that lower an expected loss.

The state of a search keeps the sums A, E and J of :mod:`coassoc.posterior.losses` up to date while
units move. It counts the items that every cluster of the estimate shares with every cluster of a
draw, and therefore has J of every draw. For the kinds :data:`OF_PAIRS`, the sum of J over the draws
is enough: it follows from `together`, and the arrays of draws are empty.
"""

from __future__ import annotations

import numpy as np

from coassoc.numerics.compiled import compiled

# Kinds of losses: Binder's and VI are linear in the sums, so one formula serves both.
LINEAR, NVI, ID, NID, OMARI, BINDER, OMARI_APPROX = range(7)
KINDS = {
    **{"Binder": BINDER, "VI": LINEAR, "NVI": NVI, "ID": ID, "NID": NID},
    **{"omARI": OMARI, "omARI.approx": OMARI_APPROX},
}
#: Kinds that are functions of pairs, if the pairs of units are counted.
OF_PAIRS = (BINDER, OMARI_APPROX)
#: Kinds that are linear in J, so that only the sum of J over the draws is needed.
OF_SUMS = (LINEAR, ID)
#: Other kinds that never decrease with E if J stays the same.
APART = (NVI, NID)


#: Types of the values that stay the same during a search, and of those that change.
_FIXED = "Tuple((s2, i1, f2, f1, f1, i, f))"
_STATE = "Tuple((i1, s2, f2, i1, s1, f1, f1, f1, f2, i2, i1, i1))"


@compiled(f"i({_FIXED}, {_STATE}, i1, i, i, i)")
def sweep(fixed, state, order, start, fewest, most):
    """Move units, in a given order, each to the cluster with the smallest loss.

    Parameters
    ----------
    fixed : tuple
        The following seven.
    clusters : (u, B) array
        Cluster of each unit in each draw, numbered over all draws; 0 for a cluster of one item.
    counts : (u,) array
        Number of items of each unit.
    pairs : (u, u) or (0, 0) array
        Number of draws that co-cluster two units, if it is known.
    weights : (B,) or (0,) array
    f : (n + 2,) array
        Values f(x).
    kind : int
        A kind of loss in :data:`KINDS`.
    b_cost : float
        2 − a, for Binder and VI.
    state : tuple
        The following twelve.
    z : (u,) array
        Cluster of each unit, or −1 for units that are not yet in a cluster and do not count.
    shared : (places, L) array
        Number of items that a cluster shares with a cluster of a draw.
    together : (u, places) or (0, 0) array
        Sums of `pairs` over the items of each cluster, including those of the unit. Their means x
        over the draws bound the increase of J for the kinds :data:`OF_SUMS`: by W (f(x + c) − f(x))
        for a unit of c items, because this function is concave. Clusters that are worse even so are
        not compared. For the kinds :data:`APART`, nor are those with a sum of 0, if the unit may
        have its own cluster.
    size : (places,) array
    seen : (L,) array
        Number of items of each cluster of a draw that are in a cluster.
    A, J : (B,) or (0,) arrays
    totals : array
        E, the number of items in clusters, the number of moves in the last sweep and, only for the
        kinds :data:`OF_PAIRS`, the sums of J and A over the draws.
    near : (u, places) array
        For the kinds :data:`OF_SUMS`, the increase of J over all draws if a unit joins a cluster.
        An entry is valid if `stamp` is the `version` of the cluster, a number that changes with its
        items.
    settled : (u,) array
        Sum of the versions at which a unit was in its best cluster. As long as the sum is
        unchanged, the unit is still in its best cluster.
    order : array of units
    start, fewest, most : int
        First position in `order`, and the smallest and the largest number of clusters.

    Returns
    -------
    int
        Position in `order` up to which units were moved. It is smaller than the length of `order`
        if there is no room for another cluster.
    """
    clusters, counts, pairs, weights, f, kind, b_cost = fixed
    z, shared, together, size, seen, A, J, totals, near, stamp, version, settled = state
    n_draws, places = len(weights), len(size)
    others, joint, part = np.empty(n_draws), np.empty(n_draws), np.empty(n_draws)
    of_sums, of_pairs = kind in OF_SUMS, kind in OF_PAIRS
    W = pairs[0, 0] if of_pairs else weights.sum()
    used = (size > 0).sum()
    now = version.sum()
    # Of A in increasing order: values, and sums of the weights and of the weighted values.
    A_up, W_up, WA_up = np.empty(0), np.empty(0), np.empty(0)
    for t in range(start, len(order)):
        i = order[t]
        row, k, count = clusters[i], z[i], counts[i]
        if k >= 0 and (settled[i] == now or (used <= fewest and size[k] == count)):
            continue
        empty = -1
        if used < most and (k < 0 or size[k] > count):
            for l in range(places):
                if size[l] == 0:
                    empty = l
                    break
            if empty < 0:
                return t
        # A cluster whose items are never with the unit is no better than one of its own.
        may_leave = (
            len(pairs) > 0 and kind in APART and (empty >= 0 or (k >= 0 and size[k] == count))
        )
        rest, apart, inside = totals[0], totals[3], f[count] * W
        if k < 0:
            A_up = A_up[:0]
            totals[1] += count
            for b in range(n_draws):
                if row[b] > 0:
                    grown = f[seen[row[b]] + count] - f[seen[row[b]]]
                    seen[row[b]] += count
                    A[b] += grown
            if of_pairs:
                totals[4] += count * together[i].sum() + inside
        else:
            rest -= f[size[k]] - f[size[k] - count]
            if of_pairs:
                apart -= count * (together[i, k] - count * W) + inside
        if not of_sums:
            others[:] = J
            if k >= 0:
                own_count = shared[k]
                for b in range(n_draws):
                    x = own_count[row[b]]
                    others[b] -= f[x] - f[max(x - count, 0)]
        if kind == ID and k >= 0 and len(A_up) == 0:
            up = np.argsort(A)
            A_up, W_up = A[up], np.concatenate((np.zeros(1), np.cumsum(weights[up])))
            WA_up = np.concatenate((np.zeros(1), np.cumsum(weights[up] * A[up])))
        most_f = max(f[np.int64(totals[1])], 1.0)
        # A difference within rounding error is no improvement.
        rounding = (1.0 if of_pairs else W) * (max(1e-11, 1e-15 * most_f) if of_sums else 1e-11)
        best, least = -1, np.inf
        for step in range(-1, places):
            # Its own cluster comes first, so it wins if another cluster is equally good.
            l = k if step < 0 else step
            if l < 0 or (step >= 0 and (l == k or (size[l] == 0 and l != empty))):
                continue
            if k < 0 and used < fewest and l != empty:
                continue
            if may_leave and l != k and l != empty and together[i, l] == 0:
                continue
            own_count = shared[l]
            E = totals[0] if l == k else rest + f[size[l] + count] - f[size[l]]
            if not of_sums:
                if l == k:
                    joint[:] = J
                else:
                    for b in range(n_draws):
                        joint[b] = others[b] + f[own_count[row[b]] + count] - f[own_count[row[b]]]
            # For the kinds of sums, the loss is `above` minus `slope` times J.
            above, slope = 0.0, 1.0
            if kind == LINEAR:
                above, slope = b_cost * E * W, 2.0
            elif kind == ID and k < 0:
                for b in range(n_draws):
                    above += weights[b] * max(A[b], E)
            elif kind == ID:
                below = np.searchsorted(A_up, E)
                above = E * W_up[below] + (WA_up[-1] - WA_up[below])
            if len(pairs) > 0 and of_sums and stamp[i, l] != version[l] and l != k and best >= 0:
                x = together[i, l] / W
                grown = (x + count) * np.log2(x + count) - (x * np.log2(x) if x > 0 else 0.0)
                if above - slope * W * grown > least:
                    continue
            if of_sums:
                if stamp[i, l] != version[l]:
                    less = count if l == k else 0
                    for b in range(n_draws):
                        x = max(own_count[row[b]] - less, 0)
                        part[b] = weights[b] * (f[x + count] - f[x])
            elif kind == NVI:
                for b in range(n_draws):
                    over, under = A[b] + E - 2 * joint[b], most_f - joint[b]
                    part[b] = weights[b] * over / (under if under > 0 else 1.0)
            elif kind == NID:
                for b in range(n_draws):
                    over, under = max(A[b], E) - joint[b], most_f - min(A[b], E)
                    part[b] = weights[b] * over / (under if under > 0 else 1.0)
            elif kind == OMARI:
                for b in range(n_draws):
                    over, under = (A[b] + E) / 2 - joint[b], (A[b] + E) / 2 - A[b] * E / most_f
                    part[b] = weights[b] * over / (under if under > 0 else 1.0)
            value = 0.0
            if not of_sums or stamp[i, l] != version[l]:
                # Four sums at a time, because a single sum would wait for each addition.
                s0, s1, s2, s3 = 0.0, 0.0, 0.0, 0.0
                for b in range(0, n_draws - 3, 4):
                    s0 += part[b]
                    s1 += part[b + 1]
                    s2 += part[b + 2]
                    s3 += part[b + 3]
                for b in range(n_draws - n_draws % 4, n_draws):
                    s0 += part[b]
                value = (s0 + s1) + (s2 + s3)
            if of_sums and stamp[i, l] != version[l]:
                near[i, l], stamp[i, l] = value, version[l]
            if of_sums:
                value = above - slope * near[i, l]
            elif of_pairs:
                mean = (totals[3] if l == k else apart + count * together[i, l] + inside) / W
                value = b_cost * E - 2 * mean
                if kind == OMARI_APPROX:
                    half = (totals[4] / W + E) / 2
                    under = half - totals[4] / W * E / most_f
                    value = (half - mean) / (under if under > 0 else 1.0)
            if value < (least if best != k else least - rounding):
                best, least = l, value
        if best == k:
            settled[i] = now
            continue
        totals[2] += 1
        now += 1 if k < 0 else 2
        if of_pairs:
            totals[3] = apart + count * together[i, best] + inside
        if k >= 0:
            own_count = shared[k]
            for b in range(n_draws):
                if row[b] > 0:
                    J[b] -= f[own_count[row[b]]] - f[own_count[row[b]] - count]
                    own_count[row[b]] -= count
            size[k] -= count
            used -= size[k] == 0
            version[k] += 1
            for j in range(len(pairs)):
                together[j, k] -= count * pairs[i, j]
        for j in range(len(pairs)):
            together[j, best] += count * pairs[i, j]
        own_count = shared[best]
        for b in range(n_draws):
            if row[b] > 0:
                J[b] += f[own_count[row[b]] + count] - f[own_count[row[b]]]
                own_count[row[b]] += count
        totals[0] = rest + f[size[best] + count] - f[size[best]]
        used += size[best] == 0
        size[best] += count
        version[best] += 1
        z[i] = best
    return len(order)


@compiled(f"void({_FIXED}, {_STATE}, i1, i1)")
def move(fixed, state, items, into):
    """Move units from their clusters to others; −1 means no cluster."""
    clusters, counts, pairs, _, f, kind, _ = fixed
    z, shared, together, size, seen, A, J, totals, _, _, version, _ = state
    for t in range(len(items)):
        i = items[t]
        row, k, l = clusters[i], z[i], into[t]
        for step in (-counts[i], counts[i]):
            cluster = k if step < 0 else l
            if cluster < 0:
                continue
            own_count = shared[cluster]
            for b in range(len(J)):
                if row[b] > 0:
                    J[b] += f[own_count[row[b]] + step] - f[own_count[row[b]]]
                    own_count[row[b]] += step
            if kind in OF_PAIRS:
                inside = step * (step - 1) // 2 * pairs[0, 0]
                totals[3] += step * together[i, cluster] + inside
                totals[4] += step * together[i].sum() + inside
            totals[0] += f[size[cluster] + step] - f[size[cluster]]
            size[cluster] += step
            version[cluster] += 1
            for j in range(len(pairs)):
                together[j, cluster] += step * pairs[i, j]
        if (k < 0) != (l < 0):
            step = -counts[i] if l < 0 else counts[i]
            for b in range(len(J)):
                if row[b] > 0:
                    A[b] += f[seen[row[b]] + step] - f[seen[row[b]]]
                    seen[row[b]] += step
            totals[1] += step
        z[i] = l


@compiled("f1(s1, s1, i1, i1, i, f1)")
def joint_of_merged(x, y, places, draws, n_draws, f):
    """(B,) increase of J of each draw if two clusters with these `shared` items merge.

    `places` are those where x is not 0, and `draws` are the draws of these places.
    """
    more = np.zeros(n_draws)
    for t in range(len(places)):
        r = places[t]
        if y[r] > 0:
            more[draws[t]] += f[x[r] + y[r]] - f[x[r]] - f[y[r]]
    return more
