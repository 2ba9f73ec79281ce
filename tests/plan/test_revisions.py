"""What a run's numbers rest on, and that the present code makes those of its revision."""

import shutil
from functools import cache
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

import coassoc
from coassoc.methods import METHODS
from coassoc.metrics import METRICS
from coassoc.plan.closure import SourceCode
from coassoc.plan.revisions import (
    POOL_KINDS,
    Line,
    Revisions,
    race_starts,
    read_lines,
    run_starts,
    write_lines,
)
from evidence import (
    DISCRETISING,
    cases,
    fits_of,
    is_kept,
    kept_labels,
    known_processors,
    made_by,
    processor,
    races_by,
)
from evidence.__main__ import evidence_of, present_lines

LIBRARY = Path(coassoc.__file__).parents[1]
MODULES = {name: METHODS.method(name).module for name in METHODS}


@cache
def present() -> dict[str, Line]:
    return present_lines(read_lines())


@cache
def kept() -> dict[str, list[np.ndarray]]:
    return kept_labels()


def test_the_code_is_known():
    lines = read_lines()
    new = [name for name, line in present().items() if line not in lines]
    assert not new, f"Run 'make same-numbers': the code of {', '.join(new)} is new."


@pytest.mark.parametrize("method", METHODS)
def test_the_labels_are_those_of_the_revision(method):
    fits = fits_of(method, cases())
    moved = [key for key, *fit in fits if not is_kept(made_by(method, *fit), kept()[key])]
    if moved and processor() not in known_processors():
        pytest.skip(f"No labels are kept of a processor such as {processor()}: {', '.join(moved)}")
    assert not moved


@pytest.mark.parametrize("metric", METRICS)
def test_races_are_those_of_the_revision(metric):
    for case in cases().values():
        assert all(is_kept(made, kept()[key]) for key, made in races_by(metric, case))


@pytest.mark.parametrize("kind", POOL_KINDS)
def test_pools_are_those_of_the_revision(kind):
    evidence = evidence_of(f"pools {kind}", kept())
    assert not evidence.new, f"Run 'make same-numbers': {', '.join(evidence.new)} is new."
    assert not evidence.moved


def test_a_pool_without_evidence_is_told():
    without = {key: ways for key, ways in kept().items() if key != "pools generated|coarse"}
    assert evidence_of("pools generated", without).new == ["pools generated|coarse"]


def test_methods_that_end_in_the_discretisation_are_asked_for_many_clusters():
    methods = {
        name for name, module in MODULES.items() if hasattr(import_module(module), "discretize")
    }
    assert methods - {"ECPCS-HC"} == {*DISCRETISING}  # which shares a module with ECPCS-MC
    assert all(f"{name}|Digits, ninety clusters|{{}}" in kept() for name in DISCRETISING)


def test_every_parameter_is_among_the_evidence():
    """At its default and at another value, where a grid or choices name one."""
    points = {key.split("|")[2] for key in kept() if key.startswith("EC-CMS|Glass|")}
    assert {"{}", '{"laplacian": false}', '{"lock": false}', '{"similarity": "ca"}'} <= points
    assert any((case.labels < 0).any() for case in cases().values())
    assert all(len(case.y) % 10 for case in cases().values())


# -- what counts --------------------------------------------------------------------------------


@pytest.fixture
def copy(tmp_path) -> Path:
    """The library, to be edited."""
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(LIBRARY / "coassoc", tmp_path / "coassoc", ignore=ignored)
    return tmp_path


def codes(folder: Path) -> dict[str, str]:
    revisions = Revisions(SourceCode(folder))
    return {name: revisions.code(name, module, "ARI") for name, module in MODULES.items()}


def edit(folder: Path, module: str, old: str = "", new: str = "\nANOTHER = 1\n") -> None:
    path = folder / "coassoc" / module
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1) if old else text + new)


