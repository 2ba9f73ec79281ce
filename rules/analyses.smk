"""Analyses: what no paper compares, each a table and a figure.

Needs:  results/plan/…, results/scores/…, and results/scaling/…, selection/…, null/…, choice/…
Makes:  results/tables/{target}.{csv,md,html} and figures/{target}.{pdf,png}
"""

#: What every analysis makes.
ANALYSIS = {
    "csv": "results/tables/{target}.csv",
    "md": "results/tables/{target}.md",
    "html": reported("results/tables/{target}.html", "table"),
    "pdf": "figures/{target}.pdf",
    "png": reported("figures/{target}.png", "figure"),
}


rule analyse_comparison:
    """Each method in several settings, compared with the first of them."""
    input:
        plan="results/plan/targets/{target}.json",
        scores="results/scores/{target}.parquet",
    output:
        **ANALYSIS,
    log:
        "logs/analyses/{target}.log",
    wildcard_constraints:
        target=PLAN.pattern(kind="comparison"),
    conda:
        CONDA
    params:
        caption=caption,
    script:
        "../scripts/analyse_comparison.py"


rule analyse_protocol:
    """Printed cells under several readings of an experiment that a paper leaves open."""
    input:
        plan="results/plan/targets/{target}.json",
        scores="results/scores/{target}.parquet",
    output:
        **ANALYSIS,
    log:
        "logs/analyses/{target}.log",
    wildcard_constraints:
        target=PLAN.pattern(kind="protocol"),
    conda:
        CONDA
    params:
        caption=caption,
    script:
        "../scripts/analyse_protocol.py"


rule analyse_order:
    """What is left of a method's gain as a growing share of the samples is shuffled."""
    input:
        plan="results/plan/targets/{target}.json",
        scores="results/scores/{target}.parquet",
    output:
        **ANALYSIS,
    log:
        "logs/analyses/{target}.log",
    wildcard_constraints:
        target=PLAN.pattern(kind="order"),
    conda:
        CONDA
    params:
        caption=caption,
    script:
        "../scripts/analyse_order.py"


rule analyse_significance:
    """Methods against one of them over all data sets: ranks, tests, corrections."""
    input:
        plan="results/plan/targets/{target}.json",
        scores="results/scores/{target}.parquet",
    output:
        **ANALYSIS,
    log:
        "logs/analyses/{target}.log",
    wildcard_constraints:
        target=PLAN.pattern(kind="significance"),
    conda:
        CONDA
    params:
        caption=caption,
    script:
        "../scripts/analyse_significance.py"


rule analyse_arena:
    """A consensus against the clusterings that it combines."""
    input:
        plan="results/plan/targets/{target}.json",
        scores="results/scores/{target}.parquet",
    output:
        **ANALYSIS,
    log:
        "logs/analyses/{target}.log",
    wildcard_constraints:
        target=PLAN.pattern(kind="arena"),
    conda:
        CONDA
    params:
        caption=caption,
    script:
        "../scripts/analyse_arena.py"


rule analyse_scaling:
    """Time and memory against the number of samples, with fitted exponents."""
    input:
        plan="results/plan/targets/{target}.json",
        measured=lambda w: PLAN.files(w.target, "measured"),
    output:
        **ANALYSIS,
    log:
        "logs/analyses/{target}.log",
    wildcard_constraints:
        target=PLAN.pattern(kind="scaling"),
    conda:
        CONDA
    params:
        caption=caption,
    script:
        "../scripts/analyse_scaling.py"


rule analyse_n_clusters:
    """How often criteria without classes find the number of classes."""
    input:
        plan="results/plan/targets/{target}.json",
        measured=lambda w: PLAN.files(w.target, "measured"),
    output:
        **ANALYSIS,
    log:
        "logs/analyses/{target}.log",
    wildcard_constraints:
        target=PLAN.pattern(kind="n_clusters"),
    conda:
        CONDA
    params:
        caption=caption,
    script:
        "../scripts/analyse_n_clusters.py"


rule analyse_null:
    """How often tests of structure reject: on clouds of points, and on data sets."""
    input:
        plan="results/plan/targets/{target}.json",
        measured=lambda w: PLAN.files(w.target, "measured"),
        clouds=lambda w: PLAN.files(w.target, "clouds"),
    output:
        **ANALYSIS,
    log:
        "logs/analyses/{target}.log",
    wildcard_constraints:
        target=PLAN.pattern(kind="null"),
    conda:
        CONDA
    params:
        caption=caption,
    script:
        "../scripts/analyse_null.py"


rule analyse_choice:
    """Which method suits which ensemble, and candidates for a choice, on what did not choose."""
    input:
        plan="results/plan/targets/{target}.json",
        measured=lambda w: PLAN.files(w.target, "measured"),
        kept=ancient(lambda w: PLAN.files(w.target, "kept")),
    output:
        **ANALYSIS,
        means="results/tables/{target}_means.csv",
    log:
        "logs/analyses/{target}.log",
    wildcard_constraints:
        target=PLAN.pattern(kind="choice"),
    conda:
        CONDA
    params:
        caption=caption,
    script:
        "../scripts/analyse_choice.py"
