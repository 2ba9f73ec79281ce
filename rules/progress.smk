"""Time left: beside the number of steps done, the log says how long the others will take.

Needs:  JOBS.expected_seconds
Makes:  lines in Snakemake's log
"""

from functools import partial

from coassoc.running.progress import ProgressHandler


onstart:
    logger.addHandler(
        ProgressHandler(
            {
                job.jobid: partial(
                    JOBS.expected_seconds, job.rule.name, job.wildcards
                )
                for job in workflow.dag.needrun_jobs()
            },
            logger.info,
        )
    )
