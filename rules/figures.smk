"""Figures: one rule for each kind of figure; a kind's figures are those of config/papers."""


rule plot_curves:
    """Scores against a parameter or the ensemble size."""
    input:
        scores=score_files,
        lib=library("figures/curves", "figures/style", "tables"),
    output:
        pdf="figures/{figure}.pdf",
        png="figures/{figure}.png",
    params:
        cells=cells,
        spec=specification,
        kind=figure_kind,
    wildcard_constraints:
        figure=figures_of_kind("sensitivity", "ensemble_size"),
    log:
        "logs/figures/{figure}.log",
    benchmark:
        "benchmarks-out/figures/{figure}.tsv"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=10,
    conda:
        CONDA
    script:
        "../scripts/plot_curves.py"


rule plot_reliability:
    """Reliability of co-association values, from a pool alone."""
    input:
        pools=pool_files,
        lib=library("ensemble", "figures/reliability", "figures/style"),
    output:
        pdf="figures/{figure}.pdf",
        png="figures/{figure}.png",
    params:
        cells=cells,
    wildcard_constraints:
        figure=figures_of_kind("reliability"),
    log:
        "logs/figures/{figure}.log",
    benchmark:
        "benchmarks-out/figures/{figure}.tsv"
    threads: 1
    resources:
        mem_mb=2000,
        runtime=20,
    conda:
        CONDA
    script:
        "../scripts/plot_reliability.py"
