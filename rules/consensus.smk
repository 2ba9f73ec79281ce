"""Consensus: run methods on all draws of a pool; a refinement that several end is computed once.

Needs:  data/pools/{pool}/{dataset}.h5, and data/datasets/{dataset}.h5 for methods that see features
Makes:  results/runs/{pool}/{dataset}/m{m}/{method}/{parameters}.h5, partitions of each repeat
        results/timing/… and results/scaling/… .csv, times measured with nothing else running
        results/selection/… .csv, criteria for the number of clusters, for the audit
        results/null/{pool}/… .csv, tests of structure on data sets and on clouds of points
"""


rule run_method:
    """Fit for each point of a parameter block and each repeat; a stopped run resumes."""
    input:
        pool=POOL,
        features=features(),
    output:
        # Kept until the job knows whether it is of the same code and data.
        update(RUN),
    log:
        "logs/runs/{pool}/{dataset}/m{m}/{method}/{parameters}.log",
    benchmark:
        "benchmarks-out/runs/{pool}/{dataset}/m{m}/{method}/{parameters}.tsv"
    wildcard_constraints:
        method=either(name for name in CATALOGUES.methods if name not in TOGETHER),
    retries: 1
    conda:
        CONDA
    threads: SETTINGS["threads"]
    resources:
        mem_mb=run_mb(),
        runtime=run_minutes(),
    params:
        tasks=tasks(),
    script:
        "../scripts/run_method.py"


for METHODS in ENDINGS:

    rule:
        """The same for methods that end one refinement, a file for each, wanted or not: an ending takes a hundredth of its refinement."""
        name:
            f"run_{'+'.join(METHODS)}"
        input:
            pool=POOL,
            features=features(*METHODS),
        output:
            update(expand(RUN, method=METHODS, allow_missing=True)),
        log:
            f"logs/runs/{{pool}}/{{dataset}}/m{{m}}/{'+'.join(METHODS)}/{{parameters}}.log",
        benchmark:
            f"benchmarks-out/runs/{{pool}}/{{dataset}}/m{{m}}/{'+'.join(METHODS)}/{{parameters}}.tsv"
        retries: 1
        conda:
            CONDA
        threads: SETTINGS["threads"]
        resources:
            mem_mb=run_mb(*METHODS),
            runtime=run_minutes(*METHODS),
        params:
            tasks=tasks(*METHODS),
        script:
            "../scripts/run_method.py"


for NUMBER, BATCH in enumerate(batches(), 1):

    rule:
        """Runs that take less than their start, one after another."""
        name:
            f"run_batch_{NUMBER}"
        input:
            pool=BATCH[0].path(POOL),
            features=WORK.features(BATCH),
        output:
            update([run.path() for run in BATCH]),
        log:
            f"logs/runs/batch_{NUMBER}.log",
        retries: 1
        conda:
            CONDA
        threads: SETTINGS["threads"]
        resources:
            mem_mb=run_mb(of=BATCH),
            runtime=run_minutes(of=BATCH, made="batch"),
        params:
            tasks=[[WORK.task(run)] for run in BATCH],
        script:
            "../scripts/run_method.py"


rule time_method:
    """Measure the first repeats of a run with nothing else running; takes all cores for that."""
    input:
        pool=POOL,
        features=features(),
    output:
        TIMED,
    log:
        "logs/{measured}/{pool}/{dataset}/m{m}/{method}/{parameters}.log",
    wildcard_constraints:
        measured="timing|scaling",
    conda:
        CONDA
    # No other job runs beside one that measures times.
    threads: lambda w: workflow.cores or SETTINGS["threads"]
    resources:
        mem_mb=run_mb(),
        runtime=run_minutes(),
        timing=1,
    params:
        task=task,
        measurement={**SETTINGS["timing"], "threads": SETTINGS["threads"]},
    script:
        "../scripts/time_method.py"


rule select_n_clusters:
    """Criteria that need no classes, for a range of numbers of clusters."""
    input:
        pool=POOL,
    output:
        SELECTION,
    log:
        "logs/selection/{pool}/{dataset}/m{m}/{method}/{parameters}.log",
    conda:
        CONDA
    threads: SETTINGS["threads"]
    resources:
        mem_mb=run_mb(),
        runtime=run_minutes(made="selection"),
    params:
        code=REVISIONS.fingerprint("reproduction.running.selecting"),
        task=task,
        search={**SETTINGS["selection"], "threads": SETTINGS["threads"]},
    script:
        "../scripts/select_n_clusters.py"


rule test_nulls:
    """Test for more structure than in a Gaussian cloud, and for agreement beyond chance."""
    input:
        DATASET,
    output:
        NULLS,
    log:
        "logs/null/{pool}/m{m}/{dataset}.log",
    conda:
        CONDA
    resources:
        mem_mb=pool_mb,
        runtime=60,
    params:
        code=REVISIONS.fingerprint("reproduction.running.nulls"),
        pool=lambda w: pool(w).record(),
        seed=SETTINGS["seed"],
    script:
        "../scripts/test_nulls.py"


use rule test_nulls as test_nulls_on_clouds with:
    input:
        [],
    output:
        NULLS_OF_CLOUDS,
    log:
        "logs/null/{pool}/clouds.log",
    resources:
        mem_mb=2000,
        runtime=120,
