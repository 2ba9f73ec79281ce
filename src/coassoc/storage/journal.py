"""The finished repeats of a run that is not whole yet."""

import os
import platform
import shutil
import time
from pathlib import Path
from typing import IO

from coassoc.atomic import write_text
from coassoc.errors import DataError
from coassoc.storage.hdf5 import read_run, write_runs
from coassoc.storage.records import RepeatResult, Run

#: Seconds until a lock counts as another job's. The worker of a job that was killed holds the
#: lock of that job until it is gone, too.
_PATIENCE = 5.0


class RunJournal:
    """Finished repeats of runs that are still going on, one small whole file each.

    A process may be killed at any time: what is finished stays, and nothing half-written counts.
    Repeats of another run (other parameters, data or seeds) are recognised by `identity` and
    dropped. One process has the journal at a time: a job that outlived its Snakemake would
    otherwise write into the journal of the job that was started in its place. It is a DataError if
    another process has it.
    """

    def __init__(self, path: str | Path, identity: str) -> None:
        self.folder = _folder(path)
        self._lock = _locked(self.folder / "lock", Path(path))
        note = self.folder / "identity"
        if not note.exists() or note.read_text() != identity:
            for file in self.folder.iterdir():
                if file.name != "lock":
                    file.unlink()
            write_text(note, identity)

    def _file(self, method: str, point: int, repeat: int) -> Path:
        return self.folder / f"{method}-point{point:04d}-repeat{repeat:04d}.h5"

    def load(self, method: str, point: int, repeat: int) -> RepeatResult | None:
        """The stored result of a repeat, or None if it has not finished."""
        try:
            return read_run(self._file(method, point, repeat), history=True).results[0][0]
        except DataError:
            return None

    def save(self, method: str, point: int, repeat: int, result: RepeatResult) -> None:
        """Store a finished repeat."""
        write_runs(self._file(method, point, repeat), {method: Run([{}], [[result]])})

    def remove(self) -> None:
        """Delete the journal, once the file of the runs is whole."""
        shutil.rmtree(self.folder)
        self.release()

    def release(self) -> None:
        """Leave the journal to other processes; the end of this one does the same."""
        self._lock.close()


def finished_repeats(path: str | Path) -> int:
    """How many repeats of a run that is going on have finished; 0 where it has no journal."""
    return sum(1 for _ in _folder(path).glob("*-point*.h5"))


def _folder(path: str | Path) -> Path:
    return Path(f"{path}.partial")


def _locked(lock: Path, run: Path) -> IO[str]:
    """The open file of a lock, which is held until it is closed or the process has ended."""
    end = time.monotonic() + _PATIENCE
    while True:
        lock.parent.mkdir(parents=True, exist_ok=True)
        file = lock.open("a+")
        if _lock(file):
            # The process that had the lock before may have deleted it with the journal.
            if lock.exists() and os.path.samestat(os.fstat(file.fileno()), lock.stat()):
                file.truncate(0)
                file.write(f"process {os.getpid()} on {platform.node()}")
                file.flush()
                return file
        elif time.monotonic() > end:
            file.seek(0)
            raise DataError(
                f"{run}: an earlier job is still writing this file ({file.read()}). Wait for it, "
                "or end it."
            )
        file.close()
        time.sleep(0.1)


def _lock(file: IO[str]) -> bool:
    """Whether no other process has the lock; on a system without such locks, always."""
    try:
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except (ImportError, OSError):
        return True
    return True
