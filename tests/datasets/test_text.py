"""Delimited and sparse text, in tiny files that are made here."""

from functools import partial

import numpy as np
import pytest

from coassoc.datasets.parsers import parse
from coassoc.errors import DataError
from dataset_files import SPARSE, X, gz, parsed, unix_compress, write

delimited = partial(parsed, "delimited")


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
    features, labels, *_ = delimited(tmp_path / "t", text, **arguments)
    np.testing.assert_array_equal(features, X)
    assert labels.tolist() == ["a", "b", "a"]


@pytest.mark.parametrize(
    ("text", "arguments", "message"),
    [
        (",a,b\n0,1.5,2\n1,3,4\n", {"header": True}, r"a column has no name \('Unnamed: 0'\)"),
        ("a,b,\n1.5,2,7\n3,4,8\n", {"header": None}, r"a column has no name \('Unnamed: 2'\)"),
        ("1.5,2\n3,4\n", {"header": None}, "first line holds the number 1.5. Add header: false"),
        ("x,2,a\n3,4,b\n", {"header": None, "label": "last"}, "the first line holds the number 2"),
        ("a,b\n0,1.5,2\n1,3,4\n", {"header": True}, "more values than the first line has names"),
    ],
)
def test_what_would_be_swallowed_is_asked_about(tmp_path, text, arguments, message):
    with pytest.raises(DataError, match=message):
        delimited(tmp_path / "t", text, **arguments)
    # What the message says helps.
    if "no name" in message:
        name = message.split("'")[1]
        features = delimited(tmp_path / "t", text, **arguments, drop=[name]).X
        assert features.tolist() == [[1.5, 2], [3, 4]]
        assert delimited(tmp_path / "t", text, **arguments, id=name).samples is not None


@pytest.mark.parametrize(
    ("text", "arguments"),
    [
        ("who,x,y\n007,1.5,2\nné,3,4\n1e2,5,6.5\n", {"header": True, "id": "who"}),
        ('"","x","y"\n"007",1.5,2\n"né",3,4\n"1e2",5,6.5\n', {"header": None, "id": "first"}),
        ("007 1.5 2\nné 3 4\n1e2 5 6.5\n", {"separator": "whitespace", "id": "first"}),
        ("1.5,2, 007\n3,4,né \n5,6.5,1e2\n", {"id": 2}),
        ("0,0,z\n1.5,2,007\n3,4,né\n5,6.5,1e2\n", {"id": 2, "rows": [1, 4]}),
    ],
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
    second = write(tmp_path / "b", "5,6,x\n7,8,z\n")
    files = {"data": [first, second]}
    features, labels, *_ = parse("delimited", files, {"label": "last"})
    assert features.tolist() == [[1, 2], [3, 4], [5, 6], [7, 8]]
    assert labels.tolist() == ["x", "y", "x", "z"]
    features, labels, *_ = parse("delimited", files, {"label": "last", "join": "columns"})
    assert features.tolist() == [[1, 2, 5, 6], [3, 4, 7, 8]]
    assert labels.tolist() == ["x", "y"]
    assert parse("delimited", files, {"id": 2}).samples.tolist() == ["x", "y", "x", "z"]
    with pytest.raises(DataError, match="a: the tables to join have different ids"):
        parse("delimited", files, {"id": 2, "join": "columns"})


def test_classes_in_blocks_and_no_classes(tmp_path):
    text = "1\n2\n3\n4\n"
    assert delimited(tmp_path / "t", text, block=2)[1].tolist() == [0, 0, 1, 1]
    assert delimited(tmp_path / "t", text)[1] is None


@pytest.mark.parametrize(
    ("text", "arguments", "message"),
    [
        ("1,red\n2,blue\n", {}, r"column 1 is not numeric \(for example 'red'\). Remove the"),
        ("1,2\n3\n4,5,6\n", {}, "not a table"),
        ("", {}, "not a table"),
        ("1,2\n", {"label": "kind"}, "column 'kind' not found"),
        ("1,a\n2,\n", {"label": "last"}, "row 2 has no label"),
        ("x,i\n1,a\n2,NA\n", {"id": "i", "header": True}, "row 3 has no id"),
        ("1,a\n2,b\n3,a\n", {"id": 1}, "row 3 has the id of another row, 'a'"),
        ("1,a\n", {"id": "who"}, "column 'who' not found"),
        ("1,2,1,1,0\n", {"one_hot": 3}, "the last 3 columns must mark the class of each row"),
    ],
)
def test_tables_that_are_not_what_they_should_be(tmp_path, text, arguments, message):
    with pytest.raises(DataError, match=rf"{tmp_path}/t: {message}"):
        delimited(tmp_path / "t", text, **arguments)


def test_files_that_are_no_text(tmp_path):
    with pytest.raises(DataError, match="not UTF-8 text"):
        delimited(tmp_path / "t", b"\xff\x00\x01")
    with pytest.raises(DataError, match="cannot read this file"):
        delimited(tmp_path / "t.gz", gz("1,2\n" * 1000)[:40])
    with pytest.raises(DataError, match="gzip cannot unpack this file"):
        delimited(tmp_path / "t.Z", b"no packed file")


COUNTED = {"header": 2, "counted": True, "base": 0, "one_hot": True}


@pytest.mark.parametrize(
    ("text", "classes", "arguments", "expected"),
    [
        ("3 4 4\n2 2 4 1\n\n1 3 4 4\n", "b\na\nb\n", {}, ["b", "a", "b"]),
        ("3 4\n2 1 2 3 1\n0\n2 0 3 3 4\n", "0 1 0\n1 0 1\n", COUNTED, [1, 0, 1]),
    ],
    ids=["as CLUTO writes it", "counted rows and one-hot classes"],
)
def test_sparse_text(tmp_path, text, classes, arguments, expected):
    files = {"data": [write(tmp_path / "t", text)], "labels": [write(tmp_path / "l", classes)]}
    features, labels, *_ = parse("sparse_text", files, arguments)
    np.testing.assert_array_equal(features.toarray(), SPARSE)
    assert labels.tolist() == expected


@pytest.mark.parametrize(
    ("text", "arguments", "message"),
    [
        ("3 4 4\n2 2\n", {}, "has 1 rows instead of 3"),
        ("1 4\n2 2\n", {}, "the first line has 2 numbers instead of 3"),
        ("1 4 1\n5 2\n", {}, "the column numbers are not all from 1 to 4"),
        ("1 4 1\n2\n", {}, r"as a sparse matrix .* \(a row has a column number without a value\)"),
        ("1 4 2\n2 2\n", {}, "1 entries instead of 2"),
        ("<html>\n", {}, "as a sparse matrix in text form"),
        ("1 4\n2 0 1\n", {"header": 2, "counted": True}, "row 1 has 1 pairs, but its first number"),
    ],
)
def test_broken_sparse_text(tmp_path, text, arguments, message):
    with pytest.raises(DataError, match=message):
        parsed("sparse_text", tmp_path / "t", text, **arguments)
