"""GTLEC against golden outputs, the dense transcription and what its projections must be."""

import numpy as np
import pytest

from coassoc import Ensemble
from coassoc.methods import METHODS
from coassoc.methods.gtlec import learn_graph_tensor, project_on_fantope
from ensembles import of_method
from goldens import FOLDER, Golden, assert_rows

learn_graph_tensor = of_method(learn_graph_tensor, "GTLEC")

FILES = sorted(path.stem for path in FOLDER.glob("*__gtlec_*.npz"))


@pytest.mark.parametrize("name", FILES)
def test_learned_graphs(name):
    ensemble, _, program = name.partition("__")
    golden = Golden(ensemble)
    expected = golden.outputs(program)
    parameters = {key: float(expected[key]) for key in ("alpha", "beta")}
    Z = learn_graph_tensor(golden.ensemble, n_clusters=golden.n_clusters, **parameters)
    assert_rows(Z[0], expected, "Z1", 1e-13)
    model = METHODS["GTLEC"](golden.n_clusters, random_state=0, **parameters)
    assert_rows(2 * model.fit(golden.ensemble).affinity_, expected, "S0", 1e-12)
    assert model.n_iter_ == len(expected["violations"]) and model.converged_


def test_equal_eigenvalues():
    P = project_on_fantope(np.eye(4), 2)
    np.testing.assert_allclose(P, np.eye(4) / 2, atol=1e-15)


def test_a_clustering_that_its_graph_equals_keeps_a_finite_weight():
    Z = learn_graph_tensor(Ensemble(np.arange(6)[:, None]), n_clusters=6)
    np.testing.assert_allclose(Z[0], np.eye(6), atol=1e-6)
