"""Targets by name: every table, figure and audit, each paper, and groups such as "tables"."""


rule plan:
    """Write the table of cells: what is wanted, by which run, for which tables and figures."""
    output:
        "results/plan.csv",
    log:
        "logs/plan.log",
    localrule: True
    conda:
        CONDA
    params:
        code=code("write_plan"),
        settings=SETTINGS,
    script:
        "../scripts/write_plan.py"


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
