"""BCE, GWCA, RMSC and RSEC as their papers print them, on arrays of all samples."""

import numpy as np
from scipy.optimize import minimize
from scipy.special import digamma, gammaln, xlogy
from sklearn.cluster import KMeans

from oracles import common
from oracles.common import connective_matrices, one_hot, simplex, spectral, unit_rows

# -- BCE -------------------------------------------------------------------------------------------

# BCE as its paper prints it: φ for every sample and base clustering, all terms of the bound.


def bound(labels, phi, gamma, alpha, beta, smoothing):
    """E[log p(θ|α)] + E[log p(z|θ)] + E[log p(x|z,β)] + H(θ) + H(z), and the prior of β."""
    log_theta = digamma(gamma) - digamma(gamma.sum(axis=1, keepdims=True))
    total = len(labels) * (gammaln(alpha.sum()) - gammaln(alpha).sum())
    total += np.sum((alpha - 1) * log_theta)
    total += np.sum(phi * log_theta[:, None, :])
    for j, column in enumerate(labels.T):
        total += np.sum(phi[:, j] * np.log(beta[j][:, column]).T)
    total -= np.sum(gammaln(gamma.sum(axis=1))) - np.sum(gammaln(gamma))
    total -= np.sum((gamma - 1) * log_theta)
    total -= np.sum(xlogy(phi, phi))
    return total + smoothing * sum(np.log(distribution).sum() for distribution in beta)


def e_step(labels, gamma, beta):
    phi = np.empty((*labels.shape, gamma.shape[1]))
    for j, column in enumerate(labels.T):
        phi[:, j] = np.exp(digamma(gamma)) * beta[j][:, column].T
    return phi / phi.sum(axis=2, keepdims=True)


def distributions(labels, phi, smoothing):
    """β_j, (c, l_j), for each base clustering."""
    beta = []
    for j, column in enumerate(labels.T):
        counts = phi[:, j].T @ one_hot(column[:, None]) + smoothing
        beta.append(counts / counts.sum(axis=1, keepdims=True))
    return beta


def best_alpha(gamma, alpha):
    """α by a general minimiser, in log α."""
    mean = np.mean(digamma(gamma) - digamma(gamma.sum(axis=1, keepdims=True)), axis=0)

    def loss(t):
        a = np.exp(t)
        value = gammaln(a).sum() - gammaln(a.sum()) - a @ mean
        return value, a * (digamma(a) - digamma(a.sum()) - mean)

    if len(alpha) == 1:
        return alpha
    options = {"gtol": 1e-12, "ftol": 1e-16, "maxiter": 1000}
    return np.exp(minimize(loss, np.log(alpha), jac=True, method="L-BFGS-B", options=options).x)


def mixed_membership(
    labels, start, alpha=None, beta=None, smoothing=0.01, tol=1e-4, max_iter=500, n_iter=None
):
    """γ, β, α and the bounds; `n_iter` rounds, or until the bound comes to rest."""
    n, m = labels.shape
    c = start.shape[1]
    phi = np.repeat(start[:, None, :], m, axis=1)
    alpha = np.full(c, 1 / c) if alpha is None else alpha
    gamma = alpha + phi.sum(axis=1)
    beta = distributions(labels, phi, smoothing) if beta is None else beta
    bounds = []
    while len(bounds) < (n_iter or max_iter):
        phi = e_step(labels, gamma, beta)
        bounds.append(bound(labels, phi, gamma, alpha, beta, smoothing))
        gamma = alpha + phi.sum(axis=1)
        beta = distributions(labels, phi, smoothing)
        alpha = best_alpha(gamma, alpha)
        if n_iter is None and len(bounds) > 1 and bounds[-1] - bounds[-2] <= tol * n * m:
            break
    return gamma, beta, alpha, np.array(bounds)


def bce(labels, c, n_init=10):
    Z = one_hot(labels)
    runs = []
    for seed in range(n_init):
        clusters = KMeans(c, n_init=1, random_state=seed).fit_predict(Z)
        runs.append(mixed_membership(labels, np.eye(c)[clusters]))
    return max(runs, key=lambda run: run[3][-1])[0].argmax(axis=1)


# -- GWCA ------------------------------------------------------------------------------------------

# GWCA as its paper prints it, on n × n arrays.


def aggregate(labels, eta=1.0, n_iter=50):
    """w after so many changes."""
    views = connective_matrices(labels)
    w = np.full(len(views), 1 / len(views))
    penalty = None
    for _ in range(n_iter):
        M = np.tensordot(w, views, 1)
        d = np.array([np.sum((S - M) ** 2) for S in views])
        penalty = penalty or eta * d.sum()
        w = simplex(-d[None] / (2 * penalty))[0] if penalty else w
    return w


