"""What is left to run, and how long it takes."""

from dataclasses import replace
from types import SimpleNamespace

import pytest

from reproduction.plan.keys import RunKey
from reproduction.plan.studies import Cell, Target
from reproduction.running.left import Left, page, what_is_left

#: Two of these end one refinement.
METHODS = {
    name: SimpleNamespace(refinement=end) for name, end in [("X", None), ("Y-SC", 1), ("Y-KM", 1)]
}


#: Seconds of a job besides its fits.
JOB = 3
ONE, OTHER, ENDING = (RunKey("p", "A", 20, method) for method in ("X", "Y-SC", "Y-KM"))


def table(name: str, *runs: RunKey, kind: str = "table", **changes) -> Target:
    cells = tuple(replace(Cell("row", "row", "A", "p", 20, runs=(run,)), **changes) for run in runs)
    section = "tables" if kind == "table" else "figures"
    return Target(SimpleNamespace(name="paper"), section, name, {"kind": kind}, cells)


@pytest.fixture
def left(tmp_path, monkeypatch):
    """What is left of some targets: 60 seconds for each letter of a method, 5 if it is measured."""
    monkeypatch.chdir(tmp_path)

    def left(*targets, kept=()):
        plan = SimpleNamespace(wanted=targets, catalogues=SimpleNamespace(methods=METHODS))
        seconds = lambda made, run: 5.0 if made == "timing" else 60.0 * len(run.method)
        return what_is_left(plan, seconds, lambda target: kept)

    return left


def test_a_run_counts_once(left):
    first, second = left(table("a", ONE), table("b", ONE, OTHER))
    assert first == Left("paper_a", runs=1, missing=1, seconds=60 + JOB)
    assert second == Left("paper_b", runs=2, missing=2, seconds=240 + JOB)


def test_fitting_and_measuring_a_run_are_two_jobs(left):
    remaining = left(table("a", ONE), replace(table("b", ONE), spec={"timed": True}))
    assert [target.seconds for target in remaining] == [60 + JOB, 5 + JOB]


def test_endings_of_one_refinement_are_one_job(left):
    (both,) = left(table("a", OTHER, ENDING))
    assert (both.missing, both.seconds) == (2, 240 + JOB)


def test_what_is_there_or_left_out_is_not_left(left, tmp_path):
    assert left(table("a", ONE, not_run="too long")) == [Left("paper_a", 0, 0, 0)]
    made = tmp_path / ONE.path()
    made.parent.mkdir(parents=True)
    made.touch()
    assert left(table("a", ONE)) == [Left("paper_a", 1, 0, 0)]
    assert page(left(table("a", ONE))) == "Nothing is left to run.\n"


def test_a_run_with_kept_lines_is_not_left_unless_times_are_measured(left):
    both = (table("a", ONE, OTHER), replace(table("b", ONE), spec={"timed": True}))
    remaining = left(*both, kept=[ONE.stem])
    assert [target.missing for target in remaining] == [1, 1]


@pytest.mark.parametrize(
    ("kind", "file"),
    [("matrices", "figures/paper/f.pdf"), ("convergence", ONE.path())],
)
def test_figures_without_scores_are_done_when_their_files_are_there(left, tmp_path, kind, file):
    figure = table("f", ONE, kind=kind)
    assert left(figure)[0].missing == 1
    (tmp_path / file).parent.mkdir(parents=True)
    (tmp_path / file).touch()
    assert left(figure)[0].missing == 0


def test_the_page_begins_with_what_takes_longest(left):
    text = page(left(table("short", ONE), table("long", ONE, OTHER), table("no", ONE)))
    assert text.startswith("About 5 minutes of one core are left")
    assert [line.split(" | ")[0] for line in text.splitlines()[5:]] == [
        "| paper_long", "| paper_short", "| paper_no",
    ]  # fmt: skip
    assert text.splitlines()[-1].endswith("none of its own |")
