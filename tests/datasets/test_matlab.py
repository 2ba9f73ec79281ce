"""MATLAB files of both kinds, whole and broken."""

import h5py
import numpy as np
import pytest
import scipy.io
import scipy.sparse as sp

from coassoc.datasets.parsers import parse
from coassoc.errors import DataError
from dataset_files import write

SPARSE = np.array([[0, 2, 0, 1], [0, 0, 0, 0], [3, 0, 0, 4.0]])


@pytest.mark.parametrize("dense", [True, False])
def test_matlab_5(tmp_path, dense):
    path = tmp_path / "t.mat"
    matrix = SPARSE if dense else sp.csc_matrix(SPARSE)
    scipy.io.savemat(path, {"fea": matrix, "gnd": np.array([[1], [2], [1]], np.uint8)})
    features, labels, *_ = parse("matlab", {"data": [path]}, {"X": "fea", "y": "gnd"})
    assert sp.issparse(features) is not dense
    np.testing.assert_array_equal(features if dense else features.toarray(), SPARSE)
    assert features.dtype == np.float64
    assert labels.tolist() == [1, 2, 1]


@pytest.mark.parametrize("dense", [True, False])
def test_matlab_7_3(tmp_path, dense):
    path = tmp_path / "t.mat"
    with h5py.File(path, "w", userblock_size=512) as file:
        if dense:
            file["X"] = SPARSE.T
        else:
            columns = sp.csc_array(SPARSE)
            group = file.create_group("X")
            group.attrs["MATLAB_sparse"] = np.uint64(len(SPARSE))
            group["data"], group["ir"] = columns.data, columns.indices.astype(np.uint64)
            group["jc"] = columns.indptr.astype(np.uint64)
        file["Y"] = np.array([[1.0, 2.0, 1.0]])
    features, labels, *_ = parse("matlab", {"data": [path]}, {})
    np.testing.assert_array_equal(features if dense else features.toarray(), SPARSE)
    assert labels.tolist() == [1, 2, 1]


def test_matlab_parts_in_a_prescribed_sequence(tmp_path):
    """The k-th sample of a class goes to the k-th place of that class, part by part."""
    for name, values, classes in (("a", [[1], [2], [3]], [1, 1, 2]), ("b", [[4], [5]], [1, 2])):
        scipy.io.savemat(tmp_path / f"{name}.mat", {"X": np.array(values), "Y": np.array(classes)})
    # class 1 is called 7 and class 2 is called 3
    scipy.io.savemat(tmp_path / "s.mat", {"gt": np.array([[7], [3], [7], [3], [7]])})
    files = {"data": [tmp_path / "a.mat", tmp_path / "b.mat"], "sequence": [tmp_path / "s.mat"]}
    features, labels, *_ = parse("matlab", files, {"sequence": "gt"})
    assert features.ravel().tolist() == [1, 3, 2, 5, 4]
    assert labels.tolist() == [1, 2, 1, 2, 1]
    scipy.io.savemat(tmp_path / "s.mat", {"gt": np.array([[7], [3], [3], [3], [7]])})
    with pytest.raises(DataError, match="does not have the class sizes of the data"):
        parse("matlab", files, {"sequence": "gt"})
    scipy.io.savemat(tmp_path / "s.mat", {"gt": np.array([[7], [3]])})
    with pytest.raises(DataError, match="the sequence has 2 samples"):
        parse("matlab", files, {"sequence": "gt"})


@pytest.mark.parametrize("content", [b"<html>", b"MATLAB 5.0 MAT-file" + bytes(109), b""])
def test_broken_matlab_files(tmp_path, content):
    with pytest.raises(DataError, match=r"t\.mat: (not a whole MATLAB file|there is no variable)"):
        parse("matlab", {"data": [write(tmp_path / "t.mat", content)]}, {})


def test_truncated_matlab_file(tmp_path):
    path = tmp_path / "t.mat"
    rng = np.random.default_rng(0)
    scipy.io.savemat(path, {"X": rng.random((50, 50)), "Y": np.ones(50)}, do_compression=True)
    write(path, path.read_bytes()[:5000])
    with pytest.raises(DataError, match=r"t\.mat: not a whole MATLAB file"):
        parse("matlab", {"data": [path]}, {})


def test_missing_variable(tmp_path):
    scipy.io.savemat(tmp_path / "t.mat", {"X": SPARSE})
    with pytest.raises(DataError, match=r"t\.mat: there is no variable 'Y'"):
        parse("matlab", {"data": [tmp_path / "t.mat"]}, {})
