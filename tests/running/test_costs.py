"""Requests to a cluster: enough for every run that was measured, and not too much."""

from statistics import median
from types import SimpleNamespace

import pandas as pd
import pytest

from benchmarks.cluster_requests import METHODS, Use, planned
from coassoc.methods import METHODS as ESTIMATORS
from reproduction.running import costs
from reproduction.running.costs import RunSize
from snakemake_runs import ROOT

#: Megabytes of the worker process and of the two Snakemakes around a job on a cluster, none of
#: which are in the measured runs; SLURM saw up to 714 MB for the smallest runs.
AROUND = 130 + 370


@pytest.fixture(scope="module")
def runs() -> list[Use]:
    """Runs of the default and of the full configuration, as Snakemake's benchmarks saw them."""
    return [
        Use(
            line.method,
            RunSize(line.rows, line.n_samples, line.n_features, line.fits),
            line.megabytes + AROUND,
            line.processor,
        )
        for line in pd.read_csv(ROOT / "tests/golden/runs.csv").itertuples()
    ]


def test_no_run_exceeded_its_request(runs):
    assert len(runs) > 100
    for use in runs:
        assert use.memory <= 1 and use.time <= 1, use


def test_requests_are_not_far_above_use(runs):
    assert median(1 / use.memory for use in runs) < 3
    # A job of seconds asks for the minutes that are the least; longer ones for what they need.
    long = [use for use in runs if use.processor > 60]
    assert long and median(1 / use.time for use in long) < 10


@pytest.mark.parametrize("method", METHODS)
def test_every_method_has_a_measured_cost_of_rows_or_of_samples(method):
    assert {*METHODS[method].cost} - {"grows_with"} == set(costs.UNKNOWN)
    estimator = ESTIMATORS[method](n_clusters=1)
    whole = estimator.uses_features or estimator.depends_on_sample_order
    size = costs.run_size(planned(method), 1000, 10, 5)
    assert size.n_objects == (1000 if whole else 10)


def test_requests_grow_with_the_rows():
    cost = {"seconds": 60.0, "power": 2.0, "arrays": 10.0}
    method = SimpleNamespace(uses_features=False, cost=cost)
    small, large = (RunSize(rows, 5000, fits=6) for rows in (1000, 2000))
    more = costs.memory_mb(method, large) - costs.memory_mb(method, small)
    assert more == pytest.approx(8e-6 * 10 * 3e6, abs=1)
    more = costs.minutes(costs.seconds(method, large) - costs.seconds(method, small))
    assert more == pytest.approx(5 + 2.5 * 6 * 3, abs=1)


def test_time_grows_with_the_features_where_the_method_does():
    cost = {"seconds": 60.0, "power": 2.0, "arrays": 10.0, "grows_with": "features"}

    def seconds(n_features):
        return costs.seconds(SimpleNamespace(cost=cost), RunSize(1000, 1000, n_features, fits=2))

    assert seconds(1000) == 120 and seconds(500) == 60
    assert seconds(9000) == seconds(1000)  # they lie in a space of n dimensions
    assert seconds(2) == seconds(50) == 6
