"""What jobs are told of runs: tasks, features, memory and time."""

import json
from dataclasses import replace

import numpy as np
import pytest

from reproduction.plan.catalogues import load_catalogues
from reproduction.plan.cells import Plan
from reproduction.plan.closure import LIBRARY, SourceCode
from reproduction.plan.keys import RunKey
from reproduction.plan.revisions import Revisions
from coassoc.pools.draws import make_draws
from coassoc.bench.fits import Task
from reproduction.running.work import Work
from coassoc.storage.hdf5 import write_pool
from coassoc.storage.records import Pool
from plans import CONFIG, settings

RUN = RunKey("kmeans-small", "Glass", 20, "EC-CMS")
DIGITS = replace(RUN, dataset="Digits")
REVISIONS = Revisions(SourceCode(LIBRARY))


@pytest.fixture(scope="module")
def plan(tmp_path_factory) -> Plan:
    path = tmp_path_factory.mktemp("own") / "own.yaml"
    path.write_text("{Mine: {file: mine.csv, classes: 5}, Bare: {file: points.csv}}")
    config = {**settings(), "datasets": [str(path)]}
    return Plan(config, load_catalogues(CONFIG, config))


@pytest.fixture
def work(plan, tmp_path, monkeypatch) -> Work:
    """In a folder in which nothing is made yet."""
    monkeypatch.chdir(tmp_path)
    return Work(plan, REVISIONS)


def replanned(plan: Plan, **changes) -> Plan:
    return Plan({**plan.config, **changes}, plan.catalogues)


def test_a_run_is_a_task_that_survives_a_file(work):
    record = json.loads(json.dumps(work.task(RUN.at({"alpha": [0.7, 0.8]}))))
    task = Task(**record)
    assert (task.method, task.pool, task.dataset, task.m) == ("EC-CMS", "kmeans-small", "Glass", 20)
    assert task.points == [{"alpha": 0.7}, {"alpha": 0.8}] and task.seed == 0
    assert task.record() == record and task.code in work.present_codes()
    assert work.task(replace(RUN, method="EAC-CL"))["estimator"] == {
        "location": "coassoc.methods.eac:EAC",
        "fixed": {"linkage": "complete"},
    }
    shortened = replace(RUN, pool="kmeans-small-shuffled-10", race="ARI", repeats=5)
    task = Task(**work.task(shortened))
    assert (task.pool, task.race, task.repeats) == ("kmeans-small-shuffled-10", "ARI", 5)
    assert "race by ARI" in task.code


@pytest.mark.parametrize("configs", [["full"], ["full", "two-cores"]])
def test_every_run_of_the_papers_has_all_that_it_asks_for(configs, catalogues):
    plan = Plan(settings(*configs), catalogues)
    work = Work(plan, REVISIONS)
    runs = {run for target in plan.wanted for cell in target.cells for run in cell.runs}
    assert len(runs) > 4000
    for run in runs:
        task = Task(**work.task(run))
        assert task.points and task.code.startswith(run.method)
        assert work.memory_mb([run]) > 0 and work.minutes([run]) > 0


def test_a_configured_number_of_clusters_is_that_of_runs_and_of_figures(work, plan):
    assert work.task(replace(RUN, dataset="Mine"))["n_clusters"] == 5
    assert work.task(replace(RUN, dataset="Mine", n_clusters=4))["n_clusters"] == 4
    for fit in work.fits(plan.target("eccms/figure4")):
        classes = plan.catalogues.datasets[fit["dataset"]].classes
        assert fit["task"]["n_clusters"] == classes and fit["features_file"] == ""


def test_fits_of_a_figure_are_tasks(work, plan):
    fits = work.fits(plan.target("acmk/figure1"))
    assert json.loads(json.dumps(fits)) == fits and len(fits) > 1
    for fit in fits:
        assert Task(**fit["task"]).dataset == fit["dataset"] == "Glass"
        assert fit["pool_file"] == "data/pools/kmeans-small-c/Glass.h5"
        assert fit["features_file"] == "data/datasets/Glass.h5"


def test_only_methods_that_see_features_need_them(work):
    assert work.features([RUN]) == []
    several = [replace(RUN, method=method) for method in ("LWEA", "ACMK-SC", "ACMK-KM")]
    assert work.features(several) == ["data/datasets/Glass.h5"]


def test_requests_follow_the_points_and_the_pool(work, plan, tmp_path):
    one = replace(DIGITS, method="LTA-SC")
    two = one.at({"lam": [0.01, 0.02]})
    assert work.minutes([two]) > work.minutes([one])
    # Endings of one refinement: it takes what the longest of them takes, fits of a figure all.
    assert work.minutes([one, two]) == work.minutes([two])
    assert work.minutes([one, one], "fits") == 2 * work.minutes([one], "fits")
    before = work.memory_mb([DIGITS])
    labels = np.repeat(np.arange(20)[:, None] % 4, 25, axis=1)
    repeats = plan.catalogues.pools["kmeans-small"].repeats
    pool = Pool(labels, None, make_draws(25, [20], repeats, seed=0))
    write_pool(tmp_path / "data/pools/kmeans-small/Digits.h5", pool)
    assert work.memory_mb([DIGITS]) < before


def test_usual_seconds_follow_what_is_made(work, plan):
    repeats = plan.catalogues.pools["kmeans-small"].repeats
    of_a_fit = work.usual_seconds("scores", DIGITS) / repeats
    assert of_a_fit > 0
    timed = plan.config["timing"]["repeats"] * of_a_fit
    assert work.usual_seconds("timing", DIGITS) == pytest.approx(timed)
    assert work.usual_seconds("fits", DIGITS) == pytest.approx(of_a_fit)
    assert work.usual_seconds("selection", DIGITS) > of_a_fit


def test_measuring_growth_is_expected_to_stop_after_a_slow_fit(plan):
    def expected(**timing):
        changed = replanned(plan, timing={**plan.config["timing"], "repeats": 3, **timing})
        return Work(changed, REVISIONS).usual_seconds("scaling", DIGITS)

    half, whole = (expected(shares=[share], stop_after=1e9) / 3 for share in (0.5, 1))
    assert half < whole
    assert expected(shares=[1, 0.5], stop_after=1e9) == pytest.approx(3 * (half + whole))
    between = (half + whole) / 2
    assert expected(shares=[1, 0.5], stop_after=between) == pytest.approx(3 * half + whole)
    assert expected(shares=[1, 0.5], stop_after=half / 2) == pytest.approx(half)


def test_a_comparison_asks_for_all_its_fits(work, plan):
    entry = {"pool": "kmeans-small", "datasets": ["Bare"], "m": 20, "range": [2, 6]}

    def minutes(*methods):
        (wanted,) = replanned(plan, consensus=[{**entry, "methods": [*methods]}]).consensus
        assert list(work.consensus(wanted)["methods"]) == [*methods]
        return work.minutes_of_consensus(wanted)

    assert minutes("LWEA", "LWGP") == minutes("LWEA") + minutes("LWGP") > minutes("LWEA")
