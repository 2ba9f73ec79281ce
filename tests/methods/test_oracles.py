"""Labels of every method that has a dense transcription, on ensembles without decisive ties."""

from __future__ import annotations

import pytest

from coassoc.methods import METHODS
from ensembles import asked, groups, noisy_copies, same_partition
from oracles import all_oracles

ORACLES = all_oracles()
#: Where all samples of a class are alike, LTA's matrix is nearly constant.
NOISY_ONLY = ("LTA-EA", "LTA-SC")
#: Where SPCE's graph falls into more components than are wanted, its ending is another one.
CLEAR_ONLY = ("SPCE",)


def check(name, labels):
    """The labels of a method, if they are those of its transcription."""
    X = groups()[0] if METHODS[name](3).uses_features else None
    found = METHODS[name](asked(name, 3), random_state=0).fit_predict(labels, X=X)
    expected = ORACLES[name](labels, 3) if X is None else ORACLES[name](labels, 3, X)
    assert same_partition(found, expected)
    return found


@pytest.mark.parametrize("name", sorted({*ORACLES} - {*NOISY_ONLY}))
def test_clear_classes(name):
    labels, y = noisy_copies(90, 12, 3, 0.05, seed=1)
    found = check(name, labels)
    assert METHODS[name](3).uses_features or same_partition(found, y)


@pytest.mark.parametrize("name", sorted({*ORACLES} - {*CLEAR_ONLY}))
def test_noisy_classes(name):
    check(name, noisy_copies(90, 12, 3, 0.15, seed=1)[0])
