"""The present code makes the numbers of its revision; how, :mod:`revisions` says."""

from pathlib import Path

import pytest

from coassoc.methods import METHODS, Method
from coassoc.methods.base import ConsensusClusterer
from refusals import cases
from revisions import NAMES, code_of, made_now, moved, read_kept

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


#: Methods that take long, and have outputs of their authors' programs or an oracle.
LONG = ("CEAM", "CESHL", "GTLEC", "LTA-EA", "LTA-SC", "RCE", "RMSC", "RSEC-H", "RSEC-Z")
LONG += ("SCCABG", "SCCBG")


@cases(
    "name",
    *(pytest.param(x, marks=pytest.mark.slow) if x in LONG else x for x in NAMES),
)
def test_the_numbers_are_those_of_the_revision(name):
    made, kept = made_now(name), read_kept().get(code_of(name), {})
    assert {*made} == {*kept}, f"Run 'make revisions': not all of {name} is kept."
    assert not moved(name, made, kept), (
        f"raise the revision of {name} if the new labels are right, and run 'make revisions'"
    )


def test_no_method_takes_the_revision_of_another():
    for name in METHODS:
        own = METHODS[name].estimator
        owner = next(each for each in own.__mro__ if "revision" in vars(each))
        assert owner in (own, ConsensusClusterer), name


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
