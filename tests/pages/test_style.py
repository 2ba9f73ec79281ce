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

DRAW_SCORES = """
import pandas as pd
from plot_curves import draw_ensemble_size
from coassoc.pages.style import save
names = ["LWEA", "LWGP", "EC-CMS", "mine"]
lines = pd.DataFrame({"label": names * 2, "x": [10] * 4 + [20] * 4, "run": "p/Wine/m10/M/default"})
lines = lines.assign(dataset="Wine", mean=[k / 10 for k in range(8)], std=0.01)
lines["repeats"] = 20
save(draw_ensemble_size(lines, {"metric": "ARI"}), {"pdf": folder / "scores.pdf"})
"""


@pytest.fixture(scope="module")
def elsewhere(tmp_path_factory) -> Path:
    """A folder with pictures of another process, whatever the order of sets there."""
    folder = tmp_path_factory.mktemp("elsewhere")
    other = "2" if os.environ.get("PYTHONHASHSEED") == "1" else "1"
    environment = {**os.environ, "PYTHONHASHSEED": other}
    command = [sys.executable, "-c", DRAW_ALL + DRAW_SCORES, folder]
    subprocess.run(command, check=True, env=environment, cwd=SCRIPTS)
    return folder


def test_drawing_changes_no_setting_and_needs_no_pyplot(elsewhere):
    assert (elsewhere / "consensus.png").read_bytes().startswith(b"\x89PNG")


def test_files_are_the_same_in_another_process(elsewhere, tmp_path):
    exec(DRAW_SCORES, {"folder": tmp_path})
    assert (tmp_path / "scores.pdf").read_bytes() == (elsewhere / "scores.pdf").read_bytes()
