"""EC-CMS: goldens, the ablations, and what the history says."""

import numpy as np
import pytest

from coassoc import Ensemble
from coassoc.methods.eccms import ECCMS, high_confidence, self_enhance
from coassoc.similarity import locally_weighted_co_association
from ensembles import noisy_ensemble, of_method
from goldens import assert_rows
from oracles.common import average_linkage

self_enhance = of_method(self_enhance, "EC-CMS")

#: α and λ of the stored runs; not all are stored for all ensembles.
SETTINGS = {
    "a80l40": (0.8, 0.4),
    "a75l01": (0.75, 0.01),
    "a80l05": (0.8, 0.05),
    "a50l40": (0.5, 0.4),
}


def stored_settings(outputs):
    return [(key, *values) for key, values in SETTINGS.items() if f"{key}_C_rows" in outputs]


def enhance(labels, alpha, **options):
    ensemble = Ensemble(labels)
    A = locally_weighted_co_association(ensemble)
    return self_enhance(A, high_confidence(ensemble, alpha), **options)


def test_golden_matrices_and_iterations(golden):
    outputs = golden.outputs("eccms")
    for key, alpha, lam in stored_settings(outputs):
        fitted = ECCMS(2, alpha=alpha, lam=lam).fit(golden.labels)
        assert fitted.n_iter_ == outputs[f"{key}_iters"] and fitted.converged_
        assert_rows(fitted.affinity_, outputs, f"{key}_C", 1e-12)
        changes = np.column_stack(list(fitted.history_.values()))
        np.testing.assert_allclose(changes, outputs[f"{key}_trace"], rtol=1e-8)


def test_golden_labels(golden):
    outputs = golden.outputs("eccms")
    for key, alpha, lam in stored_settings(outputs):
        for i, c in enumerate(outputs["ks"]):
            if not outputs[f"{key}_tie_ok"][i]:
                continue
            if key == "a50l40" and golden.name == "g150":
                # There the cut depends on which triangle of the asymmetric C is read.
                C = np.asarray(enhance(golden.labels, alpha, lam=lam).C)
                labels = average_linkage(np.tril(C, -1) + np.tril(C, -1).T, c)
            else:
                labels = ECCMS(int(c), alpha=alpha, lam=lam).fit_predict(golden.labels)
            np.testing.assert_array_equal(labels, outputs[f"{key}_labels"][:, i])


@pytest.mark.parametrize("key", ["a80l40", "a75l01"])
def test_golden_ablations(golden, key):
    outputs = golden.outputs("eccms")
    if f"{key}_noOmega_C_rows" not in outputs:
        assert golden.name == "g150"
        return
    alpha, lam = SETTINGS[key]
    for name, options in (("noOmega", {"lock": False}), ("onCA", {"similarity": "ca"})):
        fitted = ECCMS(2, alpha=alpha, lam=lam, **options).fit(golden.labels)
        assert fitted.n_iter_ == outputs[f"{key}_{name}_iters"]
        assert_rows(fitted.affinity_, outputs, f"{key}_{name}_C", 1e-12)


def test_penalties_reach_the_same_optimum():
    labels = noisy_ensemble(40, 8, 3, seed=0)
    precise = {"tol": 1e-9, "max_iter": 4000}
    expected = np.asarray(enhance(labels, 0.7, **precise).C)
    for gamma1, gamma2 in ((0.3, 1.0), (1.0, 4.0), (2.0, 0.5)):
        admm = enhance(labels, 0.7, gamma1=gamma1, gamma2=gamma2, **precise)
        assert self_enhance.estimator.converged_
        np.testing.assert_allclose(np.asarray(admm.C), expected, atol=1e-5)