def test_a_run_rests_on_its_method_and_on_what_fits_it():
    for name, module in MODULES.items():
        behind = SourceCode(LIBRARY).closure(*run_starts(module))
        rooms = {imported.split(".")[1] for imported in behind if "." in imported}
        assert not rooms & {"storage", "plan", "results", "figures", "pools", "datasets"}, name
        assert {imported for imported in behind if ".running" in imported} <= {
            "coassoc.running",
            "coassoc.running.fits",
        }


@pytest.mark.parametrize(
    "module",
    ["errors.py", "methods/names.py", "methods/docstrings.py", "methods/memory.py",
     "numerics/memory.py", "running/runs.py", "storage/hdf5.py"],
)  # fmt: skip
def test_words_limits_and_storage_concern_none(copy, module):
    edit(copy, module)
    assert codes(copy) == codes(LIBRARY)


def test_a_new_metric_concerns_those_that_weight_by_one(copy):
    before = codes(LIBRARY)
    edit(copy, "metrics.py")
    after = codes(copy)
    assert {name for name in before if before[name] != after[name]} == {"WEAC", "GP-MGLA"}


def test_an_edited_formula_concerns_its_method_alone(copy):
    before = codes(LIBRARY)
    edit(copy, "methods/hclce/graphs.py")
    after = codes(copy)
    assert {name for name in before if before[name] != after[name]} == {"HCLCE"}
    assert before["HCLCE"].startswith("HCLCE ") and not after["HCLCE"].startswith("HCLCE ")


@pytest.mark.parametrize("module", ["running/fits.py", "ensemble.py", "seeds.py"])
def test_what_seeds_and_fits_concerns_all(copy, module):
    before = codes(LIBRARY)
    edit(copy, module)
    after = codes(copy)
    assert all(before[name] != after[name] for name in before)


@pytest.mark.parametrize(
    ("old", "new", "moved"),
    [
        ('"Recall": _recall,', '"Recall": _recall,\n    "Another": purity,', set()),
        ("counts * (counts - 1)", "counts * (counts - 2)", {"ARI"}),
        ("(truth >= 0) & (clusters >= 0)", "clusters >= 0", {"ARI", "ACC"}),
    ],
)
def test_a_race_rests_on_its_own_metric_and_on_the_labellings(copy, old, new, moved):
    edit(copy, "metrics.py", old, new)
    here, there = SourceCode(LIBRARY), SourceCode(copy)
    starts = {metric: race_starts(metric) for metric in ("ARI", "ACC")}
    assert moved == {
        metric for metric, of in starts.items() if here.fingerprint(*of) != there.fingerprint(*of)
    }


def test_fingerprints_of_one_revision_are_one_identity(tmp_path):
    (tmp_path / "mine.py").write_text("x = 1")
    source = SourceCode(tmp_path)
    fingerprint = source.fingerprint(*run_starts("mine"))
    lines = [Line("Mine", 2, fingerprint), Line("Mine", 2, "of old"), Line("Mine", 1, "older")]
    write_lines(lines, tmp_path / "revisions.csv")
    assert read_lines(tmp_path / "revisions.csv") == sorted(lines)
    known, unknown = Revisions(source, lines), Revisions(source, lines[1:])
    assert known.code("Mine", "mine") == "Mine 2" and unknown.code("Mine", "mine") == fingerprint
    assert known.code("Other", "mine") == fingerprint
    same = known.same_as_present({"Mine": "mine"})
    assert {"Mine 2", fingerprint, "of old"} <= same and "older" not in same


def test_a_race_of_code_that_was_listed_later_is_of_the_present_revision(copy):
    source = SourceCode(copy)
    listed = Revisions(source)
    unlisted = Revisions(source, [])
    for race in ("ACC", "ARI"):
        before = unlisted.code("LWEA", METHODS.method("LWEA").module, race)
        assert ", " in before and before in listed.same_as_present(
            {"LWEA": METHODS.method("LWEA").module}
        )
