"""Make the table and the figure of one audit."""

from coassoc.figures.audits import plot_audit
from coassoc.figures.style import save
from coassoc.results.audits import audit, write_audit
from coassoc.results.summaries import read_sources
from coassoc.running.scripting import job

with job(snakemake.log[0]):
    target, output = snakemake.params.target, snakemake.output
    scores = read_sources(dict(snakemake.input.items()))
    result = audit(target["kind"], target["cells"], scores, target["spec"], target["published"])
    write_audit(dict(output.items()), result, target["spec"])
    save(plot_audit(result), {"pdf": output.pdf, "png": output.png})
