"""HDF5 files: round trips, refusal of damaged ones, nothing half-written left behind."""

import h5py
import numpy as np
import pytest
import scipy.sparse as sp

from coassoc import DataError
from coassoc.storage.hdf5 import (
    read_dataset,
    read_pool,
    read_run,
    write_dataset,
    write_pool,
    write_run,
)
from coassoc.storage.records import Dataset, Pool, RepeatResult, Run, fingerprint


@pytest.fixture
def pool() -> Pool:
    labels = np.random.default_rng(0).integers(0, 5, (30, 8))
    return Pool(labels, np.arange(30) % 3, {2: np.array([[0, 1], [5, 7]])}, {"made": "by hand"})


def test_data_set_round_trip(tmp_path):
    X = np.random.default_rng(0).normal(size=(20, 4))
    write_dataset(tmp_path / "a.h5", Dataset(X, np.arange(20) % 2, {"title": "A"}))
    dataset = read_dataset(tmp_path / "a.h5")
    np.testing.assert_array_equal(dataset.X, X)
    assert dataset.attributes["title"] == "A"
    assert dataset.attributes["fingerprint"] == fingerprint(X, np.arange(20) % 2)
    assert read_dataset(tmp_path / "a.h5", features=False).X is None and dataset.samples is None


def test_names_of_samples_are_kept(tmp_path):
    names = np.array(["007", "Größe 群"], dtype=object)
    write_dataset(tmp_path / "a.h5", Dataset(np.eye(2), None, {}, names))
    assert read_dataset(tmp_path / "a.h5").samples.tolist() == names.tolist()


def test_sparse_data_stay_sparse(tmp_path):
    X = sp.random_array((40, 30), density=0.1, rng=np.random.default_rng(0), format="csr")
    write_dataset(tmp_path / "a.h5", Dataset(X, None))
    dataset = read_dataset(tmp_path / "a.h5")
    assert sp.issparse(dataset.X) and dataset.y is None
    np.testing.assert_array_equal(dataset.X.toarray(), X.toarray())


def test_pool_round_trip(tmp_path, pool):
    write_pool(tmp_path / "p.h5", pool)
    stored = read_pool(tmp_path / "p.h5")
    assert stored.labels.dtype == np.uint8
    np.testing.assert_array_equal(stored.labels, pool.labels)
    np.testing.assert_array_equal(stored.draws_of(2), pool.draws[2])
    assert stored.n_classes == 3
    np.testing.assert_array_equal(stored.classes, pool.y)
    with pytest.raises(DataError, match="no draws of 4 base clusterings; it has m = 2"):
        stored.draws_of(4)


def test_reference_labellings_and_noise_are_kept(tmp_path, pool):
    X, truths = np.eye(3), np.array([[0, 1, -1], [0, 0, 1]])
    write_dataset(tmp_path / "a.h5", Dataset(X, truths[0], truths=truths))
    dataset = read_dataset(tmp_path / "a.h5")
    np.testing.assert_array_equal(dataset.truths, truths)
    assert dataset.attributes["fingerprint"] == fingerprint(X, *truths)
    many = np.array([pool.y, np.arange(30) % 3 - 1])
    several = Pool(pool.labels, many[0], pool.draws, truths=many)
    write_pool(tmp_path / "p.h5", several)
    stored = read_pool(tmp_path / "p.h5")
    np.testing.assert_array_equal(stored.references, many)
    assert stored.n_classes == 3
    with pytest.raises(DataError, match="noise points or several reference labellings"):
        _ = stored.classes
    with h5py.File(tmp_path / "p.h5", "r+") as file:
        file["truths"][1, 0] = 0
    with pytest.raises(DataError, match="do not match the fingerprint"):
        read_pool(tmp_path / "p.h5")


def test_what_is_made_of_classes_needs_them(pool):
    pool.y = None
    with pytest.raises(DataError, match="has no classes"):
        _ = pool.classes


def test_a_pool_edited_by_hand_is_noticed(tmp_path, pool):
    path = tmp_path / "p.h5"
    write_pool(path, pool)
    with h5py.File(path, "r+") as file:
        file["labels"][0, 0] = (file["labels"][0, 0] + 1) % 5
    with pytest.raises(DataError, match="do not match the fingerprint"):
        read_pool(path)


def test_damaged_and_foreign_files_are_refused(tmp_path, pool):
    path = tmp_path / "p.h5"
    write_pool(path, pool)
    whole = path.read_bytes()
    for content in (whole[: len(whole) // 2], b"not HDF5 at all"):
        path.write_bytes(content)
        with pytest.raises(DataError, match="not a whole HDF5 file"):
            read_pool(path)
    with h5py.File(path, "w") as file:
        file["x"] = 1
    with pytest.raises(DataError, match="not a pool written by coassoc"):
        read_pool(path)
    with pytest.raises(DataError, match="there is no such file"):
        read_pool(tmp_path / "missing.h5")


def test_nothing_half_written_stays(tmp_path, pool):
    pool.attributes["bad"] = object()
    with pytest.raises(TypeError):
        write_pool(tmp_path / "p.h5", pool)
    assert list(tmp_path.iterdir()) == []


def test_an_unwritable_folder_is_said(tmp_path, pool):
    (tmp_path / "file").write_text("")
    with pytest.raises(DataError, match="cannot write this file"):
        write_pool(tmp_path / "file" / "p.h5", pool)


def test_run_round_trip(tmp_path):
    good = RepeatResult(np.arange(6) % 2, 1.5, 1.0, 20.0, 7, False, 2, history={"C": np.ones(7)})
    bad = RepeatResult(None, status="skipped: no reason")
    run = Run([{"alpha": 0.5}, {"alpha": 0.6}], [[good, bad], [bad, good]], {"m": 3})
    write_run(tmp_path / "r.h5", run)
    stored = read_run(tmp_path / "r.h5", history=True)
    assert stored.points == run.points and stored.attributes["m"] == 3
    again = stored.results[1][1]
    np.testing.assert_array_equal(again.labels, good.labels)
    np.testing.assert_array_equal(again.history["C"], good.history["C"])
    assert (again.seconds, again.n_iter, again.converged) == (1.5, 7, False)
    assert stored.results[0][1].labels is None
    assert stored.results[0][1].status == "skipped: no reason"


def test_fingerprint_does_not_depend_on_the_form():
    X = sp.random_array((40, 30), density=0.1, rng=np.random.default_rng(0), format="csr")
    y = np.arange(40)
    assert fingerprint(X, y) == fingerprint(X.toarray(), y.astype(np.uint8))
    assert fingerprint(X, y) != fingerprint(X, y[::-1])
    assert fingerprint(X[:, :-1], y) != fingerprint(X, y)
