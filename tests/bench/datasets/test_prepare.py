"""From files to checked data sets."""

from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from coassoc.bench.datasets.batteries import load_batteries
from coassoc.bench.datasets.parsers import check_arguments
from coassoc.bench.datasets.prepare import check, prepare
from coassoc.bench.datasets.registry import (
    DatasetEntry,
    DataSource,
    SourceFile,
    find_local,
    load_datasets,
)
from coassoc.bench.datasets.sources import sha256_of
from coassoc.bench.storage.hdf5 import read_dataset, write_dataset
from coassoc.bench.storage.records import Dataset, encode_classes, fingerprint
from coassoc.errors import ConfigError, DataError
from coassoc.pools.generation import generate_pool
from dataset_files import write
from refusals import cases, refused, refuses

TEXT = "1.5,2,b\n3,4,a\n5,6.5,b\n"


@pytest.fixture
def table(tmp_path):
    return write(tmp_path / "t.csv", TEXT)


def prepared(source: DataSource, *paths: Path, origin: str = "", **known) -> Dataset:
    return prepare(DatasetEntry(name="X", sources=[source], **known), source, paths, origin)


TABLE = DataSource(file="t.csv", parser="delimited", arguments={"label": "last"})


def changed(source: DataSource, **fields) -> DataSource:
    return DataSource(**{**source.model_dump(), **fields})


def test_prepared_data_set(table):
    source = changed(TABLE, preprocessing=["unit_rows"])
    dataset = prepared(source, table, origin="here", title="Three", n=3, d=2, classes=2)
    np.testing.assert_allclose(np.linalg.norm(dataset.X, axis=1), 1)
    assert dataset.y.tolist() == [0, 1, 0]
    told = dataset.attributes
    assert (told["title"], told["source"]) == ("Three", "here")
    assert (told["preprocessing"], told["class_names"]) == ("unit_rows", ["b", "a"])


def test_names_of_samples_are_kept_and_differ(table):
    arguments = {"id": 0, "drop": ["last"]}
    source = DataSource(files=[{"file": "t.csv"}] * 2, parser="delimited", arguments=arguments)
    single = changed(source, files=source.files[:1])
    assert prepared(single, table).samples.tolist() == ["1.5", "3", "5"]
    refuses(DataError, "X: samples in two files have the same id", prepared, source, table, table)


def test_sparse_data_set_is_ready_for_k_means(tmp_path):
    rows = "".join(f"2 0 {i % 3 + 1} {i % 5 + 1} 1\n" for i in range(12))
    write(tmp_path / "t", "12 9\n" + rows)
    arguments = {"header": 2, "counted": True, "base": 0}
    steps = ["log_tfidf", "unit_rows"]
    source = DataSource(file="t", parser="sparse_text", arguments=arguments, preprocessing=steps)
    write_dataset(tmp_path / "x.h5", prepared(source, tmp_path / "t"))
    X = read_dataset(tmp_path / "x.h5").X
    assert sp.issparse(X) and X.indices.dtype == X.indptr.dtype == np.int32
    assert generate_pool(X, size=3).shape == (12, 3)


@given(st.lists(st.integers(0, 4), min_size=1, max_size=30), st.permutations(range(5)))
def test_classes_do_not_depend_on_their_names(labels, renamed):
    labels = np.array(labels)
    codes, names = encode_classes(labels)
    other, _ = encode_classes(np.array(renamed)[labels])
    np.testing.assert_array_equal(codes, other)
    assert [names[code] for code in codes] == [str(label) for label in labels]
    first = [codes.tolist().index(code) for code in range(codes.max() + 1)]
    assert first == sorted(first)


@refused(
    DataError,
    ({"n": 4}, "X: n is 3, but the catalogue has 4"),
    ({"d": 3}, "X: d is 2, but the catalogue has 3"),
    ({"classes": 3}, "X: classes is 2, but the catalogue has 3"),
    ({"class_sizes": [1, 2]}, r"X: class_sizes is \[2, 1\], but the catalogue has \[1, 2\]"),
    ({"fingerprint": "0" * 16}, "X: fingerprint is [0-9a-f]+, but the"),
)
def test_other_data_than_expected(expected, table):
    prepared(TABLE, table, **expected)


def test_a_file_that_was_changed_after_it_was_fetched(table):
    known = SourceFile(file="t.csv", sha256=sha256_of(table))
    source = changed(TABLE, files=[known])
    prepared(source, table)
    table.write_text(TEXT.replace("1.5", "1.6"))
    with pytest.raises(DataError, match=rf"SHA-256 is .*, but the catalogue has {known.sha256}"):
        prepared(source, table)


