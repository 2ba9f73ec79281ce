"""Every format of the catalogue, in tiny files that are made here."""

from __future__ import annotations

from pathlib import Path

import h5py
import numpy as np
import pandas as pd
import pytest
import scipy.io
import scipy.sparse as sp

from coassoc.datasets.parsers import PARSERS, parse
from coassoc.errors import ConfigError, DataError
from dataset_files import gz, unix_compress

X = np.array([[1.5, 2.0], [3.0, 4.0], [5.0, 6.5]])


def write(path: Path, content: str | bytes) -> Path:
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def delimited(path: Path, content: str | bytes, **arguments):
    return parse("delimited", {"data": [write(path, content)]}, arguments)


# -- delimited text -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "arguments"),
    [
        ("1.5,2,a\n3,4,b\n5,6.5,a\n", {"label": "last"}),
        ("1.5, 2, a\r\n3, 4, b\r\n5, 6.5, a\r\n", {"label": "last"}),
        ("1,1.5,2,a\n2,3,4,b\n3,5,6.5,a", {"label": "last", "drop": ["first"]}),
        ("x,y,kind\n1.5,2,a\n3,4,b\n5,6.5,a\n", {"header": True, "label": "kind"}),
        ("kind;x;y\na;1.5;2\nb;3;4\na;5;6.5\n", {"header": True, "label": 0, "separator": ";"}),
        ("a 1.5   2\nb 3 4\n a 5 6.5 \n", {"separator": "whitespace", "label": "first"}),
        ('"1.5\t2\ta"\n"3\t4\tb"\n"5\t6.5\ta"\n', {"separator": "\t", "strip": '"', "label": 2}),
        ("@relation t\n@data\n1.5,2,a\n3,4,b\n5,6.5,a\n", {"skip": "@", "label": "last"}),
        ("9,9,z\n1.5,2,a\n3,4,b\n5,6.5,a\n9,9,z\n", {"rows": [1, 4], "label": "last"}),
    ],
)
def test_delimited_with_a_label_column(tmp_path, text, arguments):
    features, labels = delimited(tmp_path / "t", text, **arguments)
    np.testing.assert_array_equal(features, X)
    assert labels.tolist() == ["a", "b", "a"]


def test_one_hot_labels(tmp_path):
    text = "1.5 2 1 0 0\n3 4 0 0 1\n5 6.5 0 1 0\n"
    features, labels = delimited(tmp_path / "t", text, separator="whitespace", one_hot=3)
    np.testing.assert_array_equal(features, X)
    assert labels.tolist() == [0, 2, 1]
    with pytest.raises(DataError, match=r"t: the last 3 columns are not one 1 and otherwise 0"):
        delimited(tmp_path / "t", "1 2 1 1 0\n", separator="whitespace", one_hot=3)


@pytest.mark.parametrize("pack", [gz, lambda text: unix_compress(text.encode())], ids=["gz", "Z"])
def test_packed_files_with_labels_of_their_own(tmp_path, pack):
    suffix = ".gz" if pack is gz else ".Z"
    files = {
        "data": [write(tmp_path / f"data{suffix}", pack("1.5 2\n3 4\n5 6.5\n"))],
        "labels": [write(tmp_path / f"labels{suffix}", pack("2\n1\n2\n"))],
    }
    features, labels = parse("delimited", files, {"separator": "whitespace"})
    np.testing.assert_array_equal(features, X)
    assert labels.tolist() == [2, 1, 2]


def test_tables_one_below_the_other_and_side_by_side(tmp_path):
    first = write(tmp_path / "a", "1,2,x\n3,4,y\n")
    second = write(tmp_path / "b", "5,6,x\n7,8,z\n")
    files = {"data": [first, second]}
    features, labels = parse("delimited", files, {"label": "last"})
    assert features.tolist() == [[1, 2], [3, 4], [5, 6], [7, 8]]
    assert labels.tolist() == ["x", "y", "x", "z"]
    features, labels = parse("delimited", files, {"label": "last", "join": "columns"})
    assert features.tolist() == [[1, 2, 5, 6], [3, 4, 7, 8]]
    assert labels.tolist() == ["x", "y"]


def test_classes_in_blocks_and_no_classes(tmp_path):
    text = "1\n2\n3\n4\n"
    assert delimited(tmp_path / "t", text, block=2)[1].tolist() == [0, 0, 1, 1]
    assert delimited(tmp_path / "t", text)[1] is None


