"""Make the table and the figure of one audit."""

from coassoc import audits
from coassoc.figures.audits import plot_growth, plot_significance, plot_variants
from coassoc.figures.style import save
from coassoc.scripting import job
from coassoc.tables import read_scores_by_stem

with job(snakemake.log[0]):
    params, output = snakemake.params, snakemake.output
    spec, cells = params.spec, params.cells
    scores = read_scores_by_stem(snakemake.input.scores, params.folder)
    metric, column = next(iter(spec["metrics"].items()))
    if params.kind == "scaling":
        lines = audits.fit_growth(cells, scores)
        table, figure = audits.growth_table(lines), plot_growth(lines)
        remark = audits.growth_remark(lines)
    elif params.kind == "significance":
        found = audits.compare_methods(cells, scores, column, spec["relative_to"])
        lines, table = found.methods, audits.significance_table(found)
        figure, remark = plot_significance(found, metric), audits.significance_remark(found)
    else:
        lines = audits.compare_variants(cells, scores, column)
        table, figure = audits.variants_table(lines), plot_variants(lines, metric)
        remark = audits.variants_remark(lines, metric)
    audits.write_audit(dict(output.items()), lines, table, spec, remark)
    save(figure, {"pdf": output.pdf, "png": output.png})
