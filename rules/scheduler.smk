"""One look at a time for Snakemake's scheduler.

With each look for jobs that can start, Snakemake 9.27 starts a timer for one more, so that after k
jobs it looks k times a second: `make` spends a tenth of its time on that, and a run of 800 jobs a
fifth of a core.
"""

import threading

from snakemake.scheduling.job_scheduler import JobScheduler

DUE = threading.Event()


def look_again(scheduler, delay):
    """Have the scheduler look for jobs after some seconds, unless another look is due."""

    def look():
        DUE.clear()
        scheduler._open_jobs.release()

    if not DUE.is_set():
        DUE.set()
        timer = threading.Timer(delay, look)
        timer.daemon = True  # The end of a run does not wait for it.
        timer.start()


JobScheduler._schedule_reevalutation = look_again
