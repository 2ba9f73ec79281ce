"""Pools and results that others published, and the catalogue of pools."""

import gzip

import numpy as np
import pytest
import scipy.io

from coassoc.bench.datasets.batteries import load_batteries
from coassoc.bench.datasets.registry import DataSource, SourceFile, load_datasets
from coassoc.bench.pools.draws import ALL
from coassoc.bench.pools.settings import PoolSettings, PublishedPool, load_pools, pools_to_make
from coassoc.bench.storage.configuration import load_yaml
from coassoc.bench.storage.hdf5 import read_pool, write_pool
from coassoc.bench.storage.records import Dataset
from coassoc.errors import ConfigError, DataError
from dataset_files import write
from refusals import refused
from reproduction.pools.published import import_pool, read_published
from reproduction.pools.results import import_results, read_results
from reproduction.scores.references import score_pool

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
    assert labels.tolist() == [[0, 0], [0, 1], [1, 0], [2, 1]]
    assert labels.dtype == np.uint8
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
    assert pool.attributes["source"] == "https://a.org/p.mat"
    assert pool.attributes["n_classes"] == 2
    with pytest.raises(DataError, match="2 base clusterings, but the pool p has the size 3"):
        import_pool(source, paths, settings.model_copy(update={"size": 3}), name="d")
    with pytest.raises(ConfigError, match="a pool of 2 base clusterings is too small"):
        import_pool(source, paths, settings.model_copy(update={"sizes": (3,)}), name="d")


def test_a_published_pool_without_a_size(tmp_path):
    _, paths = published(tmp_path, members=LABELS)
    keys = "kind: published, draws: {sizes: [2], repeats: 1}"
    files = "files: {D: {url: 'https://a.org/p.mat', parser: matlab}}"
    settings = load_pools(write(tmp_path / "pools.yaml", f"P: {{{keys}, {files}}}"))["P"]
    assert import_pool(settings.files["D"], paths, settings, name="D").labels.shape == (4, 2)


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
    write_pool(tmp_path / "p.h5", import_results(source, paths, settings, dataset, name="D"))
    pool = read_pool(tmp_path / "p.h5")
    assert pool.draws[ALL].tolist() == [[0, 1, 2]] * 3
    lines = score_pool(pool)
    assert [line["name"] for line in lines] == ["link/link", "two/two_a", "two/two_b"]
    # The first labelling without its noise point, and the second one, are found as they are.
    assert [line["ACC"] for line in lines] == [1, 1, 3 / 4]
    with pytest.raises(DataError, match="4 samples, but the data set D has 3"):
        import_results(source, paths, settings, Dataset(np.zeros((3, 1)), None), name="D")


def test_files_of_the_catalogue(project):
    members = load_batteries(project / "config/batteries.yaml")
    pools = load_pools(project / "config/pools.yaml", members=members)
    main, double = pools["suite-main"].files, pools["suite-2k"].files
    assert len(main) == 89 and len(double) == 76
    assert {len(source.files) for source in main.values()} == {16, 17, 18, 19}
    ends = [file.url.partition("/original/")[2] for file in double["wut-x2-K4"].files]
    assert ends[0] == "Genie/wut/x2.result8.gz" and not any("median" in end for end in ends)
    for pool in ("suite-main", "suite-all", "suite-2k"):
        known = load_yaml(project / "config/pools.yaml")[pool]
        absent = known.get("absent", {})
        assert {*absent} <= {*known["algorithms"]}
        assert {*known.get("without", ())}.union(*absent.values()) <= {*members}


# -- SETTINGS --------------------------------------------------------------------------------------

# The catalogue of pools.


@pytest.fixture
def catalogue(project):
    return load_pools(project / "config/pools.yaml")


def test_pools_of_the_catalogue(catalogue, project):
    entries = load_datasets(project / "config/datasets.yaml")
    assert {"kmeans-sqrt", "kmeans-c", "kmeans-c-unit", "published"} <= set(catalogue)
    eccms = {name for name, entry in entries.items() if "EC-CMS" in entry.papers}
    assert eccms <= set(catalogue["published"].files)
    for pool in catalogue.values():
        assert set(pool.files) <= set(entries)
        assert (pool.kind == "published") == bool(pool.files)
        assert PoolSettings.model_validate(pool.model_dump(mode="json")) == pool.model_copy(
            update={"files": {}}
        )
        for source in pool.files.values():
            assert all(file.sha256 for file in source.files)


def test_pairs_to_make(catalogue, project):
    entries = load_datasets(project / "config/datasets.yaml")
    pairs = {*pools_to_make(catalogue, entries)}
    assert {("kmeans-sqrt", "Ecoli"), ("kmeans-c-unit", "Glass")} < pairs
    assert ("published", "Caltech20") in pairs
    assert not {("kmeans-sqrt", "Caltech20"), ("kmeans-sqrt", "Glass")} & pairs
