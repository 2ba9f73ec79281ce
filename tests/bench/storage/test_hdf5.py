"""HDF5 files: round trips, refusal of damaged ones, nothing half-written left behind."""

import json
import os
import resource
import shutil
from dataclasses import asdict, replace

import h5py
import numpy as np
import pytest
import scipy.sparse as sp

from coassoc.bench.pools.draws import make_draws
from coassoc.bench.storage import hdf5, journal
from coassoc.bench.storage.journal import RunJournal
from coassoc.bench.storage.records import Dataset, Pool, RepeatResult, Run, fingerprint
from coassoc.errors import DataError
from refusals import cases, refuses

SPARSE = sp.random_array((40, 30), density=0.1, rng=np.random.default_rng(0), format="csr")
DENSE, HALVES = np.arange(80.0).reshape(20, 4) ** 0.5, np.arange(20) % 2
NAMES = np.array(["007", "Größe 群"], dtype=object)
TRUTHS = np.array([[0, 1, -1], [0, 0, 1]])


@pytest.fixture
def pool() -> Pool:
    labels = np.random.default_rng(0).integers(0, 5, (30, 8))
    return Pool(labels, np.arange(30) % 3, {2: np.array([[0, 1], [5, 7]])}, {"made": "by hand"})


@cases(
    "dataset, labels",
    pytest.param(Dataset(DENSE, HALVES, {"names": ["b", "a"]}), [HALVES], id="dense"),
    pytest.param(Dataset(SPARSE, None), [None], id="sparse"),
    pytest.param(Dataset(np.eye(2), None, samples=NAMES), [None], id="names of samples"),
    pytest.param(Dataset(np.eye(3), TRUTHS[0], truths=TRUTHS), TRUTHS, id="noise"),
)
def test_data_set_round_trip(tmp_path, dataset, labels):
    path, X = tmp_path / "a.h5", dataset.X
    hdf5.write_dataset(path, dataset)
    stored = hdf5.read_dataset(path)
    assert sp.issparse(stored.X) == sp.issparse(X)
    # Lists become JSON, which stays text.
    attributes = {name: json.dumps(values) for name, values in dataset.attributes.items()}
    expected = replace(dataset, attributes=attributes | {"fingerprint": fingerprint(X, *labels)})
    dense = [replace(d, X=sp.csr_array(d.X).toarray()) for d in (stored, expected)]
    np.testing.assert_equal(*map(vars, dense))


@pytest.mark.parametrize("truths", [None, np.arange(60).reshape(2, 30) % 4 - 1])
def test_pool_round_trip(tmp_path, pool, truths):
    pool.truths = truths
    hdf5.write_pool(tmp_path / "p.h5", pool)
    stored = hdf5.read_pool(tmp_path / "p.h5")
    assert stored.labels.dtype == np.uint8 and stored.n_classes == 3
    pool.attributes["fingerprint"] = pool.fingerprint
    np.testing.assert_equal(vars(stored), vars(pool))


def test_a_pool_says_what_it_lacks(pool):
    refuses(DataError, r"no draws of 4 base clusterings\. Choose m from 2", pool.draws_of, 4)
    assert pool.classes is pool.y
    pool.truths = np.array([pool.y, pool.y - 1])
    np.testing.assert_array_equal(pool.references, pool.truths)
    with pytest.raises(DataError, match="noise points or several reference labellings"):
        _ = pool.classes
    pool.y = None
    with pytest.raises(DataError, match="has no classes"):
        _ = pool.classes


def test_pools_know_their_sizes(tmp_path):
    labels = np.random.default_rng(0).integers(0, 2, (50, 9))
    pool = Pool(labels, None, make_draws(9, [3, 8], 4, random_state=0))
    hdf5.write_pool(tmp_path / "p.h5", pool)
    most = max(len(np.unique(labels[:, draw], axis=0)) for draw in pool.draws[8])
    n_clusters = [max(labels[:, d].max(axis=0).sum() + m for d in pool.draws[m]) for m in (3, 8)]
    sizes = [hdf5.draw_sizes(tmp_path / "p.h5", m) for m in (3, 8, 5)]
    assert sizes == [(50, 8, 3, n_clusters[0], 4), (50, most, 8, n_clusters[1], 4), None]


@pytest.mark.parametrize("edited", ["labels", "truths", "X", "y"])
def test_a_file_edited_by_hand_is_noticed(tmp_path, pool, edited):
    pool.truths, path = np.array([pool.y, pool.y - 1]), tmp_path / "a.h5"
    read = hdf5.read_pool if edited in ("labels", "truths") else hdf5.read_dataset
    if read is hdf5.read_pool:
        hdf5.write_pool(path, pool)
    else:
        hdf5.write_dataset(path, Dataset(np.eye(4), np.arange(4) % 2))
    with h5py.File(path, "r+") as file:
        file[edited][1] = (file[edited][1] + 1) % 2
    refuses(DataError, r"does not match the fingerprint", read, path)


