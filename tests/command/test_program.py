"""The program ``coassoc``: its help, its errors, and what it needs to be installed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from coassoc.command import COMMANDS
from snakemake_runs import environment

LABELS = Path(__file__).parents[2] / "examples/own-labels/labels.csv"


def coassoc(*arguments: str, **options) -> subprocess.CompletedProcess[str]:
    """The program as a process of its own."""
    command = [sys.executable, "-m", "coassoc", *arguments]
    return subprocess.run(command, env=environment(), capture_output=True, text=True, **options)


@pytest.mark.parametrize("command", COMMANDS)
def test_help_imports_no_numerics(command):
    code = (
        "import sys\n"
        "from coassoc.command import program\n"
        f"program([{command!r}, '--help'], standalone_mode=False)\n"
        "assert not {'numpy', 'pandas', 'matplotlib', 'sklearn'} & {*sys.modules}\n"
    )
    done = subprocess.run([sys.executable, "-c", code], env=environment(), capture_output=True)
    assert done.returncode == 0, done.stderr


def test_a_mistake_is_one_sentence():
    done = coassoc("consensus", str(LABELS), "-k", "3", "--id", "smple")
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1)
    assert done.stderr.startswith(f"Error: {LABELS}: id names 'smple'")
    assert coassoc("consensus", str(LABELS), "-k", "three").returncode == 2


def test_a_package_that_is_missing_is_named(tmp_path):
    (tmp_path / "click.py").write_text("raise ModuleNotFoundError('no click', name='click')")
    done = coassoc("--help", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (
        1,
        "coassoc needs the package click: pip install 'coassoc[tables]'\n",
    )


def test_a_reader_that_leaves_ends_it_quietly():
    code = f"{sys.executable} -m coassoc methods | head -n 1"
    done = subprocess.run(
        code, shell=True, env=environment(), capture_output=True, text=True, check=True
    )
    assert (done.stdout.count("\n"), done.stderr) == (1, "")