@refused(
    DataError,
    ([[1, 2], [3, np.nan]], [0, 1], "X: the features have a missing or infinite"),
    (sp.csr_array([[0, np.inf], [1, 0]]), [0, 1], "the features have a missing or infinite"),
    ([[1], [2], [3]], [0, 1], "X: there are 3 samples but 2 labels"),
    ([[1], [2]], [0, 0], "X: all samples have the same class"),
)
def test_arrays_that_are_no_data_set(X, y):
    X = X if sp.issparse(X) else np.array(X, dtype=float)
    check(DatasetEntry(name="X"), Dataset(X, np.array(y)))


@cases("labels, noise", ("1022", 0), ("1022", "0"), ("1022", 0.0), ("a0bb", 0), ("aobb", "o"))
def test_the_second_sample_is_noise(labels, noise, tmp_path):
    rows = "".join(f"{i}, {label}\n" for i, label in enumerate(labels))
    path = write(tmp_path / "t.csv", rows)
    source = changed(TABLE, arguments={"label": "last", "noise": noise})
    assert prepared(source, path).y.tolist() == [0, -1, 1, 1]


def test_unlabelled_data(tmp_path):
    write(tmp_path / "t.csv", "a,b\n1,2\n3,4\n")
    source = changed(TABLE, arguments={"header": True})
    dataset = prepared(source, tmp_path / "t.csv", classes=2)
    assert dataset.y is None and dataset.attributes["n_clusters"] == 2


@given(st.integers(-3, 3))
def test_fingerprints_do_not_see_the_last_bits(shift):
    X = np.log(np.arange(1, 2000).reshape(-1, 1) / 7)
    assert fingerprint(X * (1 + shift * 2.0**-52)) == fingerprint(X)
    assert fingerprint(X) == fingerprint(sp.csr_array(X)) and fingerprint(X) != fingerprint(X[::-1])
    assert fingerprint(X) != fingerprint(X * (1 + 1e-5))


def test_reference_labellings_and_noise_points(tmp_path):
    write(tmp_path / "a", "2\n0\n1\n2\n")
    write(tmp_path / "b", "1\n1\n2\n0\n")
    write(tmp_path / "X", "1 2\n3 4\n5 6\n7 8\n")
    files = [SourceFile(file="X"), *(SourceFile(file=name, role="labels") for name in "ab")]
    arguments = {"separator": "whitespace", "noise": 0}
    source = DataSource(files=files, parser="delimited", arguments=arguments)
    paths = [tmp_path / file.file for file in files]
    dataset = prepared(source, *paths, classes=2, class_sizes=[2, 1])
    assert dataset.truths.tolist() == [[0, -1, 1, 0], [0, 0, 1, -1]]
    assert dataset.y.tolist() == [0, -1, 1, 0] and dataset.attributes["noise_points"] == [1, 1]
    # One labelling with noise is kept as such, one without is an ordinary data set.
    single = changed(source, files=files[:2])
    assert prepared(single, *paths[:2]).truths.tolist() == [[0, -1, 1, 0]]
    plain = changed(single, arguments={"separator": "whitespace"})
    assert prepared(plain, *paths[:2]).truths is None
    # Labels that are numbers are compared as numbers.
    write(tmp_path / "a", "2.0\n0.0\n1\n2\n")
    assert prepared(single, *paths[:2]).truths.tolist() == [[0, -1, 1, 0]]
    write(tmp_path / "b", "1\n1\n2\n3\n")
    refuses(DataError, "X: its reference labellings have 2 and 3 classes", prepared, source, *paths)
    write(tmp_path / "b", "1\n1\n2\n")
    refuses(DataError, "a: the reference labellings differ in length", prepared, source, *paths)


# -- REGISTRY --------------------------------------------------------------------------------------

# The catalogue of data sets: the one that comes with the project, and a user's own.


@pytest.fixture
def catalogue(project):
    return load_datasets(project / "config/datasets.yaml")


def test_entries_say_what_is_needed(catalogue):
    for entry in catalogue.values():
        assert entry.title and entry.licence and entry.citation, entry.name
        assert entry.n and entry.d and entry.classes, entry.name
        if "research only" in entry.licence:
            assert entry.terms, entry.name
        if entry.has_features and entry.name != "Lung":
            assert entry.fingerprint and entry.class_sizes, entry.name


def test_large_downloads_are_pinned(catalogue):
    """A file at a fixed version has its checksum, except one of a known commit."""
    for entry in catalogue.values():
        for source in entry.sources:
            for file in source.files:
                pinned = "raw.githubusercontent.com" in (file.url or "") or file.mirror
                assert file.sha256 or not pinned or entry.name == "Lung", (entry.name, file)


def test_parsers_have_the_arguments_of_the_catalogue(catalogue, project):
    for entry in (catalogue | load_batteries(project / "config/batteries.yaml")).values():
        check_arguments(entry)


