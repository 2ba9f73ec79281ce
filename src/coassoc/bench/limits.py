"""Limits on the time and the memory of a repeat.

Nothing inside a process can end a method that is busy in compiled code, and a method that crashes
takes its process with it. So repeats run in a child process, the *worker*: it is forked once, so
that data and imported modules are there already, answers one request after another, and is
replaced when it had to be ended. Only Linux can do this safely; elsewhere limits have no effect.
"""

from __future__ import annotations

import ctypes
import multiprocessing
import resource
import signal
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from coassoc.numerics.memory import memory_of_machine
from coassoc.storage.records import RepeatResult

#: Status of a repeat that could not have the memory it asked for.
OUT_OF_MEMORY = "skipped: there was not enough memory"

#: Share of the machine's memory that one repeat may take where the configuration says "auto".
SHARE_OF_MEMORY = 0.8

_TOO_SLOW = "skipped: took longer than "
_TOO_LARGE = "skipped: needed more than "
#: By a signal, perhaps of somebody who ended the job: it is tried again.
_ENDED = "failed: the process was ended by "

Fit = Callable[..., RepeatResult]


@dataclass(frozen=True)
class Limits:
    """What one repeat may take."""

    #: Of elapsed time.
    minutes: float | None = None
    #: On top of what the program and the data take.
    memory_mb: float | None = None

    @classmethod
    def from_config(cls, config: Mapping[str, Any]) -> Limits:
        """The limits of a configuration, its key ``limits``."""
        limits = dict(config.get("limits") or {})
        if limits.get("memory_mb") == "auto":
            limits["memory_mb"] = SHARE_OF_MEMORY * memory_of_machine()
        return cls(**limits)

    @property
    def too_slow(self) -> str:
        """Status of a repeat that took too long."""
        unit = "minute" if self.minutes == 1 else "minutes"
        return f"{_TOO_SLOW}{self.minutes:g} {unit}"

    @property
    def too_large(self) -> str:
        """Status of a repeat that needed too much memory."""
        return f"{_TOO_LARGE}{self.memory_mb:.0f} MB of memory"

    def decide(self, status: str) -> bool:
        """Whether a repeat with this status would end the same way under these limits."""
        if status.startswith(_TOO_SLOW):
            return self.minutes is not None and status == self.too_slow
        if status.startswith(_TOO_LARGE):
            return self.memory_mb is not None and status == self.too_large
        return status != OUT_OF_MEMORY and not status.startswith(_ENDED)


NO_LIMITS = Limits()


@contextmanager
def limited(fit: Fit, limits: Limits) -> Iterator[Fit]:
    """The same function under limits; a repeat that exceeds one has a status that says so.

    It takes the numbers of a repeat and returns the result. Where a call continues an earlier one,
    the result counts the seconds of both, and so does the limit.
    """
    if limits == NO_LIMITS or not sys.platform.startswith("linux"):
        yield fit
        return
    worker = _Worker(fit, limits)
    try:
        yield worker.fit
    finally:
        worker.end()


class _Worker:
    """A child process that does one repeat, or part of one, at a time."""

    def __init__(self, fit: Fit, limits: Limits) -> None:
        self._function = fit
        self._limits = limits
        self._process: Any = None
        self._link: Connection

    def fit(self, *request: Any) -> RepeatResult:
        if self._process is None:
            self._start()
        self._link.send(request)
        minutes = self._limits.minutes
        if not self._link.poll(None if minutes is None else 60 * minutes):
            self.end()
            return RepeatResult(None, status=self._limits.too_slow)
        try:
            answer = self._link.recv()
        except EOFError:
            return RepeatResult(None, status=self._how_it_ended())
        if isinstance(answer, Exception):
            raise answer
        if answer.status == OUT_OF_MEMORY:
            self.end()
            if self._limits.memory_mb is not None:
                answer.status = self._limits.too_large
        if minutes is not None and answer.seconds > 60 * minutes:
            return RepeatResult(None, status=self._limits.too_slow)
        return answer

    def end(self) -> None:
        """End the process, whatever it is doing."""
        if self._process is not None:
            self._process.kill()
            self._process.join()
            self._link.close()
            self._process = None

    def _start(self) -> None:
        context = multiprocessing.get_context("fork")
        self._link, other_end = context.Pipe()
        self._process = context.Process(target=self._serve, args=(other_end,), daemon=True)
        self._process.start()
        other_end.close()

    def _how_it_ended(self) -> str:
        self._process.join()
        code = self._process.exitcode
        self._process = None
        if code < 0:
            return f"{_ENDED}{signal.Signals(-code).name}"
        return f"failed: the process ended with exit status {code}"

    # -- in the child ---------------------------------------------------------------------------

    def _serve(self, link: Connection) -> None:
        """Answer requests until the parent is gone."""
        self._link.close()
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        pr_set_pdeathsig = 1  # a job that is killed must not leave a method running
        ctypes.CDLL(None).prctl(pr_set_pdeathsig, signal.SIGKILL)
        _limit_memory(self._limits.memory_mb)
        with suppress(EOFError, BrokenPipeError):
            while True:
                request = link.recv()
                try:
                    answer: Any = self._function(*request)
                except Exception as error:
                    answer = error
                link.send(answer)


def _limit_memory(megabytes: float | None) -> None:
    """Allocations beyond so many megabytes fail at once, before the machine runs out of memory."""
    if megabytes is None:
        return
    status = Path("/proc/self/status").read_text()
    in_use = int(status.split("VmData:")[1].split()[0]) * 1024
    allowed = in_use + int(megabytes * 1e6)
    _, most = resource.getrlimit(resource.RLIMIT_DATA)
    if most == resource.RLIM_INFINITY or allowed < most:
        resource.setrlimit(resource.RLIMIT_DATA, (allowed, allowed))
