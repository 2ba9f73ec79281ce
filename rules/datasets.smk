"""Data sets: their files are fetched and checked, and prepared as (X, y) in HDF5.

Needs:  the network, a mirror or local files, as config/datasets.yaml says
Makes:  data/sources/{dataset}.json, what was fetched from where
        data/datasets/{dataset}.h5
"""


rule datasets:
    """Prepare every data set of the catalogue that has features."""
    input:
        expand("data/datasets/{dataset}.h5", dataset=JOBS.data.datasets_with_features()),


rule fetch_source:
    """Get the files of a data set: from the mirror, or from its sources in order."""
    output:
        ensure("data/sources/{dataset}.json", non_empty=True),
    log:
        "logs/fetch_source/{dataset}.log",
    benchmark:
        "benchmarks-out/fetch_source/{dataset}.tsv"
    localrule: True
    conda:
        CONDA
    threads: 1
    resources:
        mem_mb=JOBS.data.dataset_memory,
        runtime=30,
    params:
        code=JOBS.code("fetch_source"),
        entry=JOBS.data.dataset_record,
        folder=lambda wildcards: SOURCES,
    script:
        "../scripts/fetch_source.py"


rule prepare_dataset:
    """Parse and preprocess a data set, and compare it with what the catalogue knows of it."""
    input:
        files=JOBS.data.dataset_files,
    output:
        "data/datasets/{dataset}.h5",
    log:
        "logs/prepare_dataset/{dataset}.log",
    benchmark:
        "benchmarks-out/prepare_dataset/{dataset}.tsv"
    conda:
        CONDA
    threads: 1
    resources:
        mem_mb=JOBS.data.dataset_memory,
        runtime=lambda wildcards, attempt: 10 * attempt,
    params:
        code=JOBS.code("prepare_dataset"),
        entry=JOBS.data.dataset_record,
        folder=lambda wildcards: SOURCES,
    script:
        "../scripts/prepare_dataset.py"
