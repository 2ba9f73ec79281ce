"""Statistical tests on numbers known beforehand."""

import itertools

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm, wilcoxon

from coassoc import ConfigError
from coassoc.bench import statistics, survives
from coassoc.bench.survival import pool_variance_ratio, score_variances
from refusals import cases, refuses


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


def test_versions_of_a_data_set_count_once():
    names = ["Tr11", "Tr12", "sipu-a1", "sipu-a2", "graves-ring", "graves-ring_noisy", "20NG"]
    families = ["Tr", "Tr", "sipu-a", "sipu-a", "graves-ring", "graves-ring", "20NG"]
    assert [*map(statistics.family, names)] == families
    versions = {"wut-x2-K3": "wut-x", "fcps-target-K6": "fcps-target", "Yale-standardised": "Yale"}
    assert {name: statistics.family(name) for name in versions} == versions
    changes = pd.DataFrame({"one": [0.3, -0.1, 0.1, 0.1, 0.1, 0.1, 0.1], "none": 0.0}, names)
    p = statistics.tested_over_families(changes)
    assert p.to_dict() == {"one": pytest.approx(2 * 2 / 2**4), "none": 1}
    assert statistics.smallest_p(4, 2) == pytest.approx(2 * 2 / 2**4)


# -- SURVIVAL --------------------------------------------------------------------------------------

# Margins on new pools, against simulated pools of which all is known.


def drawn_means(rng, n_pools, M, m, draws):
    """Scores that are means of their base clusterings' values: (pools, draws)."""
    pools = rng.normal(size=(n_pools, M))
    columns = rng.permuted(np.tile(np.arange(M), (n_pools, draws, 1)), axis=2)[:, :, :m]
    return np.take_along_axis(pools[:, None], columns, axis=2).mean(axis=2)


def test_the_ratio_is_that_of_scores_that_are_means_of_their_base_clusterings():
    # Hoeffding's inequality is an equality for linear statistics.
    scores = drawn_means(np.random.default_rng(0), n_pools=4000, M=100, m=20, draws=40)
    within = scores.var(axis=1, ddof=1).mean()
    between = scores.mean(axis=1).var(ddof=1) - within / 40
    assert pool_variance_ratio(20, 100) == 0.25 and between / within == pytest.approx(0.25, rel=0.1)
    assert pool_variance_ratio(20, 0) == 0


def test_variances_are_those_of_the_simulation():
    rng = np.random.default_rng(3)
    parts = [rng.normal(scale=sd, size=size) for sd, size in (
        (0.5, (300, 1, 1)), (0.3, (300, 8, 1)), (1.0, (300, 8, 20)),
    )]  # fmt: skip
    found = score_variances(sum(parts))
    assert found == pytest.approx({"recipe": 0.25, "pool": 0.09, "draw": 1.0}, rel=0.15)
    # By hand: the means of the pools are 1, 3, 5, 7, each with draws one below and one above.
    small = score_variances([[[0, 2], [2, 4]], [[4, 6], [6, 8]]])
    assert small == pytest.approx({"recipe": 8 - 2 / 2, "pool": 2 - 2 / 2, "draw": 2})
    single = score_variances([[[0], [2]]])
    assert single["draw"] == 2 and np.isnan(single["pool"]) and np.isnan(single["recipe"])


def test_intervals_for_new_pools_cover_and_naive_ones_do_not():
    scores = drawn_means(np.random.default_rng(1), n_pools=1000, M=100, m=20, draws=20)
    covered = {"low": 0, "pool_low": 0}
    for of_pool in scores:  # the true margin over new pools is 0
        line = survives(
            {"own": of_pool.mean(), "rival": 0.0},
            {"own": of_pool.std(ddof=1), "rival": 0.0},
            *(20, 20, 100),
            own="own",
        ).iloc[0]
        covered["low"] += line["low"] <= 0 <= line["high"]
        covered["pool_low"] += line["pool_low"] <= 0 <= line["pool_high"]
    assert covered["pool_low"] == pytest.approx(950, abs=25) and covered["low"] < 700


def test_a_margin_keeps_its_sign_as_often_as_told():
    line = survives({"a": 0.5, "b": 0.4}, {"a": 0.1, "b": 0.1}, 10_000, 20, 100, own="a").iloc[0]
    # Large samples: the published and the new mean each have the variance .02 (1/R + .25).
    assert line["keeps_sign"] == pytest.approx(norm.cdf(0.1 / np.sqrt(2 * 0.02 * 0.2501)), abs=1e-4)
    assert line["margin"] == pytest.approx(0.1)


@cases(
    "change, match",
    ({"own": "c"}, "own is 'c'"),
    ({"repeats": 1}, "repeats is 1"),
    ({"sds": {"a": 0.1}}, "standard deviation of 'b'"),
    ({"M": 20}, "M is 20"),
    ({"correlation": 1}, "correlation is 1"),
)
def test_impossible_numbers_are_refused(change, match):
    given = {"means": {"a": 0.5, "b": 0.4}, "sds": {"a": 0.1, "b": 0.1}, "repeats": 20}
    refuses(ConfigError, match, survives, **{**given, "m": 20, "M": 100, "own": "a", **change})
