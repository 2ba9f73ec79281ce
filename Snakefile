"""Ensemble clustering: five papers, one pipeline.

`snakemake --cores 8` makes everything that config/config.yaml asks for; `snakemake --list` names
the targets, every table, figure and audit, each study and groups such as "tables"; config/README.md
explains every key.
"""

from snakemake.utils import min_version

min_version("9.10")


configfile: f"{workflow.current_basedir}/config/config.yaml"


include: "rules/scheduler.smk"
include: "rules/common.smk"
include: "rules/datasets.smk"
include: "rules/pools.smk"
include: "rules/consensus.smk"
include: "rules/tables.smk"
include: "rules/figures.smk"


rule all:
    default_target: True
    input:
        PLAN.files(),
        expand(rules.make_scorecard.output, card="scorecard"),


localrules:
    all,


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
        "scripts/say.py"


rule left:
    """Say what waits for runs now, and how long they take."""
    log:
        "results/left.md",
    localrule: True
    conda:
        CONDA
    params:
        text=lambda w: page_of_what_is_left(PLAN, WORK.usual_seconds, kept),
        shown=True,
    script:
        "scripts/say.py"


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
