"""Pools and results that others published, and the catalogue of pools."""

import gzip
from pathlib import Path

import h5py
import numpy as np
import pytest
import scipy.io
import yaml

from coassoc.bench.datasets.registry import DataSource, SourceFile, load_datasets
from coassoc.bench.pools.draws import ALL, shuffle_pool
from coassoc.bench.pools.settings import PoolSettings, PublishedPool, load_pools, pools_to_make
from coassoc.bench.storage.hdf5 import read_pool, write_pool
from coassoc.bench.storage.records import Dataset, Pool
from coassoc.errors import CoassocError, ConfigError, DataError
from coassoc.io.files import open_table
from coassoc.io.labels import labels_of
from coassoc.io.table import TableFile
from dataset_files import write
from plans import CONFIG
from refusals import cases, refused
from reproduction.pools.label_import import import_labels
from reproduction.pools.published import import_pool, read_published, read_results
from reproduction.scores.references import score_pool
from snakemake_runs import ROOT
from unpack_pool import unpack

# -- PUBLISHED -------------------------------------------------------------------------------------

# Pools that others published.


LABELS = np.array([[3, 1], [3, 2], [7, 1], [9, 2]], np.uint8)


def published(tmp_path, **variables):
    scipy.io.savemat(tmp_path / "p.mat", variables)
    source = DataSource(url="https://a.org/p.mat", arguments={"classes": "gt"})
    return source, [tmp_path / "p.mat"]


def cells(arrays):
    box = np.empty((1, len(arrays)), dtype=object)
    box[0, :] = arrays
    return box


@pytest.mark.parametrize(
    "members",
    [LABELS, cells([x[:, None] for x in LABELS.T]), cells([np.eye(10)[x] for x in LABELS.T])],
    ids=["matrix", "cells of columns", "cells of memberships"],
)
def test_published_pools_are_relabelled(tmp_path, members):
    source, paths = published(tmp_path, members=members, gt=np.array([[5], [5], [2], [9]]))
    labels, y = read_published(source, paths)
    assert labels.tolist() == [[0, 0], [0, 1], [1, 0], [2, 1]] and labels.dtype == np.uint8
    assert y.tolist() == [0, 0, 1, 2]


def test_classes_from_a_file_of_their_own_or_none(tmp_path):
    scipy.io.savemat(tmp_path / "p.mat", {"E": LABELS})
    scipy.io.savemat(tmp_path / "y.mat", {"Y": np.array([[1], [2], [2], [1]])})
    files = [SourceFile(mirror="p.mat"), SourceFile(mirror="y.mat", role="classes")]
    paths = [tmp_path / "p.mat", tmp_path / "y.mat"]
    source = DataSource(files=files, parser="matlab", arguments={"labels": "E", "classes": "Y"})
    assert read_published(source, paths)[1].tolist() == [0, 1, 1, 0]
    source = DataSource(files=files[:1], parser="matlab", arguments={"labels": "E"})
    assert read_published(source, paths[:1])[1] is None


@refused(
    DataError,
    ({"gt": np.ones((4, 1))}, r"p\.mat: variable 'members' not found"),
    ({"members": LABELS}, r"p\.mat: variable 'gt' not found"),
    ({"members": LABELS, "gt": np.ones((3, 1))}, "members has 4 samples, but gt has 3"),
    ({"members": -LABELS.astype(int), "gt": np.ones((4, 1))}, "p.mat: members: .*-9, but a label"),
)
def test_foreign_files(variables, tmp_path):
    read_published(*published(tmp_path, **variables))


def test_imported_pool(tmp_path):
    source, paths = published(tmp_path, members=LABELS, gt=np.array([[1], [1], [2], [2]]))
    settings = PoolSettings(name="p", kind="published", size=2, sizes=(1, 2), repeats=3)
    pool = import_pool(source, paths, settings, name="d", origin="https://a.org/p.mat")
    assert {m: draw.shape for m, draw in pool.draws.items()} == {1: (3, 1), 2: (3, 2)}
    assert pool.attributes["source"] == "https://a.org/p.mat" and pool.attributes["n_classes"] == 2
    with pytest.raises(DataError, match="2 base clusterings, but the pool p has the size 3"):
        import_pool(source, paths, settings.model_copy(update={"size": 3}), name="d")
    with pytest.raises(ConfigError, match="a pool of 2 base clusterings is too small"):
        import_pool(source, paths, settings.model_copy(update={"sizes": (3,)}), name="d")


# -- RESULTS ---------------------------------------------------------------------------------------

# Pools of published results: they hold what the files hold.


LINK = '"link"\n1\n1\n2\n2\n'
TWO = '"two_a","two_b"\n2,1\n1,2\n1,2\n2,2\n'


@pytest.fixture
def source_of(tmp_path):
    """Writes the files of algorithms, and says where they are."""

    def written(columns="all", clusters=2, **tables):
        paths = {name: tmp_path / f"{name}.csv.gz" for name in tables}
        for name, text in tables.items():
            paths[name].write_bytes(gzip.compress(text.encode()))
        files = [SourceFile(mirror=path.name, role=name) for name, path in paths.items()]
        arguments = {"columns": columns, "clusters": clusters}
        return PublishedPool(files=files, parser="results", arguments=arguments), [*paths.values()]

    return written


