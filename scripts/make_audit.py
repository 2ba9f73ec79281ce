"""Make the table and the figure of one audit."""

from coassoc.pages.style import save
from reproduction.figures.audits import plot_audit
from reproduction.plan.files import read_plan
from reproduction.results.audits import make_audit
from reproduction.results.audits.evidence import Evidence
from reproduction.running.scripting import job
from reproduction.scores.files import read_sources

with job(snakemake.log[0]):
    target, output = read_plan(snakemake.input.plan), snakemake.output
    scores = read_sources(dict(snakemake.input.items()))
    evidence = Evidence(target["cells"], scores, target["spec"], target["published"])
    result = make_audit(target["kind"], evidence, dict(output.items()))
    figure = plot_audit(target["kind"], result, evidence.metric)
    save(figure, {"pdf": output.pdf, "png": output.png})
