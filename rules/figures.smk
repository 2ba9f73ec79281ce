"""Figures: one rule for each kind of figure; a kind's figures are those of config/papers."""


rule plot_curves:
    """Scores against a parameter or the ensemble size."""
    input:
        scores=score_files,
    output:
        csv="figures/{figure}.csv",
        pdf="figures/{figure}.pdf",
        png=report(
            "figures/{figure}.png",
            caption="report/artefact.rst",
            category=report_category,
            labels=report_labels("figure"),
        ),
    log:
        "logs/figures/{figure}.log",
    benchmark:
        "benchmarks-out/figures/{figure}.tsv"
    wildcard_constraints:
        figure=figures_of_kind("sensitivity", "ensemble_size", "surface"),
    conda:
        CONDA
    threads: 1
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        code=code_of("plot_curves"),
        cells=cells,
        spec=specification,
        kind=figure_kind,
    script:
        "../scripts/plot_curves.py"


rule plot_reliability:
    """Reliability of co-association values, from a pool alone."""
    input:
        pools=pool_files,
    output:
        pdf="figures/{figure}.pdf",
        png=report(
            "figures/{figure}.png",
            caption="report/artefact.rst",
            category=report_category,
            labels=report_labels("figure"),
        ),
    log:
        "logs/figures/{figure}.log",
    benchmark:
        "benchmarks-out/figures/{figure}.tsv"
    wildcard_constraints:
        figure=figures_of_kind("reliability"),
    conda:
        CONDA
    threads: 1
    resources:
        mem_mb=2000,
        runtime=20,
    params:
        code=code_of("plot_reliability"),
        cells=cells,
        spec=specification,
    script:
        "../scripts/plot_reliability.py"


rule plot_matrices:
    """Learned similarities as heat maps, samples ordered by class."""
    input:
        pools=pool_files,
        features=fit_features,
    output:
        pdf="figures/{figure}.pdf",
        png=report(
            "figures/{figure}.png",
            caption="report/artefact.rst",
            category=report_category,
            labels=report_labels("figure"),
        ),
    log:
        "logs/figures/{figure}.log",
    benchmark:
        "benchmarks-out/figures/{figure}.tsv"
    wildcard_constraints:
        figure=figures_of_kind("matrices"),
    conda:
        CONDA
    threads: 1
    resources:
        mem_mb=fits_memory,
        runtime=60,
    params:
        code=code_of_fits("plot_matrices"),
        fits=fits,
        spec=specification,
        seed=config["seed"],
    script:
        "../scripts/plot_matrices.py"


rule plot_convergence:
    """What iterative methods record, against the iteration."""
    input:
        runs=run_files,
    output:
        pdf="figures/{figure}.pdf",
        png=report(
            "figures/{figure}.png",
            caption="report/artefact.rst",
            category=report_category,
            labels=report_labels("figure"),
        ),
    log:
        "logs/figures/{figure}.log",
    benchmark:
        "benchmarks-out/figures/{figure}.tsv"
    wildcard_constraints:
        figure=figures_of_kind("convergence"),
    conda:
        CONDA
    threads: 1
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        code=code_of("plot_convergence"),
        cells=cells,
        spec=specification,
    script:
        "../scripts/plot_convergence.py"


rule plot_base_quality:
    """Score of each repeat against the mean score of the base clusterings it saw."""
    input:
        scores=score_files,
        base=base_score_files,
        pools=pool_files,
    output:
        pdf="figures/{figure}.pdf",
        png=report(
            "figures/{figure}.png",
            caption="report/artefact.rst",
            category=report_category,
            labels=report_labels("figure"),
        ),
    log:
        "logs/figures/{figure}.log",
    benchmark:
        "benchmarks-out/figures/{figure}.tsv"
    wildcard_constraints:
        figure=figures_of_kind("base_quality"),
    conda:
        CONDA
    threads: 1
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        code=code_of("plot_base_quality"),
        cells=cells,
        spec=specification,
    script:
        "../scripts/plot_base_quality.py"


rule plot_before_after:
    """Scores of the base clusterings before and after a method refined them."""
    input:
        pools=pool_files,
        features=fit_features,
    output:
        pdf="figures/{figure}.pdf",
        png=report(
            "figures/{figure}.png",
            caption="report/artefact.rst",
            category=report_category,
            labels=report_labels("figure"),
        ),
    log:
        "logs/figures/{figure}.log",
    benchmark:
        "benchmarks-out/figures/{figure}.tsv"
    wildcard_constraints:
        figure=figures_of_kind("before_after"),
    conda:
        CONDA
    threads: 1
    resources:
        mem_mb=fits_memory,
        runtime=fits_minutes,
    params:
        code=code_of_fits("plot_before_after"),
        fits=fits,
        spec=specification,
        seed=config["seed"],
    script:
        "../scripts/plot_before_after.py"


rule plot_embedding:
    """Maps of the samples by their features and by what methods made of them."""
    input:
        pools=pool_files,
        features=fit_features,
    output:
        pdf="figures/{figure}.pdf",
        png=report(
            "figures/{figure}.png",
            caption="report/artefact.rst",
            category=report_category,
            labels=report_labels("figure"),
        ),
    log:
        "logs/figures/{figure}.log",
    benchmark:
        "benchmarks-out/figures/{figure}.tsv"
    wildcard_constraints:
        figure=figures_of_kind("embedding"),
    conda:
        CONDA
    threads: 1
    resources:
        mem_mb=fits_memory,
        runtime=fits_minutes,
    params:
        code=code_of_fits("plot_embedding"),
        fits=fits,
        spec=specification,
        seed=config["seed"],
    script:
        "../scripts/plot_embedding.py"
