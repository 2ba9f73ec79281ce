"""SPCE, TRCE, CESHL, SCCBG and SCCABG on n × n and n × L arrays, with dense solvers throughout."""

import numpy as np
from scipy.optimize import brentq, fmin_l_bfgs_b, lsq_linear
from scipy.special import rel_entr

from oracles.common import co_association, components, connective_matrices, one_hot, simplex


def embed(S, c):
    """Eigenvalues of the Laplacian of S and the eigenvectors of the c smallest."""
    values, vectors = np.linalg.eigh(np.diag(S.sum(axis=1)) - S)
    return values, vectors[:, :c]


def distances(F, G):
    return ((F[:, None] - G[None]) ** 2).sum(axis=2)


def adjusted(penalty, F, F_new, gaps, tol):
    """Penalty and vectors of the next round, and whether there are c components."""
    if gaps[0] > tol:
        return 2 * penalty, F_new, False
    if gaps[1] < 1e-11:
        return penalty / 2, F, False
    return penalty, F_new, True


def bipartite_components(H):
    n, L = H.shape
    links = np.zeros((n + L, n + L))
    links[:n, n:] = H
    return np.unique(components(links + links.T)[:n], return_inverse=True)[1]


def spce(labels, c, gamma=0.09):
    """S, W, p and the history (q, λ, sum of c and of c + 1 eigenvalues)."""
    A, CA = connective_matrices(labels), co_association(labels)
    m = len(A)
    gamma = gamma * m**2
    free = (CA > 0) & (CA < 1)
    S, p, lam, history = CA, np.full(m, 1 / m), 1.0, []
    F = embed(S, c)[1]
    for q, most in ((0.9, 5), (0.8, 5), (0.7, 5), (0.6, 5), (0.5, 20)):
        loss = np.tensordot(1 / p, (S - A) ** 2, 1)
        W = np.minimum(1, m**2 * q * (1 - q) / np.where(free, loss, np.nan))
        W[~free] = 1
        for t in range(most):
            P = (1 / p).sum()
            S_new = np.tensordot(1 / p, A, 1) / P - lam * distances(F, F) / (2 * P * W**2)
            S_new[S_new < 0] = 0
            S_new[P * W**2 * S_new**2 <= gamma * (1 + 1e-12)] = 0
            S = np.where(free, (S_new + S_new.T) / 2, CA)
            p = np.sqrt((W**2 * (S - A) ** 2).sum(axis=(1, 2)))
            p = p / p.sum()
            values, F_new = embed(S, c)
            gaps = values[:c].sum(), values[: c + 1].sum()
            history.append((q, lam, *gaps))
            lam, F, met = adjusted(lam, F, F_new, gaps, tol=1e-11)
            if met and t > 0:
                break
    return S, W, p, np.array(history)


