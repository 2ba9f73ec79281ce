"""The workflow itself: dry runs of every configuration, one small real run, and its messages."""

import json
import re

import pandas as pd
import pytest

from refusals import cases
from snakemake_runs import (
    ROOT,
    SMALL,
    copy_project,
    run_contents,
    scores_below,
    snakemake,
    write_configuration,
)

LWEA = "results/runs/kmeans-small/Wine/m20/LWEA/default.h5"
SOME = ["eccms_table4", "acmk_figure3", "audit_scaling"]


def test_times_are_measured_only_for_those_who_ask_for_them(tmp_path):
    """Tables of times force no measurement on the pages that do not compare them."""
    words = ["--dry-run", "--quiet", "rules", *write_configuration(tmp_path)]
    jobs = re.findall(r"^(\w+) +\d+$", snakemake(tmp_path, "scorecard", "claims", *words), re.M)
    assert "make_claims" in jobs and "time_method" not in jobs


def test_a_study_with_the_name_of_a_rule_is_told(tmp_path):
    cells = "def one():\n    'One'\n    return words.alone('x', ['Wine'], 'kmeans-small', 20)\n"
    head = "from reproduction.study import words\n@words.target('table')\n"
    (tmp_path / "score.py").write_text(head + cells)
    named = write_configuration(tmp_path, SMALL + "studies: [score.py]\n")
    told = snakemake(tmp_path, "--dry-run", *named, fails=True)
    assert "coassoc: studies: 'score' is the name of a Snakemake rule. Rename the study." in told


def test_a_misspelt_target_is_told(tmp_path):
    told = snakemake(tmp_path, "eccms_tabel4", "-n", *write_configuration(tmp_path), fails=True)
    assert "command line: unknown target 'eccms_tabel4'. Did you mean 'eccms_table4'" in told


# The papers' own data make ten thousand jobs; plan/test_files.py asks for each run of them.
@cases("configs, targets", (["config.yaml"], []), (["full.yaml", "two-cores.yaml"], SOME))
def test_dry_run_of_every_configuration(tmp_path, configs, targets):
    paths = [ROOT / "config" / config for config in configs]
    said = snakemake(tmp_path, *targets, "--dry-run", "--quiet", "--configfile", *paths)
    found = r"coassoc: missing: .*[\d,]+ runs?\. .* take [\d.]+ processor hours by"
    assert re.search(found, said)


def test_numbers_do_not_depend_on_cores_or_place(finished, tmp_path):
    """One core instead of two, and the project copied to another place."""
    project = copy_project(tmp_path / "another place" / "project")
    folder = tmp_path / "one core"
    # A method that draws random numbers, and one at several points of a grid.
    names = [*scores_below(finished.folder)]
    (drawn, *_), (grid, *_) = ([n for n in names if part in n] for part in ("/LWGP/", "~"))
    wanted = [f"results/runs/{name}.h5" for name in (drawn, grid)]
    configuration = write_configuration(tmp_path, SMALL)
    snakemake(folder, *wanted, *configuration, cores=1, project=project)
    runs = sorted(folder.rglob("results/runs/**/*.h5"))
    assert len(runs) == 2
    for path in runs:
        assert run_contents(path) == run_contents(finished.folder / path.relative_to(folder))


def test_numbers_are_the_committed_ones(finished):
    """Scores to six digits. One in twenty may differ, and means by 0.01: other processors sum in
    another order, and ties may then be broken in another way."""
    made = scores_below(finished.folder).items()
    here = pd.concat(frame.assign(run=name) for name, frame in made)
    here = here[["run", "point", "repeat", "ARI", "NMI", "ACC"]]
    golden = pd.read_csv(ROOT / "tests/golden/scores.csv")
    both = golden.merge(here, on=["run", "point", "repeat"], suffixes=("", " here"))
    assert len(both) == len(golden) > 20
    for metric in ("ARI", "NMI", "ACC"):
        assert ((both[metric] - both[f"{metric} here"]).abs() < 2e-6).mean() >= 0.95
        means = both.assign(difference=both[metric] - both[f"{metric} here"]).groupby("run")
        assert means["difference"].mean().abs().max() < 0.01


def test_a_changed_key_reruns_what_depends_on_it(finished, tmp_path):
    """Another part of the grid makes the tuned row anew; the table of LWEA stays."""
    changed = write_configuration(tmp_path, SMALL.replace("lam: [0.1, 1]", "lam: [0.1, 10]"))
    folder = finished.copy(tmp_path / "copy")  # as a dry run writes its cells
    told = snakemake(folder, *finished.targets, "--dry-run", *changed)
    jobs = re.findall(r"^(\w+) +([0-9]+)$", told, re.M)
    expected = {"run_method": 1, "score": 1, "table": 1, "eccms_table4": 1, "total": 4}
    assert {name: int(count) for name, count in jobs} == expected


