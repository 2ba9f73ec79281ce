"""LWEA and LWGP against the golden outputs, LWSC against the dense matrix."""

import numpy as np
import pytest

from coassoc import Ensemble
from coassoc.methods import METHODS
from coassoc.partition.spectral import spectral_embedding
from coassoc.similarity import locally_weighted_co_association
from ensembles import noisy_copies
from goldens import Golden, check_cuts, stored_ensemble
from oracles.common import spectral_vectors, unit_rows
from oracles.eccms import locally_weighted_co_association as locally_weighted


def test_lwea(golden):
    outputs = golden.outputs("lwea")
    ties = outputs["tie_ok_theta04"]
    check_cuts(golden, "LWEA", outputs["labels_theta04"], ties, outputs["ks"])


@pytest.mark.parametrize(("name", "key"), [("LWGP", "lwgp"), ("PTGP", "ptgp")])
def test_transfer_cut_methods(golden, name, key):
    est = METHODS[name](n_clusters=golden.n_clusters, random_state=0)
    np.testing.assert_array_equal(
        est.fit_predict(golden.labels), golden.outputs(key)["labels_best"]
    )


@pytest.mark.parametrize("theta", [0.1, 0.4, 2.0])
def test_lwsc_embedding(theta):
    labels, _ = noisy_copies(90, 5, 4, 0.15, seed=3)
    W = locally_weighted(labels, theta)
    embedding, micro = spectral_embedding(
        locally_weighted_co_association(Ensemble(labels), theta), 4
    )
    found = micro.expand(embedding)
    expected = unit_rows(spectral_vectors(W, 4))
    np.testing.assert_allclose(found @ found.T, expected @ expected.T, atol=1e-9)


@pytest.mark.parametrize("name", ["g60", "gdisc40"])
def test_mdec_joins_samples_as_its_program_does(name):
    golden = Golden(name)
    expected = golden.outputs("mdec")
    for method in ("MDEC-HC", "MDEC-SC"):
        found = METHODS[method](golden.n_clusters, random_state=0).fit(golden.ensemble)
        rows = np.asarray(found.affinity_)[:: int(expected["row_step"])]
        np.testing.assert_allclose(rows, expected["S_rows"], rtol=0, atol=1e-14)


@pytest.mark.parametrize(
    ("method", "same"), [("MDEC-HC", "LWEA"), ("MDEC-SC", "LWSC"), ("MDEC-BG", "LWGP")]
)
def test_mdec_has_a_theta_of_its_own(method, same):
    labels, c = stored_ensemble("g150")
    assert "theta" not in METHODS.method(method).parameters
    found = METHODS[method](c, random_state=0).fit_predict(labels)
    expected = METHODS[same](c, theta=1.0, random_state=0).fit_predict(labels)
    np.testing.assert_array_equal(found, expected)
