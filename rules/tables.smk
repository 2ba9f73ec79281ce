"""From runs to scores, and from scores to tables, audits, the scorecard, claims and the ranking.

Needs:  results/runs/…, data/pools/…, and results/timing/…, scaling/…, selection/…, null/… that are measured
Makes:  results/scores/{target}.parquet, what a target shows, and results/scores.parquet, their union
        results/tables/{target}.{csv,md,html}, with the published number beside each reproduced
        results/scorecard*, results/claims*, results/findings.md, results/ranking*
"""

SCORED = CELLS.query("needs == 'scores'").groupby("target", sort=False).first()
UNLABELLED = CATALOGUES.unlabelled
ARENAS = [target for target in PLAN.wanted if target.kind == "arena"]


rule score:
    """Score the runs, base clusterings and references that a target shows, if no kept lines hold."""
    input:
        runs=files("run_file", but_kept=True),
        pools=files("pool_file", but_kept=True),
        features=lambda w: expand(
            DATASET,
            dataset=sorted(
                {*UNLABELLED}.intersection(files("dataset", but_kept=True)(w))
            ),
        ),
        kept=ancient(lambda w: sorted({*kept(w.target).values()})),
    output:
        # Lines of runs that are the same as the last time are taken over.
        update(SCORES),
    log:
        "logs/scores/{target}.log",
    wildcard_constraints:
        target=either(SCORED.index),
    conda:
        CONDA
    resources:
        runtime=20,
    params:
        code=code("score"),
        sources=files("source"),
        kept=lambda w: kept(w.target),
        classes=lambda w: {x: dataset(x).classes for x in files("dataset")(w)},
        unlabelled=UNLABELLED,
        seed=SETTINGS["seed"],
    script:
        "../scripts/score.py"


rule collect_scores:
    """All scores of all runs in one Parquet file, for analyses of your own."""
    input:
        scores=expand(SCORES, target=SCORED.query("wanted").index),
    output:
        scores="results/scores.parquet",
        inputs="results/inputs.csv",
    log:
        "logs/scores/collect.log",
    localrule: True
    conda:
        CONDA
    params:
        code=code("collect_scores"),
        inputs=lambda w: PRESENT.all_inputs(CELLS.query("needs == 'scores'")["source"]),
    script:
        "../scripts/collect_scores.py"


rule spot_check:
    """Refit one repeat of each sampled kept run, and compare its scores."""
    input:
        pools=lambda w: {run.path(POOL) for run in spot_checked()},
        features=lambda w: WORK.features(spot_checked()),
        kept=ancient(lambda w: sorted({*spot_checked().values()})),
    output:
        "results/spot_check.csv",
    log:
        "logs/scores/spot_check.log",
    conda:
        CONDA
    threads: SETTINGS["threads"]
    resources:
        runtime=600,
    params:
        code=REVISIONS.fingerprint("coassoc.metrics:score_against"),
        tasks=lambda w: {run.stem: WORK.task(run) for run in spot_checked()},
        inputs=lambda w: {
            run.stem: [run.path(POOL), *WORK.features([run])] for run in spot_checked()
        },
        kept=lambda w: {run.stem: file for run, file in spot_checked().items()},
        unfinished="results/spot_check.part.csv",
    script:
        "../scripts/spot_check.py"


rule make_table:
    """Lay out one table."""
    input:
        scores=SCORES,
    output:
        csv="results/tables/{target}.csv",
        md="results/tables/{target}.md",
        html=reported("results/tables/{target}.html", "table"),
    log:
        "logs/tables/{target}.log",
    wildcard_constraints:
        target=targets("tables", "scores"),
    conda:
        CONDA
    params:
        code=code("make_table"),
        target=target,
    script:
        "../scripts/make_table.py"


use rule make_table as make_table_of_times with:
    input:
        measured=files("measured_file"),
    wildcard_constraints:
        target=targets("tables", "timing"),


