"""Distinct values and rows, against NumPy's sorts."""

import numpy as np
import pytest

from coassoc.numerics.distinct import distinct_rows, distinct_values, places_among_distinct


@pytest.mark.parametrize("kind", [np.int8, np.int16, np.int32])
@pytest.mark.parametrize(("n", "m", "k"), [(1, 1, 1), (50, 3, 2), (9000, 20, 90), (300, 70, 120)])
def test_groups_are_those_of_a_sort(kind, n, m, k):
    random = np.random.default_rng(n)
    labels = random.integers(-1, k, (n, m)).astype(kind)
    labels = labels[random.integers(0, n, 2 * n)]
    if kind is np.int32:
        labels[:, -1] = np.maximum(labels[:, -1] * 2**23, -1)  # two such columns fill a word
    groups = distinct_rows(labels)
    expected = np.unique(labels, axis=0, return_inverse=True)[1].ravel()
    np.testing.assert_array_equal(groups, expected)


@pytest.mark.parametrize("end", ["min", "max"])
@pytest.mark.parametrize("kind", ["int8", "uint8", "int16", "int32", "uint32", "int64", "uint64"])
def test_values_are_those_of_a_sort(kind, end):
    few = np.random.default_rng(0).integers(0, [2, 90, 1], (400, 3)).astype(kind)
    few[:, 1] *= few[:, 1] % 3
    last = getattr(np.iinfo(kind), end)
    table = few + last if end == "min" else last - few
    codes, values = distinct_values(table)
    assert codes.dtype == np.uint8
    for column, distinct, expected in zip(codes.T, values, table.T, strict=True):
        np.testing.assert_array_equal(distinct, np.unique(expected))
        np.testing.assert_array_equal(distinct[column], expected)
        np.testing.assert_array_equal(distinct[places_among_distinct(expected)], expected)


@pytest.mark.parametrize("column", [np.array([True, False]), np.array([-128, 127, 0], np.int8)])
def test_truth_values_and_the_whole_range_of_a_type_come_back(column):
    codes, (values,) = distinct_values(column[:, None])
    np.testing.assert_array_equal(values[codes[:, 0]], column)


@pytest.mark.parametrize("table", [[[0], [2**40]], [[0.0], [1.0]]])
def test_values_far_apart_and_fractions_are_left_to_a_sort(table):
    assert distinct_values(np.array(table)) is None
