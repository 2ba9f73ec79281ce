"""Targets by name: every table, figure and audit, each paper, and groups such as "tables".

Needs:  EXPERIMENTS.targets; the names of all other rules, which no target may have
Makes:  what a target stands for
"""

with mistakes_as_one_sentence():
    TARGETS = EXPERIMENTS.targets({rule.name for rule in workflow.rules})


for name, files in TARGETS.items():

    rule:
        name:
            name
        input:
            files,
        localrule: True
