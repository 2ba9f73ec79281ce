"""RCE: goldens and the descent."""

from functools import cache

import numpy as np
import pytest
from scipy.special import rel_entr

from coassoc import Ensemble
from coassoc.methods.rce import robust_consensus
from coassoc.partition.discretisation import discretize
from coassoc.partition.labels import canonical_labels
from coassoc.partition.spectral import spectral_embedding, spectral_labels
from ensembles import noisy_copies, of_method
from goldens import STORED, Golden
from oracles.common import connective_matrices, normalized

robust_consensus = of_method(robust_consensus, "RCE")


@cache
def results(name):
    """A stored ensemble, what the authors' program makes of it, and Algorithm 1 at its settings."""
    golden = Golden(name)
    expected = golden.outputs("rce")
    runs = []
    for i, (lam1, lam2) in enumerate(expected["settings_lambda1_lambda2"].tolist(), start=1):
        weights = {"lam1": lam1, "lam2": lam2}
        runs.append((f"s{i}", weights, robust_consensus(golden.ensemble, **weights)))
    return golden, expected, runs


@pytest.fixture(params=STORED)
def stored(request):
    return results(request.param)


def test_golden_matrices(stored):
    golden, expected, runs = stored
    columns = expected["columns"]
    for key, weights, A in runs:
        first = np.asarray(robust_consensus(golden.ensemble, **weights, n_outer=1))
        np.testing.assert_allclose(first[:, columns], expected[f"{key}_A_after_outer1"], atol=1e-14)
        np.testing.assert_allclose(np.asarray(A)[:, columns], expected[f"{key}_A"], atol=1e-12)


def test_golden_embedding_and_partitions(stored):
    golden, expected, runs = stored
    c = golden.n_clusters
    for key, _, A in runs:
        W = A.symmetrized()
        eigenvalues = np.linalg.eigvalsh(normalized(np.asarray(W)))[::-1]
        leading = expected[f"{key}_eval_desc"]
        np.testing.assert_allclose(eigenvalues[: len(leading)], leading, atol=1e-12)
        embedding, micro = spectral_embedding(W, c)
        X, X_there = micro.expand(embedding), expected[f"{key}_embedding"]
        np.testing.assert_allclose(X @ X.T, X_there @ X_there.T, atol=1e-11)
        allowed = {tuple(labels) for labels in expected[f"{key}_partitions"]}
        starts = (discretize(embedding, [start], micro.r) for start in range(micro.count))
        assert {tuple(canonical_labels(micro.expand(labels))) for labels in starts} == allowed
        assert tuple(canonical_labels(spectral_labels(W, c, 0))) in allowed


def objective(A, labels, lam1, lam2, mu=1e-3):
    """Eq. (4) + λ₂ μ tr(S⁻¹), minimised over the symmetric errors E and over S."""
    total = 2 * lam2 * np.sqrt(np.linalg.svd(A, compute_uv=False) ** 2 + mu).sum()
    both = A + A.T
    for joined in connective_matrices(labels):
        low, high = np.zeros_like(A), np.ones_like(A)
        for _ in range(60):  # the derivative grows with x = A⁽ⁱ⁾ − E
            x = (low + high) / 2
            with np.errstate(invalid="ignore"):  # 0/0 where x reaches 1
                slope = (2 - both) / (1 - x) - both / x + 2 * lam1 * np.where(joined, -1, 1)
            low, high = np.where(slope < 0, x, low), np.where(slope < 0, high, x)
        divergence = rel_entr(A, x) + rel_entr(1 - A, 1 - x)
        total += (divergence + lam1 * np.abs(joined - x)).sum()
    return total


@pytest.mark.parametrize(("lam1", "lam2"), [(0.1, 0.1), (1.0, 1.0), (0.01, 10.0)])
def test_objective_never_increases(lam1, lam2):
    labels, _ = noisy_copies(24, 6, 3, noise=0.3, seed=2)
    ensemble = Ensemble(labels)
    rounds = [
        np.asarray(robust_consensus(ensemble, lam1=lam1, lam2=lam2, n_outer=t)) for t in range(1, 8)
    ]
    values = [objective(A, ensemble.labels, lam1, lam2) for A in rounds]
    assert np.diff(values).max() < 1e-7 * abs(values[0]) and values[-1] < values[0] - 1e-3
