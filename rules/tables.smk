"""Tables with the published number beside each reproduced one, audits, and the scorecard."""


rule make_table:
    """Lay out one table of a paper."""
    input:
        scores=score_files,
    output:
        csv="results/tables/{table}.csv",
        md="results/tables/{table}.md",
        html=report(
            "results/tables/{table}.html",
            caption="report/artefact.rst",
            category=report_category,
            labels=report_labels("table"),
        ),
        tex="results/tables/{table}.tex",
    log:
        "logs/tables/{table}.log",
    benchmark:
        "benchmarks-out/tables/{table}.tsv"
    wildcard_constraints:
        table=names_of(lambda each: each.is_table),
    conda:
        CONDA
    threads: 1
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        code=code_of("make_table"),
        folder=score_folder,
        cells=cells,
        spec=specification,
        published=published,
    script:
        "../scripts/make_table.py"


rule make_audit:
    """Compare what no paper compares; a table and a figure."""
    input:
        scores=score_files,
    output:
        csv="results/tables/{audit}.csv",
        md="results/tables/{audit}.md",
        html=report(
            "results/tables/{audit}.html",
            caption="report/artefact.rst",
            category=report_category,
            labels=report_labels("table"),
        ),
        pdf="figures/{audit}.pdf",
        png=report(
            "figures/{audit}.png",
            caption="report/artefact.rst",
            category=report_category,
            labels=report_labels("figure"),
        ),
    log:
        "logs/audits/{audit}.log",
    benchmark:
        "benchmarks-out/audits/{audit}.tsv"
    wildcard_constraints:
        audit=names_of(lambda each: each.section == "audits"),
    conda:
        CONDA
    threads: 1
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        code=code_of("make_audit"),
        folder=score_folder,
        cells=cells,
        spec=specification,
        kind=figure_kind,
    script:
        "../scripts/make_audit.py"


for each in EXPERIMENTS.artefacts.values():

    rule:
        name:
            each.target
        input:
            each.files,
        localrule: True


for paper in CATALOGUES.papers:

    rule:
        name:
            paper
        input:
            EXPERIMENTS.files_of(paper),
        localrule: True


for group in (
    "tables",
    "figures",
    "audits",
    "sensitivity",
    "ensemble_size",
    "ablations",
    "runtime",
):

    rule:
        name:
            group
        input:
            EXPERIMENTS.files(group),
        localrule: True


rule make_scorecard:
    """Every published cell beside the reproduced one, with a verdict."""
    input:
        tables=table_files,
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
        card="scorecard|scorecard_so_far",
    conda:
        CONDA
    threads: 1
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        code=code_of("make_scorecard"),
        published=EXPERIMENTS.published_with_reasons(),
        names=EXPERIMENTS.published_names(),
        titles={name: paper.title for name, paper in CATALOGUES.papers.items()},
    script:
        "../scripts/make_scorecard.py"


for card in ("scorecard", "scorecard_so_far"):

    rule:
        name:
            card
        input:
            expand(rules.make_scorecard.output, card=card),
        localrule: True
