"""The commands that compare and audit a method."""

import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from coassoc.command import program

CHEATS = Path(__file__).parents[1] / "comparison/cheats.py"


def run(*arguments: str):
    """The outcome of a command, in this process."""
    return CliRunner().invoke(program, arguments)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["compare"], "Give one or more methods, or --export, or --labels"),
        (["compare", "LWEA", "--export", "out"], "Give one or more methods, or --export"),
        (["compare", "nowhere.py:Mine"], "there is no file nowhere.py"),
        (["compare", "LWEA", "--dataset", "Glas"], "the data set is 'Glas'"),
        (["audit", "LWEE"], "neither a method of coassoc"),
    ],
)
def test_a_mistake_is_told_before_anything_is_written(tmp_path, monkeypatch, arguments, message):
    monkeypatch.chdir(tmp_path)
    done = run(*arguments)
    assert done.exit_code in (1, 2)
    assert message in done.output and "Traceback" not in done.output
    assert list(tmp_path.iterdir()) == []


def test_ensembles_go_out_and_labels_are_missed(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = run("compare", "--export", "out", "--quick", "--dataset", "Wine")
    assert done.exit_code == 0 and done.output == "out: the ensembles of Wine\n"
    assert len(list(Path("out").glob("Wine.*"))) == 2
    done = run("compare", "--labels", "mine=out", "--quick", "--dataset", "Wine")
    assert done.exit_code == 1 and "the labels of Wine must be in Wine." in done.output


def test_one_command_makes_the_page(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    arguments = ("--quick", "--dataset", "Wine", "--processes", "1")
    done = run("compare", f"{CHEATS}:Honest", *arguments)
    assert done.exit_code == 0, done.output
    assert "Honest: place " in done.output
    assert done.output.endswith("coassoc-compare/compare.html\n")
    assert "LWEA 1" in Path("coassoc-compare/compare.html").read_text()
