"""What rules ask: inputs, parameters, memory and time of jobs, by the names in their paths."""

from __future__ import annotations

import json
import re
from copy import deepcopy
from dataclasses import asdict
from types import SimpleNamespace

import numpy as np
import pytest
from snakemake.utils import update_config

from coassoc.errors import ConfigError
from coassoc.figures.kinds import DRAWN_BY
from coassoc.plan.catalogues import load_catalogues
from coassoc.plan.experiments import Experiments
from coassoc.plan.runs import stored_pool
from coassoc.pools.draws import make_draws
from coassoc.running.jobs import Jobs
from coassoc.running.tasks import Task
from coassoc.storage.configuration import load_yaml
from coassoc.storage.hdf5 import write_pool
from coassoc.storage.records import Pool
from snakemake_runs import ROOT

OWN = """
Mine:
  file: mine.csv
  classes: 5
"""


@pytest.fixture(scope="module")
def config() -> dict:
    return load_yaml(ROOT / "config/config.yaml")


@pytest.fixture(scope="module")
def experiments(config, tmp_path_factory) -> Experiments:
    path = tmp_path_factory.mktemp("own") / "own.yaml"
    path.write_text(OWN)
    config = {**config, "datasets": [path]}
    return Experiments(config, load_catalogues(ROOT / "config", config))


@pytest.fixture
def jobs(experiments, tmp_path, monkeypatch) -> Jobs:
    """In a folder in which nothing is made yet."""
    monkeypatch.chdir(tmp_path)
    return Jobs(experiments, ROOT)


def names(**changes: str) -> SimpleNamespace:
    run = {"pool": "kmeans-small", "dataset": "Glass", "m": "20", "method": "EC-CMS"}
    return SimpleNamespace(**{**run, "parameters": "alpha=0.7+0.8", **changes})


def artefact(name: str) -> SimpleNamespace:
    return SimpleNamespace(artefact=name)


def test_a_run_is_a_task_that_survives_a_file(jobs):
    record = json.loads(json.dumps(jobs.of_any_method.tasks(names())[0]))
    task = Task(**record)
    assert (task.method, task.pool, task.dataset, task.m) == ("EC-CMS", "kmeans-small", "Glass", 20)
    assert task.points == [{"alpha": 0.7}, {"alpha": 0.8}] and task.seed == 0
    assert task.record() == record
    assert Task(
        **jobs.of_any_method.tasks(names(method="EAC-CL", parameters="default"))[0]
    ).estimator == {
        "location": "coassoc.methods.eac:EAC",
        "fixed": {"linkage": "complete"},
    }


@pytest.mark.parametrize("configs", [["full.yaml"], ["full.yaml", "two-cores.yaml"]])
def test_every_run_of_the_papers_has_one_rule_and_all_that_it_asks_for(config, configs):
    for name in configs:
        update_config(config := deepcopy(config), load_yaml(ROOT / "config" / name))
    experiments = Experiments(config, load_catalogues(ROOT / "config", config))
    jobs = Jobs(experiments, ROOT)
    together = {name: rule for rule in jobs.run_rules.values() for name in rule.methods}
    alone = re.compile(jobs.names_of_methods_alone())
    kinds = [re.compile(jobs.data.names_of_pools(kind)) for kind in ("generated", "published")]
    runs = {run for each in experiments.wanted for cell in each.cells for run in cell.runs}
    assert len(runs) > 4000
    for run in runs:
        assert bool(alone.fullmatch(run.method)) != (run.method in together)
        assert sum(bool(kind.fullmatch(stored_pool(run.pool))) for kind in kinds) == 1
        rule = together.get(run.method, jobs.of_any_method)
        wildcards = names(**{**asdict(run), "m": str(run.m)})
        assert Task(**rule.tasks(wildcards)[0]).points
        assert rule.memory(wildcards, 1) > 0 and rule.minutes(wildcards, 1) > 0
        assert len(rule.code("run_method")(wildcards)) == 16


def test_a_configured_number_of_clusters_is_that_of_runs_and_of_figures(jobs, experiments):
    assert jobs.of_any_method.tasks(names(dataset="Mine"))[0]["n_clusters"] == 5
    assert jobs.data.classes(names(dataset="Mine")) == 5
    entries = experiments.catalogues.datasets
    for fit in jobs.fits(artefact("eccms/figure4")):
        assert fit["task"]["n_clusters"] == entries[fit["dataset"]].classes


