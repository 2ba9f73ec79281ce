"""The catalogue of data sets: the one of the project, batteries, and a user's own."""

import csv

import pytest

from coassoc.bench.datasets.batteries import load_batteries
from coassoc.bench.datasets.parsers import check_arguments
from coassoc.bench.datasets.registry import DatasetEntry, SourceFile, find_local, load_datasets
from coassoc.errors import ConfigError
from dataset_files import write
from refusals import refused

# -- REGISTRY --------------------------------------------------------------------------------------

# The catalogue of data sets: the one that comes with the project, and a user's own.


@pytest.fixture
def catalogue(project):
    return load_datasets(project / "config/datasets.yaml")


def test_published_names_have_entries(catalogue, project):
    with (project / "config/published.csv").open() as file:
        names = {row["dataset"] for row in csv.DictReader(file)}
    assert names - {"mean"} <= set(catalogue)


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


def test_records_survive_json(catalogue):
    for entry in catalogue.values():
        assert DatasetEntry.model_validate(entry.model_dump(mode="json")) == entry


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
