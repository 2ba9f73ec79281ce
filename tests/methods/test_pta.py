"""PTA and PTGP against the golden outputs and the plain transcription."""

import numpy as np
import pytest

from coassoc import Ensemble
from coassoc.similarity import probability_trajectory_similarity
from ensembles import noisy_copies
from goldens import check_cuts
from oracles import linkage as oracle


@pytest.mark.parametrize("linkage", ["AL", "SL", "CL"])
def test_pta(golden, linkage):
    outputs = golden.outputs("pta")
    check_cuts(
        golden,
        f"PTA-{linkage}",
        outputs[f"labels_{linkage}"],
        outputs[f"tie_ok_{linkage}"],
        outputs["ks"],
    )


@pytest.mark.parametrize("noise", [0.1, 0.5])
def test_trajectories_of_the_plain_transcription(noise):
    labels, _ = noisy_copies(90, 8, 5, noise, seed=3)
    S, member = oracle.probability_trajectories(labels)
    found = np.asarray(probability_trajectory_similarity(Ensemble(labels)))
    expected = S[np.ix_(member, member)]
    np.fill_diagonal(expected, 1)
    np.testing.assert_allclose(found, expected, atol=1e-12)
