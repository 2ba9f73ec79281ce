"""The example of a method, a data set, a pool and a table of one's own, run as its page says."""

import re
import shutil
import subprocess
from pathlib import Path

import pandas as pd
import pytest

from snakemake_runs import ROOT, copy_project, environment, forked, said

EXAMPLE = ROOT / "examples" / "own-method"


def commands(text: str) -> list[str]:
    """The shell blocks of a page."""
    return re.findall(r"^```bash\n(.*?)^```", text, re.DOTALL | re.MULTILINE)


@pytest.fixture(scope="module")
def example(tmp_path_factory) -> Path:
    """A copy of the example in a copy of the project."""
    project = copy_project(tmp_path_factory.mktemp("own") / "project")
    return Path(shutil.copytree(EXAMPLE, project / "examples" / "own-method"))


def test_the_page_of_the_example_can_be_followed(example):
    run, ask, *_ = commands((example / "README.md").read_text())
    done = subprocess.run(run, shell=True, cwd=example, env=environment(), capture_output=True)
    assert done.returncode == 0, (done.stdout + done.stderr).decode()[-3000:]
    lines = pd.read_csv(example / "results/tables/own/comparison.csv")
    assert set(lines["dataset"]) == {"Three", "Wine"}
    assert (lines["repeats"] == 3).all() and lines["mean"].notna().all()
    tuned = lines[(lines["row"] == "tuned") & (lines["dataset"] == "Wine")]
    assert tuned["parameters"].str.contains("share").all()
    page = (example / "results/tables/own/comparison.md").read_text()
    assert "MajorityVote on Wine: " in page and "in place of 3" in page
    asked = subprocess.run(
        ask, shell=True, cwd=example, env=environment(), capture_output=True, text=True
    )
    assert "run: results/runs/few-clusters/Wine/m10/MajorityVote/default.h5" in asked.stdout


def test_a_mistake_is_told_before_anything_runs(example, tmp_path):
    folder = Path(shutil.copytree(EXAMPLE, tmp_path / "own-method"))
    text = (folder / "majority_vote.py").read_text()
    assert "def fit" in text
    (folder / "majority_vote.py").write_text(text.replace("def fit", "def find"))
    run, *_ = commands((EXAMPLE / "README.md").read_text())
    program, *words = run.replace("../..", str(example.parents[1])).split()
    assert program == "snakemake"
    done = forked(words, folder)
    assert done.returncode != 0 and "a class without the method fit" in said(done)
    assert not (folder / "results").exists()