def test_damaged_and_foreign_files_are_refused(tmp_path, pool):
    path = tmp_path / "p.h5"
    hdf5.write_pool(path, pool)
    whole = path.read_bytes()
    for content in (whole[: len(whole) // 2], b"not HDF5 at all"):
        path.write_bytes(content)
        refuses(DataError, "truncated or damaged", hdf5.read_pool, path)
    with h5py.File(path, "w") as file:
        file["x"] = 1
    refuses(DataError, "not a pool written by coassoc", hdf5.read_pool, path)
    refuses(DataError, "file not found", hdf5.read_pool, tmp_path / "missing.h5")


def test_a_full_disk_is_said_and_leaves_nothing(tmp_path, pool):
    """A limit on the size of files fails at the same place, and needs no privileges."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, hard))
    try:
        with pytest.raises(DataError, match=r"p\.h5: cannot write this file \(File too large"):
            hdf5.write_pool(tmp_path / "p.h5", pool)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert list(tmp_path.iterdir()) == []


def test_a_changed_bit_is_never_read_as_another_result(tmp_path):
    good = RepeatResult(np.arange(60) % 3, 1.5, 1.0, 20.0, 7, False, 2, history={"C": np.ones(7)})
    bad = RepeatResult(None, status="skipped: no reason, Größe")
    points, results = [{"alpha": 0.5}, {"alpha": 0.6}], [[bad, good], [bad, bad]]
    run = Run(points, results, {"pool": "p", "commit": "abc", "m": 3})
    hdf5.write_runs(tmp_path / "r.h5", {"LWEA": run})
    np.testing.assert_equal(asdict(hdf5.read_run(tmp_path / "r.h5", history=True)), asdict(run))
    whole, n_refused = (tmp_path / "r.h5").read_bytes(), 0
    for place in range(0, len(whole), 97):
        changed = bytearray(whole)
        changed[place] ^= 1 << place % 8
        (tmp_path / "r.h5").write_bytes(changed)
        try:
            stored = hdf5.read_run(tmp_path / "r.h5", "LWEA", history=True)
        except DataError as error:
            n_refused += 1
            assert str(error).endswith("Delete the file and rerun Snakemake.")
        else:
            np.testing.assert_equal(asdict(stored), asdict(run))
    assert n_refused > 20
    (tmp_path / "r.h5").write_bytes(whole)
    with h5py.File(tmp_path / "r.h5", "r+") as file:
        file["LWEA"].attrs["pool"] = "q"
    refuses(DataError, "differ from their checksum", hdf5.read_run, tmp_path / "r.h5")


# -- JOURNAL ---------------------------------------------------------------------------------------

# Repeats are kept until their run is whole.


def test_journal_keeps_whole_repeats_of_the_same_run(tmp_path):
    path = tmp_path / "r.h5"
    first = RunJournal(path, "one")
    result = RepeatResult(np.arange(4), 1.0, n_iter=3, converged=False, history={"a/b": np.eye(2)})
    first.save("LWEA", 0, 3, result)
    (first.folder / "LWEA-point0000-repeat0004.npz").write_bytes(b"half a file")
    whole = first.folder / "LWEA-point0000-repeat0003.npz"
    whole.with_name("LWEA-point0000-repeat0006.npz").write_bytes(whole.read_bytes()[:-9])
    first.release()
    again = RunJournal(path, "one")
    there = again.load("LWEA", 0, 3)
    np.testing.assert_array_equal(there.labels, np.arange(4))
    np.testing.assert_array_equal(there.history["a/b"], np.eye(2))
    assert (there.seconds, there.n_iter, there.converged, there.status) == (1.0, 3, False, "ok")
    assert np.isnan(there.cpu_seconds)
    assert all(again.load("LWEA", 0, repeat) is None for repeat in (4, 5, 6))
    again.release()
    assert RunJournal(path, "other").load("LWEA", 0, 3) is None


def test_one_process_has_a_journal_at_a_time(tmp_path, monkeypatch):
    monkeypatch.setattr(journal, "_PATIENCE", 0)
    path = tmp_path / "r.h5"
    mine = RunJournal(path, "one")
    mine.save("LWEA", 0, 0, RepeatResult(np.arange(4), 1.0))
    message = rf"r\.h5: an earlier job is still writing this file \(process {os.getpid()} on "
    refuses(DataError, message, RunJournal, path, "other")
    assert mine.load("LWEA", 0, 0) is not None
    mine.remove()
    assert not mine.folder.exists()
    RunJournal(path, "other")


def test_a_lock_that_was_deleted_with_its_journal_is_none(tmp_path):
    path = tmp_path / "r.h5"
    mine = RunJournal(path, "one")
    shutil.rmtree(mine.folder)
    assert RunJournal(path, "one").load("LWEA", 0, 0) is None
