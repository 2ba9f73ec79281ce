"""Pools of base clusterings: made by k-means, published by others, or a user's own labels."""


rule pools:
    """Make every pool of the catalogue for the data sets its papers use."""
    input:
        [
            POOL.format(pool=name, dataset=dataset)
            for name, dataset in CATALOGUES.pools_to_make
        ],


rule generate_pool:
    """Cluster a data set many times by k-means, and draw the ensembles all methods share."""
    input:
        dataset=DATASET,
    output:
        POOL,
    log:
        "logs/generate_pool/{pool}/{dataset}.log",
    wildcard_constraints:
        pool=pools_of_kind("generated"),
    conda:
        CONDA
    threads: 2
    resources:
        mem_mb=pool_mb,
        runtime=pool_minutes,
    params:
        code=REVISIONS.pools("generated"),
        pool=lambda w: pool(w).record(),
        seed=SETTINGS["seed"],
    script:
        "../scripts/generate_pool.py"


rule fetch_pool:
    """Get the files of a published pool: from the mirror, or from their address."""
    output:
        ensure(FETCHED_POOL, non_empty=True),
    log:
        "logs/fetch_pool/{pool}/{dataset}.log",
    wildcard_constraints:
        pool=pools_of_kind("published", "results"),
    localrule: True
    conda:
        CONDA
    params:
        code=code("fetch_source"),
        source=lambda w: pool(w).source_record(w.dataset),
        folder=lambda w: "data/sources",
    script:
        "../scripts/fetch_source.py"


rule import_pool:
    """Relabel a published pool, and draw the ensembles all methods share."""
    input:
        files=FETCHED_POOL,
    output:
        POOL,
    log:
        "logs/import_pool/{pool}/{dataset}.log",
    wildcard_constraints:
        pool=pools_of_kind("published"),
    conda:
        CONDA
    params:
        code=REVISIONS.pools("published"),
        pool=lambda w: pool(w).record(),
        source=lambda w: pool(w).source_record(w.dataset),
        folder=lambda w: "data/sources",
        seed=SETTINGS["seed"],
    script:
        "../scripts/import_pool.py"


use rule import_pool as import_results with:
    """Put published results of many algorithms beside one another, and name their columns."""
    input:
        files=FETCHED_POOL,
        dataset=DATASET,
    wildcard_constraints:
        pool=pools_of_kind("results"),
    params:
        code=REVISIONS.pools("results"),


rule import_labels:
    """Read a file of labels, and check every one of them."""
    input:
        labels=lambda w: pool(w).labels.file,
        dataset=lambda w: expand(DATASET, dataset=[w.dataset] * dataset(w).has_features),
    output:
        POOL,
    log:
        "logs/import_labels/{pool}/{dataset}.log",
    wildcard_constraints:
        pool=pools_of_kind("labels"),
    conda:
        CONDA
    resources:
        # A few bytes for each of the file's.
        mem_mb=lambda w, input, attempt: attempt * (1000 + 4 * int(input.size_mb)),
        runtime=30,
    params:
        code=REVISIONS.pools("labels"),
        pool=lambda w: pool(w).record(),
        seed=SETTINGS["seed"],
    script:
        "../scripts/import_labels.py"


rule shuffle_pool:
    """The same pool with its samples, or some of them, in random order."""
    input:
        pool=POOL,
    output:
        "data/pools/{pool}-shuffled{part}/{dataset}.h5",
    log:
        "logs/shuffle_pool/{pool}{part}/{dataset}.log",
    wildcard_constraints:
        pool=pools_of_kind("generated", "published", "results", "labels"),
        # Nothing for all samples, or the percentage of them.
        part="(-[0-9]+)?",
    conda:
        CONDA
    params:
        code=REVISIONS.pools("shuffled"),
        percent=lambda w: percent_shuffled(f"{w.pool}-shuffled{w.part}"),
        seed=SETTINGS["seed"],
    script:
        "../scripts/shuffle_pool.py"
