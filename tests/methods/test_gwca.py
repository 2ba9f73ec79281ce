"""GWCA: the plain transcription, its divergences, and minimisers."""

import numpy as np
import pytest

from coassoc import Ensemble
from coassoc.methods.gwca import aggregate
from ensembles import with_defaults
from oracles import gwca as oracle
from oracles.common import connective_matrices

aggregate = with_defaults(aggregate, "GWCA")

DIVERGENCES = list(oracle.GENERATORS)


@pytest.mark.parametrize("golden", ["g60", "gdisc40"], indirect=True)
@pytest.mark.parametrize("divergence", DIVERGENCES)
@pytest.mark.parametrize("eta", [0.3, 2.0])
def test_plain_transcription(golden, divergence, eta):
    labels = golden.labels
    weights, iteration = aggregate(Ensemble(labels), eta, divergence, tol=0, max_iter=8)
    w, penalty = oracle.aggregate(labels, eta, divergence, n_iter=8)
    np.testing.assert_allclose(weights, w, atol=1e-10)
    before, _ = oracle.aggregate(labels, eta, divergence, n_iter=7)
    M = np.tensordot(before, connective_matrices(labels), 1)
    expected = oracle.objective(labels, M, before, penalty, divergence)
    np.testing.assert_allclose(iteration.history["objective"][-1], expected, rtol=1e-9)
