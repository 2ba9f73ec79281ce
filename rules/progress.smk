"""Time left: beside the number of steps done, the log says how long the others will take."""

import logging
import threading
import time

from snakemake_interface_logger_plugins.common import LogEvent

from coassoc.running.progress import TimeLeft, in_words

#: Share of the cost in config/methods.yaml, an upper one, that fits usually take.
USUAL_SHARE = 0.4
#: Usual share of distinct rows of labels, for runs whose pool does not exist yet.
DISTINCT_SHARE = 0.4
#: Seconds that a step takes beside its fits, most of them for its imports.
STEP_SECONDS = 3.0


def run_seconds(wildcards, repeats=None):
    """Seconds that the fits of a run usually take, by what is known of its size now."""
    cost = cost_of(wildcards.method)
    seconds = USUAL_SHARE * costs.seconds(cost, run_size(wildcards, repeats))
    on_samples = costs.works_on_samples(CATALOGUES.methods[wildcards.method])
    if on_samples or Path(pool_of(wildcards)).exists():
        return seconds
    return seconds * DISTINCT_SHARE ** cost["power"]


def timing_seconds(wildcards):
    """Seconds that the measured fits of a run usually take."""
    return run_seconds(wildcards, config["timing"]["repeats"])


def fits_seconds(wildcards):
    """Seconds that the fits of a figure usually take."""
    return USUAL_SHARE * sum(fit_requests(wildcards, costs.seconds))


#: Rules whose steps may take long.
FITTING_SECONDS = {
    "run_method": run_seconds,
    "time_method": timing_seconds,
    "plot_before_after": fits_seconds,
    "plot_embedding": fits_seconds,
    "plot_matrices": fits_seconds,
}


def expected_seconds(job):
    """Seconds that a step usually takes."""
    fitting = FITTING_SECONDS.get(job.rule.name)
    return STEP_SECONDS + (fitting(job.wildcards) if fitting else 0.0)


class ProgressHandler(logging.Handler):
    """Follows the steps by Snakemake's events; a thread says from time to time what is left."""

    #: Seconds between two lines: a twentieth of what is left, within these bounds.
    shortest, longest = 30, 600

    def __init__(self, dag):
        super().__init__()
        self.jobs = {job.jobid: job for job in dag.needrun_jobs()}
        self.left = TimeLeft(
            self.jobs, lambda jobid: expected_seconds(self.jobs[jobid])
        )
        threading.Thread(target=self.speak, daemon=True).start()

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
            self.left.start(max(record.jobs, key=expected_seconds).jobid)
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
    logger.addHandler(ProgressHandler(workflow.dag))
