"""Consensus: run methods on all draws of a pool; a refinement that several end is computed once.

Needs:  data/pools/{pool}/{dataset}.h5, and data/datasets/{dataset}.h5 for methods that see features
Makes:  results/runs/{pool}/{dataset}/m{m}/{method}/{parameters}.h5, partitions of each repeat
        results/timing/… and results/scaling/… .csv, times measured with nothing else running
        results/consensus/{pool}/{dataset}.{csv,html}, labels of the samples and a page on them
        results/consensus/{pool}/{dataset}/n_clusters.{csv,html}, numbers of clusters compared
        results/selection/… .csv, criteria for the number of clusters, for the audit
"""

# One rule for every method that runs alone, and one for each refinement that several methods end.
for RULE, RUNS in JOBS.run_rules.items():

    rule:
        """Fit for each point of a parameter block and each repeat; a stopped run resumes."""
        name:
            RULE
        input:
            pool="data/pools/{pool}/{dataset}.h5",
            features=RUNS.features,
        output:
            # Kept until the job knows whether it is of the same code and data.
            update(RUNS.files),
        log:
            f"logs/runs/{RUNS.place}.log",
        benchmark:
            f"benchmarks-out/runs/{RUNS.place}.tsv"
        wildcard_constraints:
            method=JOBS.names_of_methods_alone(),
        retries: 1
        conda:
            CONDA
        threads: EXPERIMENTS.config["threads"]
        resources:
            mem_mb=RUNS.memory,
            runtime=RUNS.minutes,
        params:
            tasks=RUNS.tasks,
        script:
            "../scripts/run_method.py"


rule time_method:
    """Measure the first repeats of a run with nothing else running; takes all cores for that."""
    input:
        pool="data/pools/{pool}/{dataset}.h5",
        features=JOBS.of_any_method.features,
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
        mem_mb=JOBS.of_any_method.memory,
        runtime=JOBS.of_any_method.minutes,
        timing=1,
    params:
        tasks=JOBS.of_any_method.tasks,
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
    threads: EXPERIMENTS.config["threads"]
    resources:
        mem_mb=JOBS.of_any_method.memory,
        runtime=JOBS.look_minutes,
    params:
        code=JOBS.code("select_n_clusters"),
        tasks=JOBS.of_any_method.tasks,
        look=JOBS.look(),
    script:
        "../scripts/select_n_clusters.py"


rule make_consensus:
    """Labels and confidence of the samples by each method, and a page with pictures."""
    input:
        pool="data/pools/{pool}/{dataset}.h5",
        runs=JOBS.consensus.runs,
    output:
        csv="results/consensus/{pool}/{dataset}.csv",
        page="results/consensus/{pool}/{dataset}.html",
    log:
        "logs/consensus/{pool}/{dataset}.log",
    benchmark:
        "benchmarks-out/consensus/{pool}/{dataset}.tsv"
    conda:
        CONDA
    threads: 1
    resources:
        mem_mb=JOBS.consensus.memory,
        runtime=30,
    params:
        code=JOBS.code("make_consensus"),
        methods=JOBS.consensus.methods,
        m=JOBS.consensus.size,
    script:
        "../scripts/make_consensus.py"


rule compare_n_clusters:
    """What criteria that need no classes say of a range of numbers of clusters, as a page."""
    input:
        pool="data/pools/{pool}/{dataset}.h5",
    output:
        csv="results/consensus/{pool}/{dataset}/n_clusters.csv",
        page="results/consensus/{pool}/{dataset}/n_clusters.html",
    log:
        "logs/consensus/{pool}/{dataset}/n_clusters.log",
    benchmark:
        "benchmarks-out/consensus/{pool}/{dataset}/n_clusters.tsv"
    conda:
        CONDA
    threads: EXPERIMENTS.config["threads"]
    resources:
        mem_mb=JOBS.consensus.memory,
        runtime=JOBS.consensus.minutes,
    params:
        code=JOBS.code("compare_n_clusters"),
        tasks=JOBS.consensus.tasks,
        range=JOBS.consensus.range,
        look=JOBS.look(),
    script:
        "../scripts/compare_n_clusters.py"


rule consensus:
    """Labels of the samples, or numbers of clusters compared, for everything in the configuration's key consensus."""
    input:
        JOBS.consensus.files,
    localrule: True
