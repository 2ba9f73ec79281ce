"""Data sets: fetch and check their files, and prepare them as (X, y) in HDF5."""


rule datasets:
    """Prepare every data set of the catalogue that has features."""
    input:
        [
            f"data/datasets/{dataset}.h5"
            for dataset, entry in PLAN.catalogues.datasets.items()
            if entry.has_features
        ],


rule fetch_source:
    """Get the files of a data set from the mirror, or from its sources in order."""
    output:
        ensure("data/sources/{dataset}.json", non_empty=True),
    log:
        "logs/fetch_source/{dataset}.log",
    localrule: True
    conda:
        CONDA
    params:
        identity=lambda w: PLAN.catalogues.dataset_identity(w.dataset),
        dataset=lambda w: PLAN.catalogues.datasets[w.dataset],
    script:
        "../scripts/fetch_source.py"


rule prepare_dataset:
    """Parse and preprocess a data set, and compare it with its catalogue entry."""
    input:
        # Fetched files, or a user's own files, whose paths have no module prefix.
        files=lambda w: [
            file if file.startswith("data/sources/") else local(file)
            for file in PLAN.catalogues.source_files(w.dataset, ROOT)
        ],
    output:
        "data/datasets/{dataset}.h5",
    log:
        "logs/prepare_dataset/{dataset}.log",
    # Long chains of jobs begin with data sets and their pools.
    priority: 1
    conda:
        CONDA
    resources:
        mem_mb=lambda w, attempt: attempt
        * PLAN.catalogues.datasets[w.dataset].memory_mb,
        runtime=lambda w, attempt: 10 * attempt,
    params:
        identity=lambda w: PLAN.catalogues.dataset_identity(w.dataset),
        dataset=lambda w: PLAN.catalogues.datasets[w.dataset],
    script:
        "../scripts/prepare_dataset.py"
