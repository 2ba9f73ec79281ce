"""Repeats are kept until their run is whole."""

from __future__ import annotations

import numpy as np

from coassoc.storage.journal import RunJournal
from coassoc.storage.records import RepeatResult


def test_journal_keeps_whole_repeats_of_the_same_run(tmp_path):
    path = tmp_path / "r.h5"
    journal = RunJournal(path, {"seed": 1})
    journal.save(0, 3, RepeatResult(np.arange(4), 1.0))
    (journal.folder / "point0000-repeat0004.h5").write_bytes(b"half a file")
    again = RunJournal(path, {"seed": 1})
    np.testing.assert_array_equal(again.load(0, 3).labels, np.arange(4))
    assert again.load(0, 4) is None and again.load(0, 5) is None
    assert RunJournal(path, {"seed": 2}).load(0, 3) is None
