"""Write the table of everything that a configuration wants."""

from pathlib import Path

from coassoc.plan.catalogues import load_catalogues
from coassoc.plan.cells import Plan
from coassoc.running.scripting import job

with job(snakemake.log[0]):
    settings = snakemake.params.settings
    catalogues = load_catalogues(Path(snakemake.scriptdir).parent / "config", settings)
    Plan(settings, catalogues).cells().to_csv(snakemake.output[0], index=False)
