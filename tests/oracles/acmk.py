"""ACMK as the paper prints it, on n × n arrays: Eqs. (8)–(19) with the copies A and V and both
multipliers, and its gradients (10) and (12) term by term.
"""

import numpy as np
from numpy.linalg import matrix_power as power
from scipy.optimize import minimize

from oracles.common import co_association, normalized, spectral


def one_hot(g):
    return np.eye(g.max() + 1)[g]


def fusion(G, alpha):
    return sum(a * Z @ Z.T for a, Z in zip(alpha, G, strict=True))


def objective(embedding, W, G, F, alpha, lam):
    """Eq. (6) for A^k X of W's filter, Eq. (7) for any A."""
    costs = sum(np.sum((embedding - Z @ C) ** 2) for Z, C in zip(G, F, strict=True))
    return costs + lam * np.sum((W - fusion(G, alpha)) ** 2)


def lagrangian(X, k, lam, mu, A, W, V, G, F, alpha, L1, L2):
    """Eq. (8)."""
    R1, R2 = A - (np.eye(len(W)) + normalized(W)) / 2, W - V
    multipliers = np.sum(L1 * R1) + np.sum(L2 * R2)
    penalty = mu / 2 * (np.sum(R1**2) + np.sum(R2**2))
    return objective(power(A, k) @ X, W, G, F, alpha, lam) + multipliers + penalty


def filter_gradient(A, X, k, mu, W, G, F, L1):
    """Eq. (10)."""
    v = len(G)
    B = sum(X @ C.T @ Z.T for Z, C in zip(G, F, strict=True))
    C = (np.eye(len(W)) + normalized(W)) / 2
    total = L1 + mu * (A - C)
    for r in range(k):
        total += 2 * v * (power(A, k - r - 1) @ X @ X.T @ power(A, k).T @ power(A, r)).T
        total -= 2 * (power(A, r) @ B @ power(A, k - r - 1)).T
    return total


def graph_objective(W, A, V, fused, lam, mu, L1, L2):
    """Eq. (11); what depends on W alone and through D."""
    N = normalized(W)
    E = A - np.eye(len(W)) / 2
    return (
        lam * np.sum((W - fused) ** 2)
        - np.sum(L1 * N) / 2
        + np.sum(L2 * W)
        + mu / 8 * np.sum(N * N)
        - mu / 2 * np.sum(E * N)
        + mu / 2 * np.sum((W - V) ** 2)
    )


def graph_gradient(W, A, V, fused, lam, mu, L1, L2):
    """Eq. (12)."""
    d = W.sum(axis=1)
    root, ones = np.diag(d**-0.5), np.ones((1, len(W)))
    M = L1 + mu * (A - np.eye(len(W)) / 2)
    by_degree = np.diag(np.diag(d**-1.5) @ (M.T @ root @ W + M @ root @ W.T))[:, None]
    inverse = np.diag(1 / d)
    squares = np.diag(np.diag(d**-2.0) @ (W.T @ inverse @ W + W @ inverse @ W.T))[:, None]
    return (
        2 * lam * (W - fused)
        - root @ M @ root / 2
        + by_degree @ ones / 4
        + L2
        + mu / 4 * inverse @ W @ inverse
        + mu * (W - V)
        - mu / 8 * squares @ ones
    )


#: How far SciPy's L-BFGS-B goes towards a minimum: to rounding, and as the author's programs do.
EXACT = {"maxiter": 20000, "maxfun": 40000, "ftol": 1e-15, "gtol": 1e-9, "maxcor": 30}
AUTHOR = {"maxiter": 20, "ftol": 1e7 * np.finfo(float).eps, "gtol": 1e-3, "maxcor": 5}


