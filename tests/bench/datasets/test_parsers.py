"""Parsers by their names: arrays and tables, MATLAB files, delimited and sparse text."""

import io
from functools import partial
from typing import get_args

import h5py
import numpy as np
import pandas as pd
import pytest
import scipy.io
import scipy.sparse as sp

from coassoc.bench.datasets.parsers import PARSERS, parse
from coassoc.bench.datasets.registry import PARSER, PLAIN_STEP
from coassoc.errors import DataError
from coassoc.pools.preprocessing import PREPROCESSING
from dataset_files import SPARSE, X, gz, parsed, unix_compress, write
from refusals import cases, refused, refuses

# -- PARSERS ---------------------------------------------------------------------------------------

# Parsers by their names, and the containers of arrays and tables.


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
    assert contents.y.tolist() == columns["kind"] and contents.samples.tolist() == columns["who"]


@pytest.mark.parametrize("parser", PARSERS)
def test_a_file_that_is_not_there(tmp_path, parser):
    refuses(DataError, "nowhere: file not found", parsed, parser, tmp_path / "nowhere")


def test_features_must_be_a_matrix_of_numbers(tmp_path):
    np.savez(tmp_path / "t.npz", X=np.array([["a", "b"]]))
    with pytest.raises(DataError, match="the array has 2 axes and values of type <U1"):
        parsed("npz", tmp_path / "t.npz")


def test_data_sets_of_scikit_learn():
    features, labels, *_ = parse("scikit-learn", {}, {"loader": "iris"})
    assert features.shape == (150, 4) and np.bincount(labels).tolist() == [50, 50, 50]
    refuses(DataError, "scikit-learn: cannot read", parse, "scikit-learn", {}, {"loader": "os"})


def test_unknown_arguments():
    refuses(DataError, "unexpected keyword argument 'label'", parse, "npz", {}, {"label": "last"})


def test_the_form_knows_all_parsers_and_steps():
    assert {*get_args(PARSER)} == {*PARSERS}
    assert {*get_args(PLAIN_STEP), "top_columns"} == {*PREPROCESSING}


# -- MATLAB ----------------------------------------------------------------------------------------

# MATLAB files of both kinds, whole and broken.


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
    assert features.dtype == np.float64 and labels.tolist() == [1, 2, 1]


def test_parts_in_a_prescribed_sequence(tmp_path):
    """The k-th sample of a class goes to the k-th place of that class, part by part."""
    a = write(tmp_path / "a.mat", saved(X=[[1], [2], [3]], Y=[1, 1, 2]))
    b = write(tmp_path / "b.mat", saved(X=[[4], [5]], Y=[1, 2]))

    def in_sequence(*gt):
        files = {"data": [a, b], "sequence": [write(tmp_path / "s.mat", saved(gt=gt))]}
        return parse("matlab", files, {"sequence": "gt"})

    # class 1 is called 7 and class 2 is called 3
    features, labels, *_ = in_sequence(7, 3, 7, 3, 7)
    assert features.ravel().tolist() == [1, 3, 2, 5, 4] and labels.tolist() == [1, 2, 1, 2, 1]
    with pytest.raises(DataError, match="the sequence and the data have different class sizes"):
        in_sequence(7, 3, 3, 3, 7)
    refuses(DataError, "the sequence has 2 samples", in_sequence, 7, 3)


# -- TEXT ------------------------------------------------------------------------------------------

# Delimited and sparse text, in tiny files that are made here.


delimited = partial(parsed, "delimited")


