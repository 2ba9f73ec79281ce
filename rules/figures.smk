"""Figures: one rule for each kind of figure; a kind's figures are those of config/papers.

Needs:  results/scores/….csv, results/runs/….h5 or data/pools/{pool}/{dataset}.h5, as the kind says
Makes:  figures/{paper}/{name}.{pdf,png}, for curves also .csv

The first rule has what all kinds share; the others inherit it and name what they need. A kind is an
entry of DRAWN_BY, the function that draws it.
"""

from coassoc.figures.kinds import DRAWN_BY


rule plot_reliability:
    """Reliability of co-association values, from a pool alone."""
    input:
        pools=JOBS.pool_files,
    output:
        pdf="figures/{artefact}.pdf",
        png=report(
            "figures/{artefact}.png",
            caption="report/artefact.rst",
            category=JOBS.paper_title,
            labels=JOBS.labels("figure"),
        ),
    log:
        "logs/figures/{artefact}.log",
    benchmark:
        "benchmarks-out/figures/{artefact}.tsv"
    wildcard_constraints:
        artefact=JOBS.pattern("figures", "reliability"),
    conda:
        CONDA
    threads: 1
    resources:
        mem_mb=2000,
        runtime=20,
    params:
        kind=JOBS.kind,
        code=JOBS.code_of_figure(DRAWN_BY),
        cells=JOBS.cells,
        spec=JOBS.specification,
        seed=EXPERIMENTS.config["seed"],
    script:
        "../scripts/make_figure.py"


use rule plot_reliability as plot_transform with:
    """A co-association matrix and its Fourier transform along the samples, in two orders."""
    wildcard_constraints:
        artefact=JOBS.pattern("figures", "transform"),


use rule plot_reliability as plot_curves with:
    """Scores against a parameter or the ensemble size."""
    input:
        scores=JOBS.score_files,
    output:
        csv="figures/{artefact}.csv",
        pdf="figures/{artefact}.pdf",
        png=report(
            "figures/{artefact}.png",
            caption="report/artefact.rst",
            category=JOBS.paper_title,
            labels=JOBS.labels("figure"),
        ),
    wildcard_constraints:
        artefact=JOBS.pattern("figures", "sensitivity", "ensemble_size", "surface"),


use rule plot_reliability as plot_convergence with:
    """What iterative methods record, against the iteration."""
    input:
        runs=JOBS.run_files,
    wildcard_constraints:
        artefact=JOBS.pattern("figures", "convergence"),


use rule plot_reliability as plot_base_quality with:
    """Score of each repeat against the mean score of the base clusterings it saw."""
    input:
        scores=JOBS.score_files,
        base=JOBS.base_score_files,
        pools=JOBS.pool_files,
    wildcard_constraints:
        artefact=JOBS.pattern("figures", "base_quality"),


use rule plot_reliability as plot_matrices with:
    """Learned similarities as heat maps, samples ordered by class."""
    input:
        pools=JOBS.pool_files,
        features=JOBS.fit_features,
    wildcard_constraints:
        artefact=JOBS.pattern("figures", "matrices"),
    threads: EXPERIMENTS.config["threads"]
    resources:
        mem_mb=JOBS.fits_memory,
        runtime=JOBS.fits_minutes,
    params:
        kind=JOBS.kind,
        code=JOBS.code_of_figure(DRAWN_BY, fits=True),
        cells=JOBS.cells,
        fits=JOBS.fits,
        spec=JOBS.specification,
        seed=EXPERIMENTS.config["seed"],


use rule plot_matrices as plot_before_after with:
    """Scores of the base clusterings before and after a method refined them."""
    wildcard_constraints:
        artefact=JOBS.pattern("figures", "before_after"),


use rule plot_matrices as plot_embedding with:
    """Maps of the samples by their features and by what methods made of them."""
    wildcard_constraints:
        artefact=JOBS.pattern("figures", "embedding"),
