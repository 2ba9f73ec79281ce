"""Pools of base clusterings: generated, published, or a user's own labels."""

from coassoc.bench.pools.settings import pools_to_make
from reproduction.running import costs


# Labels that come with the software need no other source.
ruleorder: unpack_pool > generate_pool
ruleorder: unpack_pool > import_pool


rule pools:
    """Build every pool of the catalogue for the data sets of its papers."""
    input:
        [
            f"data/pools/{pool}/{dataset}.h5"
            for pool, dataset in pools_to_make(
                PLAN.catalogues.pools, PLAN.catalogues.datasets
            )
        ],


rule unpack_pool:
    """Copy labels that come with the software, and draw the ensembles of all methods."""
    input:
        labels=lambda w: local(
            os.path.relpath(ROOT / "data" / "labels" / w.pool / f"{w.dataset}.h5")
        ),
    output:
        "data/pools/{pool}/{dataset}.h5",
    log:
        "logs/unpack_pool/{pool}/{dataset}.log",
    wildcard_constraints:
        # The included labels were generated with root seed 0.
        pool=PLAN.catalogues.pool_pattern(
            "published", *["generated"] * (SETTINGS.seed == 0)
        ),
    localrule: True
    conda:
        CONDA
    params:
        identity=lambda w: PLAN.catalogues.pool_identity(w.pool),
        pool=lambda w: PLAN.catalogues.pools[w.pool],
        seed=SETTINGS.seed,
    script:
        "../scripts/unpack_pool.py"


rule generate_pool:
    """Cluster a data set many times, and draw the ensembles of all methods."""
    input:
        dataset="data/datasets/{dataset}.h5",
    output:
        "data/pools/{pool}/{dataset}.h5",
    log:
        "logs/generate_pool/{pool}/{dataset}.log",
    wildcard_constraints:
        pool=PLAN.catalogues.pool_pattern("generated"),
    priority: 1
    conda:
        CONDA
    threads: lambda w: costs.pool_threads(PLAN, w)
    resources:
        mem_mb=lambda w, attempt, threads: attempt * costs.pool_mb(PLAN, w, threads),
        runtime=lambda w, attempt, threads: attempt
        * costs.pool_minutes(PLAN, w, threads),
    params:
        identity=lambda w: PLAN.catalogues.pool_identity(w.pool),
        pool=lambda w: PLAN.catalogues.pools[w.pool],
        seed=SETTINGS.seed,
    script:
        "../scripts/generate_pool.py"


rule fetch_pool:
    """Get the files of a published pool from the mirror or from their address."""
    output:
        ensure("data/sources/{pool}/{dataset}.json", non_empty=True),
    log:
        "logs/fetch_pool/{pool}/{dataset}.log",
    wildcard_constraints:
        pool=PLAN.catalogues.pool_pattern("published", "results"),
    localrule: True
    conda:
        CONDA
    params:
        identity=lambda w: PLAN.catalogues.source_identity(w.pool, w.dataset),
        source=lambda w: PLAN.catalogues.published_source(w.pool, w.dataset),
    script:
        "../scripts/fetch_source.py"


rule import_pool:
    """Relabel a published pool, and draw the ensembles of all methods."""
    input:
        files="data/sources/{pool}/{dataset}.json",
    output:
        "data/pools/{pool}/{dataset}.h5",
    log:
        "logs/import_pool/{pool}/{dataset}.log",
    wildcard_constraints:
        pool=PLAN.catalogues.pool_pattern("published"),
    conda:
        CONDA
    params:
        identity=lambda w: PLAN.catalogues.pool_identity(w.pool),
        pool=lambda w: PLAN.catalogues.pools[w.pool],
        source=lambda w: PLAN.catalogues.published_source(w.pool, w.dataset),
        seed=SETTINGS.seed,
    script:
        "../scripts/import_pool.py"


use rule import_pool as import_results with:
    """Join published results of many algorithms into one pool with named columns."""
    input:
        files="data/sources/{pool}/{dataset}.json",
        dataset="data/datasets/{dataset}.h5",
    wildcard_constraints:
        pool=PLAN.catalogues.pool_pattern("results"),


rule import_labels:
    """Read a file of labels, and check every label."""
    input:
        # Paths of a user's own files have no module prefix.
        labels=lambda w: local(PLAN.catalogues.pools[w.pool].labels.file),
        dataset=lambda w: PLAN.catalogues.features_of(w.dataset),
    output:
        "data/pools/{pool}/{dataset}.h5",
    log:
        "logs/import_labels/{pool}/{dataset}.log",
    wildcard_constraints:
        pool=PLAN.catalogues.pool_pattern("labels"),
    conda:
        CONDA
    resources:
        # Memory is a few times the size of the file.
        mem_mb=lambda w, input, attempt: attempt * (1000 + 4 * int(input.size_mb)),
        runtime=30,
    params:
        identity=lambda w: PLAN.catalogues.pool_identity(w.pool),
        pool=lambda w: PLAN.catalogues.pools[w.pool],
        seed=SETTINGS.seed,
    script:
        "../scripts/import_labels.py"


rule shuffle_pool:
    """Shuffle all or some samples of a pool."""
    input:
        pool="data/pools/{pool}/{dataset}.h5",
    output:
        "data/pools/{pool}-shuffled{part}/{dataset}.h5",
    log:
        "logs/shuffle_pool/{pool}{part}/{dataset}.log",
    wildcard_constraints:
        pool=PLAN.catalogues.pool_pattern(),
        # Empty for all samples, or their percentage.
        part="(-[0-9]+)?",
    conda:
        CONDA
    params:
        revision=STEPS["shuffled"],
        seed=SETTINGS.seed,
    script:
        "../scripts/shuffle_pool.py"
