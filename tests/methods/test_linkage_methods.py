"""EAC, LWEA, LWGP, PTA and PTGP against the golden outputs."""

from __future__ import annotations

import numpy as np
import pytest

from coassoc import Ensemble
from coassoc.methods import METHODS
from coassoc.similarity import probability_trajectory_similarity
from ensembles import noisy_copies, same_partition
from oracles import linkage as oracle


def check_cuts(golden, name, expected, ties, ks, **parameters):
    compared = 0
    for i, c in enumerate(ks):
        if ties[i]:
            found = METHODS[name](n_clusters=int(c), **parameters).fit_predict(golden.labels)
            np.testing.assert_array_equal(found, expected[:, i])
            compared += 1
    return compared


@pytest.mark.parametrize("linkage", ["AL", "SL", "CL"])
def test_eac(golden, linkage):
    outputs = golden.outputs("eac")
    key = linkage.lower()
    check_cuts(
        golden, f"EAC-{linkage}", outputs[f"labels_{key}"], outputs[f"tie_ok_{key}"], outputs["ks"]
    )


def test_lwea(golden):
    outputs = golden.outputs("lwea")
    ties = outputs["tie_ok_theta04"]
    assert check_cuts(golden, "LWEA", outputs["labels_theta04"], ties, outputs["ks"])


@pytest.mark.parametrize("linkage", ["AL", "SL", "CL"])
def test_pta(golden, linkage):
    outputs = golden.outputs("pta")
    assert check_cuts(
        golden,
        f"PTA-{linkage}",
        outputs[f"labels_{linkage}"],
        outputs[f"tie_ok_{linkage}"],
        outputs["ks"],
    )


@pytest.mark.parametrize(("name", "key"), [("LWGP", "lwgp"), ("PTGP", "ptgp")])
def test_transfer_cut_methods(golden, name, key):
    est = METHODS[name](n_clusters=golden.n_clusters, random_state=0)
    np.testing.assert_array_equal(
        est.fit_predict(golden.labels), golden.outputs(key)["labels_best"]
    )


@pytest.mark.parametrize("noise", [0.1, 0.5])
def test_trajectories_of_the_plain_transcription(noise):
    labels, _ = noisy_copies(90, 8, 5, noise, seed=3)
    S, member = oracle.probability_trajectories(labels)
    found = np.asarray(probability_trajectory_similarity(Ensemble(labels)))
    expected = S[np.ix_(member, member)]
    np.fill_diagonal(expected, 1)
    np.testing.assert_allclose(found, expected, atol=1e-12)


@pytest.mark.parametrize("name", list(oracle.ORACLES))
def test_labels_of_the_plain_transcription(name):
    labels, y = noisy_copies(90, 12, 3, 0.05, seed=1)
    found = METHODS[name](n_clusters=3, random_state=0).fit_predict(labels)
    assert same_partition(found, oracle.ORACLES[name](labels, 3))
    assert same_partition(found, y)
