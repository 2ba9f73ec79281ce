"""From scores to tables, the scorecard, claims, findings and the ranking.

Needs:  results/scores/…, and results/timing/…
Makes:  results/tables/{target}.{csv,md,html}, with the published number beside each reproduced
        results/agreement.{csv,md}, results/margins*, results/readings.{csv,md}, results/scorecard*, results/claims*, results/findings.md,
        results/ranking*
"""


rule table:
    """Lay out one table."""
    input:
        unpack(lambda w: PLAN.made_of(w.target)),
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
        caption=caption,
        digest=lambda w: PLAN.digest(w.target),
    script:
        "../scripts/make_table.py"


rule make_agreement:
    """How far reproduced numbers agree with print, by yardsticks that a wrong number fails."""
    input:
        tables=CARDS.tables("scorecard"),
        scores=expand("results/scores/{target}.parquet", target=CARDS.scored_tables()),
    output:
        csv="results/agreement.csv",
        md="results/agreement.md",
    log:
        "logs/tables/agreement.log",
    conda:
        CONDA
    params:
        digest=lambda w: CARDS.digest("scorecard"),
        seed=SETTINGS.seed,
    script:
        "../scripts/make_agreement.py"


rule make_margins:
    """What becomes of the advantage of each paper's own method, here and by chance."""
    input:
        tables=CARDS.tables("scorecard"),
        scores=expand("results/scores/{target}.parquet", target=CARDS.scored_tables()),
        protocols=expand(
            "results/tables/{protocol}.csv", protocol=CARDS.judged_protocols()
        ),
        other_tables=[
            table
            for card in CARDS.others_with_own_methods()
            for table in CARDS.tables_of_methods(card)
        ],
    output:
        csv="results/margins.csv",
        md="results/margins.md",
        readings="results/margins_readings.csv",
        shared="results/margins_shared.csv",
        pdf="figures/margins.pdf",
        png=reported("figures/margins.png", "figure", "Scorecard", "margins", "Margins"),
    log:
        "logs/tables/margins.log",
    conda:
        CONDA
    params:
        digest=lambda w: CARDS.digest(*PLAN.cards),
        seed=SETTINGS.seed,
    script:
        "../scripts/make_margins.py"


rule make_readings:
    """How near print each reading comes of what the papers leave open."""
    input:
        **rules.make_margins.input,
    output:
        csv="results/readings.csv",
        md="results/readings.md",
        pdf="figures/readings.pdf",
        png=reported(
            "figures/readings.png", "figure", "Scorecard", "readings", "Readings"
        ),
    log:
        "logs/tables/readings.log",
    conda:
        CONDA
    params:
        digest=lambda w: CARDS.digest("scorecard"),
        seed=SETTINGS.seed,
    script:
        "../scripts/make_readings.py"


rule make_scorecard:
    """Every published cell beside the reproduced one, with a verdict."""
    input:
        tables=lambda w: CARDS.tables(w.card, so_far=w.part),
        # What the page of the whole scorecard of the five papers begins with.
        agreement=lambda w: ["results/agreement.md"] * (w.card + w.part == "scorecard"),
    output:
        csv="results/{card}{part}.csv",
        md="results/{card}{part}.md",
        html=reported(
            "results/{card}{part}.html",
            "table",
            "Scorecard",
            "{card}{part}",
            "Every published cell",
        ),
        # Limits of agreement, which the figure shows.
        limits="figures/{card}{part}.csv",
        pdf="figures/{card}{part}.pdf",
        png=reported(
            "figures/{card}{part}.png",
            "figure",
            "Scorecard",
            "{card}{part}",
            "Published, reproduced",
        ),
    log:
        "logs/tables/{card}{part}.log",
    wildcard_constraints:
        card="|".join(PLAN.cards),
        # Nothing, or to take the tables that are there.
        part="(_so_far)?",
    conda:
        CONDA
    params:
        digest=lambda w: CARDS.digest(w.card),
    script:
        "../scripts/make_scorecard.py"


rule make_claims:
    """Judge every claim, with a verdict and the cells that decide it."""
    input:
        numbers=lambda w: CARDS.judged(so_far=w.part),
    output:
        csv="results/claims{part}.csv",
        md="results/claims{part}.md",
        html=reported(
            "results/claims{part}.html", "table", "Claims", "claims{part}", "Verdicts"
        ),
        cells="results/claims{part}_cells.csv",
        cells_md="results/claims{part}_cells.md",
    log:
        "logs/tables/claims{part}.log",
    wildcard_constraints:
        part="(_so_far)?",
    conda:
        CONDA
    params:
        digest=lambda w: CARDS.digest("claims"),
        seed=SETTINGS.seed,
    script:
        "../scripts/make_claims.py"


rule findings:
    """Findings on one page: the arena, headline claims, counts of the scorecard, the best methods."""
    input:
        claims="results/claims.csv",
        card="results/scorecard.csv",
        agreement="results/agreement.csv",
        margins="results/margins.csv",
        readings="results/readings.csv",
        ranking=["results/ranking.csv"],
        arenas=expand("results/tables/{arena}.csv", arena=CARDS.arenas()),
        checked=CARDS.spot_check(),
    output:
        "results/findings.md",
    log:
        "logs/tables/findings.log",
    conda:
        CONDA
    params:
        digest=lambda w: CARDS.digest("claims"),
    script:
        "../scripts/make_findings.py"


rule ranking:
    """Mean ranks, critical differences, mean scores and times, and the cells behind them."""
    input:
        scores="results/scores/ranking.parquet",
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
        digest=lambda w: PLAN.digest("ranking"),
        seed=SETTINGS.seed,
    script:
        "../scripts/make_ranking.py"