#: A method on a small data set: two audits, times, and a run of shuffled samples.
AUDITED = """
name: audited
targets: [eccms, audit_scaling, audit_n_clusters]
edits:
  - {of: {kind: protocol}, keep: {dataset: Wine}}
  - {of: {target: [audit/scaling, audit/n_clusters]}, keep: {method: LWEA}}
  - {of: {target: eccms/table9}, keep: {method: LWEA}}
  - {of: {target: [eccms/*, audit/*]}, datasets: [Wine], pool: kmeans-small}
  - {of: {target: eccms/figure5}, keep: {x: [10, 20]}}
mirror: null
seed: 0
threads: 1
timing: {repeats: 1, shares: [0.25, 1], stop_after: 60}
selection: {repeats: 1, draws: 3, largest: 5}
"""
SHUFFLED = "results/runs/kmeans-small-shuffled-50/Wine/m10/CA-SC/default.h5"


@pytest.fixture(scope="module")
def audited(finished, tmp_path_factory):
    """A folder with these audits and times, its configuration's arguments, and what was said."""
    folder = tmp_path_factory.mktemp("audited")
    finished.copy_data(folder)
    configuration = write_configuration(folder, AUDITED)
    targets = "audit_scaling", "audit_n_clusters", "eccms_table9", SHUFFLED
    return folder, configuration, snakemake(folder, *targets, *configuration, cores=3)


def test_the_report_lists_the_table_of_an_audit(audited, tmp_path):
    """It opens by itself."""
    folder, configuration, _ = audited
    report = tmp_path / "report.html"
    snakemake(folder, "audit_n_clusters", "--report", report, *configuration)
    page = report.read_text()
    assert not re.findall(r'<(?:script|link|img)[^>]+(?:src|href)="https?:', page)
    results = json.JSONDecoder().raw_decode(page.rsplit("var results = ", 1)[1])
    labels = {path: result["labels"] for path, result in results[0].items()}
    title = "Can the number of clusters be found without classes?"
    assert labels == {
        "results/tables/audit/n_clusters.html": {
            "target": "audit_n_clusters",
            "kind": "table",
            "title": title,
        }
    }


def test_audits_times_and_scorecard(audited):
    folder, _, _ = audited
    growth = pd.read_csv(folder / "results/tables/audit/scaling.csv")
    assert sorted(set(growth["n"])) == [44, 178]
    looks = pd.read_parquet(folder / "results/selection/kmeans-small/Wine/m20/LWEA/default.parquet")
    assert looks["n_clusters"].tolist() == [2, 3, 4, 5] and set(looks["classes"]) == {3}
    chosen = pd.read_csv(folder / "results/tables/audit/n_clusters.csv")
    assert len(chosen) == 7 and chosen["chosen"].between(2, 5).all()
    times = (folder / "results/tables/eccms/table9.md").read_text()
    assert "measured one job at a time on" in times
    # Times are apart from ordinary runs, which did not take place for that table.
    assert len(list((folder / "results/timing").rglob("*.parquet"))) == 1
    assert pd.read_csv(folder / "results/tables/eccms/table9.csv")["code"].notna().all()
    assert [*folder.glob("results/runs/**/*.h5")] == [folder / SHUFFLED]


def test_jobs_that_measure_times_have_all_cores(audited):
    """Both, though a fit has one thread."""
    shown = r"rule time_method:(?:\n    .*)*\n    threads: (\d+)\n    resources: .*timing=(\d+)"
    assert re.findall(shown, audited[2]) == [("3", "1")] * 2


def test_values_on_the_command_line_are_read_as_in_a_file(tmp_path):
    given = ["limits={minutes: 1}", "edits=null", "targets=[rce_table2]", "prefix=mine"]
    snakemake(tmp_path, "--dry-run", "--quiet", "--config", *given)
    cells = pd.read_parquet(tmp_path / "mine/results/cells.parquet")
    assert {*cells["dataset"]} > {"JAFFE", "Glass"} and {*cells["target"]} == {"rce/table2"}
    # Its place is its own, with those of another configuration beside it.
    assert [path.name for path in tmp_path.iterdir() if path.name[0] != "."] == ["mine"]
