"""Estimates of the time left."""

from __future__ import annotations

import logging
from types import SimpleNamespace

import pytest

from coassoc.running.progress import ProgressHandler, TimeLeft, in_words


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


def test_nothing_is_said_before_anything_began(clock):
    assert TimeLeft(["a"], lambda job: 100.0, clock).seconds() == 0


def test_what_is_expected_counts_at_first(clock):
    left = TimeLeft("abcd", lambda job: 100.0, clock)
    left.start("a")
    assert left.seconds() == pytest.approx(400)
    clock.now = 30.0
    assert left.seconds() == pytest.approx(370)


def test_jobs_that_took_longer_than_expected_make_the_others_longer(clock):
    left = TimeLeft(range(10), lambda job: 1000.0, clock)
    for job in range(5):
        left.start(job)
        clock.now += 2000.0
        left.finish(job)
    assert left.seconds() == pytest.approx(10_000, rel=0.02)


def test_first_short_jobs_do_not_decide_about_long_ones(clock):
    left = TimeLeft(["short", "long"], lambda job: 1.0 if job == "short" else 600.0, clock)
    left.start("short")
    clock.now = 5.0
    left.finish("short")
    assert 600 <= left.seconds() < 700


def test_jobs_at_a_time_share_the_rest(clock):
    left = TimeLeft(range(8), lambda job: 100.0, clock)
    for first in (0, 2):
        left.start(first), left.start(first + 1)
        clock.now += 100.0
        left.finish(first), left.finish(first + 1)
    assert left.seconds() == pytest.approx(200)


def test_the_longest_job_bounds_the_rest(clock):
    seconds = {"a": 100.0, "b": 100.0, "long": 1000.0}
    left = TimeLeft(seconds, seconds.__getitem__, clock)
    left.start("a"), left.start("b")
    clock.now = 100.0
    left.finish("a"), left.finish("b")
    assert left.seconds() == pytest.approx(1000)


def test_more_may_be_known_later(clock):
    size = {"a": 10.0, "b": 1000.0}
    left = TimeLeft(size, lambda job: size[job], clock)
    left.start("a")
    before = left.seconds()
    size["b"] = 20.0
    assert before == pytest.approx(1010) and left.seconds() == pytest.approx(30)


def test_everything_done_leaves_nothing(clock):
    left = TimeLeft("ab", lambda job: 10.0, clock)
    left.start("a")
    left.start("unknown")
    clock.now = 10.0
    left.finish("a")
    left.finish("b")  # its beginning was not seen
    assert left.seconds() == 0


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (20, "1 minute"),
        (95, "2 minutes"),
        (7140, "119 minutes"),
        (7200, "2 hours"),
        (100_000, "28 hours"),
        (400_000, "5 days"),
    ],
)
def test_durations_in_words(seconds, words):
    assert in_words(seconds) == words


@pytest.fixture
def lines() -> list[str]:
    return []


@pytest.fixture
def handler(lines) -> ProgressHandler:
    """Two jobs of an hour and one of half an hour."""
    hours = {1: 1.0, 2: 1.0, 3: 0.5}
    expected = {job: lambda each=each: 3600 * each for job, each in hours.items()}
    return ProgressHandler(expected, lines.append)


def record(event: str, **values) -> logging.LogRecord:
    found = logging.makeLogRecord(values)
    found.event = SimpleNamespace(name=event)
    return found


def test_a_log_is_followed(handler, lines):
    handler.say_what_is_left()
    assert lines == []  # nothing began
    handler.handle(record("JOB_STARTED", jobs=[1]))
    assert handler.say_what_is_left() == pytest.approx(450, rel=0.01)
    handler.handle(record("JOB_FINISHED", job_id=2))
    handler.say_what_is_left()
    assert lines == ["About 2 hours left.", "About 90 minutes left."]


def test_the_jobs_of_a_group_count_as_their_longest(handler, lines):
    group = [SimpleNamespace(jobid=job) for job in (3, 1, 99)]
    handler.handle(record("GROUP_INFO", jobs=group))
    handler.handle(record("JOB_FINISHED", job_id=2))
    handler.handle(record("JOB_FINISHED", job_id=3))
    handler.say_what_is_left()
    assert lines == ["About 60 minutes left."]


def test_a_record_that_cannot_be_read_ends_nothing(handler, capsys):
    handler.handle(logging.makeLogRecord({"msg": "no event"}))
    handler.handle(record("JOB_STARTED"))
    assert "AttributeError" in capsys.readouterr().err
