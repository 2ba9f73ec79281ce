"""Snakemake's scheduler looks for jobs once a second, however many jobs there were."""

import runpy
import threading
from types import SimpleNamespace

from snakemake.scheduling.job_scheduler import JobScheduler

from snakemake_runs import ROOT


def test_one_look_at_a_time_is_due(monkeypatch):
    usual = JobScheduler._schedule_reevalutation  # fails where Snakemake has another name for it
    monkeypatch.setattr(JobScheduler, "_schedule_reevalutation", usual)
    runpy.run_path(str(ROOT / "rules/scheduler.smk"))
    looks = threading.Semaphore(0)
    scheduler = SimpleNamespace(_open_jobs=looks)
    for _ in range(3):
        for _ in range(5):
            JobScheduler._schedule_reevalutation(scheduler, 0.01)
        assert looks.acquire(timeout=10), "no look was due"
        assert not looks.acquire(timeout=0.1), "more than one look was due"
