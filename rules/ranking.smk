"""Ranking: all methods against each other on all data sets of the configuration's key ranking."""


rule ranking:
    """Mean ranks, critical differences, mean scores and times, and the cells behind them."""
    input:
        scores="results/scores/ranking.parquet",
    output:
        html=reported(
            "results/ranking.html", "table", "Ranking", "ranking", "All methods"
        ),
        csv="results/ranking.csv",
        parquet="results/ranking.parquet",
        cells="results/ranking_cells.csv",
        cells_parquet="results/ranking_cells.parquet",
    log:
        "logs/tables/ranking.log",
    conda:
        CONDA
    resources:
        mem_mb=1000,
        runtime=20,
    params:
        code=code("make_ranking"),
        target=lambda w: PLAN.parameters("ranking"),
    script:
        "../scripts/make_ranking.py"
