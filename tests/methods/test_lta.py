"""LTA against golden outputs."""

from functools import cache

import numpy as np
import pytest

from coassoc import Ensemble
from coassoc.methods import METHODS, lta
from coassoc.methods.lta import refine_co_association
from ensembles import noisy_copies, of_method
from goldens import FOLDER, Golden, assert_rows

refine_co_association = of_method(refine_co_association, "LTA-EA")

FILES = sorted(path.stem for path in FOLDER.glob("*__lta_*.npz"))
#: Where a single random start of k-means finds the best partition often.
EASY_K_MEANS = ("g150__lta_l02", "g150__lta_l2", "g150_sorted__lta_l02", "g60__lta_l2")


def stored(name):
    """Arrays of a golden file, the ensemble it belongs to and the number of clusters."""
    golden = Golden(name.split("__")[0])
    return golden.outputs(name.split("__")[1]), golden.ensemble, golden.n_clusters


@cache
def refined(name):
    """What the library makes of a golden ensemble."""
    expected, ensemble, _ = stored(name)
    return refine_co_association(ensemble, lam=float(expected["lambda"]))


@pytest.mark.parametrize("name", FILES)
def test_refined_matrices_and_violations(name):
    expected, _, _ = stored(name)
    _, P2, E, violations, converged = refined(name)
    assert converged and len(violations) == expected["iters"]
    largest = np.max(violations, axis=1)
    assert largest[-1] < 1e-8
    np.testing.assert_allclose(largest, expected["chg_trace"], rtol=1e-4)
    assert_rows(P2, expected, "A2", 1e-11)
    if "E_rows" in expected:
        np.testing.assert_allclose(E[::6], expected["E_rows"], rtol=0, atol=1e-11)


@pytest.mark.parametrize("name", EASY_K_MEANS)
def test_labels(name):
    expected, ensemble, c = stored(name)
    model = METHODS["LTA-SC"](c, lam=float(expected["lambda"]), random_state=0)
    fitted = model.fit(ensemble)
    np.testing.assert_array_equal(fitted.labels_, expected["sc_top_labels_best"])
    P2 = refined(name)[1]
    np.testing.assert_array_equal(np.asarray(fitted.affinity_), (P2 + P2.T) / 2)
    assert fitted.n_iter_ == expected["iters"]
    assert fitted.converged_


@pytest.mark.parametrize(("side", "rows"), [(10, 7), (5, 40)])
@pytest.mark.parametrize("n", [33, 34])
def test_tiles_and_blocks_of_rows_change_nothing(monkeypatch, n, side, rows):
    ensemble = Ensemble(noisy_copies(n, 5, 3, 0.2, seed=n)[0])
    whole = refine_co_association(ensemble, lam=0.02, max_iter=60)
    monkeypatch.setattr(lta, "SIDE", side)
    monkeypatch.setattr(lta, "ROWS", rows)
    for matrix, expected in zip(
        refine_co_association(ensemble, lam=0.02, max_iter=60)[:3], whole[:3], strict=True
    ):
        np.testing.assert_allclose(matrix, expected, rtol=0, atol=1e-12)