def test_fits_of_a_figure_are_tasks(jobs):
    fits = jobs.fits(artefact("acmk/figure1"))
    assert json.loads(json.dumps(fits)) == fits and len(fits) > 1
    for fit in fits:
        assert Task(**fit["task"]).dataset == fit["dataset"] == "Glass"
        assert fit["pool_file"] == "data/pools/kmeans-small-c/Glass.h5"
        assert fit["features_file"] == "data/datasets/Glass.h5"
    assert jobs.fit_features(artefact("acmk/figure1")) == ["data/datasets/Glass.h5"]
    assert jobs.fit_features(artefact("eccms/figure4")) == []


def test_only_methods_that_see_features_need_them(jobs):
    assert jobs.of_any_method.features(names()) == []
    assert jobs.of_any_method.features(names(method="ACMK-SC", parameters="default")) == [
        "data/datasets/Glass.h5"
    ]


def test_what_a_data_set_is_prepared_from(jobs, tmp_path):
    assert jobs.data.dataset_files(names(dataset="Ecoli")) == ["data/sources/Ecoli.json"]
    # It comes with the project, which may be anywhere; the sum of its content stands for it.
    assert jobs.data.dataset_files(names(dataset="Glass")) == []
    assert "sha256" in str(jobs.data.dataset_record(names(dataset="Glass")))
    with pytest.raises(ConfigError, match=r"mine\.csv"):
        jobs.data.dataset_files(names(dataset="Mine"))
    (tmp_path / "mine.csv").write_text("1,2\n")
    # As it is written, so that another place of the folder changes nothing.
    assert jobs.data.dataset_files(names(dataset="Mine")) == ["mine.csv"]
    assert jobs.data.score_features(names(dataset="Mine")) == ["data/datasets/Mine.h5"]
    assert jobs.data.score_features(names()) == []


def test_an_unknown_data_set_is_named(jobs):
    with pytest.raises(ConfigError, match="Nowhere"):
        jobs.data.dataset_record(names(dataset="Nowhere"))


def test_clusterers_are_checked(config, jobs, tmp_path):
    jobs.data.check_clusterers()
    entry = "{kind: generated, clusterer: KMedoids, size: 9, draws: {sizes: [9], repeats: 1}}"
    (tmp_path / "pools.yaml").write_text(f"Medoids: {entry}")
    config = {**config, "pools": [tmp_path / "pools.yaml"]}
    own = Jobs(Experiments(config, load_catalogues(ROOT / "config", config)), ROOT)
    with pytest.raises(ConfigError, match=r"^pools: Medoids\.clusterer is 'KMedoids'; allowed are"):
        own.data.check_clusterers()


def test_a_second_attempt_asks_for_more(jobs):
    for ask in (jobs.of_any_method.memory, jobs.of_any_method.minutes, jobs.data.dataset_memory):
        assert ask(names(), attempt=2) == 2 * ask(names(), attempt=1) > 0
    for ask in (jobs.data.generation_memory, jobs.data.generation_minutes):
        assert ask(names(), attempt=2, threads=2) == 2 * ask(names(), attempt=1, threads=2)
    for ask in (jobs.fits_memory, jobs.fits_minutes):
        figure = artefact("eccms/figure4")
        assert ask(figure, attempt=2) == 2 * ask(figure, attempt=1) > 0


def test_requests_follow_the_points_and_the_pool(jobs, experiments, tmp_path):
    large = names(dataset="Digits", method="LTA-SC", parameters="default")
    two = names(dataset="Digits", method="LTA-SC", parameters="lam=0.01+0.02")
    assert jobs.of_any_method.minutes(two, 1) > jobs.of_any_method.minutes(large, 1)
    before = jobs.of_any_method.memory(names(dataset="Digits"), 1)
    labels = np.repeat(np.arange(20)[:, None] % 4, 25, axis=1)
    repeats = experiments.catalogues.pools["kmeans-small"].repeats
    pool = Pool(labels, None, make_draws(25, [20], repeats, seed=0))
    write_pool(tmp_path / "data/pools/kmeans-small/Digits.h5", pool)
    assert jobs.of_any_method.memory(names(dataset="Digits"), 1) < before


def test_expected_seconds_follow_the_rule(jobs, config):
    def expected(rule, **changes):
        return jobs.expected_seconds(rule, names(dataset="Digits", **changes))

    imports = expected("score_run")
    assert expected("run_method") > imports > 0
    repeats = jobs._experiments.catalogues.pools["kmeans-small"].repeats
    of_a_fit = (expected("run_method") - imports) / repeats
    measured = expected("time_method", measured="timing") - imports
    assert measured / of_a_fit == pytest.approx(config["timing"]["repeats"])
    assert jobs.expected_seconds("plot_matrices", artefact("eccms/figure4")) > imports


