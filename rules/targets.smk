"""Targets by name: every table, figure and audit, each study, groups such as "tables"; what is left.

Makes:  results/plan.csv, what is wanted, by which run, and for which tables and figures
        results/left.md, which of them wait for runs, and how long they take
"""


rule plan:
    """Write the table of cells, as it is now."""
    log:
        "results/plan.csv",
    localrule: True
    conda:
        CONDA
    params:
        text=lambda w: with_kept(CELLS).to_csv(index=False),
        shown=False,
    script:
        "../scripts/say.py"


rule left:
    """Say what waits for runs now, and how long they take."""
    log:
        "results/left.md",
    localrule: True
    conda:
        CONDA
    params:
        text=lambda w: page(what_is_left(PLAN, WORK.usual_seconds, kept)),
        shown=True,
    script:
        "../scripts/say.py"


TARGETS = {
    **{
        card: expand(rules.make_scorecard.output, card=card)
        for card in JUDGED.scorecards
    },
    **{
        name: expand(rules.make_claims.output, claims=name)
        for name in ("claims", "claims_so_far")
    },
}
with mistakes_as_one_sentence():
    TARGETS |= PLAN.files_by_name({*TARGETS, *(rule.name for rule in workflow.rules)})


for name, files_of_target in TARGETS.items():

    rule:
        name:
            name
        input:
            files_of_target,
        localrule: True
