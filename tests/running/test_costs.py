"""Requests to a cluster: enough for every run that was measured, and not too much."""

import re
from statistics import median

import pandas as pd
import pytest

from benchmarks.cluster_requests import METHODS, Use, planned
from coassoc.methods import METHODS as ESTIMATORS
from plans import settings
from reproduction.running import costs
from reproduction.running.costs import RunSize
from reproduction.study.plan import Plan
from snakemake_runs import ROOT

#: Megabytes of the worker process and of the two Snakemakes around a job on a cluster, none of
#: which are in the measured runs; SLURM saw up to 714 MB for the smallest runs.
AROUND = 130 + 370


@pytest.fixture(scope="module")
def runs() -> list[Use]:
    """Runs of the default and of the full configuration, as Snakemake's benchmarks saw them."""
    lines = pd.read_csv(ROOT / "tests/golden/runs.csv")
    sizes = map(RunSize, *(lines[x] for x in ("rows", "n_samples", "n_features", "fits")))
    memory = lines["megabytes"] + AROUND
    return [*map(Use, lines["method"], sizes, memory, lines["processor"])]


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


def test_the_forecast_counts_all_that_the_requested_names_need(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    plan = Plan({**settings(), "targets": ["hclce_table2", "audit_n_clusters"], "kept": None})
    plan.write()

    def numbers(*names: str) -> list[int]:
        """Numbers of runs and of measurements that are missing."""
        said = costs.forecast(plan, names)
        found = re.search(r"(no|\d+) runs? .* missing(?:.*: (\d+) measurement)?", said)
        assert found, said
        return [int(x) if x and x != "no" else 0 for x in found.groups()]

    runs, measurements = numbers()
    assert runs and measurements
    assert numbers("all", "scorecard_so_far") == numbers("all", "results/x") == numbers()
    assert numbers("hclce_table2") == numbers("results/scores.parquet") == [runs, 0]
    assert numbers("figures/audit/n_clusters.png") == [0, measurements]
    assert numbers("results/measurements.parquet") == [0, measurements]
    assert numbers("findings", "all")[0] == numbers("ranking", "all")[0] > runs
    assert costs.forecast(plan, ["all", "results/x"]).endswith("not counted: the runs of results/x")
    assert costs.forecast(plan, ["results/x"]) == "the runs of results/x are not counted"
