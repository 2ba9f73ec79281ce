"""The catalogue of data sets: the one that comes with the project, and a user's own."""

import csv

import pytest

from coassoc.datasets.registry import DatasetEntry, SourceFile, find_local, load_datasets
from coassoc.errors import ConfigError
from dataset_files import write


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
