"""Scores: compare partitions with the classes. Cheap, so that a new metric runs no method again.

Needs:  results/runs/….h5, data/pools/{pool}/{dataset}.h5
Makes:  results/scores/….csv, one line for each repeat, base clustering or reference
        results/scores.parquet, all of them
"""


rule score_run:
    """Score every repeat of a run."""
    input:
        run="results/runs/{pool}/{dataset}/m{m}/{method}/{parameters}.h5",
        pool="data/pools/{pool}/{dataset}.h5",
        features=JOBS.data.score_features,
    output:
        "results/scores/{pool}/{dataset}/m{m}/{method}/{parameters}.csv",
    log:
        "logs/scores/{pool}/{dataset}/m{m}/{method}/{parameters}.log",
    benchmark:
        "benchmarks-out/scores/{pool}/{dataset}/m{m}/{method}/{parameters}.tsv"
    conda:
        CONDA
    threads: 1
    resources:
        mem_mb=1000,
        runtime=5,
    params:
        code=JOBS.code("score_run"),
    script:
        "../scripts/score_run.py"


rule score_pool:
    """Score every base clustering of a pool."""
    input:
        pool="data/pools/{pool}/{dataset}.h5",
    output:
        "results/scores/{pool}/{dataset}/base.csv",
    log:
        "logs/scores/{pool}/{dataset}/base.log",
    benchmark:
        "benchmarks-out/scores/{pool}/{dataset}/base.tsv"
    conda:
        CONDA
    threads: 1
    resources:
        mem_mb=1000,
        runtime=5,
    params:
        code=JOBS.code("score_pool"),
    script:
        "../scripts/score_pool.py"


rule score_references:
    """Score what methods are compared with: each ensemble's base clusterings, and controls."""
    input:
        pool="data/pools/{pool}/{dataset}.h5",
    output:
        "results/scores/{pool}/{dataset}/m{m}/reference.csv",
    log:
        "logs/scores/{pool}/{dataset}/m{m}/reference.log",
    benchmark:
        "benchmarks-out/scores/{pool}/{dataset}/m{m}/reference.tsv"
    conda:
        CONDA
    threads: 1
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        code=JOBS.code("score_references"),
        classes=JOBS.data.classes,
        seed=EXPERIMENTS.config["seed"],
    script:
        "../scripts/score_references.py"


rule collect_scores:
    """All scores of all runs in one Parquet file, for analyses of your own."""
    input:
        scores=JOBS.all_score_files(),
    output:
        "results/scores.parquet",
    log:
        "logs/scores/collect.log",
    benchmark:
        "benchmarks-out/scores/collect.tsv"
    conda:
        CONDA
    threads: 1
    resources:
        mem_mb=1000,
        runtime=5,
    params:
        code=JOBS.code("collect_scores"),
    script:
        "../scripts/collect_scores.py"


localrules:
    collect_scores,