def test_measuring_growth_is_expected_to_stop_after_a_slow_fit(config, experiments):
    asked = names(dataset="Digits", parameters="default", measured="scaling")

    def expected(**timing):
        changed = {**config, "timing": {**config["timing"], "repeats": 3, **timing}}
        jobs = Jobs(Experiments(changed, experiments.catalogues), ROOT)
        imports = jobs.expected_seconds("score_run", asked)
        return jobs.expected_seconds("time_method", asked) - imports

    half, whole = (expected(shares=[share], stop_after=1e9) / 3 for share in (0.5, 1))
    assert half < whole
    assert expected(shares=[1, 0.5], stop_after=1e9) == pytest.approx(3 * (half + whole))
    between = (half + whole) / 2
    assert expected(shares=[1, 0.5], stop_after=between) == pytest.approx(3 * half + whole)
    assert expected(shares=[1, 0.5], stop_after=half / 2) == pytest.approx(half)


def test_patterns_fit_their_artefacts_and_nothing_else(jobs, experiments):
    tables, curves = jobs.pattern("tables"), jobs.pattern("figures", "sensitivity", "surface")
    for each in experiments.artefacts.values():
        name = f"{each.paper}/{each.name}"
        assert bool(re.fullmatch(tables, name)) == (each.section == "tables")
        assert bool(re.fullmatch(curves, name)) == (each.kind in ("sensitivity", "surface"))
    assert not re.fullmatch(jobs.pattern("figures", "no such kind"), "")
    assert re.fullmatch(jobs.data.names_of_pools("generated"), "kmeans-small")
    assert not re.fullmatch(jobs.data.names_of_pools("published"), "kmeans-small")


def test_everything_about_an_artefact_is_plain(jobs, experiments):
    for each in experiments.artefacts.values():
        place = artefact(f"{each.paper}/{each.name}")
        asked = (jobs.cells, jobs.specification, jobs.published, jobs.kind, jobs.score_files)
        for ask in (
            *asked,
            jobs.pool_files,
            jobs.base_score_files,
            jobs.run_files,
            jobs.labels("x"),
        ):
            answer = ask(place)
            assert json.loads(json.dumps(answer)) == answer, (each.target, ask)
        assert jobs.paper_title(place)


def test_scores_come_from_where_the_artefact_has_them(jobs):
    (first, *_) = jobs.score_files(artefact("eccms/table9"))
    assert first.startswith("results/timing/") and first.endswith(".csv")
    assert jobs.score_folder(artefact("eccms/table9")) == "results/timing"
    files = jobs.all_score_files()
    assert len(files) == len(set(files)) > 100
    assert all(file.startswith("results/scores/") for file in files)


def test_a_scorecard_so_far_takes_the_tables_that_exist(jobs, tmp_path):
    whole = jobs.table_files(SimpleNamespace(card="scorecard"))
    so_far = SimpleNamespace(card="scorecard_so_far")
    assert len(whole) > 5 and jobs.table_files(so_far) == []
    (tmp_path / whole[2]).parent.mkdir(parents=True)
    (tmp_path / whole[2]).write_text("")
    assert jobs.table_files(so_far) == [whole[2]]


def test_a_scorecard_has_the_tables_of_its_papers(jobs):
    cards = ("scorecard", "scorecard_leaders")
    files, numbers = (
        [set(of(SimpleNamespace(card=card))) for card in cards]
        for of in (
            jobs.table_files,
            lambda wildcards: {each["paper"] for each in jobs.published_on(wildcards)},
        )
    )
    assert numbers == [{"eccms", "lta", "rce", "acmk", "hclce"}, {"gtlec", "survey"}]
    assert {path.split("/")[2] for path in files[0]} <= numbers[0] and not files[0] & files[1]
    so_far = SimpleNamespace(card="scorecard_leaders_so_far")
    assert {each["paper"] for each in jobs.published_on(so_far)} == numbers[1]


def test_code_is_that_of_the_script_and_of_its_methods(jobs):
    fingerprints = {
        method: jobs.of_any_method.code("run_method")(names(method=method))
        for method in ("EAC-AL", "EAC-CL", "EC-CMS")
    }
    assert fingerprints["EAC-AL"] == fingerprints["EAC-CL"] != fingerprints["EC-CMS"]
    assert jobs.code("run_method")(names()) not in fingerprints.values()
    ways = [jobs.code_of_figure(DRAWN_BY, fits) for fits in (True, False)]
    codes = {code(artefact(name)) for name in ("eccms/figure4", "eccms/figure1") for code in ways}
    assert len(codes) == 3  # figure1 has no method to fit


