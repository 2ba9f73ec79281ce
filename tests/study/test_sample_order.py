"""What methods say of the order of the samples is what was measured of their present code."""

import pytest

from coassoc.methods import METHODS
from reproduction.study.sample_order import read_sample_order, reads_order

MEASURED = read_sample_order()


@pytest.mark.parametrize("name", MEASURED)
def test_what_a_method_declares_was_measured(name):
    method = METHODS.method(name)
    assert (MEASURED[name]["answer"] == "yes") == method.depends_on_sample_order
    assert MEASURED[name]["code"] == method.code, "another revision. Call 'make sample-order'"


def test_a_measurement_counts_more_than_a_word_and_a_word_where_there_is_none():
    assert reads_order("LTA-SC", declared=False)
    assert not reads_order("LWEA", declared=True)
    assert reads_order("of my own", declared=True)