def gwca(labels, c):
    w = aggregate(labels)
    return spectral(np.tensordot(w, connective_matrices(labels), 1), c)


# -- RMSC ------------------------------------------------------------------------------------------

# RMSC as its paper prints it, on n × n × m arrays.


def shared_transitions(labels, lam=0.05, mu=1.0, n_iter=50):
    """P after so many iterations."""
    S = connective_matrices(labels)
    views = S / S.sum(axis=2, keepdims=True)
    m, n, _ = views.shape
    P = views.mean(axis=0)
    Q, Z = P, np.zeros((n, n))
    E, Y = views - P, np.zeros_like(views)
    for _ in range(n_iter):
        previous, Y_previous, Z_previous = P, Y, Z
        target = (Q - Z / mu + (views - E + Y / mu).sum(axis=0)) / (m + 1)
        P = simplex(target)
        Q, _ = common.shrink_singular_values(P + Z / mu, 1 / mu)
        X = views - P + Y / mu
        E = np.sign(X) * np.maximum(np.abs(X) - lam / mu, 0)
        Y = Y + mu * (views - P - E)
        Z = Z + mu * (P - Q)
        primal = np.sqrt(np.sum((Y - Y_previous) ** 2) + np.sum((Z - Z_previous) ** 2)) / mu
        dual = mu * np.sqrt(m + 1) * np.linalg.norm(P - previous)
        if primal > 10 * dual:
            mu *= 2
        elif dual > 10 * primal:
            mu /= 2
    return P


def chain_labels(P, c):
    """k-means of the leading eigenvectors of the chain symmetrised by its stationary law."""
    n = len(P)
    pi = np.linalg.solve(np.eye(n) - (1 - 1e-8) * P.T, np.full(n, 1e-8 / n))
    A = (pi[:, None] * P + P.T * pi) / 2
    return spectral(A, c)


# -- RSEC ------------------------------------------------------------------------------------------

# RSEC as its paper prints it, on n × n arrays.


def shrink_columns(X, threshold):
    length = np.linalg.norm(X, axis=0)
    return X * np.maximum(1 - threshold / np.where(length > 0, length, 1), 0)


def graph(J, H):
    values, vectors = np.linalg.eigh((J + J.T) / 2 + H @ H.T)
    large = abs(values) > 1e-4 * abs(values).max()
    R = vectors[:, large] * np.sqrt(abs(values[large]))
    R = unit_rows(R)
    return (R @ R.T) ** 4


def robust_representation(labels, c, lam1=1.0, lam2=0.3, rho=1.1, tol=1e-6, max_iter=500):
    """Z, E, H and the number of iterations."""
    S = common.co_association(labels)
    n = len(S)
    mu = 1.5 / np.linalg.norm(S, 2)
    Z, E, Y1, Y2 = (np.zeros((n, n)) for _ in range(4))
    H, B = np.zeros((n, c)), np.zeros((n, c))
    inverse = np.linalg.inv(S @ S + np.eye(n))
    n_iter, residual = 0, np.inf
    while n_iter < max_iter and residual > tol:
        n_iter += 1
        J, rank = common.shrink_singular_values(Z + Y2 / mu, lam1 / mu)
        Z = inverse @ (S @ S + J - S @ E + (S @ Y1 - Y2 + B @ B.T) / mu)
        E = shrink_columns(S - S @ Z + Y1 / mu, lam2 / mu)
        if rank >= c:
            W = graph(J, H)
            degree = W.sum(axis=1)
            H = common.spectral_vectors(W, c)
            B = H / np.sqrt(np.where(degree > 0, degree, 1))[:, None]
        Y1 = Y1 + mu * (S - S @ Z - E)
        Y2 = Y2 + mu * (Z - J)
        mu *= rho
        residual_S = np.linalg.norm(S - S @ Z - E) / np.linalg.norm(S)
        residual = max(residual_S, np.linalg.norm(Z - J) / np.linalg.norm(Z))
    return Z, E, H, n_iter


def rsec_h(labels, c):
    return common.k_means(robust_representation(labels, c)[2], c)


def rsec_z(labels, c):
    Z = robust_representation(labels, c)[0]
    return spectral(abs(Z), c)


ORACLES = {"BCE": bce, "GWCA": gwca, "RSEC-H": rsec_h, "RSEC-Z": rsec_z}
ORACLES["RMSC"] = lambda labels, c: chain_labels(shared_transitions(labels, n_iter=150), c)
