"""Pools of base clusterings: made by k-means, published by others, or a user's own labels.

Needs:  data/datasets/{dataset}.h5, the network, a mirror or a file, as config/pools.yaml says
Makes:  data/pools/{pool}/{dataset}.h5, base clusterings and the draws that all methods share
        data/pools/{pool}-shuffled/{dataset}.h5, the same with the samples in random order
        data/pools/{pool}-shuffled-{percent}/{dataset}.h5, the same with so many percent shuffled
        results/datasets/… and figures/datasets/…, a report on data sets and pools
"""

GENERATED, PUBLISHED, LABELS = map(
    JOBS.data.names_of_pools, ("generated", "published", "labels")
)


rule pools:
    """Make every pool of the catalogue for the data sets its papers use."""
    input:
        JOBS.data.pools(),


rule generate_pool:
    """Cluster a data set many times by k-means, and draw the ensembles all methods share."""
    input:
        dataset="data/datasets/{dataset}.h5",
    output:
        "data/pools/{pool}/{dataset}.h5",
    log:
        "logs/generate_pool/{pool}/{dataset}.log",
    benchmark:
        "benchmarks-out/generate_pool/{pool}/{dataset}.tsv"
    wildcard_constraints:
        pool=GENERATED,
    conda:
        CONDA
    threads: 2
    resources:
        mem_mb=JOBS.data.generation_memory,
        runtime=JOBS.data.generation_minutes,
    params:
        code=JOBS.code("generate_pool"),
        pool=JOBS.data.pool_record,
        seed=EXPERIMENTS.config["seed"],
    script:
        "../scripts/generate_pool.py"


rule fetch_pool:
    """Get the files of a published pool: from the mirror, or from their address."""
    output:
        ensure("data/sources/{pool}/{dataset}.json", non_empty=True),
    log:
        "logs/fetch_pool/{pool}/{dataset}.log",
    benchmark:
        "benchmarks-out/fetch_pool/{pool}/{dataset}.tsv"
    wildcard_constraints:
        pool=PUBLISHED,
    localrule: True
    conda:
        CONDA
    threads: 1
    resources:
        mem_mb=1000,
        runtime=30,
    params:
        code=JOBS.code("fetch_source"),
        source=JOBS.data.pool_source,
        folder=lambda wildcards: SOURCES,
    script:
        "../scripts/fetch_source.py"


rule import_pool:
    """Relabel a published pool, and draw the ensembles all methods share."""
    input:
        files="data/sources/{pool}/{dataset}.json",
    output:
        "data/pools/{pool}/{dataset}.h5",
    log:
        "logs/import_pool/{pool}/{dataset}.log",
    benchmark:
        "benchmarks-out/import_pool/{pool}/{dataset}.tsv"
    wildcard_constraints:
        pool=PUBLISHED,
    conda:
        CONDA
    threads: 1
    resources:
        mem_mb=lambda wildcards, attempt: 1000 * attempt,
        runtime=10,
    params:
        code=JOBS.code("import_pool"),
        pool=JOBS.data.pool_record,
        source=JOBS.data.pool_source,
        folder=lambda wildcards: SOURCES,
        seed=EXPERIMENTS.config["seed"],
    script:
        "../scripts/import_pool.py"


rule import_labels:
    """Read a file of labels, and check every one of them."""
    input:
        labels=JOBS.data.label_file,
        dataset=JOBS.data.label_features,
    output:
        "data/pools/{pool}/{dataset}.h5",
    log:
        "logs/import_labels/{pool}/{dataset}.log",
    benchmark:
        "benchmarks-out/import_labels/{pool}/{dataset}.tsv"
    wildcard_constraints:
        pool=LABELS,
    conda:
        CONDA
    threads: 1
    resources:
        mem_mb=JOBS.data.label_memory,
        runtime=30,
    params:
        code=JOBS.code("import_labels"),
        pool=JOBS.data.pool_record,
        seed=EXPERIMENTS.config["seed"],
    script:
        "../scripts/import_labels.py"


rule shuffle_pool:
    """The same pool with its samples, or some of them, in random order."""
    input:
        pool="data/pools/{pool}/{dataset}.h5",
    output:
        "data/pools/{pool}-shuffled{part}/{dataset}.h5",
    log:
        "logs/shuffle_pool/{pool}{part}/{dataset}.log",
    benchmark:
        "benchmarks-out/shuffle_pool/{pool}{part}/{dataset}.tsv"
    wildcard_constraints:
        pool=f"{GENERATED}|{PUBLISHED}|{LABELS}",
        # Nothing for all samples, or the percentage of them.
        part="(-[0-9]+)?",
    conda:
        CONDA
    threads: 1
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        code=JOBS.code("shuffle_pool"),
        percent=JOBS.data.percent_shuffled,
        seed=EXPERIMENTS.config["seed"],
    script:
        "../scripts/shuffle_pool.py"


rule describe_dataset:
    """Summarise a data set and its pools, with a page of pictures."""
    input:
        unpack(JOBS.data.described_files),
    output:
        summary="results/datasets/{dataset}.json",
        pdf="figures/datasets/{dataset}.pdf",
        png="figures/datasets/{dataset}.png",
    log:
        "logs/describe_dataset/{dataset}.log",
    benchmark:
        "benchmarks-out/describe_dataset/{dataset}.tsv"
    conda:
        CONDA
    threads: 1
    resources:
        mem_mb=JOBS.data.dataset_memory,
        runtime=lambda wildcards, attempt: 20 * attempt,
    params:
        code=JOBS.code("describe_dataset"),
        entry=JOBS.data.dataset_record,
    script:
        "../scripts/describe_dataset.py"


rule datasets_report:
    """Tables of all data sets and pools, and the comparison of generated and published pools."""
    input:
        summaries=[
            f"results/datasets/{dataset}.json"
            for dataset in JOBS.data.described_datasets()
        ],
    output:
        datasets="results/datasets/tables/datasets.csv",
        pools="results/datasets/tables/pools.csv",
        comparison="results/datasets/tables/comparison.csv",
        page="results/datasets/tables/report.md",
        pdf="figures/datasets.pdf",
        png="figures/datasets.png",
    log:
        "logs/datasets_report.log",
    benchmark:
        "benchmarks-out/datasets_report.tsv"
    conda:
        CONDA
    threads: 1
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        code=JOBS.code("report_datasets"),
    script:
        "../scripts/report_datasets.py"
