"""The present code makes the numbers of its revision; how, :mod:`revisions` says."""

import inspect
import shutil
import subprocess
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import revisions
from coassoc.errors import ConfigError
from coassoc.methods import METHODS, Method
from revisions import (
    DISCRETISING,
    NAMES,
    ROOT,
    SLOW,
    Kept,
    cases,
    made_before,
    made_now,
    moved,
    present_revision,
    read_kept,
)
from revisions.__main__ import keep

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


@cache
def kept() -> Kept:
    return read_kept()


def check(name: str, slow: bool = False) -> None:
    made = dict(made_now(name, slow))
    assert made
    new = [key for key in made if key not in kept().ways]
    assert not new, f"Run 'make revisions': nothing is kept of {', '.join(new)}."
    assert not moved(name, made, kept(), slow), (
        f"raise the revision of {name} if the new labels are right, and run 'make revisions'"
    )


@pytest.mark.parametrize("name", NAMES)
def test_the_numbers_are_those_of_the_revision(name):
    revision = present_revision(name)
    assert revision in kept().revisions, f"Run 'make revisions': nothing is kept of {revision}."
    check(name)


@pytest.mark.slow
@pytest.mark.parametrize("name", SLOW)
def test_the_numbers_of_slow_fits_are_those_of_the_revision(name):
    check(name, slow=True)


def test_every_class_of_the_library_has_a_revision_of_its_own():
    for name in METHODS:
        assert isinstance(vars(METHODS.method(name).estimator)["revision"], int), name


def test_methods_that_end_in_the_discretisation_are_asked_for_many_clusters():
    methods = {
        name
        for name in METHODS
        if hasattr(inspect.getmodule(METHODS.method(name).estimator), "discretize")
    }
    assert methods - {"ECPCS-HC"} == {*DISCRETISING}  # which shares a module with ECPCS-MC
    assert all(f"{name}|Digits, ninety clusters|{{}}" in kept().ways for name in DISCRETISING)


def test_every_parameter_and_kind_of_ensemble_is_there():
    points = {key.split("|")[2] for key in kept().ways if key.startswith("EC-CMS|Glass|")}
    assert {"{}", '{"laplacian": false}', '{"lock": false}', '{"similarity": "ca"}'} <= points
    assert any((case.labels < 0).any() for case in cases().values())
    assert all(len(case.y) % 10 for case in cases().values())
    assert max(len(np.unique(case.labels, axis=0)) for case in cases().values()) > 500


# -- what happens when labels move -------------------------------------------------------------

NAME = "VOTE"
KEY = f"{NAME}|Glass|{{}}"


@pytest.fixture
def other() -> Kept:
    """Labels of VOTE on Glass that are not those of its code."""
    ways = {key: [*ways] for key, ways in kept().ways.items()}
    labels = ways[KEY][0].copy()
    labels[:3] = labels.max() - labels[:3]
    return Kept({**ways, KEY: [labels]}, {*kept().revisions})


@pytest.fixture
def project(tmp_path) -> Path:
    """A repository with the present code, as if it were of the commit that wrote the labels."""
    for name in ("src", "config", "tests/revisions"):
        ignored = shutil.ignore_patterns("__pycache__", "kept")
        shutil.copytree(ROOT / name, tmp_path / name, ignore=ignored)
    git = ["git", "-C", str(tmp_path), "-c", "user.name=a", "-c", "user.email=a@b.c"]
    for words in (["init"], ["add", "--all"], ["commit", "--message", "labels"]):
        subprocess.run([*git, *words], check=True, capture_output=True)
    return tmp_path


def test_labels_that_the_code_before_makes_too_did_not_move(project, other, monkeypatch):
    made = dict(made_now(NAME))
    before = made_before(NAME, root=project)
    assert {*before} == {*made}
    assert all(np.array_equal(before[key], made[key]) for key in made)
    monkeypatch.setattr(revisions, "made_before", lambda *_: before)
    assert moved(NAME, made, other) == []


def test_moved_labels_are_counted_and_kept_for_a_new_revision_alone(other, monkeypatch):
    before = {key: ways[0] for key, ways in other.ways.items()}
    monkeypatch.setattr(revisions, "made_before", lambda *_: before)
    n = np.sum(other.ways[KEY][0] != kept().ways[KEY][0])
    assert 0 < n <= 3
    assert keep([NAME], other) == [f"{KEY}: {n} of 214 labels differ."]
    assert other.ways[KEY][0] is before[KEY] and f"{NAME} 1" in other.revisions
    monkeypatch.setattr(METHODS.method(NAME).estimator, "revision", 2)
    assert keep([NAME], other) == []
    assert f"{NAME} 2" in other.revisions and f"{NAME} 1" not in other.revisions
    assert np.array_equal(other.ways[KEY][0], kept().ways[KEY][0])


def test_without_the_history_nothing_is_passed(tmp_path):
    with pytest.raises(RuntimeError, match="VOTE: its labels are not as kept, and without"):
        made_before(NAME, root=tmp_path)


# -- identities ----------------------------------------------------------------------------------

OWN = "class Mine:\n    revision = {}\n    def fit(self, labels): ...\n"


def test_an_own_class_is_known_by_its_revision_and_its_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    codes = set()
    for text in (OWN.format(1), OWN.format(1) + "# a remark\n"):
        Path("mine_revised.py").write_text(text)
        codes.add(Method("Mine", "mine_revised:Mine").code)
    assert len(codes) == 2 and all(code.startswith("Mine 1 ") for code in codes)
    assert Method("An alias", "coassoc.methods.lwe:LWEA").code == "An alias 1"


def test_a_revision_is_an_integer(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("mine_unrevised.py").write_text(OWN.format("'two'"))
    with pytest.raises(ConfigError, match="whose revision is 'two'; it must be an integer"):
        Method("Mine", "mine_unrevised:Mine").code  # noqa: B018
