"""The finished repeats of an incomplete run."""

import io
import json
import shutil
import zipfile
from pathlib import Path
from typing import Any

import numpy as np

from coassoc.bench.storage.records import RepeatResult
from coassoc.errors import DataError
from coassoc.io.atomic import hold_lock, write_bytes, write_text

#: Seconds until a lock counts as the lock of another job. After a job was killed, its worker holds
#: the lock until the worker has ended.
_PATIENCE = 5.0


class RunJournal:
    """Finished repeats of incomplete runs, each in a small file.

    A process may be killed at any time: finished repeats are kept, and partly written files are
    ignored. Repeats of another run (other parameters, data or seeds) are recognised by `identity`
    and dropped. Only one process may use the journal at a time, because a job that outlives its
    Snakemake process could otherwise write into the journal of its replacement. If another process
    uses the journal, a DataError is raised. Writing a file takes a millisecond or two; an HDF5 file
    would take as long as ten fits of a fast method.
    """

    def __init__(self, path: str | Path, identity: str) -> None:
        self.folder = Path(f"{path}.partial")
        try:
            self._lock = hold_lock(self.folder / "lock", _PATIENCE)
        except TimeoutError as error:
            raise DataError(
                f"{path}: an earlier job is still writing this file ({error}). Wait until that job "
                "ends, or stop it."
            ) from None
        note = self.folder / "identity"
        if not note.exists() or note.read_text() != identity:
            for file in self.folder.iterdir():
                if file.name != "lock":
                    file.unlink()
            write_text(note, identity)

    def _file(self, method: str, point: int, repeat: int) -> Path:
        return self.folder / f"{method}-point{point:04d}-repeat{repeat:04d}.npz"

    def load(self, method: str, point: int, repeat: int) -> RepeatResult | None:
        """The stored result of a repeat, or None if it has not finished."""
        try:
            with np.load(self._file(method, point, repeat), allow_pickle=False) as file:
                arrays = dict(file)
        except (OSError, ValueError, zipfile.BadZipFile):
            return None
        labels, measures = arrays.pop("labels", None), json.loads(arrays.pop("measures").item())
        history = {name.removeprefix("history/"): values for name, values in arrays.items()}
        return RepeatResult(labels, **measures, history=history)

    def save(self, method: str, point: int, repeat: int, result: RepeatResult) -> None:
        """Store a finished repeat."""
        measures = {**vars(result)}
        labels, history = measures.pop("labels"), measures.pop("history")
        arrays: dict[str, Any] = {f"history/{name}": values for name, values in history.items()}
        arrays["measures"] = json.dumps(measures, default=np.generic.item)
        if labels is not None:
            arrays["labels"] = labels
        content = io.BytesIO()
        np.savez(content, **arrays)
        write_bytes(self._file(method, point, repeat), content.getvalue())

    def remove(self) -> None:
        """Delete the journal when the file of the runs is complete."""
        shutil.rmtree(self.folder)
        self.release()

    def release(self) -> None:
        """Release the journal for other processes, as does the end of this process."""
        self._lock.close()
