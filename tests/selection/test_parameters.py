"""Parameters chosen by the stability of the consensus."""

from itertools import combinations

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from coassoc import ConfigError, Ensemble
from coassoc.methods import METHODS
from coassoc.selection import choose_parameters
from coassoc.selection.resampling import halves
from ensembles import noisy_ensemble

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


@pytest.mark.parametrize("grid", [{}, {"theta": []}])
def test_an_empty_grid_is_refused(labels, grid):
    with pytest.raises(ConfigError, match="must have values for at least one parameter"):
        choose_parameters(labels, METHODS["LWEA"], 3, grid)
