"""Criteria under both nulls, against the draws themselves."""

import numpy as np
import pandas as pd
import pytest
from scipy.cluster.hierarchy import linkage
from scipy.spatial.distance import pdist

from coassoc.pools.base_clusterings import Recipe
from coassoc.pools.generation import generate_pool
from coassoc.selection import (
    CRITERIA,
    CriteriaTest,
    DisagreementWarning,
    criteria_test,
    select_n_clusters,
)
from ensembles import noisy_copies

pytestmark = pytest.mark.filterwarnings("error::coassoc.selection.DisagreementWarning")
RANGE = range(2, 5)


def test_criteria_of_the_labels_and_of_their_permutations():
    labels, _ = noisy_copies(60, 8, 3, 0.2, seed=1)
    test = criteria_test(labels, n_clusters=RANGE, n_draws=19, n_halves=4)
    order = np.lexsort(labels.T[::-1])  # the test sees the samples in the order of their rows
    with pytest.warns(DisagreementWarning):
        selected = select_n_clusters(labels[order], "EAC-AL", RANGE, n_draws=4)
    np.testing.assert_allclose(test.observed[[*CRITERIA]], selected.criteria[[*CRITERIA]])
    heights = linkage(pdist(labels, "hamming"), "average")[::-1, 2]
    np.testing.assert_allclose(test.observed["height"], heights[:3])
    assert test.null.shape == (19, 3, len(CRITERIA) + 1)
    assert test.p.loc[3, ["PAC", "stability", "ANMI", "silhouette"]].eq(0.05).all()
    assert test.p_best["silhouette"] == 0.05


def test_p_is_the_share_of_the_draws_that_are_as_good():
    test = criteria_test(
        noisy_copies(40, 6, 2, 0.3, seed=2)[0], n_clusters=RANGE, n_draws=9, n_halves=2
    )
    for i, c in enumerate(RANGE):
        for j, name in enumerate(test.observed):
            sign = -1 if name == "PAC" else 1
            as_good = sign * test.null[:, i, j] >= sign * test.observed.loc[c, name] - 1e-12
            assert test.p.loc[c, name] == pytest.approx((1 + as_good.sum()) / 10)
    assert (test.p_best >= test.p.min() - 1e-12).all()


def test_p_over_all_c_is_as_rare_as_it_says():
    """Where the data are one more draw, p is at most 0.1 in a tenth of the cases at most."""
    draws = np.random.default_rng(0).normal(size=(400, 20, 3, len(CRITERIA) + 1))
    p = []
    for values in draws:
        observed = pd.DataFrame(values[0], RANGE, [*CRITERIA, "height"])
        p.append(CriteriaTest(observed, values[1:]).p_best["silhouette"])
    assert np.mean(np.array(p) <= 0.1) <= 0.145  # three standard errors


def test_groups_are_better_than_clouds_at_their_own_number():
    generator = np.random.default_rng(0)
    X = generator.normal(size=(90, 2)) + 8 * np.array([[0, 0], [1, 0], [0, 1]])[np.arange(90) % 3]

    def k_means(X, random_state):
        recipes = [Recipe(k=k, parameters={"init": "k-means++"}) for k in range(2, 8)]
        return generate_pool(X, recipes, size=12, random_state=random_state)

    test = criteria_test(X=X, generate=k_means, n_clusters=RANGE, n_draws=9, n_halves=4)
    assert test.p.loc[3, ["PAC", "silhouette"]].eq(0.1).all()
    part = criteria_test(X=X, generate=k_means, n_clusters=RANGE, n_draws=1, n_halves=2, most=30)
    assert len(part.observed) == 3
