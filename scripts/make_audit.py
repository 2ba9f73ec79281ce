"""Make the table and the figure of one audit."""

from reproduction.figures.audits import plot_audit
from coassoc.pages.style import save
from reproduction.results.audits import make_audit
from reproduction.results.audits.evidence import Evidence
from coassoc.bench.score_files import read_sources
from reproduction.running.scripting import job

with job(snakemake.log[0]):
    target, output = snakemake.params.target, snakemake.output
    scores = read_sources(dict(snakemake.input.items()))
    evidence = Evidence(target["cells"], scores, target["spec"], target["published"])
    result = make_audit(target["kind"], evidence, dict(output.items()))
    figure = plot_audit(target["kind"], result, evidence.metric)
    save(figure, {"pdf": output.pdf, "png": output.png})
