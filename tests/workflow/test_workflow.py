"""The workflow itself: dry runs of every configuration, one small real run, and its messages."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import h5py
import numpy as np
import pandas as pd
import pytest

from coassoc.methods import METHODS
from coassoc.metrics import adjusted_rand_index, contingency_table
from coassoc.seeds import seed_from_names
from coassoc.store import read_pool, read_run

ROOT = Path(__file__).parents[2]

#: Two small data sets and few parameters: the whole path from source to figure in seconds.
SMALL = """
name: small
papers: [eccms]
override:
  datasets: [Glass, Wine]
  pool: kmeans-small
  grid: {alpha: [0.7, 0.8], lam: [0.1, 1]}
  sizes: [10, 20]
mirror: null
seed: 0
threads: 1
"""


def snakemake(folder: Path, *arguments: str, cores: int = 2) -> subprocess.CompletedProcess:
    """Run the workflow in a folder of its own."""
    environment = {name: v for name, v in os.environ.items() if name != "COASSOC_MIRROR"}
    binary = Path(sys.executable).parent
    environment["PATH"] = f"{binary}{os.pathsep}{environment['PATH']}"
    command = [sys.executable, "-m", "snakemake", "--snakefile", ROOT / "Snakefile"]
    command += ["--directory", folder, "--cores", cores, *arguments]
    return subprocess.run(
        list(map(str, command)), capture_output=True, text=True, env=environment, check=False
    )


@pytest.fixture
def small(tmp_path) -> tuple[str, str]:
    path = tmp_path / "small.yaml"
    path.write_text(SMALL)
    return "--configfile", str(path)


def scores_below(folder: Path) -> dict[str, pd.DataFrame]:
    measured = ["seconds", "cpu_seconds", "peak_mb"]
    return {
        path.relative_to(folder).as_posix(): pd.read_csv(path).drop(columns=measured)
        for path in sorted(folder.rglob("m*/*/*.csv"))
    }


@pytest.mark.parametrize("config", ["config.yaml", "full.yaml"])
def test_dry_run_of_every_configuration(tmp_path, config):
    done = snakemake(tmp_path, "--dry-run", "--quiet", "--configfile", ROOT / "config" / config)
    assert done.returncode == 0, done.stderr


def test_targets_have_names(tmp_path):
    done = snakemake(tmp_path, "--list")
    names = done.stdout.split()
    assert {"all", "tables", "figures", "datasets", "pools", "sensitivity"} <= set(names)
    assert {"eccms", "eccms_table4", "eccms_figure2", "audits", "audit_order"} <= set(names)
    assert {"runtime", "ablations", "ensemble_size", "scorecard", "scorecard_so_far"} <= set(names)


def test_small_real_run(tmp_path, small):
    one, two = tmp_path / "one core", tmp_path / "two cores"
    for folder, cores in ((one, 1), (two, 2)):
        target = ["eccms_table4", "eccms_figure2"] if folder == two else ["eccms_table4"]
        done = snakemake(folder, *target, *small, cores=cores)
        assert done.returncode == 0, done.stderr[-3000:]
    table = pd.read_csv(two / "results/tables/eccms/table4.csv")
    assert set(table["dataset"]) == {"Glass", "Wine"}
    assert table["mean"].notna().all() and table["mean"].between(-0.1, 1).all()
    assert (two / "results/tables/eccms/table4.md").read_text().startswith("# Clustering")
    for end in ("pdf", "png"):
        assert (two / f"figures/eccms/figure2.{end}").stat().st_size > 5000
    here, there = scores_below(one / "results/scores"), scores_below(two / "results/scores")
    assert set(here) <= set(there) and len(here) >= 18
    for name, frame in here.items():
        pd.testing.assert_frame_equal(frame, there[name])
    again = snakemake(two, "eccms_table4", "eccms_figure2", *small)
    assert "Nothing to be done" in again.stderr + again.stdout
    _a_number_can_be_traced(two, table)
    _a_changed_key_reruns_what_depends_on_it(two, tmp_path)
    _one_figure_is_remade_alone(two, small)
    _the_report_needs_nothing_else(two, small)
    _an_edited_pool_is_noticed(two, small)


def _a_number_can_be_traced(folder, table):
    """From a line of a table to labels, seed, pool and commit, and back to the same number."""
    line = table[(table["row"] == "EC-CMS-tuned") & (table["dataset"] == "Wine")].iloc[0]
    run = read_run(folder / f"results/runs/{line['run']}.h5")
    pool = read_pool(folder / f"data/pools/{line['pool']}/Wine.h5")
    made = run.attributes
    assert made["pool_fingerprint"] == pool.attributes["fingerprint"]
    assert made["seed"] == 0 and made["method"] == "EC-CMS" and made["commit"]
    point = run.points.index(json.loads(line["parameters"]))
    scores = [
        adjusted_rand_index(contingency_table(pool.y, result.labels))
        for result in run.results[point]
    ]
    assert len(scores) == line["repeats"]
    assert line["mean"] == pytest.approx(np.mean(scores), abs=1e-6)
    draw = pool.draws[20][0]
    random_state = seed_from_names(0, *made["names"], "m20", 0, "EC-CMS")
    again = METHODS["EC-CMS"](n_clusters=3, random_state=random_state, **run.points[point])
    assert np.array_equal(again.fit_predict(pool.labels[:, draw]), run.results[point][0].labels)
    assert made["commit"] in (folder / "results/tables/eccms/table4.md").read_text()


def _a_changed_key_reruns_what_depends_on_it(folder, tmp_path):
    """Another grid of lambda makes the tuned row anew; the figure over alpha stays."""
    path = tmp_path / "changed.yaml"
    path.write_text(SMALL.replace("lam: [0.1, 1]", "lam: [0.1, 2]"))
    done = snakemake(
        folder, "eccms_table4", "eccms_figure2", "--dry-run", "--configfile", str(path)
    )
    jobs = {
        line.split()[0]: int(line.split()[-1]) for line in _job_stats(done.stdout + done.stderr)
    }
    expected = {"run_method": 2, "score_run": 2, "make_table": 1, "eccms_table4": 1, "total": 6}
    assert jobs == expected


def _the_report_needs_nothing_else(folder, small):
    report = folder / "report.html"
    done = snakemake(folder, "eccms_table4", "eccms_figure2", "--report", report, *small)
    assert done.returncode == 0, done.stderr[-3000:]
    page = report.read_text()
    assert "ARI against the threshold of high confidence" in page  # the caption of the figure
    assert "ensemble clustering via co-association matrix self-enhancement" in page  # its category
    assert not re.findall(r'<(?:script|link|img)[^>]+(?:src|href)="https?:', page)


def _one_figure_is_remade_alone(folder, small):
    (folder / "figures/eccms/figure2.png").unlink()
    done = snakemake(folder, "eccms_table4", "eccms_figure2", "--dry-run", *small)
    jobs = {line.split()[0]: line.split()[-1] for line in _job_stats(done.stdout + done.stderr)}
    assert jobs == {"plot_curves": "1", "eccms_figure2": "1", "total": "2"}


def _job_stats(text: str) -> list[str]:
    lines = text.splitlines()
    start = max(i for i, line in enumerate(lines) if line.startswith("-----"))
    stats = []
    for line in lines[start + 1 :]:
        if not line.strip():
            break
        stats.append(line)
    return stats


def _an_edited_pool_is_noticed(folder, small):
    path = folder / "data/pools/kmeans-small/Glass.h5"
    with h5py.File(path, "r+") as file:
        file["labels"][0, 0] = 1 - min(file["labels"][0, 0], 1)
    done = snakemake(folder, "eccms_table4", *small)
    assert done.returncode != 0
    assert "do not match the fingerprint" in done.stderr


#: Few methods on a small data set each: two audits, times, and the scorecard.
AUDITED = """
name: audited
papers: [eccms, audit]
override:
  datasets: [Glass]
  pool: kmeans-small
  papers:
    eccms_table9: {datasets: [Glass]}
    audit_order: {datasets: [Wine], only: [LWEA, LTA-SC]}
    audit_scaling: {datasets: [Glass], only: [LWEA, EC-CMS]}
