"""Tables with the published number beside each reproduced one, audits, and the scorecard.

Needs:  results/scores/….csv, measured times in results/timing and results/scaling, or
        results/selection/….csv
Makes:  results/tables/{paper}/{name}.{csv,md,html,tex}, for audits also figures
        results/scorecard.{csv,md,html} and figures/scorecard.{pdf,png}
"""


rule make_table:
    """Lay out one table of a paper."""
    input:
        scores=JOBS.score_files,
    output:
        csv="results/tables/{artefact}.csv",
        md="results/tables/{artefact}.md",
        html=report(
            "results/tables/{artefact}.html",
            caption="report/artefact.rst",
            category=JOBS.paper_title,
            labels=JOBS.labels("table"),
        ),
        tex="results/tables/{artefact}.tex",
    log:
        "logs/tables/{artefact}.log",
    benchmark:
        "benchmarks-out/tables/{artefact}.tsv"
    wildcard_constraints:
        artefact=JOBS.pattern("tables"),
    conda:
        CONDA
    threads: 1
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        code=JOBS.code("make_table"),
        folder=JOBS.score_folder,
        cells=JOBS.cells,
        spec=JOBS.specification,
        published=JOBS.published,
    script:
        "../scripts/make_table.py"


rule make_audit:
    """Compare what no paper compares; a table and a figure."""
    input:
        scores=JOBS.score_files,
    output:
        csv="results/tables/{artefact}.csv",
        md="results/tables/{artefact}.md",
        html=report(
            "results/tables/{artefact}.html",
            caption="report/artefact.rst",
            category=JOBS.paper_title,
            labels=JOBS.labels("table"),
        ),
        pdf="figures/{artefact}.pdf",
        png=report(
            "figures/{artefact}.png",
            caption="report/artefact.rst",
            category=JOBS.paper_title,
            labels=JOBS.labels("figure"),
        ),
    log:
        "logs/audits/{artefact}.log",
    benchmark:
        "benchmarks-out/audits/{artefact}.tsv"
    wildcard_constraints:
        artefact=JOBS.pattern("audits"),
    conda:
        CONDA
    threads: 1
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        code=JOBS.code("make_audit"),
        folder=JOBS.score_folder,
        cells=JOBS.cells,
        spec=JOBS.specification,
        kind=JOBS.kind,
        published=JOBS.published,
    script:
        "../scripts/make_audit.py"


SCORECARDS = [
    f"{card}{end}" for card in EXPERIMENTS.scorecards for end in ("", "_so_far")
]


rule make_scorecard:
    """Every published cell beside the reproduced one, with a verdict."""
    input:
        tables=JOBS.table_files,
    output:
        csv="results/{card}.csv",
        md="results/{card}.md",
        html=report(
            "results/{card}.html",
            caption="report/scorecard.rst",
            category="Scorecard",
            labels={
                "target": "{card}",
                "kind": "table",
                "title": "Every published cell",
            },
        ),
        pdf="figures/{card}.pdf",
        png=report(
            "figures/{card}.png",
            caption="report/scorecard.rst",
            category="Scorecard",
            labels={
                "target": "{card}",
                "kind": "figure",
                "title": "Published, reproduced",
            },
        ),
    log:
        "logs/tables/{card}.log",
    benchmark:
        "benchmarks-out/tables/{card}.tsv"
    wildcard_constraints:
        card="|".join(SCORECARDS),
    conda:
        CONDA
    threads: 1
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        code=JOBS.code("make_scorecard"),
        published=JOBS.published_on,
        names=EXPERIMENTS.published_names(),
        titles={
            name: paper.title for name, paper in EXPERIMENTS.catalogues.papers.items()
        },
        own=JOBS.own_methods(),
        differences=JOBS.differences,
    script:
        "../scripts/make_scorecard.py"


for card in SCORECARDS:

    rule:
        name:
            card
        input:
            expand(rules.make_scorecard.output, card=card),
        localrule: True