@cases(
    "text, arguments",
    ("1.5,2,a\n3,4,b\n5,6.5,a\n", {"label": "last"}),
    ("1.5, 2, a\r\n3, 4, b\r\n5, 6.5, a\r\n", {"label": "last"}),
    ("1,1.5,2,a\n2,3,4,b\n3,5,6.5,a", {"label": "last", "drop": ["first"]}),
    ("x,y,kind\n1.5,2,a\n3,4,b\n5,6.5,a\n", {"header": True, "label": "kind"}),
    ("kind;x;y\na;1.5;2\nb;3;4\na;5;6.5\n", {"header": True, "label": 0, "separator": ";"}),
    ("a 1.5   2\nb 3 4\n a 5 6.5 \n", {"separator": "whitespace", "label": "first"}),
    ('"1.5\t2\ta"\n"3\t4\tb"\n"5\t6.5\ta"\n', {"separator": "\t", "strip": '"', "label": 2}),
    ("@relation t\n@data\n1.5,2,a\n3,4,b\n5,6.5,a\n", {"skip": "@", "label": "last"}),
    ("9,9,z\n1.5,2,a\n3,4,b\n5,6.5,a\n9,9,z\n", {"rows": [1, 4], "label": "last"}),
)
def test_delimited_with_a_label_column(tmp_path, text, arguments):
    features, labels, *_ = delimited(tmp_path / "t", text, **arguments)
    np.testing.assert_array_equal(features, X)
    assert labels.tolist() == ["a", "b", "a"]


@cases(
    "text, arguments, message",
    (",a,b\n0,1.5,2\n1,3,4\n", {"header": True}, "column 0 has no name"),
    ("a,b,\n1.5,2,7\n3,4,8\n", {"header": None}, "column 2 has no name"),
    ("1.5,2\n3,4\n", {"header": None}, "first line holds the number 1.5. Pass .*header: false"),
    ("x,2,a\n3,4,b\n", {"header": None, "label": "last"}, "the first line holds the number 2"),
    ("a,b\n0,1.5,2\n1,3,4\n", {"header": True}, "column 0 has no name"),
)
def test_what_would_be_swallowed_is_asked_about(tmp_path, text, arguments, message):
    refuses(DataError, message, delimited, tmp_path / "t", text, **arguments)
    # What the message says helps.
    if "no name" in message:
        place = int(message.split()[1])
        features = delimited(tmp_path / "t", text, **arguments, drop=[place]).X
        assert features.tolist() == [[1.5, 2], [3, 4]]
        assert delimited(tmp_path / "t", text, **arguments, id=place).samples is not None


@cases(
    "text, arguments",
    ("who,x,y\n007,1.5,2\nné,3,4\n1e2,5,6.5\n", {"header": True, "id": "who"}),
    ('"","x","y"\n"007",1.5,2\n"né",3,4\n"1e2",5,6.5\n', {"header": None, "id": "first"}),
    ("007 1.5 2\nné 3 4\n1e2 5 6.5\n", {"separator": "whitespace", "id": "first"}),
    ("1.5,2, 007\n3,4,né \n5,6.5,1e2\n", {"id": 2}),
    ("0,0,z\n1.5,2,007\n3,4,né\n5,6.5,1e2\n", {"id": 2, "rows": [1, 4]}),
)
def test_names_of_samples_are_text(tmp_path, text, arguments):
    contents = delimited(tmp_path / "t", text, **arguments)
    np.testing.assert_array_equal(contents.X, X)
    assert contents.samples.tolist() == ["007", "né", "1e2"]


def test_one_hot_labels(tmp_path):
    text = "1.5 2 1 0 0\n3 4 0 0 1\n5 6.5 0 1 0\n"
    features, labels, *_ = delimited(tmp_path / "t", text, separator="whitespace", one_hot=3)
    np.testing.assert_array_equal(features, X)
    assert labels.tolist() == [0, 2, 1]


@pytest.mark.parametrize(("end", "pack"), [("gz", gz), ("Z", unix_compress)])
def test_packed_files_with_labels_of_their_own(tmp_path, end, pack):
    texts = {"data": "1.5 2\n3 4\n5 6.5\n", "labels": "2\n1\n2\n"}
    files = {role: [write(tmp_path / f"{role}.{end}", pack(texts[role]))] for role in texts}
    features, labels, *_ = parse("delimited", files, {"separator": "whitespace"})
    np.testing.assert_array_equal(features, X)
    assert labels.tolist() == [2, 1, 2]


