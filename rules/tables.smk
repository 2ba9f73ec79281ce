"""Tables: the papers' tables with the published number beside each reproduced one."""


rule make_table:
    """Lay out one table of a paper."""
    input:
        scores=score_files,
        lib=library("tables"),
    output:
        csv="results/tables/{paper}/{table}.csv",
        md="results/tables/{paper}/{table}.md",
        tex="results/tables/{paper}/{table}.tex",
    log:
        "logs/tables/{paper}/{table}.log",
    benchmark:
        "benchmarks-out/tables/{paper}/{table}.tsv"
    conda:
        CONDA
    threads: 1
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        cells=cells,
        spec=specification,
        published=published,
    script:
        "../scripts/make_table.py"


for each in EXPERIMENTS.artefacts.values():

    rule:
        name:
            each.target
        input:
            each.files,
        localrule: True


for paper in config["papers"]:

    rule:
        name:
            paper
        input:
            EXPERIMENTS.files(paper=paper),
        localrule: True


for kind in ("tables", "figures", "sensitivity", "ensemble_size"):

    rule:
        name:
            kind
        input:
            EXPERIMENTS.files(kind=kind.removesuffix("s")),
        localrule: True


rule make_scorecard:
    """Every published cell beside the reproduced one, with a verdict."""
    input:
        tables=table_files(),
        lib=library("figures/agreement", "figures/style", "scorecard"),
    output:
        csv="results/scorecard.csv",
        md="results/scorecard.md",
        pdf="figures/scorecard.pdf",
        png="figures/scorecard.png",
    log:
        "logs/tables/scorecard.log",
    benchmark:
        "benchmarks-out/tables/scorecard.tsv"
    conda:
        CONDA
    threads: 1
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        published=all_published(),
        titles={name: paper["title"] for name, paper in CATALOGUES.papers.items()},
    script:
        "../scripts/make_scorecard.py"


rule scorecard:
    """The scorecard of all tables of the configuration."""
    input:
        rules.make_scorecard.output,
    localrule: True
