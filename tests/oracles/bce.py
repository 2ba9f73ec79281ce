"""BCE as its paper prints it: φ for every sample and base clustering, all terms of the bound."""

import numpy as np
from scipy.optimize import minimize
from scipy.special import digamma, gammaln, xlogy
from sklearn.cluster import KMeans

from oracles.common import one_hot


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


ORACLES = {"BCE": bce}
