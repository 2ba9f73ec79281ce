"""Plot what iterative methods record."""

from coassoc.figures.convergence import plot_convergence
from coassoc.figures.style import save
from coassoc.running.scripting import job
from coassoc.storage.hdf5 import read_run

with job(snakemake.log[0]):
    spec = snakemake.params.spec
    quantity = spec["quantity"]
    traces: dict = {}
    for cell, path in zip(snakemake.params.cells, snakemake.input.runs, strict=True):
        repeats = read_run(path, history=True).results[0]
        found = [result.history[quantity] for result in repeats if result.status == "ok"]
        traces.setdefault(cell["dataset"], {})[cell["label"]] = found
    save(plot_convergence(traces, spec.get("axis", quantity)), dict(snakemake.output.items()))
