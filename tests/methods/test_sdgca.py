"""SDGCA against golden outputs and n × n arrays."""

import numpy as np
import pytest

from coassoc import Ensemble, InvariantMatrix, MethodError
from coassoc.methods import METHODS
from coassoc.methods.sdgca import (
    dissimilar_pairs,
    guided_similarity,
    learn_relations,
    normalized_co_association,
    similar_pairs,
)
from coassoc.similarity import co_association
from ensembles import with_defaults
from goldens import Golden, assert_rows
from oracles import sdgca as oracle

learn_relations = with_defaults(learn_relations, "SDGCA")

#: Parameters of the stored outputs.
LAM, ETA, THETA = 0.09, 0.65, 0.75


def steps(ensemble, lam, eta, theta):
    """W, M, Q, S, D and how these were learned, as the estimator makes them."""
    A = co_association(ensemble)
    W, Q = normalized_co_association(ensemble, lam), dissimilar_pairs(ensemble)
    M = similar_pairs(W, A, Q, theta)
    links = A.map(lambda a: np.where(a >= eta, a, 0.0))
    L = InvariantMatrix.from_diagonal(links.row_sums(), A.microclusters) - links
    return W, M, Q, *learn_relations(L, M, Q)


def test_golden_outputs(golden):
    expected = golden.outputs("sdgca")
    W, M, Q, S, D, iteration = steps(golden.ensemble, LAM, ETA, THETA)
    assert np.asarray(Q).any() == (golden.name == "gdisc40")
    final = guided_similarity(S, D, W)
    for key, matrix in (
        ("NWCA", W), ("ML", M), ("CL", Q), ("S", S), ("D", D), ("W", final),
    ):  # fmt: skip
        assert_rows(matrix, expected, key, 1e-12)
    model = METHODS["SDGCA"](golden.n_clusters, lam=LAM, eta=ETA, theta=THETA)
    found_by_fit = np.asarray(model.fit(golden.ensemble).affinity_)
    np.testing.assert_allclose(found_by_fit, np.asarray(final), rtol=0, atol=1e-12)
    assert model.n_iter_ == iteration.n_iter and model.converged_


def test_no_links_leave_the_weighted_co_association():
    golden = Golden("g60")
    model = METHODS["SDGCA"](3, eta=1.01).fit(golden.ensemble)
    expected = oracle.normalized_co_association(golden.labels)
    np.testing.assert_allclose(np.asarray(model.affinity_), expected, atol=1e-13)
    assert all(len(values) == 0 for values in model.history_.values())


def test_more_samples_than_floating_point_numbers_can_tell_apart_are_refused():
    rows = [[0, 0, 1], [0, 1, 1], [1, 1, 0], [1, 0, 2], [2, 2, 2]]
    counted = Ensemble.from_counts(rows, [10**17, 10**17 + 3, 5, 10**15, 7])
    with pytest.raises(MethodError, match="Divide all sizes that you passed by the same"):
        METHODS["SDGCA"](2).fit(counted)
