"""Fits that cannot have their memory are refused before they begin."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

from coassoc import Ensemble
from coassoc.errors import TooLargeError
from coassoc.methods import METHODS, obstacles
from coassoc.methods.obstacles import least_memory, squares
from coassoc.partition import linkage
from ensembles import CLASSES, asked, noisy_ensemble

#: More would be a matrix for each base clustering, or one that is kept for nothing.
AT_MOST = {"LTA-EA": 14, "RCE": 12}

#: Those of labels without a matrix of rows.
LINEAR = [
    name for name in CLASSES if not METHODS[name](2).squares and not METHODS[name](2).uses_features
]


@pytest.fixture(scope="module")
def many():
    """Nearly as many distinct rows as samples."""
    return np.unique(np.random.default_rng(0).integers(0, 8, (300, 4)), axis=0)


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("name", CLASSES)
def test_a_fit_takes_as_many_arrays_as_it_says(name, many):
    method = of_one_iteration(name)
    X = np.random.default_rng(1).standard_normal((len(many), 5))
    method.fit(many[:60], X=X[:60])  # compiles
    ensemble = Ensemble(many)
    said = squares(method, ensemble)
    taken = taken_by(method, ensemble, X) / (8 * len(many) ** 2)
    assert said <= taken < AT_MOST.get(name, np.inf)
    assert said > 0 or taken < 1.5


def of_one_iteration(name):
    method = METHODS[name](n_clusters=asked(name, 5), random_state=0)
    few = {"max_iter": 1, "n_rounds": 2}
    return method.set_params(**{k: x for k, x in few.items() if k in method.get_params()})


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
    labels = np.random.default_rng(0).integers(0, 60, (500, 5))
    method = of_one_iteration(name)
    method.fit(labels[:100])  # compiles
    ensemble = Ensemble(labels)
    assert 1e9 * least_memory(method, ensemble) <= taken_by(method, ensemble)


PAIRS_OF_CLUSTERS = [name for name in CLASSES if METHODS[name](2).cluster_squares]


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("name", PAIRS_OF_CLUSTERS)
def test_pairs_of_clusters_count_where_there_are_many_columns(name, monkeypatch):
    labels = np.random.default_rng(0).integers(0, 8, (40, 60))
    method = of_one_iteration(name)
    method.fit(labels[:, :8])  # compiles
    ensemble = Ensemble(labels)
    said = least_memory(method, ensemble)
    assert 8e-9 * ensemble.n_clusters_total**2 < said <= 1e-9 * taken_by(method, ensemble)
    monkeypatch.setattr(obstacles, "memory_of_machine", lambda: 999 * said)
    L = ensemble.n_clusters_total
    with pytest.raises(TooLargeError, match=rf"for 40 distinct .* and {L} base clusters, .*EAC-AL"):
        method.fit(ensemble)


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("name", ["U-SENC", "HBGF"])
def test_a_cut_of_few_rows_with_many_clusters_makes_no_pairs_of_clusters(name):
    labels = np.random.default_rng(0).integers(0, 8, (40, 200))
    method = METHODS[name](n_clusters=2, random_state=0)
    method.fit(labels[:, :8])  # compiles
    ensemble = Ensemble(labels)
    least = 2 * 8 * min(40, ensemble.n_clusters_total) ** 2
    taken = taken_by(method, ensemble)
    assert least < 1e9 * least_memory(method, ensemble) <= taken < 8 * ensemble.n_clusters_total**2


@pytest.mark.parametrize("name", ["GTLEC", "CEAM"])
@pytest.mark.parametrize(("m", "k"), [(20, 8), (24, 16)])  # one on each side of `least`
def test_arrays_for_each_base_clustering_count(name, m, k):
    labels = np.random.default_rng(0).integers(0, k, (40, m))
    method = of_one_iteration(name)
    method.fit(labels[:, :8])  # compiles
    ensemble = Ensemble(labels)
    least = m * min(8 * 40**2, 40 * ensemble.n_clusters_total)
    assert 8e-9 * least < least_memory(method, ensemble) <= 1e-9 * taken_by(method, ensemble)


@pytest.mark.parametrize("name", ["SPCE", "TRCE", "CESHL", "SCCBG"])
def test_a_learned_graph_takes_a_few_matrices_of_distinct_rows(name):
    labels = np.repeat(noisy_ensemble(100, 8, 4, seed=1), 20, axis=0)
    method = METHODS[name](n_clusters=4, random_state=0)
    assert taken_by(method, Ensemble(labels)) < 8 * len(labels) ** 2 / 4


def test_what_cannot_have_its_memory_is_refused_with_what_can(many, monkeypatch):
    monkeypatch.setattr(obstacles, "memory_of_machine", lambda: 6 * 8e-6 * len(many) ** 2 - 0.01)
    METHODS["PTGP"](n_clusters=5).fit(many)
    told = rf"EC-CMS needs at least 0\.0 GB for {len(many)} distinct rows of labels and 32 base c"
    with pytest.raises(TooLargeError, match=told) as refusal:
        METHODS["EC-CMS"](n_clusters=5).fit(many)
    assert "U-SENC" in str(refusal.value) and "EAC-AL" not in str(refusal.value)
    monkeypatch.setattr(linkage, "MOST_IN_MATRIX", len(many) - 1)
    with pytest.raises(TooLargeError, match=r"enough for EAC-AL, .*LWEA"):
        METHODS["EC-CMS"](n_clusters=5).fit(many)


def test_what_is_linear_in_the_rows_is_refused_where_even_these_have_no_room(many, monkeypatch):
    ensemble = Ensemble(many)
    room = 2 * ensemble.n_clusters_total * len(many)
    monkeypatch.setattr(obstacles, "memory_of_machine", lambda: 8e-6 * room)
    with pytest.raises(TooLargeError, match=r"KC needs at least .* enough for .*HGPA, MCLA, "):
        METHODS["KC"](n_clusters=5).fit(many)
    METHODS["U-SENC"](n_clusters=5).fit(many)
    monkeypatch.setattr(obstacles, "memory_of_machine", lambda: 1e-3)
    with pytest.raises(TooLargeError, match=r"U-SENC needs .* enough for none of the methods"):
        METHODS["U-SENC"](n_clusters=5).fit(many)


def test_average_and_single_linkage_of_many_rows_are_never_refused(many, monkeypatch):
    monkeypatch.setattr(obstacles, "memory_of_machine", lambda: 8e-6 * len(many) ** 2)
    for name in ("EAC-AL", "EAC-CL"):
        with pytest.raises(TooLargeError):
            METHODS[name](n_clusters=5).fit(many)
    monkeypatch.setattr(linkage, "MOST_IN_MATRIX", len(many) - 1)
    for name in ("EAC-AL", "EAC-SL"):
        METHODS[name](n_clusters=5).fit(many)
    with pytest.raises(TooLargeError):
        METHODS["EAC-CL"](n_clusters=5).fit(many)
