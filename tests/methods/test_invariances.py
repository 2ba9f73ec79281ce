"""Ensembles at the edges, and the numbering of samples, clusterings and clusters."""

from __future__ import annotations

import numpy as np
import pytest

from coassoc import Ensemble
from coassoc.methods import METHODS
from ensembles import EXTREME, asked, noisy_copies, shuffled, three_classes
from goldens import stored_ensemble

#: Methods of few steps, whose partitions no rounding decides.
NAMES = ("LWSC", "DREC", "ECPCS-HC", "ECPCS-MC", "SEC", "KC", "CSPA", "HGPA", "MCLA", "CVote")
#: Methods that learn a graph whose components are the clusters.
GRAPHS = ("SPCE", "TRCE", "CESHL", "SCCBG")
#: Methods and ensembles whose numbering they must not notice.
RENUMBERED = [
    *((name, ensemble) for name in NAMES for ensemble in ("g60", "g150", "drawn")),
    *((name, ensemble) for name in GRAPHS for ensemble in ("g60", "g150", "classes")),
    *(("BCE", "g60"), ("GWCA", "g150"), ("RMSC", "g60"), ("RSEC-H", "g150"), ("RSEC-Z", "g150")),
]
#: Parameters with which methods that take seconds start seldom, or end early.
QUICK = {"BCE": {"n_init": 2}}
QUICK |= {f"ACMK-{ending}": {"max_iter": 4} for ending in ("SC", "KM", "SC-A", "KM-A")}


@pytest.mark.filterwarnings(
    "error",
    "ignore::sklearn.exceptions.ConvergenceWarning",
    "ignore::coassoc.methods.base.FewRowsWarning",
)
@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize("labels", EXTREME.values(), ids=EXTREME.keys())
def test_extreme_ensembles(name, labels):
    n = len(labels)
    numbers = {1, min(2, n), min(3, n), (n + 1) // 2, max(n - 1, 1), n}
    cases = [(c, np.random.default_rng(0).normal(size=(n, 3))) for c in sorted(numbers)]
    if METHODS.method(name).uses_features:
        equal, repeated = np.zeros((n, 3)), np.arange(2.0 * n).reshape(n, 2) % 7
        cases += [(max(numbers), equal), (min(2, n), equal), (min(2, n), repeated)]
    for c, X in cases:
        c = asked(name, c)
        model = METHODS[name](n_clusters=c, random_state=0, **QUICK.get(name, {}))
        model.fit(labels, X=X)
        n_clusters = c or model.n_clusters_found_
        np.testing.assert_array_equal(np.unique(model.labels_), np.arange(n_clusters))
        assert 1 <= model.n_clusters_found_ <= n


@pytest.mark.parametrize(("name", "ensemble"), RENUMBERED)
def test_numbering_does_not_matter(name, ensemble):
    if ensemble == "drawn":
        labels, c = noisy_copies(160, 10, 4, 0.35, seed=9)[0], 4
    elif ensemble == "classes":
        labels, c = three_classes(1)
    else:
        labels, c = stored_ensemble(ensemble)
    renumbered, order = shuffled(labels, seed=4)
    a = METHODS[name](n_clusters=c, random_state=0).fit_predict(labels)
    b = METHODS[name](n_clusters=c, random_state=0).fit_predict(renumbered)
    # Samples with equal rows are interchangeable: balanced parts may share them out either way.
    rows = Ensemble(labels[order]).microclusters.assignment
    assert sorted(parts_by_row(a[order], rows)) == sorted(parts_by_row(b, rows))


def parts_by_row(partition, rows):
    """For each part, how many samples of each distinct row it has."""
    return [tuple(np.bincount(rows[partition == k])) for k in np.unique(partition)]


def test_a_second_fit_forgets_the_first():
    labels, _ = stored_ensemble("g60")
    model = METHODS["KC"](n_clusters=2, random_state=0).fit(labels)
    assert model.set_params(n_clusters=5).fit(labels).n_clusters_found_ == 5
