"""Tables, the scorecard, claims, findings and the ranking, computed from scores.

Needs:  results/scores/…, and results/timing/…
Makes:  results/tables/{target}.{csv,md,html}, with the published number beside each reproduced
        results/agreement.{csv,md}, results/margins*, results/standing.csv, results/readings.{csv,md}, results/scorecard*, results/claims*, results/findings.md,
        results/ranking*
"""

from reproduction.survey.ranking import ranked_facts

#: Ends of the names of scorecards, such as "" and "_leaders".
PAPERS = "|".join(x.removeprefix("scorecard") for x in PLAN.cards())


rule table:
    """Write one table."""
    input:
        unpack(lambda w: PLAN.made_of(planned(w.target))),
    output:
        csv="results/tables/{target}.csv",
        md="results/tables/{target}.md",
        html=reported("results/tables/{target}.html", "table"),
    log:
        "logs/tables/{target}.log",
    wildcard_constraints:
        target=PLAN.pattern(kind=["table", "times"]),
    conda:
        CONDA
    params:
        spec=lambda w: PLAN.spec(w.target),
    script:
        "../scripts/make_table.py"


rule make_margins:
    """Compare the published and the reproduced margin of each paper's own method."""
    input:
        card="results/scorecard.csv",
        scores=expand(
            "results/scores/{target}.parquet", target=FINDINGS.scored_tables()
        ),
    output:
        csv="results/margins.csv",
        md=reported("results/margins.md", "table", "Scorecard", "margins", "Margins"),
        standing="results/standing.csv",
    log:
        "logs/tables/margins.log",
    conda:
        CONDA
    params:
        given=lambda w: FINDINGS.scorecard("scorecard"),
        seed=SETTINGS.seed,
    script:
        "../scripts/make_margins.py"


rule make_readings:
    """Compare interpretations of settings that the papers leave open."""
    input:
        card="results/scorecard.csv",
        scores=expand(
            "results/scores/{target}.parquet", target=FINDINGS.scored_tables()
        ),
        protocols=expand(
            "results/tables/{protocol}.csv", protocol=FINDINGS.judged_protocols()
        ),
    output:
        csv="results/readings.csv",
        md=reported("results/readings.md", "table", "Scorecard", "readings", "Readings"),
    log:
        "logs/tables/readings.log",
    conda:
        CONDA
    params:
        given=lambda w: FINDINGS.scorecard("scorecard"),
        seed=SETTINGS.seed,
    script:
        "../scripts/make_readings.py"


rule make_scorecard:
    """Compare every published cell of some papers with the reproduced one.

    The page begins with the agreement of the reproduced with the published numbers.
    """
    input:
        tables=lambda w: FINDINGS.tables(f"scorecard{w.papers}"),
        scores=lambda w: [
            f"results/scores/{target}.parquet"
            for target in FINDINGS.scored_tables(f"scorecard{w.papers}")
        ],
    output:
        **scorecard_files("scorecard{papers}"),
        agreement="results/agreement{papers}.csv",
        agreement_md="results/agreement{papers}.md",
    log:
        "logs/tables/scorecard{papers}.log",
    wildcard_constraints:
        papers=PAPERS,
    conda:
        CONDA
    params:
        given=lambda w: FINDINGS.scorecard(f"scorecard{w.papers}"),
        seed=SETTINGS.seed,
    script:
        "../scripts/make_scorecard.py"


rule make_claims:
    """Judge every claim by the cells that decide it."""
    input:
        numbers=lambda w: FINDINGS.judged(f"scorecard{w.papers}"),
    output:
        csv="results/claims{papers}.csv",
        md="results/claims{papers}.md",
        html=reported(
            "results/claims{papers}.html",
            "table",
            "Claims",
            "claims{papers}",
            "Verdicts",
        ),
        cells="results/claims_cells{papers}.csv",
        cells_md="results/claims_cells{papers}.md",
    log:
        "logs/tables/claims{papers}.log",
    wildcard_constraints:
        papers=PAPERS,
    conda:
        CONDA
    params:
        claims=lambda w: FINDINGS.claims_on(f"scorecard{w.papers}"),
        given=lambda w: FINDINGS.claims(f"scorecard{w.papers}"),
        seed=SETTINGS.seed,
    script:
        "../scripts/make_claims.py"


rule findings:
    """Summarise the agreement, the headline claims, the benchmark and the ranking on one page."""
    input:
        claims="results/claims.csv",
        card="results/scorecard.csv",
        agreement="results/agreement.csv",
        margins="results/margins.csv",
        readings="results/readings.csv",
        ranking="results/ranking.csv",
        arenas=expand(
            "results/tables/{arena}.csv", arena=PLAN.paths(wanted=True, kind="arena")
        ),
        checked=FINDINGS.spot_check(),
    output:
        page="results/findings.md",
        arenas="results/arenas.csv",
    log:
        "logs/tables/findings.log",
    conda:
        CONDA
    params:
        given=lambda w: FINDINGS.findings(),
    script:
        "../scripts/make_findings.py"


rule ranking:
    """Rank the methods by mean ranks, and list their scores and times."""
    input:
        scores=lambda w: PLAN.made_of(planned("ranking"))["scores"],
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
        spec=lambda w: PLAN.spec("ranking"),
        facts=lambda w: Given(ranked_facts(PLAN.of("ranking"), PLAN.catalogues)),
        seed=SETTINGS.seed,
    script:
        "../scripts/make_ranking.py"
