"""Tables with the published number beside each reproduced one, audits, and the scorecard."""


rule make_table:
    """Lay out one table of a paper."""
    input:
        scores="results/scores/{target}.parquet",
    output:
        csv="results/tables/{target}.csv",
        md="results/tables/{target}.md",
        html=reported("results/tables/{target}.html", "table"),
        tex="results/tables/{target}.tex",
    log:
        "logs/tables/{target}.log",
    wildcard_constraints:
        target=targets("tables", "scores"),
    conda:
        CONDA
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        code=code("make_table"),
        target=target,
    script:
        "../scripts/make_table.py"


use rule make_table as make_table_of_times with:
    input:
        measured=files("measured_file"),
    wildcard_constraints:
        target=targets("tables", "timing"),


rule make_audit:
    """Compare what no paper compares; a table and a figure."""
    input:
        scores="results/scores/{target}.parquet",
    output:
        csv="results/tables/{target}.csv",
        md="results/tables/{target}.md",
        html=reported("results/tables/{target}.html", "table"),
        pdf="figures/{target}.pdf",
        png=reported("figures/{target}.png", "figure"),
    log:
        "logs/audits/{target}.log",
    wildcard_constraints:
        target=targets("audits", "scores"),
    conda:
        CONDA
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        code=code_of_kind("make_audit"),
        target=target,
    script:
        "../scripts/make_audit.py"


use rule make_audit as make_audit_of_measurements with:
    input:
        measured=files("measured_file"),
    wildcard_constraints:
        target=targets("audits", "scaling", "selection"),


rule make_scorecard:
    """Every published cell beside the reproduced one, with a verdict."""
    input:
        tables=lambda w: JUDGED.tables(w.card),
    output:
        csv="results/{card}.csv",
        md="results/{card}.md",
        html=reported(
            "results/{card}.html",
            "table",
            "Scorecard",
            "{card}",
            "Every published cell",
        ),
        pdf="figures/{card}.pdf",
        png=reported(
            "figures/{card}.png",
            "figure",
            "Scorecard",
            "{card}",
            "Published, reproduced",
        ),
    log:
        "logs/tables/{card}.log",
    wildcard_constraints:
        card=either(JUDGED.scorecards),
    conda:
        CONDA
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        code=code("make_scorecard"),
        card=lambda w: JUDGED.scorecard(w.card),
    script:
        "../scripts/make_scorecard.py"
