"""Consensus partitions into several numbers of clusters, and of draws."""

from functools import partial
from unittest.mock import Mock

import numpy as np
import pytest

from coassoc import ConfigError, DataError, Ensemble
from coassoc.methods import METHODS
from coassoc.selection import choose_parameters, select_n_clusters
from coassoc.selection.resampling import draw_partitions, halves, partitions
from ensembles import noisy_ensemble

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
    assert make.call_count == (1 if name in CUT else len(NUMBERS))
    assert list(labellings) == NUMBERS
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
