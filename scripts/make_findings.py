"""Write the page of findings."""

from reproduction.running.scripting import job
from reproduction.summary import write_findings

with job(snakemake.log[0]):
    paths, files = (dict(x.items()) for x in (snakemake.output, snakemake.input))
    write_findings(paths, files, snakemake.params.given)
