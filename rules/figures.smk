"""Figures: each kind has its rule and its script; curves and surfaces share theirs."""

from reproduction.running import costs


rule plot_curves:
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
        target=PLAN.pattern(kind=["sensitivity", "surface", "ensemble_size"]),
    conda:
        CONDA
    resources:
        mem_mb=2000,
        runtime=20,
    params:
        caption=caption,
    script:
        "../scripts/plot_curves.py"


rule plot_base_quality:
    """Score of each repeat against the mean score of the base clusterings it saw."""
    input:
        plan="results/plan/targets/{target}.json",
        scores="results/scores/{target}.parquet",
        # Of kept lines too, which are made without a pool.
        pools=lambda w: sorted({x.pool_file for x in PLAN.sources(w.target)}),
    output:
        pdf="figures/{target}.pdf",
        png=reported("figures/{target}.png", "figure"),
    log:
        "logs/figures/{target}.log",
    wildcard_constraints:
        target=PLAN.pattern(kind="base_quality"),
    conda:
        CONDA
    resources:
        mem_mb=2000,
        runtime=20,
    params:
        caption=caption,
    script:
        "../scripts/plot_base_quality.py"


rule plot_reliability:
    """How reliable co-association values are: precision and recall of pairs."""
    input:
        plan="results/plan/targets/{target}.json",
        pools=lambda w: PLAN.files(w.target, "pool"),
    output:
        csv="figures/{target}.csv",
        pdf="figures/{target}.pdf",
        png=reported("figures/{target}.png", "figure"),
    log:
        "logs/figures/{target}.log",
    wildcard_constraints:
        target=PLAN.pattern(kind="reliability"),
    conda:
        CONDA
    resources:
        mem_mb=2000,
        runtime=20,
    params:
        caption=caption,
    script:
        "../scripts/plot_reliability.py"


rule plot_transform:
    """What a transform along the samples makes of co-association, in two orders."""
    input:
        plan="results/plan/targets/{target}.json",
        pools=lambda w: PLAN.files(w.target, "pool"),
    output:
        pdf="figures/{target}.pdf",
        png=reported("figures/{target}.png", "figure"),
    log:
        "logs/figures/{target}.log",
    wildcard_constraints:
        target=PLAN.pattern(kind="transform"),
    conda:
        CONDA
    resources:
        mem_mb=2000,
        runtime=20,
    params:
        caption=caption,
        seed=SETTINGS["seed"],
    script:
        "../scripts/plot_transform.py"


rule plot_convergence:
    """What iterative methods record, against the iteration."""
    input:
        plan="results/plan/targets/{target}.json",
        runs=lambda w: PLAN.files(w.target, "run"),
    output:
        pdf="figures/{target}.pdf",
        png=reported("figures/{target}.png", "figure"),
    log:
        "logs/figures/{target}.log",
    wildcard_constraints:
        target=PLAN.pattern(kind="convergence"),
    conda:
        CONDA
    resources:
        mem_mb=2000,
        runtime=20,
    params:
        caption=caption,
    script:
        "../scripts/plot_convergence.py"


rule plot_matrices:
    """Similarities that methods learn from first draws."""
    input:
        plan="results/plan/targets/{target}.json",
        pools=lambda w: PLAN.files(w.target, "pool"),
        features=lambda w: PLAN.files(w.target, "features"),
    output:
        csv="figures/{target}.csv",
        pdf="figures/{target}.pdf",
        png=reported("figures/{target}.png", "figure"),
    log:
        "logs/figures/{target}.log",
    wildcard_constraints:
        target=PLAN.pattern(kind="matrices"),
    conda:
        CONDA
    threads: SETTINGS["threads"]
    resources:
        mem_mb=lambda w, attempt: attempt * costs.run_mb(PLAN, PLAN.sources(w.target)),
        runtime=lambda w, attempt: attempt * costs.fits_minutes(PLAN, PLAN.sources(w.target)),
    params:
        caption=caption,
        codes=lambda w: sorted({*map(PLAN.code, PLAN.sources(w.target))}),
    script:
        "../scripts/plot_matrices.py"


rule plot_before_after:
    """Scores of base clusterings before and after a fit refines them."""
    input:
        plan="results/plan/targets/{target}.json",
        pools=lambda w: PLAN.files(w.target, "pool"),
        features=lambda w: PLAN.files(w.target, "features"),
    output:
        csv="figures/{target}.csv",
        pdf="figures/{target}.pdf",
        png=reported("figures/{target}.png", "figure"),
    log:
        "logs/figures/{target}.log",
    wildcard_constraints:
        target=PLAN.pattern(kind="before_after"),
    conda:
        CONDA
    threads: SETTINGS["threads"]
    resources:
        mem_mb=lambda w, attempt: attempt * costs.run_mb(PLAN, PLAN.sources(w.target)),
        runtime=lambda w, attempt: attempt * costs.fits_minutes(PLAN, PLAN.sources(w.target)),
    params:
        caption=caption,
        codes=lambda w: sorted({*map(PLAN.code, PLAN.sources(w.target))}),
    script:
        "../scripts/plot_before_after.py"


rule plot_embedding:
    """Maps of samples: of their features, and of learned embeddings."""
    input:
        plan="results/plan/targets/{target}.json",
        pools=lambda w: PLAN.files(w.target, "pool"),
        features=lambda w: PLAN.files(w.target, "features"),
    output:
        pdf="figures/{target}.pdf",
        png=reported("figures/{target}.png", "figure"),
    log:
        "logs/figures/{target}.log",
    wildcard_constraints:
        target=PLAN.pattern(kind="embedding"),
    conda:
        CONDA
    threads: SETTINGS["threads"]
    resources:
        mem_mb=lambda w, attempt: attempt * costs.run_mb(PLAN, PLAN.sources(w.target)),
        runtime=lambda w, attempt: attempt * costs.fits_minutes(PLAN, PLAN.sources(w.target)),
    params:
        caption=caption,
        codes=lambda w: sorted({*map(PLAN.code, PLAN.sources(w.target))}),
        seed=SETTINGS["seed"],
    script:
        "../scripts/plot_embedding.py"
