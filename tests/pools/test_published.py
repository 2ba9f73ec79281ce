"""Pools that others published."""

import numpy as np
import pytest
import scipy.io

from coassoc.datasets.registry import DataSource, SourceFile
from coassoc.errors import ConfigError, DataError
from coassoc.pools.settings import PoolSettings
from reproduction.pools.published import import_pool, read_published

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


@pytest.mark.parametrize(
    ("variables", "message"),
    [
        ({"gt": np.ones((4, 1))}, r"p\.mat: variable 'members' not found"),
        ({"members": LABELS}, r"p\.mat: variable 'gt' not found"),
        ({"members": LABELS, "gt": np.ones((3, 1))}, "members has 4 samples, but gt has 3"),
        ({"members": -LABELS.astype(int), "gt": np.ones((4, 1))}, "p.mat: members: .* -3"),
    ],
)
def test_foreign_files(tmp_path, variables, message):
    with pytest.raises(DataError, match=message):
        read_published(*published(tmp_path, **variables))


def test_imported_pool(tmp_path):
    source, paths = published(tmp_path, members=LABELS, gt=np.array([[1], [1], [2], [2]]))
    settings = PoolSettings(name="p", kind="published", size=2, sizes=(1, 2), repeats=3)
    pool = import_pool(source, paths, settings, name="d", origin="https://a.org/p.mat")
    assert {m: draw.shape for m, draw in pool.draws.items()} == {1: (3, 1), 2: (3, 2)}
    assert pool.attributes["source"] == "https://a.org/p.mat"
    assert pool.attributes["n_classes"] == 2
    with pytest.raises(ConfigError, match="a pool of 2 base clusterings is too small"):
        import_pool(source, paths, settings.model_copy(update={"sizes": (3,)}), name="d")
