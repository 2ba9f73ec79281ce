"""Figures and analyses. Each kind of target has a script; curves and surfaces share one.

Needs:  results/scores/…, results/runs/…, data/pools/…, results/scaling/…, selection/…, choice/…
Makes:  figures/{target}.{csv,pdf,png}, or for analyses results/tables/{target}.{csv,md,html}
"""

from reproduction.running import costs
from reproduction.study.kinds import KINDS
from reproduction.study.tasks import records


rule figure:
    """Draw one figure."""
    input:
        unpack(lambda w: PLAN.made_of(planned(w.target))),
    output:
        csv="figures/{target}.csv",
        pdf="figures/{target}.pdf",
        png=reported("figures/{target}.png", "figure"),
    log:
        "logs/figures/{target}.log",
    wildcard_constraints:
        target=PLAN.pattern(section="figures"),
    conda:
        CONDA
    threads: SETTINGS.threads
    resources:
        mem_mb=lambda w, attempt: attempt * costs.figure_mb(PLAN, w.target),
        runtime=lambda w, attempt: attempt * costs.figure_minutes(PLAN, w.target),
    params:
        spec=lambda w: PLAN.spec(w.target),
        fits=lambda w: records(PLAN, PLAN.fits(w.target)),
        script=lambda w: script_of(PLAN.targets[w.target]),
        seed=SETTINGS.seed,
    script:
        "../scripts/{params.script}.py"


#: Output files of every analysis.
ANALYSIS = {
    "csv": "results/tables/{target}.csv",
    "md": "results/tables/{target}.md",
    "html": reported("results/tables/{target}.html", "table"),
}


use rule figure as analysis with:
    output:
        **ANALYSIS,
    log:
        "logs/analyses/{target}.log",
    wildcard_constraints:
        target=PLAN.pattern(
            kind=[
                name
                for name, kind in KINDS.items()
                if kind.section == "analyses" and name != "choice"
            ]
        ),


use rule analysis as analysis_of_choice with:
    output:
        **ANALYSIS,
        means="results/tables/{target}_means.csv",
    wildcard_constraints:
        target=PLAN.pattern(kind="choice"),
