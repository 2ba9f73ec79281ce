"""Drawing leaves Matplotlib as it was, and files are the same from run to run."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPTS = Path(__file__).parents[2] / "scripts"

DRAW_ALL = """
import importlib, pathlib, sys
folder = pathlib.Path(sys.argv[1])
import matplotlib
matplotlib.use("svg")
matplotlib.rcParams["font.size"] = 3
before = dict(matplotlib.rcParams)
from coassoc.consensus import find_consensus
for script in [*pathlib.Path().glob("plot_*.py"), *pathlib.Path().glob("analyse_*.py")]:
    importlib.import_module(script.stem)
find_consensus([[0, 0], [0, 1], [1, 1], [1, 1]], 2).plot(folder / "consensus.png")
assert dict(matplotlib.rcParams) == before
assert matplotlib.get_backend() == "svg"
assert "matplotlib.pyplot" not in sys.modules
"""

DRAW_RANKS = """
import pandas as pd
from analyse_significance import plot
from coassoc.pages.style import save
tests = pd.DataFrame({"difference": [0.1, 0.0, -0.1], "half_width": 0.05, "p": [0.01, 1, 0.3]})
save(plot(tests, "ARI"), {"pdf": folder / "ranks.pdf"})
"""


@pytest.fixture(scope="module")
def elsewhere(tmp_path_factory) -> Path:
    """A folder with pictures of another process, whatever the order of sets there."""
    folder = tmp_path_factory.mktemp("elsewhere")
    other = "2" if os.environ.get("PYTHONHASHSEED") == "1" else "1"
    environment = {**os.environ, "PYTHONHASHSEED": other}
    command = [sys.executable, "-c", DRAW_ALL + DRAW_RANKS, folder]
    subprocess.run(command, check=True, env=environment, cwd=SCRIPTS)
    return folder


def test_drawing_changes_no_setting_and_needs_no_pyplot(elsewhere):
    assert (elsewhere / "consensus.png").read_bytes().startswith(b"\x89PNG")


def test_files_are_the_same_in_another_process(elsewhere, tmp_path):
    exec(DRAW_RANKS, {"folder": tmp_path})
    assert (tmp_path / "ranks.pdf").read_bytes() == (elsewhere / "ranks.pdf").read_bytes()
