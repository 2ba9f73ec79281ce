"""The files of the plan: what they have, when they are written, and what jobs look up in them."""

import json
import os
from functools import partial
from types import SimpleNamespace

import numpy as np
import pytest

from coassoc.errors import ConfigError
from coassoc.pools.draws import make_draws
from coassoc.storage.hdf5 import write_pool
from coassoc.storage.records import Pool
from plans import ROOT, settings
from reproduction.plan import cards
from reproduction.plan.files import FOLDER, PlanFiles
from reproduction.plan.keys import Source
from reproduction.plan.writing import make_plan, write_changed
from reproduction.running.costs import run_mb, run_minutes


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Where the default configuration is planned."""
    folder = tmp_path_factory.mktemp("planned")
    before = os.getcwd()
    os.chdir(folder)
    make_plan(settings(), [], ROOT)
    os.chdir(before)
    return folder


@pytest.fixture
def plan(folder, monkeypatch):
    monkeypatch.chdir(folder)
    return PlanFiles()


def test_every_target_has_a_file_with_what_it_shows(plan, by_default):
    assert set(plan.targets()) == set(by_default.by_path)
    for path, target in by_default.by_path.items():
        planned = plan._read(FOLDER / "targets" / f"{path}.json")
        assert planned["cells"] == json.loads(json.dumps(list(map(vars, target.cells))))
        assert planned["published"] == by_default.published(target)


def test_only_what_changed_is_written(folder, monkeypatch):
    monkeypatch.chdir(folder)
    files = {path: path.stat().st_mtime_ns for path in FOLDER.rglob("*.*")}
    assert len(files) > 200
    changed = settings()
    changed["override"]["targets"]["rce"]["datasets"] = ["Glass"]
    make_plan(changed, [], ROOT)
    moved = {path.name for path in files if path.stat().st_mtime_ns != files[path]}
    assert "table2.json" in moved and "table4.json" not in moved and len(moved) < 10
    make_plan(settings(), [], ROOT)


def test_the_plan_of_a_snakemake_that_works_here_stays(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    path, locks = FOLDER / "index.json", tmp_path / ".snakemake/locks"
    locks.mkdir(parents=True)
    (locks / "0.input.lock").write_text("")
    write_changed({path: "1"})  # There is none yet.
    assert capsys.readouterr().err == ""
    write_changed({path: "2"})
    assert path.read_text() == "1" and "its plan stays" in capsys.readouterr().err
    (locks / "0.input.lock").unlink()
    write_changed({path: "2"})
    assert path.read_text() == "2"


def test_files_of_an_earlier_plan_go(tmp_path):
    one, other = tmp_path / "targets/a.json", tmp_path / "targets/b.json"
    write_changed({one: "1", other: "2"})
    write_changed({one: "1"})
    assert one.read_text() == "1" and not other.exists()


def test_a_run_is_looked_up_by_the_wildcards_of_its_job(plan):
    w = {"pool": "kmeans-small", "dataset": "Glass", "m": "20", "parameters": "lam=0.02"}
    runs = plan.runs(SimpleNamespace(**w, method="LTA-EA+LTA-SC"))
    assert [run.method for run in runs] == ["LTA-EA", "LTA-SC"]
    task = plan.task(runs[1])
    assert (task["method"], task["points"], task["n_clusters"]) == ("LTA-SC", [{"lam": 0.02}], 6)
    assert task["estimator"] == {
        "location": "coassoc.methods.lta:LTA",
        "fixed": {"ending": "spectral"},
    }


def test_methods_that_see_features_need_the_data_set(plan):
    runs = [Source("kmeans-small", "Glass", 20, name, "default") for name in ("LWEA", "SC")]
    assert plan.features(runs[:1]) == []
    assert plan.features(runs) == ["data/datasets/Glass.h5"]


def test_what_cannot_be_made_is_told_when_it_is_asked_for(plan):
    with pytest.raises(ConfigError, match=r"config/datasets.yaml: there is no 'Gls'; it has "):
        plan.dataset("Gls")
    wrong = [
        path for path in plan.targets() if plan._read(FOLDER / f"targets/{path}.json")["mistake"]
    ]
    for path in wrong:
        with pytest.raises(ConfigError):
            plan.target(path)


def test_a_ranking_that_is_not_wanted_is_told(tmp_path):
    (tmp_path / "index.json").write_text('{"targets": {}}')
    with pytest.raises(ConfigError, match="the key ranking is missing"):
        cards.ranking(PlanFiles(tmp_path))


def test_what_is_judged_so_far_takes_what_exists(plan, folder):
    for take in (partial(cards.tables, plan, "scorecard"), partial(cards.judged, plan)):
        whole = take("")
        assert len(whole) > 5 and take("_so_far") == []
        (folder / whole[2]).parent.mkdir(parents=True, exist_ok=True)
        (folder / whole[2]).write_text("")
        assert take("_so_far") == [whole[2]]
        (folder / whole[2]).unlink()


def test_the_name_of_a_rule_is_no_target(plan):
    with pytest.raises(ConfigError, match=r"tables.table4 has the target 'eccms_table4', which is"):
        plan.files_by_name({"eccms_table4"})


def test_the_name_of_a_rule_is_no_study(plan):
    with pytest.raises(
        ConfigError, match=r"a study is called after its file, and the target 'rce'"
    ):
        plan.files_by_name({"rce"})


@pytest.fixture(scope="module")
def of_papers(tmp_path_factory):
    """Where config/full.yaml with config/two-cores.yaml is planned, without kept results."""
    folder = tmp_path_factory.mktemp("papers")
    before = os.getcwd()
    os.chdir(folder)
    make_plan({**settings("full", "two-cores"), "kept": None}, [], ROOT)
    os.chdir(before)
    return folder


def test_every_run_of_the_papers_has_all_that_it_asks_for(of_papers, monkeypatch):
    monkeypatch.chdir(of_papers)
    plan = PlanFiles()
    runs = {run for path in plan.targets(wanted=True) for run in plan.sources(path) if run.block}
    assert len(runs) > 4000
    for run in runs:
        task = plan.task(run)
        assert task["points"] and task["code"].startswith(run.method)
        assert run_mb(plan, [run]) > 0 and run_minutes(plan, [run]) > 0


def test_margins_follow_the_tables_of_methods_of_other_scorecards(of_papers, monkeypatch):
    monkeypatch.chdir(of_papers)
    plan = PlanFiles()
    assert cards.others_with_own_methods(plan) == ["scorecard_leaders"]
    assert cards.tables_of_methods(plan, "scorecard_leaders") == ["results/tables/gtlec/table1.csv"]


def test_a_race_is_in_the_code_of_a_run(plan):
    block = "alpha=0.7+0.8~race=ARI~repeats=5"
    run = Source("kmeans-small-shuffled-10", "Glass", 20, "EC-CMS", block)
    task = plan.task(run)
    assert (task["pool"], task["race"], task["repeats"]) == (run.pool, "ARI", 5)
    assert "race by ARI" in task["code"] and task["code"] in plan.present_codes()


def test_requests_follow_the_points_and_the_pool(plan, folder):
    one, two = (
        Source("kmeans-small", "Digits", 20, "LTA-SC", block)
        for block in ("default", "lam=0.01+0.02")
    )
    assert run_minutes(plan, [two]) > run_minutes(plan, [one])
    # Endings of one refinement: it takes what the longest of them takes.
    assert run_minutes(plan, [one, two]) == run_minutes(plan, [two])
    run = one._replace(method="EC-CMS")
    before = run_mb(plan, [run])
    labels = np.repeat(np.arange(20)[:, None] % 4, 25, axis=1)
    path = folder / run.pool_file
    write_pool(path, Pool(labels, None, make_draws(25, [20], 3, random_state=0)))
    assert run_mb(plan, [run]) < before
    path.unlink()
