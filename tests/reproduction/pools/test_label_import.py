"""Files of labels as pools: every format, and every mistake that a file can have."""

from pathlib import Path

import h5py
import numpy as np
import pytest
import yaml

from coassoc.bench.pools.draws import shuffle_pool
from coassoc.bench.pools.settings import PoolSettings, load_pools
from coassoc.bench.storage.hdf5 import read_pool, write_pool
from coassoc.bench.storage.records import Dataset, Pool
from coassoc.errors import CoassocError, DataError
from coassoc.io.files import open_table
from coassoc.io.labels import labels_of
from coassoc.io.table import TableFile
from dataset_files import write
from plans import CONFIG
from refusals import refused
from reproduction.pools.label_import import import_labels

#: Three samples in two clusterings, each of which leaves one out.
EXPECTED = [[0, 0], [1, -1], [-1, 1]]


def settings(folder: Path, file: str, **keys) -> PoolSettings:
    """The entry of a pool of labels, as a user writes it."""
    entry = {"kind": "labels", "file": file, **keys}
    (folder / "pools.yaml").write_text(yaml.safe_dump({"mine": entry}))
    return load_pools(CONFIG / "pools.yaml", folder / "pools.yaml")["mine"]


def imported(folder: Path, file: str, dataset: Dataset | None = None, **keys) -> Pool:
    return import_labels(settings(folder, file, **keys), "mine", dataset)


def of_text(folder: Path, text: str | bytes, dataset: Dataset | None = None, **keys) -> Pool:
    """The pool of a file with this text."""
    write(folder / "l.csv", text)
    return imported(folder, "l.csv", dataset, **keys)


def test_h5ad_files_of_version_0_7_keep_their_categories(tmp_path):
    codes, names = np.array([1, 0, -1, 1], dtype=np.int8), [b"T", b"B"]
    samples = np.array([b"c0", b"c1", b"c2", b"c3"])
    numbers = np.array([3, 3, 5, 5])
    with h5py.File(tmp_path / "l.h5ad", "w") as file:
        obs = file.create_group("obs")
        obs.attrs["_index"], obs.attrs["column-order"] = "index", ["type", "res"]
        obs["index"], obs["type"], obs["res"] = samples, codes, numbers
        obs["__categories/type"] = names
        obs["type"].attrs["categories"] = obs["__categories/type"].ref
    source = TableFile(str(tmp_path / "l.h5ad"), columns=("type", "res"))
    read = labels_of(open_table(source))
    assert read.values == [["B", "T"], [3, 5]] and list(read.samples) == ["c0", "c1", "c2", "c3"]
    assert read.labels.tolist() == [[0, 0], [1, 0], [-1, 1], [0, 1]]


def test_names_and_classes_of_samples(tmp_path):
    text = '"","type","a"\n"r 1","B",1\n"r 2","A",1\n"r,3","B",2\n'
    pool = of_text(tmp_path, text, id="first", classes="type")
    assert pool.labels.tolist() == [[0], [0], [1]]
    assert pool.y.tolist() == [0, 1, 0] and pool.attributes["n_classes"] == 2
    assert list(pool.samples) == ["r 1", "r 2", "r,3"]


def test_a_pool_of_labels_is_stored_and_shuffled(tmp_path):
    pool = of_text(tmp_path, "i,p,q\na,1,4\nb,2,\nc,,9\n", id="i", draws={"repeats": 2})
    write_pool(tmp_path / "pool.h5", pool)
    stored = read_pool(tmp_path / "pool.h5")
    assert stored.labels.dtype == np.int8 and stored.labels.tolist() == EXPECTED
    assert list(stored.samples) == ["a", "b", "c"]
    assert stored.draws[2].tolist() == [[0, 1], [0, 1]]
    shuffled = shuffle_pool(stored, "mine")
    rows = dict(zip(shuffled.samples, shuffled.labels.tolist(), strict=True))
    assert rows == dict(zip("abc", EXPECTED, strict=True))
    entry = settings(tmp_path, "l.csv", id="i", columns=["q"])
    assert PoolSettings.model_validate(entry.model_dump(mode="json")) == entry
    assert entry.sizes == (1,) and entry.dataset == "mine"


BY_ID = {"id": "i"}


@pytest.mark.parametrize("named", [False, True])
def test_samples_without_any_label_are_left_out(tmp_path, named):
    text = "i,a,b,t\nw,-1,,u\nx,1,2,v\ny,,NA,w\nz,-1,1,v\n"
    if not named:
        text = "".join(f"{line.split(',', 1)[1]}\n" for line in text.splitlines())
    pool = of_text(tmp_path, text, classes="t", **({"id": "i"} if named else {}))
    np.testing.assert_array_equal(pool.labels, [[0, 1], [-1, 0]])
    assert pool.samples.tolist() == (["x", "z"] if named else ["2", "4"])
    assert pool.attributes["unlabelled"] == ({0: "w", 2: "y"} if named else {0: "1", 2: "3"})
    assert pool.y.tolist() == [0, 0] and pool.attributes["n_classes"] == 1


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(CoassocError, match=r"pools.yaml: mine.file: file 'no.csv' not found"):
        imported(tmp_path, "no.csv")


#: A data set of three samples that have names.
NAMED = Dataset(np.zeros((3, 1)), np.array([0, 1, 1]), {}, np.array(list("xyz"), dtype=object))


def test_samples_go_to_their_places_in_the_data_set(tmp_path):
    pool = of_text(tmp_path, "i,a,b,t\nz,3,1,v\nx,1,,u\ny,2,2,v\n", NAMED, id="i", classes="t")
    assert pool.labels.tolist() == [[0, -1], [1, 1], [2, 0]]
    assert pool.samples.tolist() == ["x", "y", "z"] and pool.y.tolist() == [0, 1, 1]
    assert pool.attributes["matched"] == "The rows are matched to the data set mine by id."


@refused(
    DataError,
    ("i,a\nz,3\nx,1\nw,2\n", BY_ID, "l.csv: 1 sample of the data set mine without a row: y"),
    ("i,a\nz,3\nx,1\n", BY_ID, "l.csv: there are 2 samples, but the data set mine has 3"),
    ("i,a\nx,1\ny,\nz,1\n", BY_ID, "l.csv: 1 sample of the data set mine without a label: y."),
    ("a\n1\n2\n", {}, "l.csv: there are 2 samples, but the data set mine has 3"),
)
def test_other_samples_than_those_of_the_data_set(text, keys, tmp_path):
    of_text(tmp_path, text, NAMED, **keys)


@pytest.mark.parametrize(
    ("keys", "dataset", "samples"),
    [
        ({}, Dataset(NAMED.X, NAMED.y), None),
        ({}, NAMED, "xyz"),
        ({"id": "i"}, Dataset(NAMED.X, NAMED.y), "312"),
    ],
)
def test_where_not_both_have_names_places_decide(tmp_path, keys, dataset, samples):
    pool = of_text(tmp_path, "i,a\n3,3\n1,1\n2,1\n" if keys else "a\n3\n1\n1\n", dataset, **keys)
    assert pool.labels.tolist() == [[1], [0], [0]] and pool.y.tolist() == [0, 1, 1]
    assert samples == (None if pool.samples is None else "".join(pool.samples))
    assert "in the order of the data set mine, because not both" in pool.attributes["matched"]
