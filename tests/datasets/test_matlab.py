"""MATLAB files of both kinds, whole and broken."""

import io

import h5py
import numpy as np
import pytest
import scipy.io
import scipy.sparse as sp

from coassoc.datasets.parsers import parse
from coassoc.errors import DataError
from dataset_files import SPARSE, parsed, write


def saved(**variables) -> bytes:
    """A file of version 5."""
    buffer = io.BytesIO()
    scipy.io.savemat(buffer, variables, do_compression=True)
    return buffer.getvalue()


def write_7_3(path, fea, gnd):
    with h5py.File(path, "w", userblock_size=512) as file:
        if sp.issparse(fea):
            group = file.create_group("fea")
            group.attrs["MATLAB_sparse"] = np.uint64(fea.shape[0])
            group["data"], group["ir"] = fea.data, fea.indices.astype(np.uint64)
            group["jc"] = fea.indptr.astype(np.uint64)
        else:
            file["fea"] = fea.T
        file["gnd"] = gnd.T


@pytest.mark.parametrize("version", ["5", "7.3"])
@pytest.mark.parametrize("make", [np.asarray, sp.csc_matrix])
def test_variables(tmp_path, version, make):
    path, gnd = tmp_path / "t.mat", np.array([[1], [2], [1]], np.uint8)
    if version == "5":
        write(path, saved(fea=make(SPARSE), gnd=gnd))
    else:
        write_7_3(path, make(SPARSE), gnd)
    features, labels, *_ = parsed("matlab", path, X="fea", y="gnd")
    assert sp.issparse(features) is (make is sp.csc_matrix)
    np.testing.assert_array_equal(sp.csr_array(features).toarray(), SPARSE)
    assert features.dtype == np.float64
    assert labels.tolist() == [1, 2, 1]


def test_parts_in_a_prescribed_sequence(tmp_path):
    """The k-th sample of a class goes to the k-th place of that class, part by part."""
    a = write(tmp_path / "a.mat", saved(X=[[1], [2], [3]], Y=[1, 1, 2]))
    b = write(tmp_path / "b.mat", saved(X=[[4], [5]], Y=[1, 2]))

    def in_sequence(*gt):
        files = {"data": [a, b], "sequence": [write(tmp_path / "s.mat", saved(gt=gt))]}
        return parse("matlab", files, {"sequence": "gt"})

    # class 1 is called 7 and class 2 is called 3
    features, labels, *_ = in_sequence(7, 3, 7, 3, 7)
    assert features.ravel().tolist() == [1, 3, 2, 5, 4]
    assert labels.tolist() == [1, 2, 1, 2, 1]
    with pytest.raises(DataError, match="the sequence and the data have different class sizes"):
        in_sequence(7, 3, 3, 3, 7)
    with pytest.raises(DataError, match="the sequence has 2 samples"):
        in_sequence(7, 3)
