"""Declared parameters and the ``__init__`` that is made of them."""

import inspect
import pickle
import warnings
from collections import defaultdict
from pathlib import Path
from typing import get_args

import numpy as np
import pytest
from sklearn.base import clone

from coassoc import CoassocError, Ensemble
from coassoc.methods import METHODS, Method, integer, number
from coassoc.methods.base import ConsensusClusterer, NotConvergedWarning, needed_memory, obstacles
from coassoc.methods.names import MethodName
from coassoc.methods.parameters import declared_parameters
from coassoc.methods.registry import name_of
from coassoc.methods.rsec import RSEC
from coassoc.selection.numbers import CRITERIA, Criterion
from ensembles import asked, groups, noisy_ensemble, with_missing


class Shared(ConsensusClusterer):
    power: float = number(2.0, above=0)


class Derived(Shared):
    n_steps: int | None = integer(None, minimum=1)
    power: float = number(3.0, above=0)


class Written(ConsensusClusterer):
    power: float = number(2.0, above=0)

    def __init__(self, n_clusters, *, power=1.5, seen=(), random_state=None):
        self.n_clusters, self.power, self.seen = n_clusters, power, seen
        self.random_state = random_state


class DerivedFromWritten(Written):
    """Has the ``__init__`` that its base wrote."""


def test_the_signature_has_the_number_of_clusters_first_and_the_seed_last():
    arguments = inspect.signature(Derived).parameters
    assert list(arguments) == ["n_clusters", "power", "n_steps", "random_state"]
    kinds = [argument.kind for argument in arguments.values()]
    assert kinds == [inspect.Parameter.POSITIONAL_OR_KEYWORD, *[inspect.Parameter.KEYWORD_ONLY] * 3]
    assert [argument.default for argument in arguments.values()][1:] == [3.0, None, None]
    with pytest.raises(TypeError, match="positional"):
        Derived(2, 3.0)


@pytest.mark.parametrize("made", [Derived(4, n_steps=3), Written(4, seen=(1,))])
def test_estimators_are_cloned_and_pickled(made):
    for copy in (clone(made), pickle.loads(pickle.dumps(made))):
        assert type(copy) is type(made) and copy.get_params() == made.get_params()
    assert made.get_params()["n_clusters"] == 4


@pytest.mark.parametrize("own", [Written, DerivedFromWritten])
def test_an_init_that_a_class_writes_is_kept(own):
    made = own(2, seen=(1,))
    assert (made.power, made.seen) == (1.5, (1,))
    assert {name: spec.default for name, spec in declared_parameters(own).items()} == {"power": 1.5}


def test_a_fitted_estimator_of_the_library_is_pickled():
    made = METHODS["LWEA"](2, theta=0.5).fit([[0, 0], [0, 0], [1, 1]])
    again = pickle.loads(pickle.dumps(made))
    assert again.labels_.tolist() == [0, 0, 1] and again.theta == 0.5


def test_names_are_listed_for_editors_and_counted_for_readers():
    assert get_args(MethodName) == ("auto", *METHODS)
    readme = Path(__file__).parents[2].joinpath("README.md").read_text(encoding="utf-8")
    assert f"The {len(METHODS)} methods are" in readme
    same = {"ACMK-Fix": "CA-SC"}  # two names of one algorithm
    for name, method in METHODS.items():
        assert method.title and method.paper
        assert name_of(method.factory(2)) == same.get(name, name)
    assert get_args(Criterion) == tuple(CRITERIA)


# -- REFINEMENT ------------------------------------------------------------------------------------

# Endings: one refinement gives each of them the labels of its own fit.


#: Methods that share a refinement.
FAMILIES = [["RSEC-H", "RSEC-Z"], ["LTA-EA", "LTA-SC"]]
FAMILIES.append(["ACMK-SC", "ACMK-KM", "ACMK-SC-A", "ACMK-KM-A"])


@pytest.fixture(scope="module")
def labels() -> np.ndarray:
    return noisy_ensemble(60, 8, 3, seed=4, noise=0.3)


def test_methods_with_one_refinement():
    families = defaultdict(list)
    for name in METHODS:
        refinement = METHODS[name].refinement
        if refinement is not None:
            families[refinement].append(name)
    assert list(families.values()) == FAMILIES


def test_a_refinement_belongs_to_fixed_parameters():
    location = "coassoc.methods.lta:LTA"
    plain, weighted = ({"ending": "linkage"}, {"ending": "linkage", "lam": 0.1})
    assert Method("A", location, plain).refinement != Method("B", location, weighted).refinement
    assert Method("C", location).refinement is None and METHODS["EAC-AL"].refinement is None


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


# -- OBSTACLES -------------------------------------------------------------------------------------

# Which methods base clusterings admit, and that these are the ones that fit them.


CASES = {
    "complete": np.asarray,
    "holed": lambda labels: with_missing(labels, 0.1),
    "counted": lambda labels: Ensemble.from_counts(np.unique(labels, axis=0), [3] * 30),
}


@pytest.mark.parametrize("case", CASES)
def test_what_is_admitted_fits_and_what_is_not_does_not(case):
    labels = CASES[case](np.random.default_rng(0).integers(0, 5, (30, 4)))
    reasons = obstacles(labels)
    assert list(reasons) == list(METHODS)
    for name, obstacle in reasons.items():
        estimator = METHODS[name](n_clusters=asked(name, 2), random_state=0)
        if not obstacle:
            try:
                estimator.fit(labels)
            except CoassocError as error:
                assert "found" in str(error), name  # of no partition, as a learned graph may give
        else:
            with pytest.raises(CoassocError, match=r"needs the features|every|complete labels"):
                estimator.fit(labels)


def test_features_take_their_obstacle_away(noisy_labels):
    seen = {name for name in METHODS if METHODS[name].uses_features}
    assert {name for name, why in obstacles(noisy_labels).items() if why} == seen
    assert not any(obstacles(noisy_labels, features=True).values())


def test_memory_is_one(noisy_labels, monkeypatch):
    enough = 1e3 * needed_memory(METHODS["VOTE"](2), Ensemble(noisy_labels))
    monkeypatch.setattr("coassoc.methods.base.memory_of_machine", lambda: enough)
    reasons = obstacles(noisy_labels)
    assert reasons["RMSC"] == "needs more memory than is available" and reasons["VOTE"] == ""
