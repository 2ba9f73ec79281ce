"""Pools of published results: they hold what the files hold."""

import gzip

import numpy as np
import pytest

from coassoc.datasets.batteries import load_batteries
from coassoc.datasets.registry import SourceFile
from coassoc.errors import DataError
from coassoc.pools.draws import ALL
from coassoc.pools.settings import PoolSettings, PublishedPool, find_results, load_pools
from coassoc.storage.hdf5 import read_pool, write_pool
from coassoc.storage.records import Dataset
from reproduction.pools.results import import_results, near_duplicates, read_results
from reproduction.scores.references import score_pool

LINK = '"link"\n1\n1\n2\n2\n'
TWO = '"two_a","two_b"\n2,1\n1,2\n1,2\n2,2\n'


@pytest.fixture
def source_of(tmp_path):
    """Writes the files of algorithms, and says where they are."""

    def written(columns="all", clusters=2, **tables):
        paths = [tmp_path / f"{name}.gz" for name in tables]
        for path, text in zip(paths, tables.values(), strict=True):
            path.write_bytes(gzip.compress(text.encode()))
        files = [SourceFile(mirror=path.name, role=path.stem) for path in paths]
        arguments = {"columns": columns, "clusters": clusters}
        return PublishedPool(files=files, parser="results", arguments=arguments), paths

    return written


def test_columns_are_those_of_the_files(source_of):
    labels, names = read_results(*source_of(link=LINK, two=TWO))
    assert labels.tolist() == [[0, 1, 0], [0, 0, 1], [1, 0, 1], [1, 1, 1]]
    assert names == ["link/link", "two/two_a", "two/two_b"]
    labels, names = read_results(*source_of("first", link=LINK, two=TWO))
    assert labels.tolist() == [[0, 1], [0, 0], [1, 0], [1, 1]] and names[1] == "two/two_a"


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ('"a"\n1\n2\n', "bad.gz has 2 samples, but .*link.gz has 4"),
        ('"a"\n1\n1\n1\n1\n', "column a has the labels 1. The column must have all labels"),
        ('"a"\n0\n1\n2\n1\n', "column a has the labels 0, 1, 2. The column must have all labels"),
        ('"a"\n1\nx\n2\n1\n', "column a has values that are not integers"),
        ("", "bad.gz: cannot read this file"),
    ],
)
def test_other_files_are_refused(source_of, table, message):
    with pytest.raises(DataError, match=message):
        read_results(*source_of(link=LINK, bad=table))


def test_a_damaged_file_is_refused(source_of):
    source, paths = source_of(link=LINK)
    paths[0].write_bytes(b"<html>")
    with pytest.raises(DataError, match=r"link\.gz: cannot read this file"):
        read_results(source, paths)


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


def test_columns_that_are_nearly_the_same_are_told():
    labels = np.random.default_rng(0).integers(0, 3, (400, 2))
    moved = labels[:, 0].copy()
    moved[0] = (moved[0] + 1) % 3
    table = np.column_stack([labels, (labels[:, 0] + 1) % 3, moved])
    assert near_duplicates(table, "abcd") == {"c": "a", "d": "a"}


def test_files_of_the_catalogue(project):
    members = load_batteries(project / "config/batteries.yaml")
    pools = load_pools(project / "config/pools.yaml")
    find_results(pools, members)
    main, double = pools["suite-main"].files, pools["suite-2k"].files
    assert len(main) == 89 and len(double) == 76
    assert {len(source.files) for source in main.values()} == {16, 17, 18, 19}
    ends = [file.url.partition("/original/")[2] for file in double["wut-x2-K4"].files]
    assert ends[0] == "Genie/wut/x2.result8.gz" and not any("median" in end for end in ends)
    for pool in ("suite-main", "suite-all", "suite-2k"):
        known = pools[pool].results
        assert {*known.absent} <= {*known.algorithms}
        assert {*known.without}.union(*known.absent.values()) <= {*members}
