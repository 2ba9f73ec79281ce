"""Limits: a repeat that takes too long, needs too much or crashes is an outcome."""

import multiprocessing
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import patch

import numpy as np
import psutil
import pytest

from coassoc.bench import runs
from coassoc.bench.limits import Limits, limited
from coassoc.bench.runs import execute_runs
from coassoc.bench.storage.hdf5 import read_run
from coassoc.bench.storage.journal import RunJournal
from coassoc.bench.storage.records import Outcome, Pool, RepeatResult
from coassoc.methods import choice
from coassoc.methods.base import ConsensusClusterer, RefiningClusterer
from coassoc.numerics import threads
from plans import settings
from refusals import cases
from tasks import execute_run, noisy_pool, task

#: Those of the configuration as it comes.
DEFAULT = Limits.from_config(settings())
SHORT = Limits(minutes=0.05)
#: Samples of the fit that warms a process up; it does nothing here.
WARM_UP = 60
TOO_LARGE = f"skipped: needed more than {DEFAULT.memory_mb:.0f} MB of memory"
TOO_SLOW = "skipped: took longer than 0.05 minutes"
KILLED = "failed: the process was ended by SIGKILL"
#: Seconds that the fit in a child takes so far, and seconds that it has measured itself. No test
#: waits for a real clock, so that none depends on the pace of the machine.
ELAPSED = multiprocessing.get_context("fork").Value("d", 0.0)
MEASURED = [0.0]


def pause() -> None:
    MEASURED[0] += 2


def sleep() -> None:
    ELAPSED.value = 60
    signal.pause()


DEEDS = {
    "nothing": lambda: None,
    "pause": pause,
    "sleep": sleep,
    "allocate": lambda: np.ones(40_000_000),
    # Nothing is touched: an array of zeros that is too large is refused when it is asked for.
    "reserve": lambda: np.zeros(int(0.9e6 * threads.memory_of_machine()), dtype=np.uint8),
    "crash": lambda: os.kill(os.getpid(), signal.SIGKILL),
    "leave": lambda: os._exit(3),
}


@pytest.fixture(autouse=True)
def clock(monkeypatch):
    """Who waits for a child waits until it answers or has taken longer."""
    real = Connection.poll

    def poll(link, seconds):
        while not real(link, 0.01):
            if seconds is not None and ELAPSED.value > seconds:
                ELAPSED.value = 0
                return False
        return True

    monkeypatch.setattr(Connection, "poll", poll)
    measured = SimpleNamespace(perf_counter=lambda: MEASURED[0], process_time=lambda: 0.0)
    monkeypatch.setattr(runs, "time", measured)


class Greedy(ConsensusClusterer):
    """Does what its parameter says, then answers."""

    deed: str = choice("nothing", tuple(DEEDS))

    def _consensus(self, ensemble, X, random_state):
        self.history_["process"] = np.array([os.getpid()])
        if ensemble.n_samples > WARM_UP:
            DEEDS[self.deed]()
        return np.arange(ensemble.n_samples) % self.n_clusters


@pytest.fixture(autouse=True, scope="module")
def imported():
    """Children are forks of a process that has all that a fit imports."""
    Greedy(3).fit(noisy_pool().labels)


@pytest.fixture
def pool() -> Pool:
    return noisy_pool(WARM_UP + 30, repeats=3)


def run(path, pool, limits, *deeds):
    points = [{"deed": deed} for deed in deeds]
    return execute_run(path, task("Greedy", Greedy, points=points), pool, limits=limits)


def statuses(run):
    return [[result.status for result in results] for results in run.results]


@cases(
    "deed, limits, status",
    ("sleep", SHORT, TOO_SLOW),
    ("allocate", Limits(memory_mb=200), "skipped: needed more than 200 MB of memory"),
    ("allocate", Limits(memory_mb=2000), "ok"),
    ("crash", Limits(minutes=1), KILLED),
    ("leave", Limits(minutes=1), "failed: the process ended with exit status 3"),
    pytest.param("reserve", DEFAULT, TOO_LARGE, id="the whole machine"),
)
def test_what_exceeds_a_limit_or_crashes_is_a_status(tmp_path, pool, deed, limits, status):
    outcome = run(tmp_path / "r.h5", pool, limits, deed, "nothing")
    assert statuses(outcome) == [[status] * 3, ["ok"] * 3]
    # Who or what killed it may not do so again: the run is not done.
    assert (tmp_path / "r.h5").exists() == (status != KILLED)


@pytest.mark.parametrize(("text", "megabytes"), [("3000000000\n", 3000), ("max\n", None)])
def test_the_memory_of_a_container_is_what_it_may_take(tmp_path, monkeypatch, text, megabytes):
    (tmp_path / "memory.max").write_text(text)
    files = (tmp_path / "memory.max", tmp_path / "nowhere")
    monkeypatch.setattr(threads, "_LIMITS_OF_CONTAINERS", ())
    machine = threads.memory_of_machine()
    monkeypatch.setattr(threads, "_LIMITS_OF_CONTAINERS", files)
    assert threads.memory_of_machine() == min(machine, megabytes or machine)


def test_one_worker_serves_all_repeats(tmp_path, pool):
    outcome = run(tmp_path / "r.h5", pool, Limits(minutes=1), "nothing")
    processes = {int(result.history["process"][0]) for result in outcome.results[0]}
    assert len(processes) == 1 and processes != {os.getpid()}
    with pytest.raises(ProcessLookupError):
        os.kill(processes.pop(), 0)


