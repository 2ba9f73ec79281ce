"""The present code makes the numbers of its revision; how, :mod:`revisions` says."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

import revisions
from coassoc.methods import METHODS, Method
from coassoc.methods.base import ConsensusClusterer
from dataset_files import write
from revisions import NAMES, code_of, keep, made_before, made_now, moved, read_kept

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


DIGITS = "Digits, a part"
#: Methods that take long for the samples of Digits, and are asked for them by the slow tests.
LONG = ("CEAM", "CESHL", "GTLEC", "LTA-EA", "LTA-SC", "RCE", "RMSC", "RSEC-H", "RSEC-Z")


@pytest.mark.parametrize(
    ("name", "without"),
    [
        *((name, DIGITS if name in LONG else "") for name in NAMES),
        *(pytest.param(name, "", marks=pytest.mark.slow) for name in LONG),
    ],
)
def test_the_numbers_are_those_of_the_revision(name, without):
    made, kept = made_now(name, without), read_kept().get(code_of(name), {})
    assert {*made} == {*kept} - {without}, f"Run 'make revisions': not all of {name} is kept."
    assert not moved(name, made, kept), (
        f"raise the revision of {name} if the new labels are right, and run 'make revisions'"
    )


def test_no_method_takes_the_revision_of_another():
    for name in METHODS:
        own = METHODS.method(name).estimator
        owner = next(each for each in own.__mro__ if "revision" in vars(each))
        assert owner in (own, ConsensusClusterer), name


# -- what happens when labels move -------------------------------------------------------------

NAME, KEY = "VOTE", "Glass"


@pytest.fixture
def other() -> revisions.Kept:
    """Labels of VOTE on Glass that are not those of its code."""
    kept = read_kept()
    kept["VOTE 1"][KEY] = ["0" * 16]
    return kept


def test_the_code_before_is_that_of_the_commit_that_wrote_the_labels(tmp_path):
    git = ["git", "-C", str(tmp_path), "-c", "user.name=a", "-c", "user.email=a@b.c"]
    subprocess.run([*git, "init"], check=True, capture_output=True)
    for code, written in (("old", "tests/golden/labels.json"), ("new", "config/pools.yaml")):
        for name in ("src/a", "config/b", written):
            write(tmp_path / name, code)
        program = f"import json, sys; print(json.dumps([*sys.argv[1:], '{code}']))"
        write(tmp_path / "tests/revisions.py", program)
        for words in (["add", "--all"], ["commit", "--message", code]):
            subprocess.run([*git, *words], check=True, capture_output=True)
    assert made_before(NAME, root=tmp_path) == ["--print", NAME, "old"]


def test_labels_that_the_code_before_makes_too_did_not_move(other, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["revisions", "--print", NAME])
    revisions.main()
    made = json.loads(capsys.readouterr().out)
    monkeypatch.setattr(revisions, "made_before", lambda *_: made)
    assert moved(NAME, made, other["VOTE 1"]) == []


def test_moved_labels_are_kept_for_a_new_revision_alone(other, monkeypatch):
    monkeypatch.setattr(revisions, "made_before", lambda *_: {KEY: "0" * 16})
    assert keep([NAME], other) == [f"VOTE 1: {KEY}"]
    assert other["VOTE 1"][KEY] == ["0" * 16]
    monkeypatch.setattr(METHODS.method(NAME).estimator, "revision", 2)
    assert keep([NAME], other) == []
    assert "VOTE 1" not in other and other["VOTE 2"][KEY] == read_kept()["VOTE 1"][KEY]


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
