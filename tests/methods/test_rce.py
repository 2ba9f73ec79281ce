"""RCE: goldens."""

from functools import cache

import numpy as np
import pytest

from coassoc.methods.rce import robust_consensus
from coassoc.partition.discretisation import discretize
from coassoc.partition.labels import canonical_labels
from coassoc.partition.spectral import spectral_embedding, spectral_labels
from ensembles import of_method
from goldens import STORED, Golden
from oracles.common import normalized

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
