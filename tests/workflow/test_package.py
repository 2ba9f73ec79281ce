"""What is built installs by itself: a wheel that runs every method, a source that runs `make`.

Building and installing takes packages from the index, so these tests are slow ones.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

import pytest

from coassoc import __version__
from snakemake_runs import ROOT

pytestmark = pytest.mark.slow

#: Every method on twelve samples; what a method cannot do without is printed in place of labels.
EVERY_METHOD = """
import numpy as np
from coassoc.errors import MethodError
from coassoc.methods import METHODS

labels = np.array([[0, 0, 0], [0, 0, 0], [0, 0, 1], [0, 1, 1], [1, 1, 1], [1, 1, 1],
                   [1, 1, 2], [1, 2, 2], [2, 2, 2], [2, 2, 2], [2, 2, 0], [2, 0, 0]])
X = np.random.default_rng(0).normal(size=(12, 3)) + 9 * labels[:, :1]
for name, method in METHODS.items():
    try:
        c = None if METHODS.method(name).n_clusters_is == "chosen" else 3
        found = method(n_clusters=c, random_state=0).fit(labels, X=X).labels_
    except MethodError as error:
        found = error
    print(name, found, sep="\\t")
"""


def called(*words: object, folder: Path) -> str:
    done = subprocess.run(list(map(str, words)), cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    return done.stdout


@pytest.fixture(scope="module")
def built(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("built")
    called(sys.executable, "-m", "build", "--outdir", folder, ROOT, folder=folder)
    return folder


@pytest.fixture(scope="module")
def environment(tmp_path_factory, built) -> Path:
    """An environment with the wheel, what it asks for, and nothing else."""
    folder = tmp_path_factory.mktemp("environment")
    called(sys.executable, "-m", "venv", folder, folder=folder)
    install(folder, built, "")
    return folder


def install(environment: Path, built: Path, extra: str) -> None:
    (wheel,) = built.glob("*.whl")
    constraints = ROOT / "envs/constraints.txt"
    pip = [environment / "bin/python", "-m", "pip", "install", "--quiet"]
    called(*pip, "--constraint", constraints, f"{wheel}{extra}", folder=built)


def found_in(environment: Path) -> dict[str, str]:
    printed = called(environment / "bin/python", "-c", EVERY_METHOD, folder=environment)
    return dict(line.split("\t") for line in printed.splitlines())


def test_a_wheel_runs_every_method(environment, built):
    installed = called(environment / "bin/python", "-m", "pip", "list", folder=environment)
    assert f"coassoc {__version__}" in " ".join(installed.split())
    assert not {"snakemake", "pandas", "matplotlib", "h5py"} & set(installed.lower().split())
    outcomes = found_in(environment)
    assert "coassoc[partition]" in outcomes["HGPA"]
    assert [name for name, labels in outcomes.items() if not labels.startswith("[")] == ["HGPA"]

    install(environment, built, "[partition]")
    assert all(labels.startswith("[") for labels in found_in(environment).values())


def test_the_wheel_is_the_library_alone(built):
    (wheel,) = built.glob("*.whl")
    names = ZipFile(wheel).namelist()
    assert {name.split("/")[0] for name in names} == {"coassoc", f"coassoc-{__version__}.dist-info"}
    library = called("git", "ls-files", "src/coassoc", folder=ROOT).split()
    assert {name.removeprefix("src/") for name in library} <= {*names}


def test_the_source_has_the_whole_workflow(tmp_path, built):
    (source,) = built.glob("*.tar.gz")
    called("tar", "-xf", source, folder=tmp_path)
    (project,) = tmp_path.iterdir()
    tracked = called("git", "ls-files", folder=ROOT).split("\n")
    left_out = {".gitignore", ".ci/run", ".snakemake-workflow-catalog.yml", ""}
    missing = {name for name in tracked if not (project / name).exists()}
    published = ("results-published/", "figures/published/")
    assert {name for name in missing if not name.startswith(published)} <= left_out
    assert source.stat().st_size <= 5.7e6
    done = called(sys.executable, "-m", "snakemake", "--dry-run", "--cores", 2, folder=project)
    assert "total" in done
