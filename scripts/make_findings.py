"""Write the page of findings."""

from reproduction.findings.page import write_findings
from reproduction.running.scripting import job

with job(snakemake.log[0]):
    paths, files = (dict(x.items()) for x in (snakemake.output, snakemake.input))
    write_findings(paths, files, snakemake.params.given)
