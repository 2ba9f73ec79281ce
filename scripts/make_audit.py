"""Make the table and the figure of one audit."""

from coassoc.figures.audits import plot_audit
from coassoc.figures.style import save
from coassoc.results.audits import audit, write_audit
from coassoc.results.summaries import read_scores_by_stem
from coassoc.running.scripting import job

with job(snakemake.log[0]):
    params, output = snakemake.params, snakemake.output
    scores = read_scores_by_stem(snakemake.input.scores, params.folder)
    result = audit(params.kind, params.cells, scores, params.spec, params.published)
    write_audit(dict(output.items()), result, params.spec)
    save(plot_audit(result), {"pdf": output.pdf, "png": output.png})
