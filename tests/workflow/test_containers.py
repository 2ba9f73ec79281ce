"""Recipes for conda, Docker and Apptainer install what pyproject.toml and the constraints name."""

import re
import shutil
import subprocess
import tomllib

import pytest
import yaml

from snakemake_runs import ROOT

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


@pytest.mark.slow
def test_the_image_builds_and_runs(tmp_path):
    # This needs an image python:3.11-slim, or a registry that has it.
    for builder in ("buildah", "podman", "docker"):
        if shutil.which(builder) and not subprocess.run([builder, "images"]).returncode:
            break
    else:
        pytest.skip("no program that builds images")
    build = [builder, "build", "--tag", "coassoc-test", "--file", "envs/Dockerfile", "."]
    subprocess.run(build, cwd=ROOT, check=True)
    shutil.copy(ROOT / ".test/config.yaml", tmp_path)
    work = ["--volume", f"{tmp_path}:/work"]
    command = ["snakemake", "--snakefile", "/opt/coassoc/Snakefile", "--configfile", "config.yaml"]
    run = [builder, "run", "--rm", *work, "coassoc-test", *command[3:]]
    if builder == "buildah":
        made = subprocess.run([builder, "from", "coassoc-test"], capture_output=True, text=True)
        run = [builder, "run", *work, made.stdout.strip(), "--", *command]
    subprocess.run([*run, "--cores", "2"], check=True)
    assert "EC-CMS" in (tmp_path / "results/tables/eccms/table6.md").read_text()
