"""Scores: compare partitions with the classes. Cheap, so that a new metric runs no method again."""


rule score:
    """Score the runs, base clusterings and references that a target shows."""
    input:
        runs=files("run_file"),
        pools=files("pool_file"),
        features=lambda w: [
            DATASET.format(dataset=name)
            for name in files("dataset")(w)
            if name in CATALOGUES.unlabelled
        ],
    output:
        # Lines of runs that are the same as the last time are taken over.
        update("results/scores/{target}.parquet"),
    log:
        "logs/scores/{target}.log",
    wildcard_constraints:
        target=either(CELLS.query("needs == 'scores'")["target"].unique()),
    conda:
        CONDA
    resources:
        mem_mb=1000,
        runtime=20,
    params:
        code=code("score"),
        sources=files("source"),
        classes=lambda w: {
            name: CATALOGUES.datasets[name].classes for name in files("dataset")(w)
        },
        unlabelled=CATALOGUES.unlabelled,
        seed=SETTINGS["seed"],
    script:
        "../scripts/score.py"


rule collect_scores:
    """All scores of all runs in one Parquet file, for analyses of your own."""
    input:
        scores=[
            f"results/scores/{target}.parquet"
            for target in CELLS.query("wanted and needs == 'scores'")[
                "target"
            ].unique()
        ],
    output:
        "results/scores.parquet",
    log:
        "logs/scores/collect.log",
    localrule: True
    conda:
        CONDA
    resources:
        mem_mb=2000,
        runtime=5,
    params:
        code=code("collect_scores"),
    script:
        "../scripts/collect_scores.py"
