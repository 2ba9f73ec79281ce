"""Convergence of chains: published definitions, and chains of which it is known."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from scipy.stats import chi2

from coassoc.posterior import Draws, convergence, point_estimate
from coassoc.posterior.convergence import _drifts, _largest_rhat, bulk_ess, split_rhat
from ensembles import noisy_ensemble
from oracles.partition_losses import losses
from refusals import cases


def autocorrelated(chains, draws, phi, seed=0):
    x = np.random.default_rng(seed).normal(size=(chains, draws))
    for t in range(1, draws):
        x[:, t] += phi * x[:, t - 1]
    return x


@cases(
    "x, rhat, ess",
    (autocorrelated(2, 101, 0.9), 1.1715667545, 13.27626484),
    (autocorrelated(4, 250, 0.97), 1.2376507424, 14.36238598),
    (autocorrelated(3, 40, -0.5), 1.0247527094, 249.50174953),
    (autocorrelated(2, 20, 0.5), 1.1896008885, 10.44880554),
    ((autocorrelated(2, 100, 0.3) > 0.5).astype(float), 1.0005084492, 84.40466209),
    (np.round(autocorrelated(4, 300, 0.5)), 1.0095019190, 390.57572146),
)
def test_numbers_are_those_of_arviz(x, rhat, ess):
    """ArviZ 0.23.4: `rhat` and `ess` with their default methods, rank and bulk."""
    assert split_rhat(x) == pytest.approx(rhat, abs=1e-9)
    assert bulk_ess(x) == pytest.approx(ess, abs=1e-6)


def chains_of(modes, places, seed=0, noise=0.05):
    """Chains × draws × items: noisy copies of the modes at given places, with other names."""
    random = np.random.default_rng(seed)
    draws = np.array(modes)[np.array(places)]
    draws = np.where(random.random(draws.shape) < noise, random.integers(0, 4, draws.shape), draws)
    return (draws + 3 * np.arange(len(draws))[:, None, None]) % 20


MODES = [np.arange(40) // 10, np.arange(40) // 14]


def judged(draws):
    checked = Draws.of(draws)
    return convergence(checked, point_estimate(checked, n_starts=8).labels)


def test_a_chain_that_spends_time_in_another_mode_has_not_converged():
    places = np.zeros((2, 300), int)
    places[1, 180:] = 1
    found = judged(chains_of(MODES, places))
    assert found.differs and not found.agree
    assert str(found).startswith("The chains have not converged: largest split R̂ ")
    assert "several modes: 2 partitions represent 80 % and 20 % of them" in str(found)
    np.testing.assert_allclose(found.covers, [[1, 0], [0.6, 0.4]])
    assert split_rhat(np.repeat([[0.0], [1.0]], 200, axis=1)) == np.inf


@pytest.mark.parametrize("chains", [1, 4])
def test_a_burn_in_of_all_chains_alike_is_no_convergence(chains):
    """The halves of the chains differ no more than a slow chain explains: they move together."""
    places = np.zeros((chains, 300), int)
    places[:, :30] = 1
    found = judged(chains_of(MODES, places))
    assert found.drifts and found.differs and not found.agree
    assert "have not converged: the first draws differ from the last. Leave" in str(found)
    random = np.random.default_rng(2).random((chains, 300)) < 0.1
    assert not judged(chains_of(MODES, random.astype(int))).drifts


@pytest.mark.parametrize("seed", [9, 115])
def test_chains_that_change_modes_a_few_times_had_no_time_to_converge(seed):
    """They differ no more than this explains, but have about five effective draws each."""
    moves = np.random.default_rng(seed).random((4, 300)) < 0.008
    found = judged(chains_of(MODES, np.cumsum(moves, axis=1) % 2))
    assert found.differs and max(found.rhat.values()) < 1.3 and min(found.ess.values()) > 16


def test_chains_that_visit_two_modes_agree_and_have_two_modes():
    places = (np.random.default_rng(1).random((4, 300)) < 0.3).astype(int)
    found = judged(chains_of(MODES, places))
    assert found.agree and "The chains agree" in str(found)
    np.testing.assert_allclose(found.modes.weights, [0.7, 0.3], atol=0.05)
    few, many = ({"x": ess} for ess in (399.0, 400.0))  # a hundred for each chain
    assert replace(found, ess=many).agree and not replace(found, ess=few).agree
    assert not replace(found, rhat={"x": 1.01}).agree
    three = convergence(chains_of(MODES, places), MODES[0], n_partitions=3)
    assert len(three.modes.weights) == 3 and three.covers.shape == (4, 3)
    assert "several modes: 3 partitions" in three.verdict_on_modes


@cases(
    "modes, p, noise",
    (MODES, [0.98, 0.02], 0.01),  # too few draws in the second
    # One item of forty moves: two partitions are hardly nearer to the draws than one.
    ([MODES[0], np.append(1, MODES[0][1:])], [0.5, 0.5], 0.15),
    ([np.arange(40) // k for k in range(14, 27)], np.full(13, 1 / 13), 0.01),  # a continuum
)
def test_draws_of_one_mode_have_no_second(modes, p, noise):
    places = np.random.default_rng(1).choice(len(p), (4, 300), p=p)
    assert judged(chains_of(modes, places, noise=noise)).modes is None


@pytest.mark.parametrize(("phi", "shift"), [(0, 0), (0, 1), (0.9, 0), (0.9, 1)])
def test_autocorrelation_explains_a_difference_whatever_it_is(phi, shift):
    """The effective sample size of a half of a chain is (1 − φ) / (1 + φ) of its draws."""
    x = autocorrelated(2, 4000, phi) + np.array([[0], [shift]])
    variance = chi2.isf(0.001, 3) / 3 / (2000 * (1 - phi) / (1 + phi))
    assert _largest_rhat(x, 0.001) ** 2 - 1 == pytest.approx(variance, rel=0.25, abs=0.001)


def test_first_draws_drift_if_they_differ_clearly_and_significantly():
    x = np.random.default_rng(0).normal(size=(4, 1000))
    slow = autocorrelated(1, 100, 0.99)
    assert abs(slow[:, :10].mean() - slow[:, 50:].mean()) > slow.std()
    for values, step, drifts in ((x, 0.5, False), (x, 2, True), (slow, 0, False)):
        shifted = values.copy()
        shifted[:, : values.shape[1] // 10] += step
        assert _drifts(shifted, 0.001) == drifts


def test_series_are_numbers_distances_and_pairs_of_which_no_two_share_an_item():
    draws = noisy_ensemble(24, 200, 3, seed=3)
    estimate = point_estimate(draws).labels
    found = convergence(Draws.of(draws.T.reshape(2, 100, 24)), estimate).series
    assert found["number of clusters"].tolist() == [len({*draw}) for draw in draws.T]
    distances = [losses(draw, estimate.tolist())["VI"] for draw in draws.T.tolist()]
    np.testing.assert_allclose(found["distance to the estimate"], distances, atol=1e-12)
    together = draws[:, None] == draws
    doubt, used, pairs = together.mean(axis=2), [], []
    for i, j in sorted(combinations(range(24), 2), key=lambda ij: -doubt[ij] * (1 - doubt[ij])):
        if not {i, j} & {*used}:
            used, pairs = [*used, i, j], [*pairs, (i, j)]
    assert [*found][3:] == [f"{i} with {j}" for i, j in pairs[:10]]
    assert all((found[f"{i} with {j}"] == together[i, j]).all() for i, j in pairs[:10])
    same = convergence(np.tile(MODES[0], (2, 50, 1)), MODES[0]).series
    assert [*same] == ["number of clusters", "distance to the estimate"]


def test_one_mode_one_chain_and_short_chains_are_told():
    found = judged(chains_of(MODES, np.zeros((1, 300), int)))
    assert "One chain cannot show" in str(found) and found.modes is None
    assert "too short" in str(judged(chains_of(MODES, np.zeros((2, 10), int))))
    same = judged(np.tile(MODES[0], (2, 200, 1)))
    assert same.agree and same.modes is None
