"""Data sets: their files are fetched and checked, and prepared as (X, y) in HDF5."""

# Data set → its pools.
DESCRIBED = PLAN.pools_by_dataset


rule datasets:
    """Prepare every data set of the catalogue that has features."""
    input:
        expand(DATASET, dataset=CATALOGUES.with_features),


rule fetch_source:
    """Get the files of a data set: from the mirror, or from its sources in order."""
    output:
        ensure("data/sources/{dataset}.json", non_empty=True),
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
        mem_mb=dataset_mb,
        runtime=lambda w, attempt: 10 * attempt,
    params:
        # A data set whose fingerprint the catalogue has comes out the same, or not at all.
        code=lambda w: "" if dataset(w).fingerprint else code("prepare_dataset"),
        entry=lambda w: dataset(w).record(),
        folder=lambda w: "data/sources",
    script:
        "../scripts/prepare_dataset.py"


rule describe_dataset:
    """Summarise a data set and its pools, with a page of pictures."""
    input:
        dataset=features_file,
        pools=lambda w: expand(
            POOL, pool=DESCRIBED.get(w.dataset, []), dataset=w.dataset
        ),
    output:
        summary="results/datasets/{dataset}.json",
        pdf="figures/datasets/{dataset}.pdf",
        png="figures/datasets/{dataset}.png",
    log:
        "logs/describe_dataset/{dataset}.log",
    conda:
        CONDA
    resources:
        mem_mb=dataset_mb,
        runtime=lambda w, attempt: 20 * attempt,
    params:
        code=code("describe_dataset"),
        entry=lambda w: dataset(w).record(),
    script:
        "../scripts/describe_dataset.py"


rule datasets_report:
    """Tables of all data sets and pools, and the comparison of generated and published pools."""
    input:
        summaries=expand("results/datasets/{dataset}.json", dataset=DESCRIBED),
    output:
        datasets="results/datasets/tables/datasets.csv",
        pools="results/datasets/tables/pools.csv",
        comparison="results/datasets/tables/comparison.csv",
        page="results/datasets/tables/report.md",
        pdf="figures/datasets.pdf",
        png="figures/datasets.png",
    log:
        "logs/datasets_report.log",
    conda:
        CONDA
    params:
        code=code("report_datasets"),
    script:
        "../scripts/report_datasets.py"
