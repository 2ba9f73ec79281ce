"""Tables of labels as users have them, and the sentences for those that are none."""

from __future__ import annotations

from io import StringIO

import numpy as np
import pandas as pd
import pytest

from coassoc import DataError, Ensemble
from coassoc.label_table import codes

NAN = float("nan")


@pytest.mark.parametrize(
    "labels",
    [
        np.array([[3, 0], [-1, 2]]),
        np.array([[3.0, 0.0], [NAN, 2.0]]),
        np.ma.masked_array([[3, 0], [7, 2]], [[False, False], [True, False]]),
        [[3, 0], [None, 2]],
        [[3, 0], [NAN, 2]],
        pd.DataFrame({"a": [3, None], "b": [0, 2]}),
        pd.DataFrame({"a": pd.array([3, None], dtype="Int64"), "b": [0, 2]}),
    ],
    ids=["minus one", "nan", "masked", "None", "list", "frame", "nullable"],
)
def test_a_missing_label_is_minus_one(labels):
    np.testing.assert_array_equal(codes(labels), [[3, 0], [-1, 2]])


def test_texts_are_numbered_in_their_order():
    frame = pd.DataFrame({"hdbscan": ["b", "a", None], "kmeans": [2, 1, 1], "tree": ["", "x", "y"]})
    np.testing.assert_array_equal(codes(frame), [[1, 2, -1], [0, 1, 0], [-1, 1, 1]])
    np.testing.assert_array_equal(codes(np.array([["b", "x"], ["a", ""]])), [[1, 0], [0, -1]])


def test_a_frame_names_the_samples():
    frame = pd.DataFrame({"a": [0, 1], "b": [1, 1]}, index=["first", "second"])
    assert list(Ensemble(frame).index) == ["first", "second"]
    assert Ensemble(frame.to_numpy()).index is None


def read(text: str, index: bool = False) -> pd.DataFrame:
    """A table as it comes from a file that was written with or without an index."""
    frame = pd.read_csv(StringIO(text))
    return pd.read_csv(StringIO(frame.to_csv())) if index else frame


def test_columns_may_be_called_by_numbers_in_their_order():
    frame = read("2,3,10\n0,1,2\n1,1,2\n")
    np.testing.assert_array_equal(codes(frame), [[0, 1, 2], [1, 1, 2]])


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (np.zeros(5), "expected a non-empty"),
        (np.zeros((0, 3)), "expected a non-empty"),
        (np.array([[0, 1], [-3, 2]]), "sample 1 of base clustering 0 is -3"),
        (np.array([[0.0, 1.0], [1.0, np.inf]]), "sample 1 of base clustering 1 is inf"),
        (np.array([[0.5], [1.0]]), "sample 0 of base clustering 0 is 0.5"),
        (np.array([[0j], [1j]]), "complex"),
        ([["a", 1], [2, 1]], "base clustering 0 has values of type int, str"),
        ([[0, 1], [-1, None]], "sample 1 has no label at all; leave it out"),
        ([[0, None], [1, None]], "base clustering 1 has no label at all; leave it out"),
        ([[0, 1], [-1, -1], [-1, -1]], "sample 1 has no label at all \\(and 1 more\\)"),
        ([[0, 1], [1]], "the rows are not all of one length"),
        (read("a,b\n0,1\n1,1\n", index=True), "column 0 has no name of its own \\('Unnamed: 0'\\)"),
        (read("2,1,1\n0,1,2\n1,1,2\n"), "the columns are called 2, 1, 1.1, …; if these are"),
    ],
)
def test_what_is_no_table_of_labels_gets_one_sentence(labels, message):
    with pytest.raises(DataError, match=message):
        codes(labels)
