"""RCE: goldens, the plain transcription and the descent."""

from functools import cache

import numpy as np
import pytest

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
    for key, weights, (A, _) in runs:
        first = np.asarray(robust_consensus(golden.ensemble, **weights, n_outer=1)[0])
        np.testing.assert_allclose(first[:, columns], expected[f"{key}_A_after_outer1"], atol=1e-14)
        np.testing.assert_allclose(np.asarray(A)[:, columns], expected[f"{key}_A"], atol=1e-12)


def test_golden_objective(stored):
    golden, expected, runs = stored
    co_association = np.mean(connective_matrices(golden.labels), axis=0)
    first_norm = np.linalg.norm(co_association, ord="nuc")
    for key, weights, (_, iteration) in runs:
        history, lam2 = iteration.history, weights["lam2"]
        nuclear, smoothed = history["nuclear_norm"], history["smoothed_nuclear_norm"]
        # The program prints Eq. (3), with λ₂‖Ã‖_* for the terms in S.
        charged = 2 * lam2 * np.append(0, smoothed)
        printed = lam2 * np.append(first_norm, nuclear)
        trace = np.column_stack(
            (
                history["objective_errors"] - charged[:-1] + printed[:-1],
                history["objective"] - charged[1:] + printed[1:],
                smoothed,
                history["max_error"],
            )
        )
        np.testing.assert_allclose(trace, expected[f"{key}_obj_trace"], rtol=1e-10)


def test_golden_embedding_and_partitions(stored):
    golden, expected, runs = stored
    c = golden.n_clusters
    for key, _, (A, _) in runs:
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


@pytest.mark.parametrize("lam1", [1e-4, 1.0, 1e4])
@pytest.mark.parametrize("lam2", [0.0, 1e-2, 1e4])
def test_objective_never_increases(lam1, lam2):
    for shape in ((50, 12, 3, 0.15, 0), (40, 5, 6, 0.8, 1)):
        ensemble = Ensemble(noisy_copies(*shape)[0])
        history = robust_consensus(ensemble, lam1=lam1, lam2=lam2)[1].history
        # After each half-round from the first S-step on.
        steps = np.column_stack((history["objective"][:-1], history["objective_errors"][1:]))
        steps = steps.ravel()
        assert np.isfinite(steps).all()
        assert (np.diff(steps) <= 1e-12 * np.abs(steps[1:])).all()
        assert steps[-1] < steps[0]
