"""What is built: a wheel that is the library, a source that runs `make`.

Building and installing takes packages from the index, so these tests are slow ones.
"""

import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

import pytest

from coassoc import __version__
from snakemake_runs import ROOT

pytestmark = pytest.mark.slow


def called(*words: object, folder: Path) -> str:
    done = subprocess.run(list(map(str, words)), cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    return done.stdout


@pytest.fixture(scope="module")
def built(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("built")
    called(sys.executable, "-m", "build", "--outdir", folder, ROOT, folder=folder)
    return folder


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
