"""Looks at numbers of clusters on the ensembles of a pool."""

import re
from functools import partial

import numpy as np
import pandas as pd
import pytest

from coassoc import DataError, Ensemble
from coassoc.bench.pools.making import make_pool
from coassoc.bench.pools.settings import PoolSettings
from coassoc.bench.storage.hdf5 import read_pool, write_pool
from coassoc.bench.storage.records import Dataset, Pool
from coassoc.confidence import sample_silhouette
from coassoc.methods import METHODS
from coassoc.selection import consensus_distribution, select_n_clusters
from ensembles import groups
from reproduction.survey.selecting import criteria_of_numbers, numbers_up_to
from tasks import noisy_pool, task

pytestmark = pytest.mark.filterwarnings("ignore:The criteria disagree")


@pytest.fixture
def pool() -> Pool:
    return noisy_pool(120, repeats=3)


def test_lines_are_the_criteria_of_each_ensemble(pool):
    what = task("LWEA", points=[{"theta": 0.3}])
    lines = pd.DataFrame(criteria_of_numbers(what, pool, repeats=2, draws=3, largest=6))
    assert set(lines["status"]) == {"ok"} and set(lines["classes"]) == {3}
    assert set(lines["parameters"]) == {'{"theta": 0.3}'}
    assert lines.groupby("repeat")["n_clusters"].apply(list).tolist() == [[2, 3, 4, 5, 6]] * 2
    for repeat, criteria in lines.groupby("repeat"):
        expected = select_n_clusters(
            pool.labels[:, pool.draws[6][repeat]],
            partial(METHODS["LWEA"], theta=0.3),
            range(2, 7),
            n_draws=3,
            random_state=what.repeat_seed(repeat),
        ).criteria
        criteria = criteria.set_index("n_clusters")[expected.columns]
        pd.testing.assert_frame_equal(criteria, expected, check_exact=True)


def test_a_pool_for_each_k_has_its_own_base_clusterings(tmp_path):
    """Those of k have k clusters, and their matrix is what PAC is of (Monti et al. 2003)."""
    X, y = groups()
    settings = PoolSettings(name="each", size=24, for_each_k=5, sizes=(20,), repeats=2, samples=0.8)
    write_pool(tmp_path / "p.h5", make_pool(Dataset(X, y), settings, name="d"))
    pool = read_pool(tmp_path / "p.h5")
    assert pool.labels.shape == (90, 24 * 4)
    assert pool.labels.max(axis=0).tolist() == [k for k in range(1, 5) for _ in range(24)]
    assert pool.attributes["k_rule"] == "each from 2 to 5"
    effort = {"repeats": 2, "draws": 3, "largest": 50}
    lines = pd.DataFrame(criteria_of_numbers(task("EAC-AL", m=20), pool, **effort))
    for _, line in lines.iterrows():
        k = line["n_clusters"]
        columns = (k - 2) * 24 + pool.draws[20][line["repeat"]]
        own = Ensemble(pool.labels[:, columns])
        assert line["PAC"] == consensus_distribution(own).pac()
        fit = METHODS["EAC-AL"](n_clusters=k, random_state=0).fit(own)
        assert line["silhouette"] == sample_silhouette(own, fit.labels_).mean()
    assert lines.groupby("repeat")["n_clusters"].apply(list).tolist() == [[2, 3, 4, 5]] * 2
    with pytest.raises(DataError, match="a different ensemble for each number of clusters"):
        task("EAC-AL", m=20).ensemble(pool, 0)


def test_the_range_ends_at_the_root_of_n_or_earlier():
    assert numbers_up_to(50, n_samples=120) == range(2, 11)
    assert numbers_up_to(50, n_samples=10_000) == range(2, 51)
    assert numbers_up_to(50, n_samples=5) == range(2, 3)


def test_classes_may_be_unknown(pool):
    pool.y = None
    lines = criteria_of_numbers(task("LWEA"), pool, repeats=1, draws=2, largest=3)
    assert {line["classes"] for line in lines} == {None}


def test_a_repeat_that_fails_says_why(pool):
    pool.draws = {1: np.array([[0], [1]])}
    lines = criteria_of_numbers(task("LWEA", m=1), pool, repeats=2, draws=2, largest=3)
    assert [line["repeat"] for line in lines] == [0, 1]
    for line in lines:
        assert re.match("skipped: .*only one base clustering", line["status"])