@refused(
    ConfigError,
    ("lable: y", "datasets: D: arguments has the unknown key 'lable'. Did you mean 'label'"),
    ("join: side", "datasets: D: arguments.join is 'side'. Choose from rows, columns"),
    ("drop: uv", "datasets: D: arguments.drop is 'uv'. 'str' instances are not allowed"),
    ("rows: [1, 2, 3]", "datasets: D: arguments.rows is .* at most 2 items"),
    ("header: maybe", "datasets: D: arguments.header is 'maybe'. It must be a valid boolean"),
)
def test_arguments_that_a_parser_does_not_have(arguments, tmp_path):
    def checked(given):
        keys = f"{{url: 'https://a.org/d.csv', arguments: {{{given}}}}}"
        check_arguments(load_datasets(write(tmp_path / "d.yaml", f"D: {keys}"))["D"])

    checked("drop: [a, 1], rows: [0, 9], header: null, id: first, join: columns")
    checked("rows: [2, null], separator: null, noise: -1.0")
    checked(arguments)


PARSERS = {"t.csv": "delimited", "t.npz": "npz", "t.h5": "hdf5", "t.parquet": "parquet"}


@pytest.mark.parametrize("name", PARSERS)
def test_short_form_of_a_local_file(tmp_path, name):
    keys = f"{{file: {name}, arguments: {{label: kind}}, classes: 3}}"
    entry = load_datasets(write(tmp_path / "mine.yaml", f"Mine: {keys}"))["Mine"]
    (source,) = entry.sources
    assert entry.is_local and entry.classes == 3
    assert (source.parser, source.files[0].file) == (PARSERS[name], name)
    assert source.arguments["label"] == "kind"


def test_missing_catalogue(tmp_path):
    with pytest.raises(ConfigError, match=r"nowhere.yaml: cannot read this file .No such file"):
        load_datasets(tmp_path / "nowhere.yaml")


def test_local_files_are_found_here_or_in_the_project(tmp_path, project, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert find_local(SourceFile(file="data/glass/glass.data"), project).exists()
    write(tmp_path / "mine.csv", "1,2\n")
    assert find_local(SourceFile(file="mine.csv"), project).exists()
    mine = write(tmp_path / "mine.yaml", "Mine: {file: mine.csv}")
    (file,) = load_datasets(mine)["Mine"].sources[0].files
    assert file.file == "mine.csv"  # as the folder may move
    (tmp_path / "away").mkdir()
    monkeypatch.chdir(tmp_path / "away")
    (file,) = load_datasets(mine)["Mine"].sources[0].files
    assert find_local(file, project) == tmp_path / "mine.csv"
    with pytest.raises(ConfigError, match=r"the file nowhere\.csv is neither in the working"):
        find_local(SourceFile(file="nowhere.csv"), project)


@refused(
    ConfigError,
    ("classes: 3, class_sizes: [4, 5]", "D has 2 class_sizes, but 3 classes. Correct one"),
    ("n: 8, class_sizes: [4, 5]", "D has class_sizes that add up to 9, but n is 8. Correct one"),
    ("n: 10, class_sizes: [4, 5]", "D has class_sizes that add up to 9, but n is 10. Correct one"),
)
def test_class_sizes_that_contradict_other_keys(keys, tmp_path):
    noise = "file: t.csv, arguments: {noise: 0}"
    load_datasets(write(tmp_path / "d.yaml", f"D: {{n: 10, class_sizes: [4, 5], {noise}}}"))
    load_datasets(write(tmp_path / "d.yaml", f"D: {{{keys}}}"))


# -- BATTERIES -------------------------------------------------------------------------------------

# Batteries of data sets, and the rule that their files follow.


def test_labellings_of_one_number_of_classes_are_one_data_set(project):
    entries = load_batteries(project / "config/batteries.yaml")
    assert len({(entry.battery, entry.battery_member) for entry in entries.values()}) == 73
    assert len(entries) == 89 and {"wut-x1", "wut-x2-K3", "wut-x2-K4"} <= {*entries}
    fuzzy = entries["graves-fuzzyx-K2"]
    ends = [file.url.partition("/graves/")[2] for file in fuzzy.sources[0].files]
    assert ends == [f"fuzzyx.{end}.gz" for end in ("data", "labels1", "labels3", "labels4")]
    assert (fuzzy.name, fuzzy.classes, fuzzy.n) == ("graves-fuzzyx-K2", 2, 1000)
    assert all(entry.may_have_classes and entry.terms for entry in entries.values())


@refused(
    ConfigError,
    ("{n: 9, d: 2, classes: [2]}", "b.members.m lacks the key 'fingerprints'"),
    ("{n: 9, d: 2, classes: [], fingerprints: {}}", "b.members.m.classes is .*at least 1 item"),
)
def test_a_mistake_is_one_sentence(member, tmp_path):
    path = tmp_path / "own.yaml"
    about = "title: t, licence: l, citation: c, address: 'https://a.org/{member}'"
    path.write_text(f"b: {{{about}, members: {{m: {member}}}}}")
    load_batteries(path)
