"""How long a set of jobs will still take, judged by what they were expected to take and took."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Iterable

__all__ = ["TimeLeft", "in_words"]

#: Seconds of work that count as having taken what was expected, so that the first short jobs do not
#: decide about long ones.
_PRIOR = 60.0


class TimeLeft:
    """Estimate of the time until all jobs are finished.

    Jobs are taken to exceed what is expected of them, or to stay below it, by the same factor as
    those before them, and to run as many at a time as before.

    Parameters
    ----------
    jobs : iterable of hashable
        What has to be done.
    expected : callable
        Job → seconds. It is asked again for each estimate, since more may be known by then.
    clock : callable
        Seconds since some point in time.
    """

    def __init__(
        self,
        jobs: Iterable[Hashable],
        expected: Callable[[Hashable], float],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.waiting = dict.fromkeys(jobs)
        self.expected = expected
        self.clock = clock
        self.began: float | None = None
        #: Start of each running job.
        self.running: dict[Hashable, float] = {}
        self.expected_so_far = self.taken_so_far = 0.0

    def start(self, job: Hashable) -> None:
        """A job begins; one that is not among those to do is ignored."""
        if job not in self.waiting:
            return
        del self.waiting[job]
        self.running[job] = self.clock()
        if self.began is None:
            self.began = self.running[job]

    def finish(self, job: Hashable) -> None:
        """A job is done, also one whose beginning was not seen."""
        self.waiting.pop(job, None)
        start = self.running.pop(job, None)
        if start is not None:
            self.expected_so_far += self.expected(job)
            self.taken_so_far += self.clock() - start

    def seconds(self) -> float:
        """Seconds until everything is done; 0 before anything began and at the end."""
        if self.began is None:
            return 0.0
        now = self.clock()
        factor = (self.taken_so_far + _PRIOR) / (self.expected_so_far + _PRIOR)
        elapsed = [now - start for start in self.running.values()]
        left = [factor * self.expected(job) for job in self.waiting]
        left += [
            max(factor * self.expected(job) - spent, 0.0)
            for job, spent in zip(self.running, elapsed, strict=True)
        ]
        at_a_time = (self.taken_so_far + sum(elapsed)) / max(now - self.began, 1e-9)
        return max(sum(left) / max(at_a_time, 1.0), max(left, default=0.0))


def in_words(seconds: float) -> str:
    """A duration as one says it: minutes below two hours, then hours, then days."""
    for unit, length in (("days", 86400), ("hours", 3600)):
        if seconds >= 2 * length:
            return f"{seconds / length:.0f} {unit}"
    minutes = max(round(seconds / 60), 1)
    return "1 minute" if minutes == 1 else f"{minutes} minutes"
