"""Ranking: all methods against each other on all data sets of the configuration's key ranking.

Needs:  results/scores/….csv
Makes:  results/ranking.{html,csv,parquet}, results/ranking_cells.{csv,parquet}
"""


rule make_ranking:
    """Mean ranks, critical differences, mean scores and times, and the cells behind them."""
    input:
        scores=JOBS.ranked_scores,
    output:
        html=report(
            "results/ranking.html",
            caption="report/ranking.rst",
            category="Ranking",
            labels={"target": "ranking", "kind": "table", "title": "All methods"},
        ),
        csv="results/ranking.csv",
        parquet="results/ranking.parquet",
        cells="results/ranking_cells.csv",
        cells_parquet="results/ranking_cells.parquet",
    log:
        "logs/tables/ranking.log",
    benchmark:
        "benchmarks-out/tables/ranking.tsv"
    conda:
        CONDA
    threads: 1
    resources:
        mem_mb=1000,
        runtime=20,
    params:
        code=JOBS.code("make_ranking"),
        cells=JOBS.ranked_cells,
        metrics=JOBS.ranked_metrics,
        rows=JOBS.ranked_rows,
        datasets=JOBS.ranked_datasets,
    script:
        "../scripts/make_ranking.py"


rule ranking:
    """The ranking that the configuration's key ranking asks for."""
    input:
        rules.make_ranking.output,
    localrule: True
