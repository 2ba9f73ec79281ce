import numpy as np
import pytest

from coassoc import Ensemble, InvariantMatrix, Microclusters
from coassoc.methods import METHODS
from coassoc.methods.drec import dense_representation
from coassoc.partition.spectral import spectral_embedding
from goldens import STORED, assert_rows

#: Settings in the golden files; at λ = 0.1 the program itself is accurate to 1e-7 only.
SETTINGS = [
    ("g60", 2, 1e-7),
    ("g60", 4, 1e-12),
    ("g60", 5, 1e-12),
    ("g150", 5, 1e-12),
    *[("gdisc40", i, 1e-9 if i == 2 else 1e-12) for i in (2, 3, 4, 5, 6)],
]


@pytest.mark.parametrize(("golden", "i", "tolerance"), SETTINGS, indirect=["golden"])
def test_representation_of_the_authors_program(golden, i, tolerance):
    expected = golden.outputs("drec")
    V, C = dense_representation(golden.ensemble, float(expected["lambdas"][i - 1]))
    assert_rows(V @ C, expected, f"l{i}_Z", tolerance)


OF_THE_PROGRAM = [*((name, 5) for name in STORED), ("g60", 4), ("gdisc40", 3), ("gdisc40", 6)]


@pytest.mark.parametrize(("golden", "i"), OF_THE_PROGRAM, indirect=["golden"])
def test_similarity_and_partition_of_the_authors_program(golden, i):
    expected, c = golden.outputs("drec"), golden.n_clusters
    lam = float(expected["lambdas"][i - 1])
    model = METHODS["DREC"](n_clusters=c, lam=lam, random_state=0).fit(golden.ensemble)
    np.testing.assert_array_equal(model.labels_, expected[f"l{i}_labels_best"])
    assert model.n_iter_ == 5
    if i == 5:
        L = model.affinity_.S
        assert_rows(L, expected, "l5_L", 1e-11)
    if i == 5 and golden.name != "gdisc40":
        atoms = Microclusters.from_assignment(np.arange(len(L)))
        embedding, _ = spectral_embedding(InvariantMatrix(L, 0.0, atoms), c)
        X = expected["l5_embedding_mc"]
        np.testing.assert_allclose(embedding @ embedding.T, X @ X.T, atol=1e-10)


def test_vanishing_errors_divide_nothing_by_zero():
    V, C = dense_representation(Ensemble([[0], [1], [2]]), 1e-300)
    np.testing.assert_allclose(V @ C, np.eye(3))
