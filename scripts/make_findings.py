"""Write the page of findings."""

from reproduction.findings.claims.papers import CLAIMS
from reproduction.findings.page import write_findings
from reproduction.running.scripting import job

with job(snakemake.log[0]):
    given, files = snakemake.params.given, dict(snakemake.input.items())
    files["arenas"] = dict(zip(given["arenas"], files["arenas"], strict=True))
    files["checked"] = next(iter(files["checked"]), None)
    write_findings(
        dict(snakemake.output.items()),
        files,
        [name for name, claim in CLAIMS.items() if claim.headline],
        given["titles"],
        given["codes"],
        given["of_features"],
    )
