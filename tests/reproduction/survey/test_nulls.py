"""Tests of structure on clouds and data sets, as the audit has them."""

from functools import partial

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from scipy.spatial.distance import pdist

from coassoc.pools.base_clusterings import Recipe
from coassoc.pools.generation import generate_pool
from coassoc.selection import agreement_test, structure_test
from reproduction.survey.nulls import Cloud, nulls_of_clouds, nulls_of_dataset, turned

RECIPES = [Recipe(k=k, parameters={"init": "k-means++"}) for k in (2, 3)]


def test_a_line_for_each_cloud_with_both_tests(caplog):
    groups = Cloud("groups", 30, 2, 8, repeats=2, size=4)
    clouds = [groups, Cloud("Gaussian", 20, 3, repeats=1, size=4)]
    with caplog.at_level("INFO", "reproduction"):
        lines = pd.DataFrame(nulls_of_clouds(RECIPES, 1, clouds))
    told = ["groups, 30 points, 2 dimensions", "Gaussian, 20 points, 3 dimensions"]
    assert [record.getMessage() for record in caplog.records] == told
    expected = [["groups", 30, 2, 0], ["groups", 30, 2, 1], ["Gaussian", 20, 3, 0]]
    assert lines[["shape", "n", "d", "repeat"]].to_numpy().tolist() == expected
    assert lines["observed"].iloc[0] != lines["observed"].iloc[1]
    again = pd.DataFrame(nulls_of_clouds(RECIPES, 1, clouds[1:]))
    pd.testing.assert_frame_equal(lines.iloc[2:].reset_index(drop=True), again)


def test_many_features_are_turned_into_as_many_dimensions_as_the_samples_have():
    X = sp.random_array((12, 40), density=0.3, rng=np.random.default_rng(1), format="csr")
    found = turned(X)
    assert found.shape == (12, 11) and turned(found) is found
    np.testing.assert_allclose(pdist(found), pdist(X.toarray()), atol=1e-12)
    # The clouds are turned with them: the same base clusterings, and the same p.
    nulls = nulls_of_dataset(X, RECIPES, 4, seed=5, draws=19)
    generate = partial(generate_pool, recipes=RECIPES, size=4)
    features = structure_test(X.toarray(), generate, n_draws=19, random_state=5)
    by_labels = agreement_test(generate(X.toarray(), random_state=5), n_draws=19, random_state=5)
    assert nulls["p_labels"] == by_labels.p
    assert nulls["observed"] == pytest.approx(features.observed)
    assert nulls["mean"] == pytest.approx(features.null.mean())
    assert (nulls["n"], nulls["d"], nulls["p_features"]) == (12, 40, features.p)
