"""Statistical tests on numbers known beforehand."""

import itertools

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


def test_versions_of_a_data_set_count_once():
    names = ["Tr11", "Tr12", "sipu-a1", "sipu-a2", "graves-ring", "graves-ring_noisy", "20NG"]
    families = ["Tr", "Tr", "sipu-a", "sipu-a", "graves-ring", "graves-ring", "20NG"]
    assert [*map(statistics.family, names)] == families
    versions = {"wut-x2-K3": "wut-x", "fcps-target-K6": "fcps-target"}
    assert {name: statistics.family(name) for name in versions} == versions
    changes = pd.DataFrame({"one": [0.3, -0.1, 0.1, 0.1, 0.1, 0.1, 0.1], "none": 0.0}, names)
    p = statistics.tested_over_families(changes)
    assert p.to_dict() == {"one": pytest.approx(2 * 2 / 2**4), "none": 1}
    assert statistics.smallest_p(4, 2) == pytest.approx(2 * 2 / 2**4)
