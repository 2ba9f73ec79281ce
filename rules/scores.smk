"""Scores of what targets show, made or taken over from kept lines, and the check of kept lines.

Needs:  results/plan/targets/{target}.json, results/runs/…, data/pools/…
Makes:  results/scores/{target}.parquet, what a target shows, and results/scores.parquet, their union
        results/spot_check.csv, one repeat of some kept runs, fitted again
"""

from reproduction.scores.sampling import spot_checked


rule score:
    """Score the runs, base clusterings and references that a target shows, if no kept lines hold."""
    input:
        plan="results/plan/targets/{target}.json",
        runs=lambda w: PLAN.files(w.target, "run"),
        pools=lambda w: PLAN.files(w.target, "pool"),
        features=lambda w: PLAN.files(w.target, "features"),
        kept=ancient(lambda w: PLAN.files(w.target, "kept")),
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
        revision=PLAN.index["revisions"]["scores"],
        seed=SETTINGS["seed"],
    script:
        "../scripts/score.py"


rule collect_scores:
    """All scores of all runs in one Parquet file, for analyses of your own."""
    input:
        scores=[
            f"results/scores/{target}.parquet"
            for target in PLAN.targets(made_from="scores", wanted=True)
        ],
        inputs="results/plan/inputs.json",
    output:
        scores="results/scores.parquet",
        inputs="results/inputs.csv",
    log:
        "logs/scores/collect.log",
    localrule: True
    conda:
        CONDA
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
    threads: SETTINGS["threads"]
    resources:
        runtime=600,
    script:
        "../scripts/spot_check.py"
