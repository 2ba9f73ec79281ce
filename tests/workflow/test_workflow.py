"""The workflow itself: dry runs of every configuration, one small real run, and its messages."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import h5py
import pandas as pd
import pytest

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
    assert {"eccms", "eccms_table4", "eccms_figure2"} <= set(names)


def test_small_real_run(tmp_path, small):
    one, two = tmp_path / "one core", tmp_path / "two cores"
    for folder, cores in ((one, 1), (two, 2)):
        target = ["eccms_table4", "eccms_figure2"] if folder == two else ["eccms_table4"]
        done = snakemake(folder, *target, *small, cores=cores)
        assert done.returncode == 0, done.stderr[-3000:]
    table = pd.read_csv(two / "results/tables/eccms/table4.csv")
    assert set(table["dataset"]) == {"Glass", "Wine"}
    assert table["mean"].notna().all() and table["mean"].between(-0.1, 1).all()
    controls = table[table["reference"].isin(["random", "truth"])].set_index("label")
    assert (controls.loc["True classes", "mean"] == 1).all()
    assert (controls.loc["Random labels", "mean"].abs() < 0.1).all()
    assert (controls["rank"] == 0).all() and controls["published_mean"].isna().all()
    assert (two / "results/tables/eccms/table4.md").read_text().startswith("# Clustering")
    for end in ("pdf", "png"):
        assert (two / f"figures/eccms/figure2.{end}").stat().st_size > 5000
    here, there = scores_below(one / "results/scores"), scores_below(two / "results/scores")
    assert set(here) <= set(there) and len(here) >= 20
    for name, frame in here.items():
        pd.testing.assert_frame_equal(frame, there[name])
    again = snakemake(two, "eccms_table4", "eccms_figure2", *small)
    assert "Nothing to be done" in again.stderr + again.stdout
    _one_figure_is_remade_alone(two, small)
    _an_edited_pool_is_noticed(two, small)


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
