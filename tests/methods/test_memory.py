"""Fits that cannot have their memory are refused before they begin."""

import sys
import tracemalloc
from unittest.mock import Mock

import numpy as np
import pytest

from coassoc import Ensemble
from coassoc.errors import MethodError, TooLargeError
from coassoc.methods import METHODS, base, partitioning
from coassoc.methods.base import needed_memory
from coassoc.methods.partitioning import co_association_graph, jaccard_graph, vertices
from coassoc.numerics.compiled import load_kernels
from coassoc.partition import linkage
from ensembles import CLASSES, asked, noisy_copies
from goldens import stored_ensemble
from refusals import cases

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")

#: More would be a matrix for each base clustering, or one that is kept for nothing.
AT_MOST = {"LTA-EA": 14, "RCE": 12}

FEATURES = [name for name in CLASSES if METHODS[name].uses_features]
COSTS = {name: METHODS[name].cost for name in CLASSES}
#: For four base clusterings.
SQUARES = {name: cost.squares + 4 * cost.squares_each for name, cost in COSTS.items()}
#: Those of labels without a matrix of rows.
LINEAR = [name for name in CLASSES if not SQUARES[name] and name not in FEATURES]


@pytest.fixture(autouse=True, scope="module")
def compiled():
    """What compiles takes memory, too."""
    load_kernels()


@pytest.fixture(scope="module")
def many():
    """Nearly as many distinct rows as samples."""
    return np.unique(np.random.default_rng(0).integers(0, 8, (300, 4)), axis=0)


@pytest.mark.parametrize("name", CLASSES)
def test_a_fit_takes_as_many_arrays_as_it_says(name, many):
    method = of_one_iteration(name)
    X = np.random.default_rng(1).standard_normal((len(many), 5))
    method.fit(many[:60], X=X[:60])  # imports
    ensemble = Ensemble(many)
    said = SQUARES[name]
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


PAIRS_OF_CLUSTERS = [name for name in CLASSES if COSTS[name].cluster_squares]
#: Rows, columns and clusters of a column, methods, and what these count at least of the memory.
COUNTED = {
    "many clusters": (250, 5, 30, LINEAR, lambda m, L: 0),
    "pairs of clusters": (40, 60, 8, PAIRS_OF_CLUSTERS, lambda m, L: L**2),
    "few rows": (40, 200, 8, ["U-SENC", "HBGF"], lambda m, L: 2 * 40**2),
    "columns by clusters": (40, 20, 8, ["GTLEC"], lambda m, L: 40 * L * m),
    "matrices of columns": (40, 24, 16, ["GTLEC"], lambda m, L: 6 * 40**2 * m),
}


@pytest.mark.parametrize(("case", "name"), [(x, name) for x in COUNTED for name in COUNTED[x][3]])
def test_a_fit_takes_at_least_what_it_says(case, name):
    n, m, k, _, counted = COUNTED[case]
    labels = np.random.default_rng(0).integers(0, k, (n, m))
    method = of_one_iteration(name)
    method.fit(labels[: n // 2])  # imports
    ensemble = Ensemble(labels)
    taken, L = taken_by(method, ensemble), ensemble.n_clusters_total
    assert 8 * counted(m, L) < 1e9 * needed_memory(method, ensemble) <= taken
    assert case != "few rows" or taken < 8 * L**2  # no pairs of clusters


def test_what_cannot_have_its_memory_is_refused(many, monkeypatch):
    monkeypatch.setattr(base, "memory_of_machine", lambda: 6 * 8e-6 * len(many) ** 2 - 0.01)
    METHODS["PTGP"](n_clusters=5).fit(many)
    with pytest.raises(TooLargeError, match=r"EC-CMS needs at least 0\.0 GB for this ensemble"):
        METHODS["EC-CMS"](n_clusters=5).fit(many)


def test_what_is_linear_in_the_rows_is_refused_where_even_these_have_no_room(many, monkeypatch):
    room = 2 * Ensemble(many).n_clusters_total * len(many)
    monkeypatch.setattr(base, "memory_of_machine", lambda: 8e-6 * room)
    with pytest.raises(TooLargeError):
        METHODS["KC"](n_clusters=5).fit(many)
    METHODS["U-SENC"](n_clusters=5).fit(many)


def test_average_and_single_linkage_of_many_rows_are_never_refused(many, monkeypatch):
    monkeypatch.setattr(base, "memory_of_machine", lambda: 8e-6 * len(many) ** 2)
    for name in ("EAC-AL", "EAC-CL"):
        with pytest.raises(TooLargeError):
            METHODS[name](n_clusters=5).fit(many)
    monkeypatch.setattr(linkage, "MOST_IN_MATRIX", len(many) - 1)
    for name in ("EAC-AL", "EAC-SL"):
        METHODS[name](n_clusters=5).fit(many)
    with pytest.raises(TooLargeError):
        METHODS["EAC-CL"](n_clusters=5).fit(many)


# -- PARTITIONING ----------------------------------------------------------------------------------


def test_graphs_of_the_reference(golden):
    labels, c = golden.labels, golden.n_clusters
    expected = golden.outputs("clusterensembles")
    ensemble = Ensemble(labels)
    source, weights, assignment = vertices(ensemble, c)
    S = co_association_graph(ensemble, source, weights).toarray()
    # These ensembles are so small that every sample is a vertex of its own.
    np.testing.assert_array_equal(weights, 1)
    counts = S[np.ix_(assignment, assignment)]
    np.fill_diagonal(counts, labels.shape[1])
    np.testing.assert_array_equal(counts, expected["cspa_S"])
    W = jaccard_graph(ensemble).toarray()
    np.fill_diagonal(W, 1000)
    np.testing.assert_array_equal(W, expected["mcla_W_int"])


@pytest.mark.parametrize("method", ["CSPA", "HGPA"])
@pytest.mark.parametrize("name", ["g60", "g150", "a giant microcluster"])
def test_parts_are_balanced(method, name):
    labels = np.vstack([np.zeros((160, 3), int), noisy_copies(40, 3, 3, 0.2, seed=0)[0]])
    labels, c = (labels, 4) if name == "a giant microcluster" else stored_ensemble(name)
    parts = METHODS[method](n_clusters=c, random_state=0).fit_predict(labels)
    # METIS exceeds its own limit by about one vertex per bisection on graphs this small.
    assert np.bincount(parts).max() <= 1.03 * len(labels) / c + 3


def test_a_missing_library_is_named(monkeypatch):
    partitioning.mt_kahypar.cache_clear()
    monkeypatch.setitem(sys.modules, "mtkahypar", None)
    with pytest.raises(MethodError, match=r"pip install 'coassoc\[partition\]'"):
        METHODS["HGPA"](n_clusters=2).fit(stored_ensemble("gdisc40")[0])


def test_a_failing_partitioner_is_not_hidden(monkeypatch):
    monkeypatch.setattr("pymetis.part_graph", Mock(side_effect=RuntimeError("no memory")))
    with pytest.raises(MethodError, match="The partitioner METIS failed: no memory"):
        METHODS["CSPA"](n_clusters=2).fit(stored_ensemble("gdisc40")[0])


@cases("parts, sizes, n_used", ([0] * 6, [1, 1, 1, 5, 1, 1], 1), ([0, 2, 2], [1, 1, 1], 2))
def test_empty_parts_are_filled_and_counted(parts, sizes, n_used):
    """Never from a single vertex, be it the heaviest."""
    filled, used = partitioning.fill_parts(np.array(parts), np.array(sizes), 4)
    assert used == n_used and len({*filled}) == min(4, len(parts))
