"""Repeats are kept until their run is whole."""

import os
import shutil

import numpy as np
import pytest

from coassoc.bench.storage import journal
from coassoc.bench.storage.journal import RunJournal
from coassoc.bench.storage.records import RepeatResult
from coassoc.errors import DataError


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
    with pytest.raises(DataError, match=message):
        RunJournal(path, "other")
    assert mine.load("LWEA", 0, 0) is not None
    mine.remove()
    assert not mine.folder.exists()
    RunJournal(path, "other")


def test_a_lock_that_was_deleted_with_its_journal_is_none(tmp_path):
    path = tmp_path / "r.h5"
    mine = RunJournal(path, "one")
    shutil.rmtree(mine.folder)
    assert RunJournal(path, "one").load("LWEA", 0, 0) is None
