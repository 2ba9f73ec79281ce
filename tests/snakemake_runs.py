"""Running the workflow as a user does, in a folder of its own, and comparing what comes out."""

import fcntl
import json
import os
import shutil
import socket
import subprocess
import sys
from contextlib import suppress
from functools import cache
from pathlib import Path
from tempfile import NamedTemporaryFile, gettempdir
from typing import Any, TextIO

import h5py
import numpy as np
import pandas as pd

from reproduction.running.kernels import pin_kernel
from reproduction.scores.files import read_scores
from reproduction.study.paths import Source

ROOT = Path(__file__).parents[1]

#: Two small data sets in the place of the default's.
TWO_DATASETS = ROOT / "tests/configurations/two-datasets.yaml"
#: Folders that make up the workflow, besides the library.
_PARTS = ("config", "rules", "scripts", "workflow", "envs", "profiles", "data/glass", "data/labels")

#: Where Snakemake waits for all processes of the tests; the first of them names it for the others.
_ADDRESS = os.environ.setdefault(
    "SNAKEMAKE_OF_TESTS", f"{gettempdir()}/snakemake-of-tests-{os.getpid()}"
)

#: What is measured of a repeat, and differs from run to run.
MEASURED = ["seconds", "cpu_seconds", "peak_mb"]

#: One small data set and few parameters: the whole path from source to table in seconds.
SMALL = """
name: small
targets: [eccms]
edits:
  - {of: {target: eccms/protocol_*}, skip: not needed}
  - {of: {target: eccms/*}, keep: {method: ["", LWGP, LWEA, EC-CMS]}}
  - {of: {target: eccms/*}, datasets: [Wine], pool: kmeans-small}
  - {of: {target: eccms/*}, grid: {alpha: [0.7, 0.8], lam: [0.1, 1]}}
  - {of: {target: eccms/figure5}, keep: {x: [10, 20]}}
mirror: null
seed: 0
threads: 1
"""


def environment() -> dict[str, str]:
    """The environment's programs first, no mirror, and this source tree's library."""
    variables = {name: value for name, value in os.environ.items() if name != "COASSOC_MIRROR"}
    variables["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{variables['PATH']}"
    variables["PYTHONPATH"] = str(ROOT / "src")
    return variables


def words(folder: Path, *arguments: Any, cores: int = 2, project: Path = ROOT) -> list[str]:
    """What follows `snakemake` on the command line for the workflow of a project in a folder."""
    first = ["--snakefile", project / "Snakefile", "--directory", folder, "--cores", cores]
    return list(map(str, [*first, *arguments]))


def command(folder: Path, *arguments: Any, **options: Any) -> list[str]:
    """The command line that runs the workflow of a project in a folder."""
    return [sys.executable, "-m", "snakemake", *words(folder, *arguments, **options)]


def snakemake(
    folder: Path,
    *arguments: Any,
    cores: int = 2,
    project: Path = ROOT,
    fails: bool = False,
    **variables: str,
) -> str:
    """Run the workflow, which succeeds unless it `fails`, and return all that it said.

    `variables` are added to the environment.
    """
    given = words(folder, *arguments, cores=cores, project=project)
    return forked(given, Path.cwd(), fails, **variables)


def forked(arguments: list[str], folder: Path, fails: bool = False, **variables: str) -> str:
    """As :func:`snakemake`, with these arguments and a working directory."""
    waiting = _waiting()
    with NamedTemporaryFile("r") as output:
        request: dict[str, Any] = {"words": arguments, "folder": str(folder), "output": output.name}
        request["environment"] = environment() | variables
        print(json.dumps(request), file=waiting, flush=True)
        status = int(waiting.readline())
        told = output.read()
    assert (status != 0) == fails, told[-3000:]
    return told


def follow_command(command: str, folder: Path) -> str:
    """Run a command of a page, which starts Snakemake, in a folder, and return what it said."""
    program, *words = command.split()
    assert program == "snakemake"
    return forked(words, folder)


@cache
def _waiting() -> TextIO:
    """A connection with the Snakemake that waits; the first process that needs it starts it."""
    program = Path(__file__).with_name("waiting_snakemake.py")
    with program.open() as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with suppress(OSError):
            return _connected()
        variables = dict(os.environ)
        pin_kernel(variables)  # as its jobs are forks with NumPy imported
        words = [sys.executable, str(program), _ADDRESS]
        started = subprocess.Popen(words, env=variables, stdout=subprocess.PIPE, text=True)
        assert started.stdout and started.stdout.readline()
        return _connected()


def _connected() -> TextIO:
    connection = socket.socket(socket.AF_UNIX)
    connection.connect(_ADDRESS)
    return connection.makefile("rw")


def said(done: subprocess.CompletedProcess[str]) -> str:
    """Everything that a process printed."""
    return done.stdout + done.stderr


def write_configuration(folder: Path, text: str = SMALL) -> tuple[str, str]:
    """A configuration file in a folder, as arguments for Snakemake."""
    path = folder / "small.yaml"
    path.write_text(text)
    return "--configfile", str(path)


def scores_below(folder: Path) -> dict[str, pd.DataFrame]:
    """The scores of all runs that targets below a folder show, without what is measured.

    Without the commit too: someone may commit while the tests run.
    """
    files = sorted(folder.rglob("results/scores/*/*.parquet"))
    lines = read_scores(*files)
    measured = [*MEASURED, "commit"]
    runs = [source for source in lines if Source.parse(source).block]
    return {source: lines[source].drop(columns=measured) for source in runs}


def run_contents(path: Path) -> dict[str, Any]:
    """Everything in the file of a run but what is measured: arrays, and the points."""
    contents: dict[str, Any] = {}

    def keep(name: str, node: Any) -> None:
        if isinstance(node, h5py.Dataset) and name.split("/")[-1] not in MEASURED:
            # As text, in which a missing value equals another one.
            contents[name] = repr(node[()].tolist())

    with h5py.File(path) as file:
        file.visititems(keep)
        contents["points"] = [group.attrs["points"] for group in file.values()]
    return contents


def copy_project(target: Path, with_library: bool = False) -> Path:
    """What makes up the workflow, in another place; the library itself is linked or copied too."""
    target.mkdir(parents=True)
    for name in _PARTS:
        shutil.copytree(ROOT / name, target / name, ignore=shutil.ignore_patterns("__pycache__"))
    # Without the figures that may have been made there.
    (target / "figures").mkdir()
    for name in ("Snakefile", "Makefile", "pyproject.toml", "figures/README.md"):
        shutil.copy(ROOT / name, target / name)
    if with_library:
        # With what is compiled, which takes long.
        shutil.copytree(ROOT / "src", target / "src")
    else:
        (target / "src").symlink_to(ROOT / "src")
    return target


def assert_same_scores(one: dict[str, pd.DataFrame], other: dict[str, pd.DataFrame]) -> None:
    """Every score of `one` is in `other`, and is the same to the last bit."""
    assert one, "there is nothing to compare"
    assert set(one) <= set(other)
    for name, frame in one.items():
        pd.testing.assert_frame_equal(frame, other[name], check_exact=True, check_like=True)
    assert all(np.isfinite(frame["ARI"]).all() for frame in one.values())
