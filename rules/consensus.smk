"""Consensus: run methods on all ensembles of a pool, time them, and choose numbers of clusters.

Needs:  data/pools/{pool}/{dataset}.h5, and data/datasets/{dataset}.h5 for methods that see features
Makes:  results/runs/{pool}/{dataset}/m{m}/{method}/{block}.h5, partitions of each repeat
        results/runs/{pool}/{dataset}/m{m}/+{batch}/runs.txt, the runs that one job made
        results/timing/… and results/scaling/… .parquet, times measured with nothing else running
        results/selection/… .parquet, criteria for the number of clusters
        results/choice/{pool}/… .parquet, what methods reach on an ensemble of each kind
"""

from reproduction.running import costs
from reproduction.study import tasks


rule run_method:
    """Fit each grid point of a parameter block in each repeat. A stopped run resumes.

    Methods with the same refinement, such as LTA-EA and LTA-SC, share one run: "LTA-EA+LTA-SC".
    """
    input:
        pool="data/pools/{pool}/{dataset}.h5",
        features=lambda w: tasks.features_of(PLAN, tasks.runs_of(PLAN, w)),
    output:
        # The file is deleted only if its code or data differ.
        update("results/runs/{pool}/{dataset}/m{m}/{method}/{block}.h5"),
    log:
        "logs/runs/{pool}/{dataset}/m{m}/{method}/{block}.log",
    benchmark:
        "benchmarks-out/runs/{pool}/{dataset}/m{m}/{method}/{block}.tsv"
    # Runs that request hours come last, the cheapest first.
    priority: lambda w: -(costs.run_minutes(PLAN, tasks.runs_of(PLAN, w)) // 60)
    retries: 1
    conda:
        CONDA
    threads: SETTINGS.threads
    resources:
        mem_mb=lambda w, attempt: attempt * costs.run_mb(PLAN, tasks.runs_of(PLAN, w)),
        runtime=lambda w, attempt: attempt
        * costs.run_minutes(PLAN, tasks.runs_of(PLAN, w)),
    params:
        tasks=lambda w: tasks.tasks_by_file(PLAN, w),
    script:
        "../scripts/run_method.py"


use rule run_method as run_methods with:
    # A batch: every run has its own file, as from run_method. This file names them.
    output:
        "results/runs/{pool}/{dataset}/m{m}/{method}/{block}.txt",


rule time_method:
    """Time the first repeats of a run. The job reserves all cores so that no other job runs."""
    input:
        pool="data/pools/{pool}/{dataset}.h5",
        features=lambda w: tasks.features_of(PLAN, tasks.runs_of(PLAN, w)),
    output:
        "results/{measured}/{pool}/{dataset}/m{m}/{method}/{block}.parquet",
    log:
        "logs/{measured}/{pool}/{dataset}/m{m}/{method}/{block}.log",
    wildcard_constraints:
        measured="timing|scaling",
    conda:
        CONDA
    # No other job may run during a measurement of times.
    threads: lambda w: workflow.cores or SETTINGS.threads
    resources:
        mem_mb=lambda w, attempt: attempt * costs.run_mb(PLAN, tasks.runs_of(PLAN, w)),
        runtime=lambda w, attempt: attempt
        * costs.run_minutes(PLAN, tasks.runs_of(PLAN, w)),
        timing=1,
    params:
        tasks=lambda w: tasks.tasks_by_file(PLAN, w),
        measurement={**SETTINGS.timing.model_dump(), "threads": SETTINGS.threads},
    script:
        "../scripts/time_method.py"


rule select_n_clusters:
    """Compute criteria that need no classes for a range of numbers of clusters."""
    input:
        pool="data/pools/{pool}/{dataset}.h5",
    output:
        "results/selection/{pool}/{dataset}/m{m}/{method}/{block}.parquet",
    log:
        "logs/selection/{pool}/{dataset}/m{m}/{method}/{block}.log",
    conda:
        CONDA
    threads: SETTINGS.threads
    resources:
        mem_mb=lambda w, attempt: attempt * costs.run_mb(PLAN, tasks.runs_of(PLAN, w)),
        runtime=lambda w, attempt: attempt
        * costs.run_minutes(PLAN, tasks.runs_of(PLAN, w), reads="selection"),
    params:
        tasks=lambda w: tasks.tasks_by_file(PLAN, w),
        revision=STEPS["selection"],
        search={**SETTINGS.selection.model_dump(), "threads": SETTINGS.threads},
    script:
        "../scripts/select_n_clusters.py"


rule measure_choice:
    """Fit all methods to an ensemble of at most 500 samples, and some to an ensemble of 4,000."""
    input:
        "data/datasets/{dataset}.h5",
    output:
        "results/choice/{pool}/m{m}/{dataset}.parquet",
    log:
        "logs/choice/{pool}/m{m}/{dataset}.log",
    conda:
        CONDA
    resources:
        mem_mb=lambda w, attempt, threads: attempt * costs.pool_mb(PLAN, w, threads),
        runtime=60,
    params:
        identity=lambda w: PLAN.catalogues.pool_identity(w.pool),
        pool=lambda w: PLAN.catalogues.pools[w.pool],
        revision=STEPS["choice"],
        methods=PLAN.present.codes_measured("choice"),
        seed=SETTINGS.seed,
    script:
        "../scripts/measure_choice.py"