@pytest.mark.parametrize(
    ("text", "arguments", "message"),
    [
        ("1,red\n2,blue\n", {}, r"column 1 is not numeric \(for example 'red'\); drop it or"),
        ("1,2\n3\n4,5,6\n", {}, "not a table"),
        ("", {}, "not a table"),
        ("1,2\n", {"label": "kind"}, "there is no column 'kind'"),
        ("1,2\n", {"drop": [5]}, "there is no column 5"),
        ("1,a\n2,\n", {"label": "last"}, "row 2 has no label"),
    ],
)
def test_tables_that_are_not_what_they_should_be(tmp_path, text, arguments, message):
    with pytest.raises(DataError, match=rf"{tmp_path}/t: {message}"):
        delimited(tmp_path / "t", text, **arguments)


def test_files_that_are_no_text(tmp_path):
    with pytest.raises(DataError, match="not a text file"):
        delimited(tmp_path / "t", b"\xff\xfe\x00\x01")
    with pytest.raises(DataError, match="cannot read this file"):
        delimited(tmp_path / "t.gz", gz("1,2\n" * 1000)[:40])
    with pytest.raises(DataError, match="gzip cannot unpack this file"):
        delimited(tmp_path / "t.Z", b"no packed file")
    with pytest.raises(DataError, match="there is no such file"):
        parse("delimited", {"data": [tmp_path / "nowhere"]}, {})


# -- sparse text ----------------------------------------------------------------------------------

SPARSE = np.array([[0, 2, 0, 1], [0, 0, 0, 0], [3, 0, 0, 4.0]])


def test_cluto_text(tmp_path):
    files = {
        "data": [write(tmp_path / "t.mat", "3 4 4\n2 2 4 1\n\n1 3 4 4\n")],
        "labels": [write(tmp_path / "t.rclass", "b\na\nb\n")],
    }
    features, labels = parse("sparse_text", files, {})
    assert sp.issparse(features)
    np.testing.assert_array_equal(features.toarray(), SPARSE)
    assert labels.tolist() == ["b", "a", "b"]


def test_counted_rows_and_one_hot_classes(tmp_path):
    files = {
        "data": [write(tmp_path / "t", "3 4\n2 1 2 3 1\n0\n2 0 3 3 4\n")],
        "labels": [write(tmp_path / "l", "0 1 0\n1 0 1\n")],
    }
    arguments = {"header": 2, "counted": True, "base": 0, "one_hot": True}
    features, labels = parse("sparse_text", files, arguments)
    np.testing.assert_array_equal(features.toarray(), SPARSE)
    assert labels.tolist() == [1, 0, 1]


@pytest.mark.parametrize(
    ("text", "arguments", "message"),
    [
        ("3 4 4\n2 2\n", {}, "1 rows, expected 3"),
        ("1 4\n2 2\n", {}, "the first line has 2 numbers, expected 3"),
        ("1 4 1\n5 2\n", {}, "a column number is outside the 4 columns"),
        ("1 4 1\n2\n", {}, "a row is not made of pairs"),
        ("1 4 2\n2 2\n", {}, "1 entries, expected 2"),
        ("<html>\n", {}, "not a sparse matrix as text"),
        ("1 4\n2 0 1\n", {"header": 2, "counted": True}, "a row of 1 pairs says it has 2"),
    ],
)
def test_broken_sparse_text(tmp_path, text, arguments, message):
    with pytest.raises(DataError, match=message):
        parse("sparse_text", {"data": [write(tmp_path / "t", text)]}, arguments)


# -- binary containers ----------------------------------------------------------------------------


@pytest.mark.parametrize("dense", [True, False])
def test_matlab_5(tmp_path, dense):
    path = tmp_path / "t.mat"
    matrix = SPARSE if dense else sp.csc_matrix(SPARSE)
    scipy.io.savemat(path, {"fea": matrix, "gnd": np.array([[1], [2], [1]], np.uint8)})
    features, labels = parse("matlab", {"data": [path]}, {"X": "fea", "y": "gnd"})
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
    features, labels = parse("matlab", {"data": [path]}, {})
    np.testing.assert_array_equal(features if dense else features.toarray(), SPARSE)
    assert labels.tolist() == [1, 2, 1]


