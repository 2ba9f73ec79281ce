"""Compiled loops of ACMK's Algorithm 1, over rows or tiles of n × n arrays.

`root` is D^{-1/2} of all samples, and `first` the number of the first of the rows given. R stands
for C − A − Λ₁/μ with C = (I + D^{-1/2}WD^{-1/2})/2, the residual of the filter in (8) with its
multiplier; `weight` is 2λ + μ.
"""

from coassoc.numerics.compiled import compiled


@compiled("void(f2, f, f2)")
def add_multiple(V, factor, W):
    """V += factor · W, where W may have fewer columns."""
    for i in range(W.shape[0]):
        for j in range(W.shape[1]):
            V[i, j] += factor * W[i, j]


@compiled("void(i, f2, f2, f2, f1, f)")
def filter_center(first, A, W, L1, root, mu):
    """A = C − Λ₁/μ, the point around which (9) looks for the next A."""
    for i in range(A.shape[0]):
        for j in range(A.shape[1]):
            A[i, j] = root[first + i] * W[i, j] * root[j] / 2 - L1[i, j] / mu
        A[i, first + i] += 0.5


@compiled("f(i, f2, f2, f2, f2, f1, f, f, f1, f1)")
def graph_value(first, W, A, L1, P, root, weight, mu, row_sums, column_sums):
    """Share of the rows in (11); sums of N_ij R_ij, N = D^{-1/2}WD^{-1/2}, are added up."""
    filter_part = graph_part = 0.0
    for i in range(W.shape[0]):
        for j in range(W.shape[1]):
            N = root[first + i] * W[i, j] * root[j]
            R = N / 2 - A[i, j] - L1[i, j] / mu
            if j == first + i:
                R += 0.5
            filter_part += R**2
            graph_part += (W[i, j] - P[i, j]) ** 2
            row_sums[first + i] += N * R
            column_sums[j] += N * R
    return mu / 2 * filter_part + weight / 2 * graph_part


@compiled("UniTuple(f, 3)(i, f2, f2, f2, f2, f1, f1, f, f, f, f2, f1)")
def graph_step(first, W, A, L1, P, root, pull, weight, mu, length, W_new, degree_new):
    """A Newton step of (11) with the gradient (12), entry by entry, cut off at 0 and 1.

    `pull` is what the degrees add to the gradient of each row.

    Returns
    -------
    tuple of float
        ⟨gradient, step⟩, ‖step‖² and ‖W‖² of the rows.
    """
    slope = moved = size = 0.0
    for i in range(W.shape[0]):
        degree = 0.0
        for j in range(W.shape[1]):
            roots = root[first + i] * root[j]
            R = roots * W[i, j] / 2 - A[i, j] - L1[i, j] / mu
            if j == first + i:
                R += 0.5
            gradient = weight * (W[i, j] - P[i, j]) + mu / 2 * roots * R + pull[first + i]
            curvature = weight + mu / 4 * roots**2
            w = min(max(W[i, j] - length * gradient / curvature, 0.0), 1.0)
            slope += gradient * (w - W[i, j])
            moved += (w - W[i, j]) ** 2
            size += W[i, j] ** 2
            degree += w
            W_new[i, j] = w
        degree_new[first + i] = degree
    return slope, moved, size


@compiled("void(i, f2, f2, f2, f1, f)")
def update_L1(first, L1, A, W, root, mu):
    """Eq. (19): Λ₁ ← Λ₁ + μ(A − C)."""
    for i in range(A.shape[0]):
        for j in range(A.shape[1]):
            C = root[first + i] * W[i, j] * root[j] / 2
            if j == first + i:
                C += 0.5
            L1[i, j] += mu * (A[i, j] - C)


@compiled("void(i1, f2, f2, i2, f1, f, f, f)")
def update_P(tile, P, W, G, alpha, lam, mu, mu_next):
    """Eqs. (17) and (19) for V and Λ₂, as P of the next (11), on a tile and its mirror.

    P = (2λ Σ α_m G⁽ᵐ⁾G⁽ᵐ⁾ᵀ + μV − Λ₂)/(2λ + μ); all but Λ₂ is symmetric, so that P holds Λ₂ too.
    """
    for i in range(tile[0], tile[1]):
        for j in range(tile[2], min(tile[3], i + 1)):
            fusion = 0.0
            for m in range(len(alpha)):
                if G[i, m] == G[j, m]:
                    fusion += alpha[m]
            V = (W[i, j] + W[j, i]) / 2
            L2 = -(2 * lam + mu) * (P[i, j] - P[j, i]) / 2
            L2 += mu * (W[i, j] - V)
            P[i, j] = (2 * lam * fusion + mu_next * V - L2) / (2 * lam + mu_next)
            P[j, i] = (2 * lam * fusion + mu_next * V + L2) / (2 * lam + mu_next)


@compiled("i(i1, i, f2, i2, f1, f, f2, f)")
def move_rows(order, m, cost, G, alpha, lam, W, tolerance):
    """Eq. (13) for the rows of G⁽ᵐ⁾ in `order`; costs of rows still to come follow each move.

    Returns
    -------
    int
        How many rows changed.
    """
    moved = 0
    for position in range(len(order)):
        i = order[position]
        old, new = G[i, m], 0
        for cluster in range(1, cost.shape[1]):
            if cost[i, cluster] < cost[i, new]:
                new = cluster
        if cost[i, new] >= cost[i, old] - tolerance:
            continue
        G[i, m] = new
        moved += 1
        for l in order[position + 1 :]:
            # What i adds to the cost of l where they share a cluster.
            shared = -(W[i, l] + W[l, i]) / 2
            for p in range(len(alpha)):
                if p != m and G[i, p] == G[l, p]:
                    shared += alpha[p]
            added = 4 * lam * alpha[m] * shared + 2 * lam * alpha[m] ** 2
            cost[l, old] -= added
            cost[l, new] += added
    return moved
