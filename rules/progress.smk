"""Time left: beside the number of steps done, the log says how long the others will take.

Needs:  JOBS.expected_seconds, JOBS.what_is_left
Makes:  lines in Snakemake's log; by the target left, a page on everything, results/left.md
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


rule left:
    """Say which tables and figures wait for runs, and how long these take."""
    log:
        "logs/left.log",
    localrule: True
    conda:
        CONDA
    params:
        page=lambda wildcards: JOBS.what_is_left(),
    script:
        "../scripts/show_left.py"