@pytest.mark.parametrize("status", [Outcome.OUT_OF_MEMORY.value, KILLED])
def test_repeats_that_something_else_cut_off_are_tried_again(tmp_path, pool, status):
    path = tmp_path / "r.h5"
    with patch("coassoc.bench.runs.RunJournal", wraps=RunJournal) as journals:
        run(path, pool, SHORT, "nothing")
    path.unlink()
    journal = RunJournal(*journals.call_args.args)
    journal.save("Greedy", 0, 0, SHORT.too_slow)
    journal.save("Greedy", 0, 1, RepeatResult(None, status=status))
    journal.save("Greedy", 0, 2, RepeatResult(None, status="skipped: another reason"))
    journal.release()
    outcome = run(path, pool, Limits(minutes=1), "nothing")
    assert statuses(outcome) == [["ok", "ok", "skipped: another reason"]]


def test_what_a_lower_limit_ended_is_tried_again_and_nothing_else(tmp_path, pool):
    path = tmp_path / "r.h5"
    with patch("coassoc.bench.runs.RunJournal", wraps=RunJournal) as journals:
        first = run(path, pool, SHORT, "nothing").results[0][0]
    path.unlink()
    journal = RunJournal(*journals.call_args.args)
    journal.save("Greedy", 0, 0, first)
    journal.save("Greedy", 0, 1, SHORT.too_slow)
    journal.release()
    for _ in range(2):
        assert statuses(run(path, pool, SHORT, "nothing")) == [["ok", TOO_SLOW, TOO_SLOW]]
        assert read_run(path).results[0][1].limit == SHORT.minutes
    outcome = run(path, pool, Limits(minutes=1), "nothing")
    assert statuses(outcome) == [["ok"] * 3]
    assert outcome.results[0][0].history["process"] == first.history["process"]
    made = path.stat()
    run(path, pool, SHORT, "nothing")
    assert path.stat().st_mtime_ns == made.st_mtime_ns


@cases(
    "before, minutes, memory_mb, decided",
    (Limits(minutes=7).too_slow, 7, None, True),
    (Limits(minutes=7).too_slow, 6.5, None, True),
    (Limits(minutes=7).too_slow, 7.5, None, False),
    (Limits(minutes=7).too_slow, None, 10, False),
    (Limits(memory_mb=99.6).too_large, 1, 99.6, True),
    (Limits(memory_mb=99.6).too_large, 1, 102, False),
    # The file of an earlier version has no limit.
    (RepeatResult(None, status=TOO_SLOW), 0.05, None, False),
)
def test_a_limit_decides_unless_it_allows_more(before, minutes, memory_mb, decided):
    assert Limits(minutes, memory_mb).decide(before) == decided


def test_a_limit_counts_neither_the_start_of_a_process_nor_its_warm_up():
    warmed_up = []

    def fit(*request):
        return RepeatResult(np.array(warmed_up))

    def warm_up(*request):
        ELAPSED.value = 4
        time.sleep(0.2)
        ELAPSED.value = 0
        warmed_up.extend(request)

    with limited(fit, SHORT, warm_up) as limited_fit:
        results = [limited_fit(1, 2), limited_fit(3, 4)]
    assert [result.labels.tolist() for result in results] == [[1, 2], [1, 2]]


#: A program whose child writes its number and then works for an hour.
PROGRAM = """
import os, time
from coassoc.numerics.processes import ChildProcess

def work():
    print(os.getpid(), flush=True)
    time.sleep(3600)

ChildProcess(work).call()
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="Linux ends them")
def test_a_worker_does_not_outlive_its_job(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    with subprocess.Popen([sys.executable, program], stdout=subprocess.PIPE) as job:
        worker = psutil.Process(int(job.stdout.readline()))
        job.kill()
    with suppress(psutil.TimeoutExpired):
        worker.wait(60)
    # Where nobody takes note of its end, it stays as a zombie.
    assert not worker.is_running() or worker.status() == psutil.STATUS_ZOMBIE


class Sharing(RefiningClusterer):
    """Refines and ends as its parameters say."""

    ending: str = choice("one", ("one", "other"))
    #: What to do at "refine", "one" and "other".
    deeds: dict[str, str]
    #: File with a line for each refinement.
    notes: Path

    def _refine(self, ensemble, X):
        if ensemble.n_samples > WARM_UP:
            with self.notes.open("a") as file:
                file.write("refined\n")
            DEEDS[self.deeds.get("refine", "nothing")]()
        return SimpleNamespace(n_iter=7, converged=True, history={}, n=ensemble.n_samples)

    def _end(self, refined, random_state):
        if refined.n > WARM_UP:
            DEEDS[self.deeds.get(self.ending, "nothing")]()
        return np.arange(refined.n) % self.n_clusters


@cases(
    "deeds, one, other, n_refined",
    # It is waited for once.
    ({"refine": "sleep"}, TOO_SLOW, TOO_SLOW, 1),
    # The other refines again, since the process that held the refinement is gone; once the
    # first was too slow, nobody waits for it any more.
    ({"one": "sleep"}, TOO_SLOW, "ok", 1 + 1 + 2),
    # Two seconds each are four, and the limit is three.
    ({"refine": "pause", "other": "pause"}, "ok", TOO_SLOW, 3),
)
def test_limits_of_endings_count_their_refinement(tmp_path, pool, deeds, one, other, n_refined):
    make = partial(Sharing, deeds=deeds, notes=tmp_path / "notes")
    tasks = [task(ending, partial(make, ending=ending)) for ending in ("one", "other")]
    both = execute_runs(tmp_path / "r.h5", tasks, pool, limits=SHORT)
    assert [statuses(run)[0] for run in both] == [[one] * 3, [other] * 3]
    assert len((tmp_path / "notes").read_text().splitlines()) == n_refined
