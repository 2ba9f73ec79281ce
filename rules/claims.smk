"""Claims: what each paper says of its method, judged by the numbers of tables and curves.

Needs:  results/tables/{artefact}.csv, figures/{artefact}.csv, config/claims.yaml
        results/scorecard.csv, results/ranking.csv
Makes:  results/claims.{csv,md,html}, results/claims_cells.{csv,md,html}
        results/findings.md, one screen on what was found
"""


rule make_claims:
    """Judge every claim, with a verdict and the cells that decide it."""
    input:
        numbers=JOBS.numbers_of_claims,
    output:
        csv="results/{claims}.csv",
        md="results/{claims}.md",
        html=report(
            "results/{claims}.html",
            caption="report/claims.rst",
            category="Claims",
            labels={"target": "{claims}", "kind": "table", "title": "Verdicts"},
        ),
        cells="results/{claims}_cells.csv",
        cells_md="results/{claims}_cells.md",
        cells_html=report(
            "results/{claims}_cells.html",
            caption="report/claims.rst",
            category="Claims",
            labels={"target": "{claims}", "kind": "cells", "title": "Their cells"},
        ),
    log:
        "logs/tables/{claims}.log",
    benchmark:
        "benchmarks-out/tables/{claims}.tsv"
    wildcard_constraints:
        claims="claims|claims_so_far",
    conda:
        CONDA
    threads: 1
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        code=JOBS.code("make_claims"),
        claims=JOBS.claims,
        datasets=JOBS.datasets_of_papers(),
        titles={
            name: paper.title for name, paper in EXPERIMENTS.catalogues.papers.items()
        },
    script:
        "../scripts/make_claims.py"


for name in ("claims", "claims_so_far"):

    rule:
        name:
            name
        input:
            expand(rules.make_claims.output, claims=name),
        localrule: True


rule findings:
    """One screen on what was found: headline claims, the scorecard's counts, the best methods."""
    input:
        claims="results/claims.csv",
        card="results/scorecard.csv",
        ranking=JOBS.ranking_if_wanted(),
    output:
        "results/findings.md",
    log:
        "logs/tables/findings.log",
    benchmark:
        "benchmarks-out/tables/findings.tsv"
    conda:
        CONDA
    threads: 1
    resources:
        mem_mb=1000,
        runtime=5,
    params:
        code=JOBS.code("make_findings"),
        headlines=JOBS.headlines(),
        titles={
            name: paper.title for name, paper in EXPERIMENTS.catalogues.papers.items()
        },
        codes=JOBS.present_codes,
    script:
        "../scripts/make_findings.py"
