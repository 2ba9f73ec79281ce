"""Snakemake's scheduler looks for jobs once a second, however many jobs there were."""

import runpy
import threading
import time
from types import SimpleNamespace

from snakemake.scheduling.job_scheduler import JobScheduler

from snakemake_runs import ROOT


def test_one_look_is_due_in_each_second(monkeypatch):
    usual = JobScheduler._schedule_reevalutation  # fails if Snakemake renames it
    monkeypatch.setattr(JobScheduler, "_schedule_reevalutation", usual)
    timers = []

    class Timer:
        def __init__(self, delay, look):
            self.delay, self.look = delay, look

        def start(self):
            timers.append(self)

    monkeypatch.setattr(threading, "Timer", Timer)
    monkeypatch.setattr(time, "monotonic", lambda: 100.5)
    runpy.run_path(str(ROOT / "rules/scheduler.smk"))
    looks = threading.Semaphore(0)
    scheduler = SimpleNamespace(_open_jobs=looks)
    for delay in (10, 1, 1, 1):
        JobScheduler._schedule_reevalutation(scheduler, delay)
    assert [timer.delay for timer in timers] == [10.5, 1.5]
    assert all(timer.daemon for timer in timers)
    timers[1].look()
    assert looks.acquire(blocking=False) and not looks.acquire(blocking=False)
    JobScheduler._schedule_reevalutation(scheduler, 1)
    assert len(timers) == 3, "after a look another one can be due"
