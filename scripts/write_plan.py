"""Write the table of everything that a configuration wants."""

from pathlib import Path

from coassoc.plan.catalogues import load_catalogues
from coassoc.plan.cells import table_of_cells
from coassoc.plan.experiments import Experiments
from coassoc.running.scripting import job

with job(snakemake.log[0]):
    settings = snakemake.params.settings
    catalogues = load_catalogues(Path(snakemake.scriptdir).parent / "config", settings)
    table_of_cells(Experiments(settings, catalogues)).to_csv(snakemake.output[0], index=False)