def test_matlab_parts_in_a_prescribed_sequence(tmp_path):
    """The k-th sample of a class goes to the k-th place of that class, part by part."""
    for name, values, classes in (("a", [[1], [2], [3]], [1, 1, 2]), ("b", [[4], [5]], [1, 2])):
        scipy.io.savemat(tmp_path / f"{name}.mat", {"X": np.array(values), "Y": np.array(classes)})
    # class 1 is called 7 and class 2 is called 3
    scipy.io.savemat(tmp_path / "s.mat", {"gt": np.array([[7], [3], [7], [3], [7]])})
    files = {"data": [tmp_path / "a.mat", tmp_path / "b.mat"], "sequence": [tmp_path / "s.mat"]}
    features, labels = parse("matlab", files, {"sequence": "gt"})
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
    with pytest.raises(DataError, match=r"t\.mat: there is no such file"):
        parse("matlab", {"data": [tmp_path / "t.mat"]}, {})
    scipy.io.savemat(tmp_path / "t.mat", {"X": X})
    with pytest.raises(DataError, match=r"t\.mat: there is no variable 'Y'"):
        parse("matlab", {"data": [tmp_path / "t.mat"]}, {})


def test_npz_and_hdf5_and_parquet(tmp_path):
    y = np.array([1, 0, 1])
    np.savez(tmp_path / "t.npz", X=X, y=y)
    with h5py.File(tmp_path / "t.h5", "w") as file:
        file["X"], file["y"] = X, y
    frame = pd.DataFrame(X, columns=["u", "v"]).assign(kind=["b", "a", "b"], id=[1, 2, 3])
    frame.to_parquet(tmp_path / "t.parquet")
    for parser, suffix in (("npz", ".npz"), ("hdf5", ".h5")):
        features, labels = parse(parser, {"data": [tmp_path / f"t{suffix}"]}, {})
        np.testing.assert_array_equal(features, X)
        np.testing.assert_array_equal(labels, y)
    arguments = {"label": "kind", "drop": ["id"]}
    features, labels = parse("parquet", {"data": [tmp_path / "t.parquet"]}, arguments)
    np.testing.assert_array_equal(features, X)
    assert labels.tolist() == ["b", "a", "b"]


def test_containers_without_classes(tmp_path):
    np.savez(tmp_path / "t.npz", X=X)
    with h5py.File(tmp_path / "t.h5", "w") as file:
        file["X"] = X
    assert parse("npz", {"data": [tmp_path / "t.npz"]}, {})[1] is None
    assert parse("hdf5", {"data": [tmp_path / "t.h5"]}, {})[1] is None


def test_nothing_is_unpickled(tmp_path):
    np.savez(tmp_path / "t.npz", X=np.array([{"any": "object"}], dtype=object))
    with pytest.raises(DataError, match=r"t\.npz: not a NumPy archive of plain arrays"):
        parse("npz", {"data": [tmp_path / "t.npz"]}, {})


@pytest.mark.parametrize("parser", ["npz", "hdf5", "parquet"])
def test_broken_containers(tmp_path, parser):
    path = write(tmp_path / "broken", b"PK\x03\x04 and then nothing of the kind")
    with pytest.raises(DataError, match="broken: not a "):
        parse(parser, {"data": [path]}, {})
    with pytest.raises(DataError, match="nowhere: there is no such file"):
        parse(parser, {"data": [tmp_path / "nowhere"]}, {})


def test_features_must_be_a_matrix_of_numbers(tmp_path):
    np.savez(tmp_path / "t.npz", X=np.array([["a", "b"]]))
    with pytest.raises(DataError, match="the features are 2-dimensional values of type <U1"):
        parse("npz", {"data": [tmp_path / "t.npz"]}, {})


def test_data_sets_of_scikit_learn():
    features, labels = parse("scikit-learn", {}, {"loader": "iris"})
    assert features.shape == (150, 4)
    assert np.bincount(labels).tolist() == [50, 50, 50]
    with pytest.raises(ConfigError, match="loader is 'os'; one of"):
        parse("scikit-learn", {}, {"loader": "os"})


def test_unknown_parsers_and_arguments(tmp_path):
    with pytest.raises(ConfigError, match=r"parser: 'excel' is unknown; there are delimited, "):
        parse("excel", {}, {})
    with pytest.raises(ConfigError, match=r"parser npz: .*unexpected keyword argument 'label'"):
        parse("npz", {"data": [tmp_path]}, {"label": "last"})


def test_the_schema_knows_all_parsers_and_steps(project):
    from coassoc.datasets.preprocessing import STEPS
    from coassoc.storage.configuration import load_yaml

    schema = load_yaml(project / "config/schemas/datasets.yaml")["$defs"]
    assert set(schema["parser"]["enum"]) == set(PARSERS)
    plain, with_argument = schema["step"]["oneOf"]
    assert {*plain["enum"], *with_argument["properties"]} == set(STEPS)
