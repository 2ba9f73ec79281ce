"""Scores of what targets show, made or taken over from kept lines, and the check of kept lines.

Needs:  results/runs/…, data/pools/…
Makes:  results/scores/{target}.parquet, what a target shows, and results/scores.parquet, their union
        results/spot_check.csv, one repeat of some kept runs, fitted again
"""

from reproduction.scores.sampling import spot_checked


rule score:
    """Score the runs, base clusterings and references that a target shows, if no kept lines hold."""
    input:
        runs=lambda w: PLAN.inputs(w.target, "run"),
        pools=lambda w: PLAN.inputs(w.target, "pool"),
        features=lambda w: PLAN.inputs(w.target, "features"),
        kept=ancient(lambda w: PLAN.inputs(w.target, "kept")),
    output:
        # Lines of runs that are the same as the last time are taken over.
        update("results/scores/{target}.parquet"),
    log:
        "logs/scores/{target}.log",
    wildcard_constraints:
        target=PLAN.pattern(made_from="scores"),
    conda:
        CONDA
    resources:
        runtime=20,
    params:
        digest=lambda w: PLAN.scores_digest(w.target),
        revision=STEPS["scores"],
        seed=SETTINGS.seed,
    script:
        "../scripts/score.py"


rule collect_scores:
    """All scores of all runs in one Parquet file, for analyses of your own."""
    input:
        expand(
            "results/scores/{target}.parquet",
            target=PLAN.paths(made_from="scores", wanted=True),
        ),
    output:
        "results/scores.parquet",
    log:
        "logs/scores/collect.log",
    localrule: True
    conda:
        CONDA
    params:
        seed=SETTINGS.seed,
    script:
        "../scripts/collect_scores.py"


rule spot_check:
    """Refit one repeat of each sampled kept run, and compare its scores."""
    input:
        pools=lambda w: sorted({run.pool_file for run in spot_checked(PLAN)}),
        features=lambda w: PLAN.features(spot_checked(PLAN)),
        kept=ancient(lambda w: sorted({*spot_checked(PLAN).values()})),
    output:
        "results/spot_check.csv",
    log:
        "logs/scores/spot_check.log",
    conda:
        CONDA
    threads: SETTINGS.threads
    resources:
        runtime=600,
    script:
        "../scripts/spot_check.py"