rule make_audit:
    """Compare what no paper compares; a table and a figure."""
    input:
        scores=SCORES,
    output:
        csv="results/tables/{target}.csv",
        md="results/tables/{target}.md",
        html=reported("results/tables/{target}.html", "table"),
        pdf="figures/{target}.pdf",
        png=reported("figures/{target}.png", "figure"),
    log:
        "logs/audits/{target}.log",
    wildcard_constraints:
        target=targets("audits", "scores"),
    conda:
        CONDA
    params:
        code=code("make_audit", of_kind=True),
        target=target,
    script:
        "../scripts/make_audit.py"


use rule make_audit as make_audit_of_measurements with:
    input:
        measured=files("measured_file"),
    wildcard_constraints:
        target=targets("audits", "scaling", "selection"),


use rule make_audit as make_audit_of_nulls with:
    input:
        measured=files("measured_file"),
        clouds=lambda w: expand(NULLS_OF_CLOUDS, pool=files("pool")(w)),
    wildcard_constraints:
        target=targets("audits", "null"),


rule make_scorecard:
    """Every published cell beside the reproduced one, with a verdict."""
    input:
        tables=lambda w: JUDGED.tables(w.card),
    output:
        csv="results/{card}.csv",
        md="results/{card}.md",
        html=reported(
            "results/{card}.html",
            "table",
            "Scorecard",
            "{card}",
            "Every published cell",
        ),
        pdf="figures/{card}.pdf",
        png=reported(
            "figures/{card}.png",
            "figure",
            "Scorecard",
            "{card}",
            "Published, reproduced",
        ),
    log:
        "logs/tables/{card}.log",
    wildcard_constraints:
        card=either(JUDGED.scorecards),
    conda:
        CONDA
    params:
        code=code("make_scorecard"),
        card=lambda w: JUDGED.scorecard(w.card),
    script:
        "../scripts/make_scorecard.py"


rule make_claims:
    """Judge every claim, with a verdict and the cells that decide it."""
    input:
        numbers=lambda w: JUDGED.numbers(w.claims),
    output:
        csv="results/{claims}.csv",
        md="results/{claims}.md",
        html=reported(
            "results/{claims}.html", "table", "Claims", "{claims}", "Verdicts"
        ),
        cells="results/{claims}_cells.csv",
        cells_md="results/{claims}_cells.md",
    log:
        "logs/tables/{claims}.log",
    wildcard_constraints:
        claims="claims|claims_so_far",
    conda:
        CONDA
    params:
        **JUDGED.claims,
        code=code("make_claims", *JUDGED.modules),
    script:
        "../scripts/make_claims.py"


rule findings:
    """Findings on one page: the arena, headline claims, counts of the scorecard, the best methods."""
    input:
        claims="results/claims.csv",
        card="results/scorecard.csv",
        ranking=["results/ranking.csv"] if SETTINGS.get("ranking") else [],
        arenas=[arena.numbers for arena in ARENAS],
        checked=[str(path) for path in SPOT_CHECKS if path.exists()],
    output:
        "results/findings.md",
    log:
        "logs/tables/findings.log",
    conda:
        CONDA
    params:
        code=code("make_findings"),
        arenas=[arena.spec["title"] for arena in ARENAS],
        claims=JUDGED.claims["claims"],
        titles=JUDGED.claims["titles"],
        codes=lambda w: WORK.present_codes(),
        of_features=[
            k for k, method in CATALOGUES.methods.items() if method.uses_features
        ],
    script:
        "../scripts/make_findings.py"


rule ranking:
    """Mean ranks, critical differences, mean scores and times, and the cells behind them."""
    input:
        scores=SCORES.format(target="ranking"),
        pools=lambda w: PLAN.ranking.spec["beside"],
    output:
        html=reported(
            "results/ranking.html", "table", "Ranking", "ranking", "All methods"
        ),
        csv="results/ranking.csv",
        cells="results/ranking_cells.parquet",
        scores="results/ranking_scores.parquet",
    log:
        "logs/tables/ranking.log",
    conda:
        CONDA
    resources:
        runtime=20,
    params:
        code=code("make_ranking"),
        target=lambda w: PLAN.parameters("ranking"),
    script:
        "../scripts/make_ranking.py"
