"""EAC against the golden outputs."""

import pytest

from goldens import STORED, Golden, check_cuts

#: Complete linkage meets ties in every cut of the other two ensembles.
CASES = [(name, linkage) for name in STORED for linkage in ("AL", "SL")] + [("g60", "CL")]


@pytest.mark.parametrize(("name", "linkage"), CASES)
def test_cuts_of_the_authors_program(name, linkage):
    golden, key = Golden(name), linkage.lower()
    outputs = golden.outputs("eac")
    ties = outputs[f"tie_ok_{key}"]
    check_cuts(golden, f"EAC-{linkage}", outputs[f"labels_{key}"], ties, outputs["ks"])
