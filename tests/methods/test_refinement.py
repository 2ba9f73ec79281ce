"""Endings: one refinement gives each of them the labels of its own fit."""

import warnings
from collections import defaultdict

import numpy as np
import pytest

from coassoc.methods import METHODS, Method
from coassoc.methods.base import NotConvergedWarning
from coassoc.methods.rsec import RSEC
from ensembles import groups, noisy_ensemble

#: Methods that share a refinement.
FAMILIES = [["RSEC-H", "RSEC-Z"], ["LTA-EA", "LTA-SC"]]
FAMILIES.append(["ACMK-SC", "ACMK-KM", "ACMK-SC-A", "ACMK-KM-A"])


@pytest.fixture(scope="module")
def labels() -> np.ndarray:
    return noisy_ensemble(60, 8, 3, seed=4, noise=0.3)


def test_methods_with_one_refinement():
    families = defaultdict(list)
    for name in METHODS:
        refinement = METHODS.method(name).refinement
        if refinement is not None:
            families[refinement].append(name)
    assert list(families.values()) == FAMILIES


def test_a_refinement_belongs_to_fixed_parameters():
    location = "coassoc.methods.lta:LTA"
    plain, weighted = ({"ending": "linkage"}, {"ending": "linkage", "lam": 0.1})
    assert Method("A", location, plain).refinement != Method("B", location, weighted).refinement
    assert Method("C", location).refinement is None
    assert METHODS.method("EAC-AL").refinement is None


@pytest.mark.parametrize(("name", "first"), [(name, x[0]) for x in FAMILIES for name in x])
def test_labels_are_those_of_a_fit_of_its_own(name, first, labels):
    X, _ = groups(60)
    refinement = METHODS[first](3, max_iter=15, random_state=1).refine(labels, X=X)
    # Another ending in between leaves the refinement as it was.
    METHODS[first](3, max_iter=15, random_state=2).fit_refined(refinement)
    shared = METHODS[name](3, max_iter=15, random_state=0).fit_refined(refinement)
    alone = METHODS[name](3, max_iter=15, random_state=0).fit(labels, X=X)
    assert set(vars(shared)) == set(vars(alone))
    for attribute in ("labels_", "n_iter_", "converged_", "n_clusters_found_"):
        np.testing.assert_array_equal(getattr(shared, attribute), getattr(alone, attribute))
    np.testing.assert_array_equal(np.asarray(shared.affinity_), np.asarray(alone.affinity_))
    for quantity, values in alone.history_.items():
        np.testing.assert_array_equal(shared.history_[quantity], values)


def test_an_ending_warns_where_the_refinement_did_not_converge(labels):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        refinement = RSEC(3, max_iter=1).refine(labels)
    with pytest.warns(NotConvergedWarning, match="in 1 iterations"):
        RSEC(3, max_iter=1, ending="Z", random_state=0).fit_refined(refinement)
