"""What methods say of the order of the samples is what was measured of their present code."""

from __future__ import annotations

import pytest

from coassoc.methods import METHODS
from coassoc.plan.closure import LIBRARY, SourceCode
from coassoc.plan.revisions import Revisions
from coassoc.plan.sample_order import read_sample_order, reads_order

MEASURED = read_sample_order()
REVISIONS = Revisions(SourceCode(LIBRARY))


@pytest.mark.parametrize("name", METHODS)
def test_what_a_method_declares_was_measured(name):
    method = METHODS.method(name)
    assert name in MEASURED, "call 'make sample-order'"
    code = REVISIONS.code(name, method.module)
    assert MEASURED[name]["code"] == code, "another revision; call 'make sample-order'"
    assert (MEASURED[name]["answer"] == "yes") == method.depends_on_sample_order


def test_a_measurement_counts_more_than_a_word_and_a_word_where_there_is_none():
    assert reads_order("LTA-SC", declared=False)
    assert not reads_order("LWEA", declared=True)
    assert reads_order("of my own", declared=True)
