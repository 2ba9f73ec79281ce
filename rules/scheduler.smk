"""At most one look a second for Snakemake's scheduler.

While jobs wait for a free core, Snakemake 9.27 follows each look for jobs that can start by another
one a second later. Each job that ends adds a look, and so a chain of them: after k jobs it looks k
times a second. That is half of Snakemake's own time in `make`, and a fifth of a core after 800 jobs.
"""

import math
import threading
import time

from snakemake.scheduling.job_scheduler import JobScheduler

#: Whole seconds of the clock at which looks are due.
DUE = set()


def look_again(scheduler, delay):
    """Have the scheduler look for jobs after some seconds, once in each second at most."""
    due = math.ceil(time.monotonic() + delay)

    def look():
        DUE.discard(due)
        scheduler._open_jobs.release()

    if due not in DUE:
        DUE.add(due)
        timer = threading.Timer(due - time.monotonic(), look)
        timer.daemon = True  # The end of a run does not wait for it.
        timer.start()


JobScheduler._schedule_reevalutation = look_again