def test_tables_one_below_the_other_and_side_by_side(tmp_path):
    first = write(tmp_path / "a", "1,2,x\n3,4,y\n")
    files = {"data": [first, write(tmp_path / "b", "5,6,x\n7,8,z\n")]}
    features, labels, *_ = parse("delimited", files, {"label": "last"})
    assert features.tolist() == [[1, 2], [3, 4], [5, 6], [7, 8]]
    assert labels.tolist() == ["x", "y", "x", "z"]
    features, labels, *_ = parse("delimited", files, {"label": "last", "join": "columns"})
    assert features.tolist() == [[1, 2, 5, 6], [3, 4, 7, 8]] and labels.tolist() == ["x", "y"]
    assert parse("delimited", files, {"id": 2}).samples.tolist() == ["x", "y", "x", "z"]
    with pytest.raises(DataError, match="a: the tables to join have different samples"):
        parse("delimited", files, {"id": 2, "join": "columns"})


def test_classes_in_blocks_and_no_classes(tmp_path):
    text = "1\n2\n3\n4\n"
    assert delimited(tmp_path / "t", text, block=2)[1].tolist() == [0, 0, 1, 1]
    assert delimited(tmp_path / "t", text)[1] is None


@refused(
    DataError,
    (
        "1,red\n2,blue\n",
        {},
        "/t: column 1 has 'red', which is not a number. .*as id, label or drop",
    ),
    ("1,2\n3\n4,5,6\n", {}, "/t: cannot read the table .*Row #2: Expected 2 columns, got 1"),
    ("1,a\n", {"label": "last", "drop": [0]}, "/t: no columns are left for the features"),
    ("1,a\n2,\n", {"label": "last"}, "/t: row 2 has no label"),
    ("x,i\n1,a\n2,\n", {"id": "i", "header": True}, "/t: row 3 has no id"),
    ("1,a\n2,b\n3,a\n", {"id": 1}, "/t: 2 samples have the id 'a'"),
    ("1,2,1,1,0\n", {"one_hot": 3}, "/t: the last 3 columns must mark the class of each row"),
)
def test_tables_that_are_not_what_they_should_be(text, arguments, tmp_path):
    delimited(tmp_path / "t", text, **arguments)


def test_files_that_are_no_text(tmp_path):
    refuses(DataError, "cannot read the text", delimited, tmp_path / "t", b"\xff\x00\x01")
    with pytest.raises(DataError, match="cannot read this file"):
        delimited(tmp_path / "t.gz", gz("1,2\n" * 1000)[:40])
    with pytest.raises(DataError, match="gzip cannot unpack this file"):
        delimited(tmp_path / "t.Z", b"no packed file")


COUNTED = {"header": 2, "counted": True, "base": 0, "one_hot": True}


@cases(
    "text, classes, arguments, expected",
    ("3 4 4\n2 2 4 1\n\n1 3 4 4\n", "b\na\nb\n", {}, ["b", "a", "b"]),
    ("3 4\n2 1 2 3 1\n0\n2 0 3 3 4\n", "0 1 0\n1 0 1\n", COUNTED, [1, 0, 1]),
    ids=["as CLUTO writes it", "counted rows and one-hot classes"],
)
def test_sparse_text(tmp_path, text, classes, arguments, expected):
    files = {"data": [write(tmp_path / "t", text)], "labels": [write(tmp_path / "l", classes)]}
    features, labels, *_ = parse("sparse_text", files, arguments)
    np.testing.assert_array_equal(features.toarray(), SPARSE)
    assert labels.tolist() == expected


@refused(
    DataError,
    ("3 4 4\n2 2\n", {}, "sparse matrix in this file is damaged"),
    ("1 4\n2 2\n", {}, "1 entries instead of"),
    ("1 4 1\n2\n", {}, r"as a sparse matrix \(a row has a column number without a value\)"),
    ("1 4 2\n2 2\n", {}, "1 entries instead of"),
    ("1 4\n2 2 2\n", {"header": 2, "counted": True}, "begin with its number of pairs"),
)
def test_broken_sparse_text(text, arguments, tmp_path):
    parsed("sparse_text", tmp_path / "t", text, **arguments)
