"""What a run's numbers rest on, and that the present code makes those of its revision."""

from functools import cache
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

from coassoc.methods import METHODS
from coassoc.metrics import METRICS
from evidence import DISCRETISING, cases, kept_labels, known_processors, processor
from evidence.__main__ import evidence_of, present_lines

MODULES = {name: METHODS.method(name).module for name in METHODS}
RACES = [f"race by {metric}" for metric in METRICS]
POOLS = [f"pools {kind}" for kind in POOL_KINDS]


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


@pytest.mark.parametrize("name", [*METHODS, *RACES, *POOLS])
def test_the_numbers_are_those_of_the_revision(name):
    evidence = evidence_of(name, kept())
    assert not evidence.new, f"Run 'make same-numbers': {', '.join(evidence.new)} is new."
    if name in METHODS and evidence.moved and processor() not in known_processors():
        moved = "; ".join(evidence.moved)
        pytest.skip(f"No labels are kept of a processor such as {processor()}: {moved}")
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
            "reproduction.running",
            "coassoc.bench.fits",
        }


@pytest.mark.parametrize(
    ("module", "concerned"),
    [
        # Words, limits and storage concern none.
        ("errors.py", set()),
        ("methods/names.py", set()),
        ("methods/docstrings.py", set()),
        ("methods/memory.py", set()),
        ("numerics/memory.py", set()),
        ("running/runs.py", set()),
        ("storage/hdf5.py", set()),
        # A new metric concerns those that weight by one.
        ("metrics.py", {"WEAC", "GP-MGLA"}),
        ("methods/hclce/graphs.py", {"HCLCE"}),
        # What seeds and fits.
        ("running/fits.py", {*METHODS}),
        ("ensemble.py", {*METHODS}),
        ("seeds.py", {*METHODS}),
    ],
)
def test_an_edit_concerns_what_rests_on_the_code(copied_library, module, concerned):
    before = codes(LIBRARY)
    edit(copied_library, module)
    after = codes(copied_library)
    assert {name for name in METHODS if before[name] != after[name]} == concerned
    assert not [name for name in concerned if after[name].startswith(f"{name} ")]


@pytest.mark.parametrize(
    ("old", "new", "moved"),
    [
        ('"Recall": _recall,', '"Recall": _recall,\n    "Another": purity,', set()),
        ("counts * (counts - 1)", "counts * (counts - 2)", {"ARI"}),
        ("(truth >= 0) & (clusters >= 0)", "clusters >= 0", {"ARI", "ACC"}),
    ],
)
def test_a_race_rests_on_its_own_metric_and_on_the_labellings(copied_library, old, new, moved):
    edit(copied_library, "metrics.py", old, new)
    here, there = SourceCode(LIBRARY), SourceCode(copied_library)
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


@pytest.mark.parametrize("race", ["ACC", "ARI"])
def test_a_race_of_code_that_was_listed_later_is_of_the_present_revision(race):
    source, module = SourceCode(LIBRARY), MODULES["LWEA"]
    lines = read_lines()
    same = Revisions(source, lines).same_as_present({"LWEA": module})
    without = (lambda x: True, lambda x: x.name == "LWEA", lambda x: x.name.startswith("race by"))
    for left_out in without:
        listed = [x for x in lines if not left_out(x)]
        before = Revisions(source, listed).code("LWEA", module, race)
        assert ", " in before and before in same
