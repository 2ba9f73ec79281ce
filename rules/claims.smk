"""Claims: what each paper says of its method, judged by the numbers of tables and curves."""


rule make_claims:
    """Judge every claim, with a verdict and the cells that decide it."""
    input:
        numbers=lambda w: JUDGED.numbers(w.claims),
    output:
        csv="results/{claims}.csv",
        md="results/{claims}.md",
        html=reported(
            "results/{claims}.html", "table", "Claims", "{claims}", "Verdicts"
        ),
        cells="results/{claims}_cells.csv",
        cells_md="results/{claims}_cells.md",
        cells_html=reported(
            "results/{claims}_cells.html", "cells", "Claims", "{claims}", "Their cells"
        ),
    log:
        "logs/tables/{claims}.log",
    wildcard_constraints:
        claims="claims|claims_so_far",
    conda:
        CONDA
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        **JUDGED.claims,
        code=code("make_claims"),
    script:
        "../scripts/make_claims.py"


rule findings:
    """One screen on what was found: headline claims, the scorecard's counts, the best methods."""
    input:
        claims="results/claims.csv",
        card="results/scorecard.csv",
        ranking=["results/ranking.csv"] if PLAN.ranking else [],
    output:
        "results/findings.md",
    log:
        "logs/tables/findings.log",
    conda:
        CONDA
    resources:
        mem_mb=1000,
        runtime=5,
    params:
        code=code("make_findings"),
        headlines=[
            name
            for name, claim in JUDGED.claims["claims"].items()
            if claim.get("headline")
        ],
        titles=JUDGED.claims["titles"],
        codes=lambda w: WORK.present_codes(),
    script:
        "../scripts/make_findings.py"
