"""Figures: what a kind of figure is made from decides its rule; the kinds are in reproduction.plan.kinds."""


rule plot_scores:
    """Curves and surfaces: scores against a parameter or the ensemble size."""
    input:
        scores=SCORES,
    output:
        csv="figures/{target}.csv",
        pdf="figures/{target}.pdf",
        png=reported("figures/{target}.png", "figure"),
    log:
        "logs/figures/{target}.log",
    wildcard_constraints:
        target=targets("figures", "scores", numbers=[True]),
    conda:
        CONDA
    resources:
        mem_mb=2000,
        runtime=20,
    params:
        code=code("make_figure", of_kind=True),
        target=target,
        seed=SETTINGS["seed"],
    script:
        "../scripts/make_figure.py"


use rule plot_scores as plot_pools with:
    """Reliability of co-association values, and transforms of them, from pools alone."""
    input:
        pools=files("pool_file"),
    output:
        pdf="figures/{target}.pdf",
        png=reported("figures/{target}.png", "figure"),
    wildcard_constraints:
        target=targets("figures", "pools"),


use rule plot_pools as plot_scores_and_pools with:
    """Score of each repeat against the mean score of the base clusterings it saw."""
    input:
        scores=SCORES,
        pools=files("pool_file"),
    wildcard_constraints:
        target=targets("figures", "scores", numbers=[False]),


use rule plot_pools as plot_runs with:
    """What iterative methods record, against the iteration."""
    input:
        runs=files("run_file"),
    wildcard_constraints:
        target=targets("figures", "runs"),


use rule plot_pools as plot_fits with:
    """What methods make of first draws: similarities, refined clusterings, embeddings."""
    input:
        pools=files("pool_file"),
        features=files("features_file"),
    wildcard_constraints:
        target=targets("figures", "fits", numbers=[False]),
    threads: SETTINGS["threads"]
    resources:
        mem_mb=run_mb(),
        runtime=run_minutes(made="fits"),
    params:
        code=code("make_figure", of_kind=True),
        target=target,
        fits=lambda w: WORK.fits(PLAN.target(w.target)),
        seed=SETTINGS["seed"],


use rule plot_fits as plot_refinements with:
    """Scores of base clusterings before and after a fit."""
    output:
        csv="figures/{target}.csv",
        pdf="figures/{target}.pdf",
        png=reported("figures/{target}.png", "figure"),
    wildcard_constraints:
        target=targets("figures", "fits", numbers=[True]),
