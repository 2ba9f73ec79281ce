"""Write one screen on what was found."""

from reproduction.results.findings import write_findings
from reproduction.running.scripting import job

with job(snakemake.log[0]):
    write_findings(
        snakemake.output[0],
        {
            "claims": snakemake.input.claims,
            "card": snakemake.input.card,
            "ranking": next(iter(snakemake.input.ranking), None),
            "arenas": dict(zip(snakemake.params.arenas, snakemake.input.arenas, strict=True)),
            "checked": next(iter(snakemake.input.checked), None),
        },
        [name for name, claim in snakemake.params.claims.items() if claim.get("headline")],
        snakemake.params.titles,
        snakemake.params.codes,
        snakemake.params.of_features,
    )
