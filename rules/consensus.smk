"""Consensus: run one method on all draws of a pool."""


rule run_method:
    """Fit a method for each point of a parameter block and each repeat; resumes where it was."""
    input:
        pool="data/pools/{pool}/{dataset}.h5",
        features=run_features,
    output:
        "results/runs/{pool}/{dataset}/m{m}/{method}/{parameters}.h5",
    log:
        "logs/runs/{pool}/{dataset}/m{m}/{method}/{parameters}.log",
    benchmark:
        "benchmarks-out/runs/{pool}/{dataset}/m{m}/{method}/{parameters}.tsv"
    retries: 1
    conda:
        CONDA
    threads: THREADS
    resources:
        mem_mb=run_memory,
        runtime=run_minutes,
    params:
        code=code_of_run("run_method"),
        points=run_parameters,
        estimator=lambda wildcards: CATALOGUES.methods[wildcards.method].method.record(),
        classes=lambda wildcards: known_dataset(wildcards.dataset).classes,
        seed=config["seed"],
        threads=THREADS,
    script:
        "../scripts/run_method.py"


rule time_method:
    """Measure the first repeats of a run with nothing else running; takes all cores for that."""
    input:
        pool="data/pools/{pool}/{dataset}.h5",
        features=run_features,
    output:
        "results/{measured}/{pool}/{dataset}/m{m}/{method}/{parameters}.csv",
    log:
        "logs/{measured}/{pool}/{dataset}/m{m}/{method}/{parameters}.log",
    benchmark:
        "benchmarks-out/{measured}/{pool}/{dataset}/m{m}/{method}/{parameters}.tsv"
    wildcard_constraints:
        measured="timing|scaling",
    conda:
        CONDA
    threads: timing_threads
    resources:
        mem_mb=run_memory,
        runtime=run_minutes,
        timing=1,
    params:
        code=code_of_run("time_method"),
        points=run_parameters,
        estimator=lambda wildcards: CATALOGUES.methods[wildcards.method].method.record(),
        classes=lambda wildcards: known_dataset(wildcards.dataset).classes,
        seed=config["seed"],
        threads=THREADS,
        timing=config["timing"],
    script:
        "../scripts/time_method.py"
