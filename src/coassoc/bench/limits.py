"""Limits on the time and the memory of a repeat.

Repeats are fitted in a child process, which is replaced if it had to be ended. Only Linux can do
this safely; on other systems, limits have no effect.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from coassoc.bench.storage.records import Outcome, RepeatResult
from coassoc.numerics.processes import ChildProcess, ProcessDied
from coassoc.numerics.threads import memory_of_machine

#: Fraction of the machine's memory that a repeat may take if the limit is "auto".
SHARE_OF_MEMORY = 0.8

#: A limit ended the repeat.
STOPPED = (Outcome.TOO_SLOW, Outcome.TOO_LARGE)
#: Another process took the memory, or somebody ended this process.
CUT_OFF = (Outcome.OUT_OF_MEMORY, Outcome.KILLED)

Fit = Callable[..., RepeatResult]


@dataclass(frozen=True)
class Limits:
    """Limits for one repeat."""

    #: Limit of the elapsed time, from the start of the fit.
    minutes: float | None = None
    #: Limit of the memory that a fit takes in addition to the program and the data.
    memory_mb: float | None = None

    @classmethod
    def from_config(cls, config: Mapping[str, Any]) -> Limits:
        """The limits in a configuration, under the key ``limits``."""
        limits = dict(config.get("limits") or {})
        if limits.get("memory_mb") == "auto":
            limits["memory_mb"] = round(SHARE_OF_MEMORY * memory_of_machine(), 0)
        return cls(**limits)

    @property
    def too_slow(self) -> RepeatResult:
        """A repeat that took too long."""
        unit = "minute" if self.minutes == 1 else "minutes"
        reason, limit = f"{self.minutes:g} {unit}", self.minutes or math.nan
        return RepeatResult.without_labels(Outcome.TOO_SLOW, reason, limit)

    @property
    def too_large(self) -> RepeatResult:
        """A repeat that needed too much memory."""
        reason, limit = f"{self.memory_mb:.0f} MB of memory", self.memory_mb or math.nan
        return RepeatResult.without_labels(Outcome.TOO_LARGE, reason, limit)

    def decide(self, result: RepeatResult) -> bool:
        """Whether a repeat would end the same way under these limits.

        False if a limit ended the repeat and its file, from an earlier version, does not say which.
        """
        if result.outcome not in STOPPED:
            return result.outcome not in CUT_OFF
        limit = self.minutes if result.outcome is Outcome.TOO_SLOW else self.memory_mb
        return limit is not None and limit <= result.limit


NO_LIMITS = Limits()


@contextmanager
def limited(
    fit: Fit, limits: Limits, warm_up: Callable[..., object] = lambda *request: None
) -> Iterator[Fit]:
    """The same function under limits. The outcome of a repeat records an exceeded limit.

    The function takes the numbers of a repeat and returns its result. A process is first warmed up
    with the numbers of its first repeat, which counts towards no limit. If a call continues an
    earlier call, the result and the limit count the seconds of both.
    """
    if limits == NO_LIMITS or not sys.platform.startswith("linux"):
        cold = [warm_up]

        def fit_here(*request: Any) -> RepeatResult:
            while cold:
                cold.pop()(*request)
            return fit(*request)

        yield fit_here
        return
    with ChildProcess(fit, warm_up, limits.memory_mb) as process:
        yield lambda *request: _fit_in_child(limits, process, request)


def _fit_in_child(limits: Limits, process: ChildProcess, request: tuple[Any, ...]) -> RepeatResult:
    """The result of a fit in a separate process."""
    seconds = None if limits.minutes is None else 60 * limits.minutes
    try:
        result: RepeatResult = process.call(*request, seconds=seconds)
    except TimeoutError:
        return limits.too_slow
    except ProcessDied as died:
        if died.signal:
            return RepeatResult.without_labels(Outcome.KILLED, died.signal)
        reason = f"the process ended with exit status {died.exit_code}"
        return RepeatResult.without_labels(Outcome.FAILED, reason)
    if result.outcome is Outcome.OUT_OF_MEMORY:
        process.end()  # memory that this fit still holds may make the next one fail
        return result if limits.memory_mb is None else limits.too_large
    if seconds is not None and result.seconds > seconds:
        return limits.too_slow
    return result