def refine(X, labels, lam, k, mu=1.0, growth=1.05, n_iter=3, steps=EXACT):
    """Algorithm 1 in the order of visits that the library documents; small n only.

    `steps` are those of (9), from the last A.
    """
    n, v = labels.shape
    G = [one_hot(g) for g in labels.T]
    F = [np.linalg.pinv(Z) @ X for Z in G]
    cost = [np.sum((X - Z @ C) ** 2) for Z, C in zip(G, F, strict=True)]
    visits = np.argsort(cost, kind="stable")[::-1]
    alpha = np.full(v, 1 / v)
    W = fusion(G, alpha)
    A, V = (np.eye(n) + normalized(W)) / 2, W
    L1 = L2 = np.zeros((n, n))
    trace = []
    for _ in range(n_iter):
        A = _minimise(
            lambda B: lagrangian(X, k, lam, mu, B, W, V, G, F, alpha, L1, L2),  # noqa: B023
            lambda B: filter_gradient(B, X, k, mu, W, G, F, L1),  # noqa: B023
            A,
            steps,
        )
        others = A, V, fusion(G, alpha), lam, mu, L1, L2
        W = _minimise(graph_objective, graph_gradient, W, EXACT, box=True, others=others)
        E = power(A, k) @ X
        for m in visits:
            G[m] = best_rows(m, E, W, G, F, alpha, lam)
            used = G[m].sum(axis=0) > 0
            F[m] = np.where(used[:, None], np.linalg.pinv(G[m]) @ E, F[m])
        V = (W + W.T) / 2 + (L2 + L2.T) / (2 * mu)
        alpha = weights(W, G)
        C = (np.eye(n) + normalized(W)) / 2
        embedding = power(C, k) @ X
        own = [np.linalg.pinv(Z) @ embedding for Z in G]
        trace.append(objective(embedding, W, G, own, alpha, lam))
        L1, L2 = L1 + mu * (A - C), L2 + mu * (W - V)
        mu *= growth
    W = (W + W.T) / 2
    refined = np.column_stack([Z.argmax(axis=1) for Z in G])
    return W, power((np.eye(n) + normalized(W)) / 2, k) @ X, refined, alpha, np.array(trace)


def best_rows(m, E, W, G, F, alpha, lam):
    """Eq. (13) by trying every cluster for each row, rows by decreasing gain."""
    G = [Z.copy() for Z in G]
    own = G[m].argmax(axis=1)

    def costs(i):
        row = G[m][i].copy()
        values = []
        for j in range(G[m].shape[1]):
            G[m][i] = np.eye(G[m].shape[1])[j]
            values.append(objective(E, W, G, F, alpha, lam))
        G[m][i] = row
        return np.array(values)

    start = np.array([costs(i) for i in range(len(E))])
    other = start.copy()
    other[np.arange(len(E)), own] = np.inf
    for i in np.argsort(other.min(axis=1) - start[np.arange(len(E)), own], kind="stable"):
        values = costs(i)
        if values.min() < values[own[i]] - 1e-9:
            G[m][i] = np.eye(G[m].shape[1])[values.argmin()]
    return G[m]


def weights(W, G):
    """Eq. (18)."""
    S = [Z @ Z.T for Z in G]
    H = np.array([[np.sum(P * Q) for Q in S] for P in S])
    f = np.array([-2 * np.sum(W * P) for P in S])
    v = len(G)
    solution = minimize(
        lambda a: (a @ H @ a + f @ a) / np.abs(H).max(),
        np.full(v, 1 / v),
        jac=lambda a: (2 * H @ a + f) / np.abs(H).max(),
        bounds=[(0, 1)] * v,
        constraints={"type": "eq", "fun": lambda a: a.sum() - 1},
        method="SLSQP",
        options={"maxiter": 1000, "ftol": 1e-15},
    )
    return solution.x


def _minimise(function, gradient, start, steps, box=False, others=()):
    n = len(start)
    solution = minimize(
        lambda w: function(w.reshape(n, n), *others),
        start.ravel(),
        jac=lambda w: gradient(w.reshape(n, n), *others).ravel(),
        method="L-BFGS-B",
        bounds=[(0, 1)] * n**2 if box else None,
        options=steps,
    )
    return solution.x.reshape(n, n)


ORACLES = {"ACMK-Fix": lambda labels, c: spectral(co_association(labels), c)}
