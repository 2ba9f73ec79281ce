"""Parsers by their names, and the containers of arrays and tables."""

from typing import get_args

import h5py
import numpy as np
import pandas as pd
import pytest

from coassoc.datasets.parsers import PARSERS, parse
from coassoc.datasets.preprocessing import PREPROCESSING
from coassoc.datasets.registry import PARSER, PLAIN_STEP
from coassoc.errors import ConfigError, DataError
from dataset_files import X, parsed


@pytest.mark.parametrize("y", [None, np.array([1, 0, 1])])
def test_arrays_by_name(tmp_path, y):
    arrays = {"X": X} if y is None else {"X": X, "y": y}
    np.savez(tmp_path / "t.npz", **arrays)
    with h5py.File(tmp_path / "t.hdf5", "w") as file:
        file.update(arrays)
    for parser in ("npz", "hdf5"):
        features, labels, *_ = parsed(parser, tmp_path / f"t.{parser}")
        np.testing.assert_array_equal(features, X)
        np.testing.assert_array_equal(labels, y)


@pytest.mark.parametrize("index", [False, True])
def test_parquet(tmp_path, index):
    columns = {"kind": ["b", "a", "b"], "row": [1, 2, 3], "who": ["b", "a", "7"]}
    frame = pd.DataFrame(X, columns=["u", "v"]).assign(**columns)
    (frame.set_index("who") if index else frame).to_parquet(tmp_path / "t")
    contents = parsed("parquet", tmp_path / "t", label="kind", drop=["row"], id="who")
    np.testing.assert_array_equal(contents.X, X)
    assert contents.y.tolist() == columns["kind"]
    assert contents.samples.tolist() == columns["who"]


@pytest.mark.parametrize("parser", PARSERS)
def test_a_file_that_is_not_there(tmp_path, parser):
    with pytest.raises(DataError, match="nowhere: file not found"):
        parsed(parser, tmp_path / "nowhere")


def test_features_must_be_a_matrix_of_numbers(tmp_path):
    np.savez(tmp_path / "t.npz", X=np.array([["a", "b"]]))
    with pytest.raises(DataError, match="the array has 2 axes and values of type <U1"):
        parsed("npz", tmp_path / "t.npz")


def test_data_sets_of_scikit_learn():
    features, labels, *_ = parse("scikit-learn", {}, {"loader": "iris"})
    assert features.shape == (150, 4)
    assert np.bincount(labels).tolist() == [50, 50, 50]
    with pytest.raises(ConfigError, match=r"loader is 'os'\. It must be one of"):
        parse("scikit-learn", {}, {"loader": "os"})


def test_unknown_arguments():
    with pytest.raises(ConfigError, match=r"parser npz: .*unexpected keyword argument 'label'"):
        parse("npz", {}, {"label": "last"})


def test_the_form_knows_all_parsers_and_steps():
    assert {*get_args(PARSER)} == {*PARSERS}
    assert {*get_args(PLAIN_STEP), "top_columns"} == {*PREPROCESSING}