def trce(labels, c, gamma=0.01):
    """S, w, α and the history (ρ, λ, sum of c and of c + 1 eigenvalues)."""
    A = connective_matrices(labels)
    A /= A.sum(axis=2, keepdims=True)
    m, n, _ = A.shape

    def divergence(B):
        return rel_entr(A, B).sum(axis=2).T

    def scale_rows(C, H):
        B = np.zeros((n, n))
        for i in range(n):
            k = C[i] > 0
            eta = brentq(
                lambda e, c=C[i, k], h=H[i, k]: (c / (e + h)).sum() - 1, 1e-12, 1e7, xtol=1e-15
            )
            B[i, k] = C[i, k] / (eta + H[i, k])
        return B

    B, alpha, rho, history = A.mean(axis=0), np.full(m, 1 / m), 1.0, []
    d = divergence(B)
    lam = 2 * np.sort(d @ (1 / alpha))[max(n // 10, 1) - 1]
    F = embed(B, c)[1]
    for t in range(10):
        w = np.minimum(1, lam / (2 * d @ (1 / alpha)))
        D = distances(F, F)
        B = scale_rows(w[:, None] ** 2 * np.tensordot(1 / alpha, A, 1), rho * D)
        d = divergence(B)
        alpha = np.sqrt(w**2 @ d)
        alpha /= alpha.sum()
        S = simplex(B - rho / (2 * gamma) * D)
        S = (S + S.T) / 2
        values, F_new = embed(S, c)
        gaps = values[:c].sum(), values[: c + 1].sum()
        history.append((rho, lam, *gaps))
        rho, F, met = adjusted(rho, F, F_new, gaps, tol=1e-9)
        if met and t > 0:
            break
        lam *= 1.1
    return S, w, alpha, np.array(history)


def hyperedge_weights(labels, lam=1.0):
    Z = one_hot(labels)
    sizes, m = Z.sum(axis=0), labels.shape[1]
    w0 = np.array([co_association(labels)[np.ix_(z > 0, z > 0)].mean() for z in Z.T])
    K = np.eye(len(sizes)) * (1 + lam) - Z.T @ Z / np.sqrt(np.outer(sizes, sizes)) / m
    R = np.linalg.cholesky(K).T
    return lsq_linear(R, np.linalg.solve(R.T, lam * w0), (0, 1), method="bvls").x


def hypergraph_laplacian(H, w):
    return np.diag(H @ w) - (H * (w / H.sum(axis=0))) @ H.T


def ceshl_objective(H, Z, w, Y, rho):
    """The objective of H and its gradient."""
    v, e = H @ w, H.sum(axis=0)
    Q = Y / np.sqrt(v)[:, None]
    G = H.T @ Q
    squares = (G**2).sum(axis=1)
    value = Y.shape[1] - (w / e * squares).sum()
    pull = ((H * (w / e)) @ G * Q).sum(axis=1) / v
    gradient = -2 * w / e * (Q @ G.T) + w / e**2 * squares + np.outer(pull, w)
    R = (H - Z) * w
    return (R**2).sum() + rho * value, 2 * R * w + rho * gradient


def ceshl(labels, c, lam=1.0):
    """H, w and the history (ρ, sum of c and of c + 1 eigenvalues)."""
    Z = one_hot(labels)
    w = hyperedge_weights(labels, lam)
    H, rho, history = Z, 100.0, []
    Y = np.linalg.eigh(hypergraph_laplacian(H, w))[1][:, :c]
    for t in range(100):

        def objective(x, Y=Y, rho=rho):
            value, gradient = ceshl_objective(x.reshape(Z.shape), Z, w, Y, rho)
            return value, gradient.ravel()

        x, _, _ = fmin_l_bfgs_b(
            objective, H.ravel(), bounds=[(0, 1)] * Z.size, m=5, pgtol=1e-3, maxiter=20
        )
        H = x.reshape(Z.shape)
        values, vectors = np.linalg.eigh(hypergraph_laplacian(H, w))
        gaps = values[:c].sum(), values[: c + 1].sum()
        history.append((rho, *gaps))
        rho, Y, met = adjusted(rho, Y, vectors[:, :c], gaps, tol=1e-9)
        if met and t > 0:
            break
    return H, w, np.array(history)


def sccbg(labels, c, gamma=1e-5, mu=None):
    """S with W = 1 and the history (λ, ρ, sum of c squared singular values).

    With μ it is SCCABG: similarities of the clusters move, and only the last small edges go.
    """
    Z = one_hot(labels)
    A = Z.T @ Z
    S, lam, rho, history = Z, 1.0, 0.5, []
    D = np.zeros_like(Z)
    for _ in range(20):
        rows = np.where(S.sum(axis=1) > 0, S.sum(axis=1), 1)
        columns = np.where(S.sum(axis=0) > 0, S.sum(axis=0), 1)
        U, s, Vt = np.linalg.svd(S / np.sqrt(np.outer(rows, columns)), full_matrices=False)
        total, more = (s[:c] ** 2).sum(), (s[: c + 1] ** 2).sum()
        history.append((lam, rho, total))
        if total < c - 1e-7:
            lam *= 2
            D = distances(U[:, :c] / np.sqrt(rows)[:, None], Vt[:c].T / np.sqrt(columns)[:, None])
        elif more > c + 1 - 1e-7:
            lam /= 2
        else:
            break
        Q = np.eye(len(A)) + 2 * gamma * (np.diag(A.sum(axis=0)) - A)
        S = nonnegative_edges(Q, Z - lam / 4 * D, S)  # vectors of length √½
        if mu is None:
            S = np.where(S < 1e-4, 0, S)
        else:
            A = np.maximum(Z.T @ Z - mu * distances(S.T, S.T), 0)
        rho *= 2
    return np.where(S < 1e-4, 0, S), np.array(history)


def nonnegative_edges(Q, b, S):
    """Rows s ≥ 0 that minimise sᵀQs/2 − bᵀs, by Gauss–Seidel with projection, all at once."""
    S = S.copy()
    for _ in range(1000):
        before = S.copy()
        for a in range(len(Q)):
            rest = b[:, a] - S @ Q[a] + S[:, a] * Q[a, a]
            S[:, a] = np.maximum(rest / Q[a, a], 0)
        if np.abs(S - before).max() < 1e-15:
            break
    return S


ORACLES = {
    "SPCE": lambda labels, c: components(spce(labels, c)[0]),
    "TRCE": lambda labels, c: components(trce(labels, c)[0]),
    "CESHL": lambda labels, c: bipartite_components(ceshl(labels, c)[0]),
    "SCCBG": lambda labels, c: bipartite_components(sccbg(labels, c)[0]),
    "SCCABG": lambda labels, c: bipartite_components(sccbg(labels, c, mu=1.0)[0]),
}
