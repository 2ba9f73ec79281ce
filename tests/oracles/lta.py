"""LTA as the paper prints it: n × n arrays and one singular value decomposition per slice."""

import numpy as np

from oracles.common import average_linkage, co_association, shrink_fourier_slices, spectral


def refine(labels, lam=0.002, mu=1e-4, rho=1.1, mu_max=1e10, tol=1e-8, max_iter=500):
    """Algorithm 2; returns P (n × n × 2), E and the three violations per iteration."""
    A = co_association(labels)
    M = A == 1
    n = len(A)
    E, B, C, L1, L2, L3 = (np.zeros((n, n)) for _ in range(6))
    trace = []
    for _ in range(max_iter):
        T = np.stack((B - L1 / mu, (A + C - E - (L2 + L3) / mu) / 2), axis=2)
        P = shrink_fourier_slices(T, 1 / mu)
        P1, P2 = P[:, :, 0], P[:, :, 1]
        E = (mu * A - L2 - mu * P2) / (2 * lam + mu)
        T1 = (P1 + P1.T + (L1 + L1.T) / mu) / 2
        B = np.where(M, 1.0, np.clip(T1, 0, 1))
        T2 = (P2 + P2.T + (L3 + L3.T) / mu) / 2
        C = np.clip(T2, 0, 1)
        residuals = P1 - B, P2 - C, P2 + E - A
        L1, L3, L2 = (L + mu * R for L, R in zip((L1, L3, L2), residuals, strict=True))
        mu = min(rho * mu, mu_max)
        trace.append([np.abs(R).max() for R in residuals])
        if max(trace[-1]) < tol:
            break
    return P, E, np.array(trace)


ORACLES = {
    "LTA-EA": lambda labels, c: average_linkage(refine(labels)[0][:, :, 1], c),
    "LTA-SC": lambda labels, c: spectral(refine(labels)[0][:, :, 1], c),
}
