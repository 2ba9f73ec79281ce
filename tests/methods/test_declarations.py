"""Declared parameters and the ``__init__`` that is made of them."""

import inspect
import pickle
from pathlib import Path
from typing import get_args

import pytest
from sklearn.base import clone

from coassoc.methods import METHODS, integer, number
from coassoc.methods.base import ConsensusClusterer
from coassoc.methods.names import MethodName
from coassoc.methods.parameters import declared_parameters
from coassoc.methods.registry import name_of
from coassoc.selection.numbers import CRITERIA, Criterion


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
    for name, method in zip(METHODS, map(METHODS.method, METHODS), strict=True):
        assert method.title and method.paper
        assert name_of(method.factory(2)) == same.get(name, name)
    assert get_args(Criterion) == tuple(CRITERIA)
