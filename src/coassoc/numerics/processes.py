"""Calls in a child process, which can be ended at any time and whose crash is an exception.

A process cannot interrupt a function that runs in compiled code, and a function that crashes ends
its process.
"""

from __future__ import annotations

import ctypes
import multiprocessing
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

#: A forked child already has the data and imported modules. Forking is safe only on Linux.
_CAN_FORK = sys.platform.startswith("linux")
#: Seconds that the start of a child and its preparation may take on top of the limit of a call.
_PATIENCE = 120.0


class ProcessDied(Exception):
    """The child ended in the middle of a call."""

    def __init__(self, exit_code: int) -> None:
        super().__init__(exit_code)
        #: Name of the signal that ended the child process, or empty if the process ended by itself.
        self.signal = signal.Signals(-exit_code).name if exit_code < 0 else ""
        self.exit_code = exit_code


class ChildProcess:
    """A child that answers calls of one function, one after another.

    The child starts with the first call and restarts after a call that it did not survive. Anything
    that the function keeps in memory lasts until then. The child ends with the ``with`` block, or
    with this process.

    Parameters
    ----------
    function : callable
        Function to call. On systems other than Linux, where the child is not forked, it must be
        picklable.
    prepare : callable, optional
        Function that a new child calls first, with the arguments of its first call. The time limit
        does not include it.
    memory_mb : float, optional
        Limit in megabytes on the memory that the child allocates after its start. Further
        allocations fail at once, before the machine runs out of memory. Only on Linux.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        prepare: Callable[..., object] | None = None,
        memory_mb: float | None = None,
    ) -> None:
        self._work = function, prepare, memory_mb
        self._process: Any = None
        self._link: Connection

    def __enter__(self) -> ChildProcess:
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    def call(self, *arguments: Any, seconds: float | None = None) -> Any:
        """Return the result of the function, or raise its exception.

        Raises
        ------
        TimeoutError
            If the call takes longer than the time limit. The child is then ended.
        ProcessDied
            If the child crashes or is killed.
        """
        if self._process is None:
            self._start()
        self._link.send(arguments)
        self._receive(None if seconds is None else seconds + _PATIENCE)
        answer, error = self._receive(seconds)
        if error is not None:
            raise error
        return answer

    def end(self) -> None:
        """End the child, whatever it is doing."""
        if self._process is not None:
            self._process.kill()
            self._process.join()
            self._link.close()
            self._process = None

    def _start(self) -> None:
        context: Any = multiprocessing.get_context("fork" if _CAN_FORK else "spawn")
        self._link, other_end = context.Pipe()
        links = (other_end, self._link if _CAN_FORK else None)
        process = context.Process(target=_serve, args=(*links, *self._work), daemon=True)
        process.start()  # may fail without memory
        self._process = process
        other_end.close()

    def _receive(self, seconds: float | None) -> Any:
        if not self._link.poll(seconds):
            self.end()
            raise TimeoutError
        try:
            return self._link.recv()
        except EOFError:
            self._process.join()
            died = ProcessDied(self._process.exitcode)
            self.end()
            raise died from None


def _serve(
    link: Connection,
    parents: Connection | None,
    function: Callable[..., Any],
    prepare: Callable[..., object] | None,
    memory_mb: float | None,
) -> None:
    """Answer calls until the parent is gone: a message when one begins, and one when it ends."""
    if parents is not None:
        parents.close()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if _CAN_FORK:
        end_with_parent()
        if memory_mb is not None:
            _limit_memory(memory_mb)
    with suppress(EOFError, BrokenPipeError):
        while True:
            arguments = link.recv()
            if prepare is not None:
                prepare(*arguments)
                prepare = None
            link.send(None)
            answer: tuple[Any, Exception | None]
            try:
                answer = function(*arguments), None
            except Exception as error:
                answer = None, error
            link.send(answer)


def end_with_parent() -> None:
    """On Linux, end this process when its parent ends, instead of going on or waiting for ever."""
    if sys.platform.startswith("linux"):
        pr_set_pdeathsig = 1
        ctypes.CDLL(None).prctl(pr_set_pdeathsig, signal.SIGKILL)


def _limit_memory(megabytes: float) -> None:
    import resource

    status = Path("/proc/self/status").read_text()
    in_use = int(status.split("VmData:")[1].split()[0]) * 1024
    allowed = in_use + int(megabytes * 1e6)
    _, most = resource.getrlimit(resource.RLIMIT_DATA)
    if most == resource.RLIM_INFINITY or allowed < most:
        resource.setrlimit(resource.RLIMIT_DATA, (allowed, allowed))