def test_the_codes_of_methods_are_those_of_all_their_runs(jobs):
    raced = names(parameters="alpha=0.7+0.8~race=ARI")
    expected = {
        *(
            rule.code("run_method")(run)
            for rule in jobs.run_rules.values()
            for run in (names(), raced)
        ),
        jobs.of_any_method.code("time_method")(names()),
    }
    assert expected < set(jobs.codes_of_methods(names()))
    assert jobs.code("run_method")(names()) not in jobs.codes_of_methods(names())


def test_numbers_of_clusters_are_compared_by_the_methods_of_the_entry(
    config, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bare.yaml").write_text("Bare: {file: points.csv}")
    entry = {"pool": "kmeans-small", "datasets": ["Bare"], "m": 20, "methods": ["LWEA", "LWGP"]}
    config = {**config, "datasets": ["bare.yaml"], "consensus": [{**entry, "range": [2, 6]}]}
    jobs = Jobs(Experiments(config, load_catalogues(ROOT / "config", config)), ROOT)
    asked = names(dataset="Bare")
    assert jobs.consensus.range(asked) == (2, 6)
    tasks = [Task(**task) for task in jobs.consensus.tasks(asked)]
    assert [(task.method, task.m, task.points) for task in tasks] == [
        ("LWEA", 20, [{}]),
        ("LWGP", 20, [{}]),
    ]
    fits = {run.method: number for run, number in jobs.consensus._fits(asked).items()}
    assert fits == {"LWEA": 21, "LWGP": 21 * 5}
    assert jobs.consensus.minutes(asked, 2) == 2 * jobs.consensus.minutes(asked, 1)
    assert jobs.expected_seconds("compare_n_clusters", asked) > 3
    assert jobs.consensus.methods(asked) == ["LWEA", "LWGP"]
    with pytest.raises(ConfigError, match="consensus has no n_clusters for kmeans-small on Bare"):
        jobs.consensus.runs(asked)
    with pytest.raises(ConfigError, match="no entry for kmeans-small on Wine"):
        jobs.consensus.tasks(names(dataset="Wine"))


def test_methods_that_end_one_refinement_are_one_job(jobs, experiments):
    assert list(jobs.run_rules) == [
        "run_method",
        "run_RSEC-H+RSEC-Z",
        "run_LTA-EA+LTA-SC",
        "run_ACMK-SC+ACMK-KM+ACMK-SC-A+ACMK-KM-A",
    ]
    together = jobs.run_rules["run_LTA-EA+LTA-SC"]
    assert together.files == [
        f"results/runs/{{pool}}/{{dataset}}/m{{m}}/{name}/{{parameters}}.h5"
        for name in ("LTA-EA", "LTA-SC")
    ]
    # A job has no wildcard for the method.
    asked = names(parameters="lam=0.01+0.02")
    del asked.method
    single = [
        jobs.of_any_method.tasks(names(method=name, parameters="lam=0.01+0.02"))[0]
        for name in ("LTA-EA", "LTA-SC")
    ]
    assert together.tasks(asked) == single
    assert [task["estimator"]["fixed"]["ending"] for task in single] == ["linkage", "spectral"]
    one = names(method="LTA-EA", parameters="lam=0.01+0.02")
    assert together.memory(asked, 1) == jobs.of_any_method.memory(one, 1)
    assert together.minutes(asked, 2) == jobs.of_any_method.minutes(one, 2)
    assert together.code("run_method")(asked) == jobs.of_any_method.code("run_method")(one)
    seconds = jobs.expected_seconds("run_LTA-EA+LTA-SC", asked)
    assert seconds == jobs.expected_seconds("run_method", one)
    alone = jobs.names_of_methods_alone()
    for name in experiments.catalogues.methods:
        shared = name.startswith(("LTA-", "RSEC-", "ACMK-SC", "ACMK-KM"))
        assert bool(re.fullmatch(alone, name)) != shared


def test_the_profile_for_slurm_groups_every_rule_that_runs_methods(jobs):
    groups = load_yaml(ROOT / "profiles/slurm/config.yaml")["groups"]
    assert {each.partition("=")[0] for each in groups} == {*jobs.run_rules, "score_run"}


def test_the_metrics_are_code_of_raced_runs_only(jobs, tmp_path, monkeypatch):
    """A new metric must repeat no run; but by a changed one other points may win."""
    plain, raced = names(), names(parameters="alpha=0.7+0.8~race=ARI~repeats=2")
    task = Task(**jobs.of_any_method.tasks(raced)[0])
    assert (task.race, task.repeats, task.points) == ("ARI", 2, [{"alpha": 0.7}, {"alpha": 0.8}])
    code = jobs.of_any_method.code("run_method")
    assert code(plain) == code(names(parameters="repeats=2")) != code(raced)
    assert jobs.of_any_method.usual_seconds(raced) < jobs.of_any_method.usual_seconds(plain)
