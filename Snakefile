"""Ensemble clustering: five papers, one pipeline.

`snakemake --cores 8` makes everything that config/config.yaml asks for; `snakemake --list` names
the targets, and config/README.md explains every key.
"""

from snakemake.utils import min_version

min_version("9.0")


configfile: f"{workflow.current_basedir}/config/config.yaml"


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


# Last, when the names of all rules are known.
include: "rules/targets.smk"
