"""Partitions of the authors' programs, where no equal similarities decide."""

import numpy as np
import pytest

from coassoc.methods import METHODS
from coassoc.partition.labels import canonical_labels
from goldens import STORED, Golden, assert_rows

#: Method, program, what ends the names of its partitions and of its ties, and parameters.
CUTS = [
    *((f"EAC-{kind}", "eac", f"_{kind.lower()}", {}) for kind in ("AL", "SL", "CL")),
    *((f"PTA-{kind}", "pta", f"_{kind}", {}) for kind in ("AL", "SL", "CL")),
    ("LWEA", "lwea", "_theta04", {}),
    *(("ECPCS-HC", "ecpcs_hc", f"_t{n_steps}", {"n_steps": n_steps}) for n_steps in (5, 20)),
]
#: Complete linkage meets ties in every cut.
ALL_TIES = [("EAC-CL", "g150"), ("EAC-CL", "gdisc40")]


@pytest.mark.parametrize(("name", "program", "ending", "parameters"), CUTS)
@pytest.mark.parametrize("ensemble", STORED)
def test_cuts(ensemble, name, program, ending, parameters):
    golden = Golden(ensemble)
    outputs = golden.outputs(program)
    decided = np.flatnonzero(outputs[f"tie_ok{ending}"])
    least = 5 if name == "ECPCS-HC" else 1
    assert len(decided) >= least or (name, ensemble) in ALL_TIES
    for i in decided:
        method = METHODS[name](n_clusters=int(outputs["ks"][i]), **parameters)
        labels = method.fit_predict(golden.labels)
        np.testing.assert_array_equal(labels, outputs[f"labels{ending}"][:, i])


@pytest.mark.parametrize("name", ["LWGP", "PTGP"])
def test_transfer_cuts(golden, name):
    """The program's labels, or as good ones: two partitions of gdisc40 are equally near to PTGP's
    points, and rounding, another on each processor, takes one of them."""
    outputs = golden.outputs(name.lower())
    micro = golden.ensemble.microclusters
    of, items = ("_mc", micro.representatives) if name == "PTGP" else ("", slice(None))
    points, best = outputs[f"embedding{of}"], canonical_labels(outputs[f"labels_best{of}"])
    method = METHODS[name](n_clusters=golden.n_clusters, random_state=0)
    labels = canonical_labels(method.fit_predict(golden.labels)[items])
    if not np.array_equal(labels, best):
        # The program's points have seven digits.
        assert sum_of_squares(points, labels) == pytest.approx(sum_of_squares(points, best), 1e-6)


def sum_of_squares(points: np.ndarray, labels: np.ndarray) -> float:
    """Squared distances of points from the means of their clusters."""
    means = np.stack([points[labels == k].mean(axis=0) for k in range(labels.max() + 1)])
    return float(((points - means[labels]) ** 2).sum())


@pytest.mark.parametrize("ensemble", ["g60", "gdisc40"])
@pytest.mark.parametrize("name", ["MDEC-HC", "MDEC-SC"])
def test_mdec_joins_samples_as_its_program_does(name, ensemble):
    golden = Golden(ensemble)
    expected = golden.outputs("mdec")
    fitted = METHODS[name](golden.n_clusters, random_state=0).fit(golden.ensemble)
    assert_rows(fitted.affinity_, expected, "S", 1e-14)
