"""Data sets: their files are fetched and checked, and prepared as (X, y) in HDF5."""


rule datasets:
    """Prepare every data set of the catalogue that has features."""
    input:
        expand(DATASET, dataset=CATALOGUES.with_features),


rule fetch_source:
    """Get the files of a data set: from the mirror, or from its sources in order."""
    output:
        ensure(FETCHED, non_empty=True),
    log:
        "logs/fetch_source/{dataset}.log",
    localrule: True
    conda:
        CONDA
    params:
        code=code("fetch_source"),
        entry=lambda w: dataset(w).record(),
        folder=lambda w: "data/sources",
    script:
        "../scripts/fetch_source.py"


rule prepare_dataset:
    """Parse and preprocess a data set, and compare it with what the catalogue knows of it."""
    input:
        files=lambda w: CATALOGUES.source_files(w.dataset, ROOT),
    output:
        DATASET,
    log:
        "logs/prepare_dataset/{dataset}.log",
    conda:
        CONDA
    resources:
        mem_mb=lambda w, attempt: attempt * dataset(w).memory_mb,
        runtime=lambda w, attempt: 10 * attempt,
        # Where the project lies changes no data set, so that it is no parameter.
        project=str(ROOT),
    params:
        # A data set whose fingerprint the catalogue has comes out the same, or not at all.
        code=lambda w: "" if dataset(w).fingerprint else code("prepare_dataset"),
        entry=lambda w: dataset(w).record(),
        folder=lambda w: "data/sources",
    script:
        "../scripts/prepare_dataset.py"
