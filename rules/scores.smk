"""Scores of runs for targets, computed or copied from the archive, and a check of the archive.

Needs:  results/runs/…, data/pools/…
Makes:  results/scores/{target}.parquet, the scores of a target, and results/scores.parquet, their union
        results/measurements.parquet, the measurements of all targets
        results/spot_check.csv, refits of one repeat of some archived runs
"""

from reproduction.scores.sampling import spot_checked
from reproduction.study.tasks import features_of, records


rule score:
    """Score the runs, base clusterings and references of a target that lack archived scores."""
    input:
        runs=lambda w: PLAN.inputs(planned(w.target), "run"),
        pools=lambda w: PLAN.inputs(w.target, "pool"),
        features=lambda w: PLAN.inputs(w.target, "features"),
        archives=ancient(lambda w: PLAN.inputs(w.target, "archive")),
    output:
        "results/scores/{target}.parquet",
    log:
        "logs/scores/{target}.log",
    wildcard_constraints:
        target=PLAN.pattern(reads="scores"),
    conda:
        CONDA
    resources:
        runtime=20,
    params:
        cells=lambda w: PLAN.digest(w.target),
        classes=lambda w: PLAN.classes(w.target),
        revision=STEPS["scores"],
        seed=SETTINGS.seed,
    script:
        "../scripts/score.py"


rule collect_scores:
    """Collect all scores of all runs in one Parquet file for your own analyses."""
    input:
        expand(
            "results/scores/{target}.parquet",
            target=PLAN.paths(reads="scores", wanted=True),
        ),
    output:
        "results/scores.parquet",
    log:
        "logs/scores/collect.log",
    localrule: True
    conda:
        CONDA
    params:
        cells=lambda w: Given(
            {x: PLAN.digest(x) for x in PLAN.paths(reads="scores", wanted=True)}
        ),
    script:
        "../scripts/collect_scores.py"


rule collect_measurements:
    """Collect all measured times, selections and choices in one Parquet file."""
    input:
        lambda w: [file for file, archive in measurements().items() if not archive],
    output:
        "results/measurements.parquet",
    log:
        "logs/scores/collect_measurements.log",
    localrule: True
    conda:
        CONDA
    params:
        measured=lambda w: measurements(),
        made_by=lambda w: Given(
            {file: PLAN.present.measured_by(file) for file in measurements()}
        ),
    script:
        "../scripts/collect_measurements.py"


rule spot_check:
    """Refit one repeat of each sampled archived run, and compare its scores."""
    input:
        pools=lambda w: sorted({run.pool_file for run in spot_checked(PLAN)}),
        features=lambda w: features_of(PLAN, spot_checked(PLAN)),
        archives=ancient(lambda w: sorted({*spot_checked(PLAN).values()})),
    output:
        "results/spot_check.csv",
    log:
        "logs/scores/spot_check.log",
    conda:
        CONDA
    threads: SETTINGS.threads
    resources:
        runtime=600,
    params:
        fits=lambda w: records(PLAN, spot_checked(PLAN)),
        archives=lambda w: Given(
            {str(run): file for run, file in spot_checked(PLAN).items()}
        ),
    script:
        "../scripts/spot_check.py"
