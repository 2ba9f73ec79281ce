"""Recipes for conda, Docker and Apptainer install what pyproject.toml and the constraints name."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pandas as pd
import pytest
import yaml

from snakemake_runs import (
    ROOT,
    SMALL,
    command,
    copy_project,
    environment,
    said,
    write_configuration,
)

ENVS = ROOT / "envs"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
PINS = {
    line.split("==")[0].lower(): line
    for line in (ENVS / "constraints.txt").read_text().splitlines()
    if line and not line.startswith("#")
}
RECIPES = {name: (ENVS / name).read_text() for name in ("Dockerfile", "coassoc.def")}


def bare(requirement: str) -> str:
    """The name of a package, without extras and versions."""
    return re.split(r"[\[<>=]", requirement.lower())[0]


def packages_of(extra: str) -> set[str]:
    """Packages of an extra, with those of the extras that it has in it."""
    packages: set[str] = set()
    for name in PROJECT["optional-dependencies"][extra]:
        inner = re.fullmatch(r"coassoc\[(.+)\]", name)
        packages |= set().union(*map(packages_of, inner[1].split(","))) if inner else {bare(name)}
    return packages


def test_conda_installs_every_dependency_at_its_pin():
    entries = yaml.safe_load((ENVS / "coassoc.yaml").read_text())["dependencies"]
    (packages,) = (entry["pip"] for entry in entries if isinstance(entry, dict))
    assert set(packages) <= set(PINS.values())
    wanted = {*PROJECT["dependencies"], *packages_of("workflow")}
    assert {package.split("==")[0].lower() for package in packages} == wanted


def test_every_extra_is_pinned():
    extras = PROJECT["optional-dependencies"].values()
    named = {bare(name) for names in extras for name in names}
    assert named - {"coassoc"} <= {name.replace("_", "-") for name in PINS}


@pytest.mark.parametrize("name", RECIPES)
def test_containers_install_the_whole_project_under_the_constraints(name):
    (command,) = re.findall(r"pip install .*", RECIPES[name])
    assert "--constraint envs/constraints.txt" in command
    (extras,) = re.findall(r"'\.\[(.+)\]'", command)
    assert set(extras.split(",")) <= set(PROJECT["optional-dependencies"])
    for part in ("Snakefile", "rules", "scripts", "config", "src", "envs", "profiles", "data"):
        assert (ROOT / part).exists() and re.search(rf"\b{part}\b", RECIPES[name]), part


# -- CLEAN -----------------------------------------------------------------------------------------

# `make clean` removes what the pipeline generated, and nothing else.


GENERATED = [
    "results/tables/eccms/table4.csv",
    "results/runs/p/d/m10/M/a=1.h5.partial/identity",
    "logs/runs/x.log",
    "benchmarks-out/runs/x.tsv",
    "figures/eccms/figure2.png",
    "figures/eccms/figure2.csv",
    "data/sources/example.org/x.zip",
    "data/datasets/Glass.h5",
    "data/pools/kmeans-small/Glass.h5",
    ".snakemake/metadata/x",
    "report.html",
]
KEPT = ["data/own.csv", "config/own.yaml", "notes.txt", ".venv/installed"]
KEPT += ["figures/published/eccms/figure2.png", "results-published/scorecard.md"]


def files(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


def test_clean(tmp_path):
    project = copy_project(tmp_path / "project")
    whole = files(project)
    for name in [*GENERATED, *KEPT]:
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        (project / name).write_text("")
    subprocess.run(["make", "--silent", "clean"], cwd=project, env=environment(), check=True)
    assert files(project) == whole | set(KEPT) and (project / "figures/README.md").exists()


# -- OLDEST SNAKEMAKE ------------------------------------------------------------------------------

# The oldest Snakemake that the Snakefile says it takes.


@pytest.mark.slow
def test_the_oldest_snakemake_makes_a_table(finished, tmp_path):
    (oldest,) = re.findall(r'^min_version\("(.*)"\)$', (ROOT / "Snakefile").read_text(), re.M)
    packages, folder = tmp_path / "packages", tmp_path / "work"
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--target", packages]
    subprocess.run([*pip, f"snakemake=={oldest}.0"], check=True)
    finished.copy_data(folder)
    named = write_configuration(folder, SMALL.replace("LWGP, LWEA, EC-CMS", "LWEA"))
    variables = environment() | {"PYTHONPATH": f"{packages}:{ROOT / 'src'}"}
    words = command(folder, "eccms_table4", *named)
    done = subprocess.run(words, env=variables, capture_output=True, text=True)
    assert done.returncode == 0, said(done)
    tables = (place / "results/tables/eccms/table4.csv" for place in (finished.folder, folder))
    new, made = (pd.read_csv(x).set_index(["row", "metric"])["mean"] for x in tables)
    assert made["LWEA", "ARI"] == new["LWEA", "ARI"]
