"""Consensus partitions of draws, and what is read from them."""

from functools import partial
from itertools import combinations
from unittest.mock import Mock

import numpy as np
import pytest
from hypothesis import given
from sklearn.metrics import adjusted_rand_score

from coassoc import ConfigError, DataError, Ensemble
from coassoc.methods import METHODS
from coassoc.selection import choose_parameters, consensus_distribution, select_n_clusters
from coassoc.selection.resampling import draw_partitions, halves, partitions
from ensembles import label_matrices_with_gaps, noisy_ensemble
from oracles.common import co_association

# -- RESAMPLING ------------------------------------------------------------------------------------

# Consensus partitions into several numbers of clusters, and of draws.


NUMBERS = [2, 3, 5, 9]
#: Methods that cut a dendrogram of a similarity that does not depend on c.
CUT = ["EAC-AL", "EAC-SL", "EAC-CL", "LWEA", "ECPCS-HC", "EC-CMS"]


@pytest.fixture(scope="module")
def ensemble():
    return Ensemble(noisy_ensemble(120, 9, 4, seed=2))


@pytest.mark.parametrize("name", [*CUT, "CA-SC", "LWGP"])
def test_partitions_are_those_of_a_fit_for_each_number(name, ensemble):
    """One fit serves all numbers where a dendrogram is cut."""
    make = Mock(side_effect=METHODS[name])
    labellings = partitions(make, ensemble, NUMBERS, random_state=3)
    assert make.call_count == (1 if name in CUT else len(NUMBERS)) and list(labellings) == NUMBERS
    for c, labels in labellings.items():
        fitted = METHODS[name](n_clusters=c, random_state=3).fit(ensemble)
        np.testing.assert_array_equal(labels, fitted.labels_)


def test_draws_are_halves_that_depend_on_the_seed_and_their_number_alone(ensemble):
    draws = halves(ensemble, 6, random_state=1)
    for columns in draws:
        assert len(np.unique(columns)) == 5
    assert len({tuple(columns) for columns in draws}) > 1
    for one, other in zip(draws, halves(ensemble, 9, random_state=1), strict=False):
        np.testing.assert_array_equal(one, other)


def test_partitions_of_draws_are_those_of_their_base_clusterings(ensemble):
    drawn = draw_partitions(METHODS["LWEA"], ensemble, NUMBERS, n_draws=3, random_state=4)
    for b, columns in enumerate(halves(ensemble, 3, random_state=4)):
        alone = Ensemble(ensemble.labels[:, columns])
        for c in NUMBERS:
            expected = METHODS["LWEA"](n_clusters=c).fit(alone).labels_
            np.testing.assert_array_equal(drawn[c].labels[:, b], expected)


def test_samples_that_a_draw_lacks_are_missing_in_its_partition():
    labels = noisy_ensemble(40, 4, 2, seed=0, noise=0)
    labels[0, 1:] = -1
    ensemble = Ensemble(labels)
    drawn = draw_partitions(METHODS["LWEA"], ensemble, [2], n_draws=8, random_state=0)[2]
    lacking = [0 not in columns for columns in halves(ensemble, 8, random_state=0)]
    assert any(lacking) and not all(lacking)
    np.testing.assert_array_equal(drawn.labels[0] < 0, lacking)
    assert (drawn.labels[1:] >= 0).all()


def test_a_single_base_clustering_has_no_draws():
    with pytest.raises(DataError, match="labels has only one base clustering"):
        halves(Ensemble([[0], [1]]), 2, random_state=0)


def test_a_single_draw_is_refused(ensemble):
    grid = {"theta": [1]}
    for choose in (select_n_clusters, partial(choose_parameters, n_clusters=3, grid=grid)):
        with pytest.raises(ConfigError, match=r"n_draws is 1. It must be an integer of at least 2"):
            choose(ensemble, "LWEA", n_draws=1)


