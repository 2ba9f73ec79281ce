"""How long a set of jobs will still take, judged by what they were expected to take and took."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import Any

__all__ = ["ProgressHandler", "TimeLeft", "in_words"]

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


class ProgressHandler(logging.Handler):
    """Follows jobs by the events of a log; a thread says from time to time how long is left.

    Records count that have an ``event``: ``JOB_STARTED`` with the numbers of its ``jobs``,
    ``GROUP_INFO`` with the ``jobs`` of a group, each with a ``jobid``, and ``JOB_FINISHED`` with a
    ``job_id``.

    Parameters
    ----------
    expected : mapping of int to callable
        Number of each job to do → the seconds that it usually takes, asked when they are needed.
    say : callable
        Called with each line, such as "About 2 hours left."
    """

    #: Seconds between two lines: a twentieth of what is left, within these bounds.
    shortest, longest = 30.0, 600.0

    def __init__(
        self, expected: Mapping[int, Callable[[], float]], say: Callable[[str], None]
    ) -> None:
        super().__init__()
        self._expected = expected
        self._say = say
        self._left = TimeLeft(expected, self._seconds)
        threading.Thread(target=self._speak, daemon=True).start()

    def emit(self, record: logging.LogRecord) -> None:
        """Note what the record says; no run ends because of what is said about it."""
        try:
            self._follow(record, getattr(getattr(record, "event", None), "name", ""))
        except Exception:
            self.handleError(record)

    def _seconds(self, job: Any) -> float:
        return self._expected[job]()

    def _follow(self, record: Any, event: str) -> None:
        if event == "JOB_STARTED":
            for job in record.jobs:
                self._left.start(job)
        elif event == "GROUP_INFO":
            # Jobs of a group run one after another; the time of all counts for the longest.
            jobs = [job.jobid for job in record.jobs if job.jobid in self._expected]
            if jobs:
                self._left.start(max(jobs, key=self._seconds))
        elif event == "JOB_FINISHED":
            self._left.finish(record.job_id)

    def _speak(self) -> None:
        pause = self.shortest
        while True:
            time.sleep(pause)
            pause = self.say_what_is_left()

    def say_what_is_left(self) -> float:
        """Say it, unless it is next to nothing; return the seconds until the next line."""
        self.acquire()
        try:
            seconds = self._left.seconds()
        finally:
            self.release()
        if seconds > self.shortest:
            self._say(f"About {in_words(seconds)} left.")
        return min(max(seconds / 20, self.shortest), self.longest)


def in_words(seconds: float) -> str:
    """A duration as one says it: minutes below two hours, then hours, then days."""
    for unit, length in (("days", 86400), ("hours", 3600)):
        if seconds >= 2 * length:
            return f"{seconds / length:.0f} {unit}"
    minutes = max(round(seconds / 60), 1)
    return "1 minute" if minutes == 1 else f"{minutes} minutes"
