"""Estimates from posterior similarities: the least loss of all partitions, by the definitions."""

import numpy as np
import pytest

from coassoc.errors import ConfigError
from coassoc.posterior import expected_loss, similarity_estimate, similarity_loss, similarity_matrix
from ensembles import noisy_ensemble
from oracles.partition_losses import partitions


@pytest.fixture(scope="module")
def draws():
    return noisy_ensemble(7, 30, 3, seed=2)


@pytest.mark.parametrize("loss", ["Binder", "VI.lb"])
@pytest.mark.parametrize("a", [0.7, 1.0, 1.4])
@pytest.mark.parametrize("most", [None, 2])
def test_no_partition_has_less_loss(draws, loss, a, most):
    P = similarity_matrix(draws)
    found = similarity_estimate(P, loss, a, most)
    allowed = ([*z] for z in partitions(7) if most is None or max(z) < most)
    least = min(similarity_loss(P, z, loss, a) for z in allowed)
    assert found.expected_loss == pytest.approx(least, abs=1e-9)
    assert similarity_loss(P, found.labels, loss, a) == pytest.approx(least, abs=1e-9)


def test_binder_is_the_expected_loss_of_the_draws_and_the_bound_is_below_vi(draws):
    P = similarity_matrix(draws)
    # What no estimate changes: the entropy of the draws, for which the bound has that of P.
    sizes = [(column[:, None] == column).sum(axis=1) for column in draws.T]
    constant = np.log2(P.sum(axis=1)).mean() - np.log2(sizes).mean()
    for z in ([0, 0, 1, 1, 2, 2, 2], [0] * 7, range(7)):
        exact = expected_loss(draws, [*z], "Binder", 1.3)
        assert similarity_loss(P, [*z], "Binder", 1.3) == pytest.approx(exact)
        bound = similarity_loss(P, [*z]) - constant
        assert bound <= expected_loss(draws, [*z], "VI") + 1e-12


def test_the_bound_is_exact_for_one_draw(draws):
    P, z = similarity_matrix(draws[:, :1]), [0, 1, 1, 0, 2, 2, 1]
    for a in (0.5, 1.0):
        exact = expected_loss(draws[:, :1], z, "VI", a)
        assert similarity_loss(P, z, "VI.lb", a) == pytest.approx(exact)


def test_unknown_losses_are_refused():
    for options in ({"loss": "VI"}, {"a": 3}):
        with pytest.raises(ConfigError, match=r"Binder or VI\.lb"):
            similarity_estimate(np.eye(3), **options)
