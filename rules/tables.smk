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
    params:
        cells=cells,
        spec=specification,
        published=published,
    log:
        "logs/tables/{paper}/{table}.log",
    benchmark:
        "benchmarks-out/tables/{paper}/{table}.tsv"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=10,
    conda:
        CONDA
    script:
        "../scripts/make_table.py"


for each in EXPERIMENTS.artefacts.values():

    rule:
        name:
            each.target
        localrule: True
        input:
            each.files,


for paper in config["papers"]:

    rule:
        name:
            paper
        localrule: True
        input:
            EXPERIMENTS.files(paper=paper),


for kind in ("tables", "figures", "sensitivity", "ensemble_size"):

    rule:
        name:
            kind
        localrule: True
        input:
            EXPERIMENTS.files(kind=kind.removesuffix("s")),
