"""NMFC: the plain transcription, the fit of another program, and stationary points."""

import numpy as np
import pytest

from coassoc import Ensemble
from coassoc.methods import METHODS
from coassoc.methods.nmfc import factorize
from coassoc.partition.labels import membership_labels
from ensembles import with_defaults
from goldens import STORED, stored_ensemble
from oracles import nmfc as oracle

factorize = with_defaults(factorize, "NMFC")


def starts(ensemble, c, seed=0):
    """The same positive start on microclusters and on samples."""
    Q = np.random.default_rng(seed).uniform(0.1, 1, (ensemble.microclusters.count, c))
    return Q, ensemble.microclusters.expand(Q)


#: So many that the sparse product is taken.
MANY_CLUSTERS = np.random.default_rng(0).integers(0, 40, (60, 3))


@pytest.mark.parametrize("name", [*STORED, "many clusters"])
def test_plain_transcription(name):
    labels, c = (MANY_CLUSTERS, 3) if name == "many clusters" else stored_ensemble(name)
    ensemble = Ensemble(labels)
    sparse = ensemble.n_clusters_total > 16 * ensemble.n_clusterings
    assert sparse == (name == "many clusters")
    small, large = starts(ensemble, c)
    small_Q, d, iteration = factorize(ensemble, small)
    Q, D, trace = oracle.factorize(labels, large)
    np.testing.assert_allclose(iteration.history["objective"], trace, rtol=1e-9)
    np.testing.assert_allclose(ensemble.microclusters.expand(small_Q), Q, atol=1e-9)
    np.testing.assert_allclose(d, np.diag(D), rtol=1e-9)


def test_fits_as_well_as_another_program(golden):
    labels, c = golden.labels, golden.n_clusters
    theirs = golden.outputs("nmfc")
    expected = oracle.objective(labels, theirs["nmf_Q"], theirs["nmf_S"])
    model = METHODS["NMFC"](n_clusters=c, random_state=0).fit(labels)
    assert model.history_["objective"][-1] <= 1.002 * expected


def test_every_column_gets_a_row():
    U = np.array([[0.9, 0.1, 0.3], [0.8, 0.0, 0.7], [0.5, 0.4, 0.0]])
    labels, n_preferred = membership_labels(U)
    assert n_preferred == 1
    np.testing.assert_array_equal(labels, [0, 2, 1])
