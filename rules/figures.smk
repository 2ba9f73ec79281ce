"""Figures: what a kind of figure is made from decides its rule; the kinds are in reproduction.plan.kinds."""


rule plot_scores:
    """Curves and surfaces: scores against a parameter or the ensemble size."""
    input:
        plan="results/plan/targets/{target}.json",
        scores="results/scores/{target}.parquet",
    output:
        csv="figures/{target}.csv",
        pdf="figures/{target}.pdf",
        png=reported("figures/{target}.png", "figure"),
    log:
        "logs/figures/{target}.log",
    wildcard_constraints:
        target=PLAN.pattern(section="figures", needs="scores", numbers=True),
    conda:
        CONDA
    resources:
        mem_mb=2000,
        runtime=20,
    params:
        seed=SETTINGS["seed"],
    script:
        "../scripts/make_figure.py"


use rule plot_scores as plot_pools with:
    """Reliability of co-association values, and transforms of them, from pools alone."""
    input:
        plan="results/plan/targets/{target}.json",
        pools=lambda w: PLAN.target(w.target)["files"]["pools"],
    output:
        pdf="figures/{target}.pdf",
        png=reported("figures/{target}.png", "figure"),
    wildcard_constraints:
        target=PLAN.pattern(section="figures", needs="pools"),


use rule plot_pools as plot_scores_and_pools with:
    """Score of each repeat against the mean score of the base clusterings it saw."""
    input:
        plan="results/plan/targets/{target}.json",
        scores="results/scores/{target}.parquet",
        pools=lambda w: PLAN.target(w.target)["files"]["pools"],
    wildcard_constraints:
        target=PLAN.pattern(section="figures", needs="scores", numbers=False),


use rule plot_pools as plot_runs with:
    """What iterative methods record, against the iteration."""
    input:
        plan="results/plan/targets/{target}.json",
        runs=lambda w: PLAN.target(w.target)["files"]["runs"],
    wildcard_constraints:
        target=PLAN.pattern(section="figures", needs="runs"),


use rule plot_pools as plot_fits with:
    """What methods make of first draws: similarities, refined clusterings, embeddings."""
    input:
        plan="results/plan/targets/{target}.json",
        pools=lambda w: PLAN.target(w.target)["files"]["pools"],
        features=lambda w: PLAN.target(w.target)["files"]["features"],
    wildcard_constraints:
        target=PLAN.pattern(section="figures", needs="fits", numbers=False),
    threads: SETTINGS["threads"]
    resources:
        mem_mb=lambda w, attempt: attempt * PLAN.run_mb(PLAN.sources(w.target)),
        runtime=lambda w, attempt: attempt * PLAN.fits_minutes(w.target),
    params:
        codes=lambda w: sorted({*map(PLAN.code, PLAN.sources(w.target))}),


use rule plot_fits as plot_refinements with:
    """Scores of base clusterings before and after a fit."""
    output:
        csv="figures/{target}.csv",
        pdf="figures/{target}.pdf",
        png=reported("figures/{target}.png", "figure"),
    wildcard_constraints:
        target=PLAN.pattern(section="figures", needs="fits", numbers=True),
