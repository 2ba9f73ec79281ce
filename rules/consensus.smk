"""Consensus: run one method on all draws of a pool.

Needs:  data/pools/{pool}/{dataset}.h5, and data/datasets/{dataset}.h5 for methods that see features
Makes:  results/runs/{pool}/{dataset}/m{m}/{method}/{parameters}.h5, partitions of each repeat
        results/timing/… and results/scaling/… .csv, times measured with nothing else running
        results/selection/… .csv, criteria for the number of clusters
"""


rule run_method:
    """Fit a method for each point of a parameter block and each repeat; a stopped run resumes."""
    input:
        pool="data/pools/{pool}/{dataset}.h5",
        features=JOBS.run_features,
    output:
        "results/runs/{pool}/{dataset}/m{m}/{method}/{parameters}.h5",
    log:
        "logs/runs/{pool}/{dataset}/m{m}/{method}/{parameters}.log",
    benchmark:
        "benchmarks-out/runs/{pool}/{dataset}/m{m}/{method}/{parameters}.tsv"
    retries: 1
    conda:
        CONDA
    threads: EXPERIMENTS.config["threads"]
    resources:
        mem_mb=JOBS.run_memory,
        runtime=JOBS.run_minutes,
    params:
        code=JOBS.code_of_run("run_method"),
        task=JOBS.task,
    script:
        "../scripts/run_method.py"


rule time_method:
    """Measure the first repeats of a run with nothing else running; takes all cores for that."""
    input:
        pool="data/pools/{pool}/{dataset}.h5",
        features=JOBS.run_features,
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
    # No other job runs beside one that measures times.
    threads: lambda wildcards: workflow.cores or EXPERIMENTS.config["threads"]
    resources:
        mem_mb=JOBS.run_memory,
        runtime=JOBS.run_minutes,
        timing=1,
    params:
        code=JOBS.code_of_run("time_method"),
        task=JOBS.task,
        measurement=JOBS.measurement(),
    script:
        "../scripts/time_method.py"


rule select_n_clusters:
    """Look at a range of numbers of clusters by criteria that need no classes."""
    input:
        pool="data/pools/{pool}/{dataset}.h5",
    output:
        "results/selection/{pool}/{dataset}/m{m}/{method}/{parameters}.csv",
    log:
        "logs/selection/{pool}/{dataset}/m{m}/{method}/{parameters}.log",
    benchmark:
        "benchmarks-out/selection/{pool}/{dataset}/m{m}/{method}/{parameters}.tsv"
    conda:
        CONDA
    threads: config["threads"]
    resources:
        mem_mb=JOBS.run_memory,
        runtime=JOBS.look_minutes,
    params:
        code=JOBS.code_of_run("select_n_clusters"),
        task=JOBS.task,
        look=JOBS.look(),
    script:
        "../scripts/select_n_clusters.py"
