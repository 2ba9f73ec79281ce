"""Fits that cannot have their memory are refused before they begin."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

from coassoc import Ensemble
from coassoc.errors import TooLargeError
from coassoc.methods import METHODS, memory
from coassoc.methods.memory import least_memory, squares
from coassoc.partition import linkage
from ensembles import asked, noisy_ensemble

#: One name of each class.
NAMES = list({METHODS.method(name).estimator: name for name in METHODS}.values())
#: More would be a matrix for each base clustering, or one that is kept for nothing.
AT_MOST = {"LTA-EA": 14, "LTA-SC": 14, "RCE": 12}

#: Those of labels without a matrix of rows.
LINEAR = [
    name for name in NAMES if not METHODS[name](2).squares and not METHODS[name](2).uses_features
]


@pytest.fixture(scope="module")
def many():
    """Nearly as many distinct rows as samples."""
    return np.unique(np.random.default_rng(0).integers(0, 8, (300, 4)), axis=0)


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("name", NAMES)
def test_a_fit_takes_as_many_arrays_as_it_says(name, many):
    method = of_one_iteration(name)
    X = np.random.default_rng(1).standard_normal((len(many), 5))
    method.fit(many, X=X)  # compiles
    ensemble = Ensemble(many)
    said = squares(method, ensemble)
    taken = taken_by(method, ensemble, X) / (8 * len(many) ** 2)
    assert said <= taken < AT_MOST.get(name, np.inf)
    assert said > 0 or taken < 1.5


def of_one_iteration(name):
    method = METHODS[name](n_clusters=asked(name, 5), random_state=0)
    return method.set_params(max_iter=1) if "max_iter" in method.get_params() else method


def taken_by(method, ensemble, X=None):
    """Bytes at the peak of a fit."""
    tracemalloc.start()
    method.fit(ensemble, X=X)
    taken = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return taken


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("name", LINEAR)
def test_a_fit_of_many_clusters_takes_as_much_as_it_says(name):
    labels = np.random.default_rng(0).integers(0, 60, (800, 5))
    method = of_one_iteration(name)
    method.fit(labels[:100])  # compiles
    ensemble = Ensemble(labels)
    assert 1e9 * least_memory(method, ensemble) <= taken_by(method, ensemble)


@pytest.mark.parametrize("name", ["SPCE", "TRCE", "CESHL", "SCCBG"])
def test_a_learned_graph_takes_a_few_matrices_of_distinct_rows(name):
    labels = np.repeat(noisy_ensemble(100, 8, 4, seed=1), 20, axis=0)
    method = METHODS[name](n_clusters=4, random_state=0)
    assert taken_by(method, Ensemble(labels)) < 8 * len(labels) ** 2 / 4


def test_what_cannot_have_its_memory_is_refused_with_what_can(many, monkeypatch):
    monkeypatch.setattr(memory, "memory_of_machine", lambda: 6 * 8e-6 * len(many) ** 2 - 0.01)
    METHODS["PTGP"](n_clusters=5).fit(many)
    told = rf"EC-CMS takes at least 0\.0 GB for {len(many)} distinct rows of labels, and "
    with pytest.raises(TooLargeError, match=told) as refusal:
        METHODS["EC-CMS"](n_clusters=5).fit(many)
    assert "U-SENC" in str(refusal.value) and "EAC-AL" not in str(refusal.value)
    monkeypatch.setattr(linkage, "MOST_IN_MATRIX", len(many) - 1)
    with pytest.raises(TooLargeError, match=r"enough for EAC-AL, .*LWEA"):
        METHODS["EC-CMS"](n_clusters=5).fit(many)


def test_what_is_linear_in_the_rows_is_refused_where_even_these_have_no_room(many, monkeypatch):
    ensemble = Ensemble(many)
    room = 2 * ensemble.n_clusters_total * len(many)
    monkeypatch.setattr(memory, "memory_of_machine", lambda: 8e-6 * room)
    with pytest.raises(TooLargeError, match=r"KC takes at least .* enough for HGPA, MCLA, "):
        METHODS["KC"](n_clusters=5).fit(many)
    METHODS["U-SENC"](n_clusters=5).fit(many)
    monkeypatch.setattr(memory, "memory_of_machine", lambda: 1e-3)
    with pytest.raises(TooLargeError, match=r"U-SENC takes .* enough for none of the methods"):
        METHODS["U-SENC"](n_clusters=5).fit(many)


def test_average_and_single_linkage_of_many_rows_are_never_refused(many, monkeypatch):
    monkeypatch.setattr(memory, "memory_of_machine", lambda: 8e-6 * len(many) ** 2)
    for name in ("EAC-AL", "EAC-CL"):
        with pytest.raises(TooLargeError):
            METHODS[name](n_clusters=5).fit(many)
    monkeypatch.setattr(linkage, "MOST_IN_MATRIX", len(many) - 1)
    for name in ("EAC-AL", "EAC-SL"):
        METHODS[name](n_clusters=5).fit(many)
    with pytest.raises(TooLargeError):
        METHODS["EAC-CL"](n_clusters=5).fit(many)
