"""What is left of everything that the configuration asks for, and how long it takes."""


rule left:
    """Say which tables and figures wait for runs, and how long these take."""
    log:
        "logs/left.log",
    localrule: True
    conda:
        CONDA
    params:
        page=lambda w: page(
            what_is_left(PLAN.wanted, WORK.usual_seconds, PLAN.catalogues.methods)
        ),
    script:
        "../scripts/show_left.py"
