"""EAC, LWEA, LWGP, PTA and PTGP against the golden outputs."""

from __future__ import annotations

import numpy as np
import pytest

from coassoc.methods import METHODS


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
