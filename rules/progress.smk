"""Time left: beside the number of steps done, the log says how long the others will take.

Needs:  JOBS.expected_seconds
Makes:  lines in Snakemake's log
"""

import logging
import threading
import time

from snakemake_interface_logger_plugins.common import LogEvent

from coassoc.running.progress import TimeLeft, in_words


class ProgressHandler(logging.Handler):
    """Follows the steps by Snakemake's events; a thread says from time to time what is left."""

    #: Seconds between two lines: a twentieth of what is left, within these bounds.
    shortest, longest = 30, 600

    def __init__(self, dag, expected_seconds):
        super().__init__()
        self.jobs = {job.jobid: job for job in dag.needrun_jobs()}
        self.expected_seconds = expected_seconds
        self.left = TimeLeft(self.jobs, lambda jobid: self.expected(self.jobs[jobid]))
        threading.Thread(target=self.speak, daemon=True).start()

    def expected(self, job):
        return self.expected_seconds(job.rule.name, job.wildcards)

    def emit(self, record):
        try:
            self.follow(record)
        except Exception:
            # No run ends because of what is said about it.
            self.handleError(record)

    def follow(self, record):
        event = getattr(record, "event", None)
        if event == LogEvent.JOB_STARTED:
            for jobid in record.jobs:
                self.left.start(jobid)
        elif event == LogEvent.GROUP_INFO:
            # Steps of a group run one after another; the time of all counts for the longest.
            self.left.start(max(record.jobs, key=self.expected).jobid)
        elif event == LogEvent.JOB_FINISHED:
            self.left.finish(record.job_id)

    def speak(self):
        pause = self.shortest
        while True:
            time.sleep(pause)
            with self.lock:
                seconds = self.left.seconds()
            if seconds > self.shortest:
                logger.info(f"About {in_words(seconds)} left.")
            pause = min(max(seconds / 20, self.shortest), self.longest)


onstart:
    logger.addHandler(ProgressHandler(workflow.dag, JOBS.expected_seconds))