# -- DISTRIBUTION ----------------------------------------------------------------------------------

# Distribution of the consensus index against the pairs of samples, one by one.


@given(label_matrices_with_gaps(max_samples=14, max_clusterings=6, max_clusters=3))
def test_cdf_pac_and_area_are_those_of_the_pairs(labels):
    distribution = consensus_distribution(Ensemble(labels))
    M = co_association(labels)[np.tril_indices(len(labels), -1)]
    np.testing.assert_allclose(distribution.values, np.unique(M))
    for x in (0, 0.1, 0.25, 0.5, 0.9, 1):
        assert distribution.cdf(x) == pytest.approx(np.mean(M <= x))
    assert distribution.pac() == pytest.approx(np.mean((M > 0.1) & (M <= 0.9)))
    assert distribution.pac(0.3, 0.6) == pytest.approx(np.mean((M > 0.3) & (M <= 0.6)))
    # What lies below a distribution function from 0 to 1 is 1 less the mean.
    assert distribution.area == pytest.approx(1 - M.mean())


def test_pairs_that_no_clustering_has_both_of_are_left_out():
    labels = np.array([[0, -1], [0, 0], [-1, 0], [0, 1]])
    distribution = consensus_distribution(Ensemble(labels))
    # (0, 1), (0, 3): together in the one that has both; (1, 2) too; (1, 3): half; (2, 3): never.
    np.testing.assert_allclose(distribution.values, [0, 1 / 2, 1])
    np.testing.assert_allclose(distribution.cumulative, [1 / 5, 2 / 5, 1])


# -- PARAMETERS ------------------------------------------------------------------------------------

# Parameters chosen by the stability of the consensus.


GRID = {"theta": [0.1, 0.4, 4]}


@pytest.fixture(scope="module")
def labels():
    return noisy_ensemble(80, 7, 3, seed=4, noise=0.35)


def test_stability_is_that_of_consensus_partitions_of_halves(labels):
    choice = choose_parameters(labels, METHODS["LWEA"], 3, GRID, n_draws=4, random_state=2)
    for theta, stability in zip(GRID["theta"], choice.points["stability"], strict=True):
        fitted = [
            METHODS["LWEA"](n_clusters=3, theta=theta).fit(labels[:, columns]).labels_
            for columns in halves(Ensemble(labels), 4, random_state=2)
        ]
        pairs = [adjusted_rand_score(a, b) for a, b in combinations(fitted, 2)]
        assert stability == pytest.approx(np.mean(pairs))
    assert choice.points["theta"].tolist() == GRID["theta"]
    assert choice.best == {"theta": choice.points["theta"][choice.points["stability"].idxmax()]}


def test_all_points_of_a_grid_are_tried(labels):
    grid = {"alpha": [0.6, 0.9], "lam": [0.1, 1.0]}
    choice = choose_parameters(labels, METHODS["EC-CMS"], 3, grid, n_draws=2)
    tried = list(map(tuple, choice.points[["alpha", "lam"]].to_numpy()))
    assert tried == [(0.6, 0.1), (0.6, 1.0), (0.9, 0.1), (0.9, 1.0)]
    METHODS["EC-CMS"](n_clusters=3, **choice.best).fit(labels)


def test_of_equally_stable_points_the_first_is_chosen():
    labels = np.repeat(np.arange(3), 5)[:, None].repeat(4, axis=1)
    choice = choose_parameters(labels, METHODS["LWEA"], 3, GRID, n_draws=3)
    assert choice.points["stability"].tolist() == pytest.approx([1, 1, 1])
    assert choice.best == {"theta": 0.1}


@pytest.mark.parametrize("grid", [{}, {"theta": []}, {"theta": [1], "alpha": []}])
def test_an_empty_grid_is_refused(labels, grid):
    with pytest.raises(ConfigError, match="must have values for at least one parameter"):
        choose_parameters(labels, METHODS["LWEA"], 3, grid)
