"""Statistical tests on numbers known beforehand."""

import itertools
from functools import partial

import numpy as np
import pandas as pd
import pytest
from scipy.stats import wilcoxon

from coassoc.bench import statistics


@pytest.fixture
def random():
    return np.random.default_rng(3)


def test_holm_is_what_it_is_in_the_textbook():
    corrected = statistics.holm(pd.Series([0.01, np.nan, 0.04, 0.03, 0.005]))
    assert corrected.tolist() == pytest.approx([0.03, np.nan, 0.06, 0.06, 0.02], nan_ok=True)


def test_signed_ranks_are_exact_with_equal_changes(random):
    distinct = pd.Series(random.normal(0.3, 1, 14))
    exact = wilcoxon(distinct, method="exact").pvalue
    assert statistics.signed_rank_p(distinct) == pytest.approx(exact)
    assert statistics.signed_rank_p(pd.Series([-0.1] * 20)) == pytest.approx(2 / 2**20)
    assert statistics.signed_rank_p(pd.Series([0.0, 0.0])) == 1
    tied = pd.Series([1.0, 1.0, -1.0, 2.0, 0.0, 2.0])
    signs = np.array(list(itertools.product((0, 1), repeat=5)))
    sums = signs @ [2, 2, 2, 4.5, 4.5]  # mean ranks of 1, 1, 1, 2, 2
    assert statistics.signed_rank_p(tied) == pytest.approx(2 * (sums >= 13).mean())


def test_signed_ranks_believe_what_the_differences_say(random):
    beliefs_in = partial(statistics.bayesian_signed_ranks, rope=0.01)
    assert beliefs_in(np.full(20, 0.05))["better"] > 0.99
    assert beliefs_in(np.full(20, -0.05))["worse"] > 0.99
    assert beliefs_in(random.normal(0, 0.002, 20))["alike"] > 0.99
    beliefs = beliefs_in(random.normal(0, 0.1, 12))
    assert sum(beliefs.values()) == pytest.approx(1)
    assert beliefs["better"] < 0.9 and beliefs["worse"] < 0.9


def test_one_difference_has_the_probability_that_the_posterior_gives():
    # Of one data set with weight w beside the prior, the pairs above r have w (2 − w), and these
    # are most where w > 1 − √½. The weight has the density of Beta(1, ½).
    above = np.sqrt(np.sqrt(0.5))
    better = statistics.bayesian_signed_ranks([1.0], 0.01)["better"]
    assert better == pytest.approx(above, abs=0.015)


def test_eight_data_sets_and_twelve_comparisons_cannot_reject():
    assert statistics.smallest_p(8, 12) == pytest.approx(12 * 2 / 2**8)
    assert statistics.power(8, 12, 5.0) == 0
    none, one, two = (statistics.power(27, 12, effect) for effect in (0.0, 1.0, 2.0))
    assert none < 0.05 < 0.5 < one < two
