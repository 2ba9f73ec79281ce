"""The finished repeats of a run that is not whole yet."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from coassoc.errors import DataError
from coassoc.storage.hdf5 import read_run, write_run
from coassoc.storage.records import RepeatResult, Run

__all__ = ["RunJournal"]


class RunJournal:
    """Finished repeats of a run that is still going on, one small whole file each.

    A process may be killed at any time: what is finished stays, and nothing half-written counts.
    Repeats of another run (other parameters, data or seeds) are recognised by `identity` and
    dropped.

    Parameters
    ----------
    path : path
        The run's final file; the journal is the folder beside it with suffix ``.partial``.
    identity : mapping
        What makes two runs the same.
    """

    def __init__(self, path: str | Path, identity: Mapping[str, Any]) -> None:
        self.folder = Path(f"{path}.partial")
        stamp = json.dumps(identity, sort_keys=True, default=str)
        note = self.folder / "identity.json"
        if self.folder.exists() and (not note.exists() or note.read_text() != stamp):
            shutil.rmtree(self.folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        if not note.exists():
            beside = note.with_suffix(".new")
            beside.write_text(stamp)
            os.replace(beside, note)

    def _file(self, point: int, repeat: int) -> Path:
        return self.folder / f"point{point:04d}-repeat{repeat:04d}.h5"

    def load(self, point: int, repeat: int) -> RepeatResult | None:
        """The stored result of a repeat, or None if it has not finished."""
        if not self._file(point, repeat).exists():
            return None
        try:
            return read_run(self._file(point, repeat), history=True).results[0][0]
        except DataError:
            return None

    def save(self, point: int, repeat: int, result: RepeatResult) -> None:
        """Store a finished repeat."""
        write_run(self._file(point, repeat), Run([{}], [[result]]))

    def remove(self) -> None:
        """Delete the journal, once the run's file is whole."""
        shutil.rmtree(self.folder)
