"""Say what is left to run, and how long it takes."""

from coassoc.running.left import write_page
from coassoc.running.scripting import job

with job(snakemake.log[0]):
    write_page("results/left.md", snakemake.params.page)