def test_columns_are_those_of_the_files(source_of):
    labels, names = read_results(*source_of(link=LINK, two=TWO))
    assert labels.tolist() == [[0, 1, 0], [0, 0, 1], [1, 0, 1], [1, 1, 1]]
    assert names == ["link/link", "two/two_a", "two/two_b"]
    labels, names = read_results(*source_of("first", link=LINK, two=TWO))
    assert labels.tolist() == [[0, 1], [0, 0], [1, 0], [1, 1]] and names[1] == "two/two_a"


@refused(
    DataError,
    ('"a"\n1\n2\n', "bad.csv.gz has 2 samples, but .*link.csv.gz has 4"),
    ('"a"\n1\n1\n1\n1\n', "column a does not have exactly the labels from 1 to 2"),
    ('"a"\n0\n1\n2\n1\n', "column a does not have exactly the labels from 1 to 2"),
    ('"a"\n1\nx\n2\n1\n', "could not convert string to float: 'x'"),
    ("", "bad.csv.gz: cannot read this file"),
)
def test_other_files_are_refused(table, source_of):
    read_results(*source_of(link=LINK, bad=table))


def test_a_pool_of_results(source_of, tmp_path):
    truths = np.array([[0, 0, 1, -1], [1, 0, 0, 1]])
    dataset = Dataset(np.zeros((4, 1)), truths[0], {"n_clusters": 2}, truths=truths)
    settings = PoolSettings(name="p", kind="results", size=None, k=None, sizes=[ALL], repeats=3)
    source, paths = source_of(link=LINK, two=TWO)
    write_pool(tmp_path / "p.h5", import_pool(source, paths, settings, dataset, name="D"))
    pool = read_pool(tmp_path / "p.h5")
    assert pool.draws[ALL].tolist() == [[0, 1, 2]] * 3
    lines = score_pool(pool)
    assert [line["name"] for line in lines] == ["link/link", "two/two_a", "two/two_b"]
    # The first labelling without its noise point, and the second one, are found as they are.
    assert [line["ACC"] for line in lines] == [1, 1, 3 / 4]
    with pytest.raises(DataError, match="4 samples, but the data set D has 3"):
        import_pool(source, paths, settings, Dataset(np.zeros((3, 1)), None), name="D")


# -- SETTINGS --------------------------------------------------------------------------------------

# The catalogue of pools.


def test_pairs_to_make(pools, datasets):
    pairs = {*pools_to_make(pools, datasets)}
    assert {("kmeans-sqrt", "Ecoli"), ("kmeans-c-unit", "Glass")} < pairs
    assert ("published", "Caltech20") in pairs
    assert not {("kmeans-sqrt", "Caltech20"), ("kmeans-sqrt", "Glass")} & pairs


# -- LABEL IMPORT ----------------------------------------------------------------------------------

# Files of labels as pools: every format, and every mistake that a file can have.


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
    assert list(stored.samples) == ["a", "b", "c"] and stored.draws[2].tolist() == [[0, 1], [0, 1]]
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


@cases(
    "keys, dataset, samples",
    ({}, Dataset(NAMED.X, NAMED.y), None),
    ({}, NAMED, "xyz"),
    ({"id": "i"}, Dataset(NAMED.X, NAMED.y), "312"),
)
def test_where_not_both_have_names_places_decide(tmp_path, keys, dataset, samples):
    pool = of_text(tmp_path, "i,a\n3,3\n1,1\n2,1\n" if keys else "a\n3\n1\n1\n", dataset, **keys)
    assert pool.labels.tolist() == [[1], [0], [0]] and pool.y.tolist() == [0, 1, 1]
    assert samples == (None if pool.samples is None else "".join(pool.samples))
    assert "in the order of the data set mine, because not both" in pool.attributes["matched"]


# -- SHIPPED LABELS --------------------------------------------------------------------------------

# The labels that come with the software, against the catalogue and against their sources.


FILES = sorted((ROOT / "data/labels").glob("*/*.h5"))
NAMES = [f"{path.parent.name}/{path.stem}" for path in FILES]


@pytest.fixture(scope="module")
def pools():
    return load_pools(ROOT / "config/pools.yaml")


@pytest.fixture(scope="module")
def datasets():
    return load_datasets(ROOT / "config/datasets.yaml")


def unpacked(name, pools, seed=0):
    pool, dataset = name.split("/")
    return unpack(ROOT / "data/labels" / f"{name}.h5", pools[pool], name=dataset, seed=seed)


@pytest.mark.parametrize("name", NAMES)
def test_shipped_labels_are_what_the_catalogue_says(name, pools, datasets):
    pool, dataset = name.split("/")
    entry, settings, found = datasets[dataset], pools[pool], unpacked(name, pools)
    assert found.labels.shape == (entry.n, settings.size) and found.y.shape == (entry.n,)
    assert sorted({*found.y}) == [*range(entry.classes)] and {*found.draws} == {*settings.sizes}
    assert found.attributes["pool"] == pool and found.attributes["dataset"] == dataset


def test_labels_of_other_settings_are_refused(pools):
    path = ROOT / "data/labels/kmeans-c-unit/GLIOMA.h5"
    with pytest.raises(DataError, match="computed with settings other than those of"):
        unpack(path, pools["kmeans-c-200"], name="GLIOMA")


def test_the_root_seed_decides_the_draws_of_published_labels(pools):
    first, other = (unpacked("published/Ecoli", pools, seed) for seed in (0, 7))
    assert (first.labels == other.labels).all()
    assert not np.array_equal(first.draws[20], other.draws[20])