mirror: null
seed: 0
threads: 1
timing: {repeats: 1, shares: [0.25, 0.5, 1], limit: 60}
"""


def test_audits_times_and_scorecard(tmp_path):
    path = tmp_path / "audited.yaml"
    path.write_text(AUDITED)
    targets = ["audit_order", "audit_scaling", "eccms_table9"]
    done = snakemake(tmp_path, *targets, "--configfile", path)
    assert done.returncode == 0, done.stderr[-3000:]
    order = pd.read_csv(tmp_path / "results/tables/audit/order.csv")
    assert set(order["variant"]) == {"stored order", "shuffled samples"}
    # LWEA does not look at the order of the samples, and LTA lives by it.
    change = order.groupby("label")["difference"].sum()
    assert change["LWEA"] == 0 and change["LTA-SC (lambda=0.02)"] < -0.1
    growth = pd.read_csv(tmp_path / "results/tables/audit/scaling.csv")
    assert sorted(set(growth["n"])) == [54, 107, 214]
    for name in ("order", "scaling"):
        for end in ("pdf", "png"):
            assert (tmp_path / f"figures/audit/{name}.{end}").stat().st_size > 5000
    times = (tmp_path / "results/tables/eccms/table9.md").read_text()
    assert "Measured one job at a time on" in times
    # Times are apart from ordinary runs, which did not take place for that table.
    assert len(list((tmp_path / "results/timing").rglob("*.csv"))) == 2
    runs = tmp_path / "results/runs"
    stems = {path.relative_to(runs).parts[0] for path in runs.rglob("*.h5")}
    assert stems == {"kmeans-small", "kmeans-small-shuffled"}
    done = snakemake(tmp_path, "scorecard_so_far", "--configfile", path)
    assert done.returncode == 0, done.stderr[-3000:]
    card = pd.read_csv(tmp_path / "results/scorecard_so_far.csv")
    assert len(card) == 2014 and set(card["verdict"]) == {"not run"}
    assert card["reason"].notna().all()


def test_jobs_that_measure_times_have_all_cores(tmp_path):
    path = tmp_path / "audited.yaml"
    path.write_text(AUDITED)
    done = snakemake(tmp_path, "eccms_table9", "--dry-run", "--configfile", path, cores=7)
    jobs = done.stdout.split("rule time_method:")[1:3]
    assert len(jobs) == 2
    for job in jobs:
        assert "threads: 7" in job and "timing=1" in job


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ("papers=[eccmz]", "papers names 'eccmz'"),
        ("override={datasets: [Glas]}", "override.datasets names 'Glas'"),
        ("threads=0", "threads is 0"),
        ("colour=red", "unknown key 'colour'"),
    ],
)
def test_mistakes_in_the_configuration_end_with_one_sentence(tmp_path, setting, message):
    done = snakemake(tmp_path, "--dry-run", "--config", setting)
    said = done.stderr + done.stdout
    assert done.returncode != 0 and message in said
    assert "Traceback" not in said
    assert not (tmp_path / "results").exists()


def test_an_unknown_target_is_named(tmp_path):
    done = snakemake(tmp_path, "--dry-run", "data/datasets/Nowhere.h5")
    assert done.returncode != 0 and "Nowhere" in done.stderr + done.stdout


def test_lint_is_clean(tmp_path):
    done = snakemake(tmp_path, "--lint")
    assert done.returncode == 0, done.stdout + done.stderr


def test_pins_agree():
    import tomllib

    lines = (ROOT / "envs/constraints.txt").read_text().splitlines()
    pins = {line for line in lines if line and not line.startswith("#")}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    assert set(project["tool"]["uv"]["constraint-dependencies"]) == pins
    conda = (ROOT / "envs/coassoc.yaml").read_text()
    assert {line.strip(" -") for line in conda.splitlines() if "==" in line} <= pins
    named = {pin.split("==")[0].lower().replace("_", "-") for pin in pins}
    wanted = project["project"]["dependencies"] + [
        name for extra in project["project"]["optional-dependencies"].values() for name in extra
    ]
    assert {name.lower().replace("_", "-") for name in wanted} <= named
