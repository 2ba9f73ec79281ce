"""Plot the similarities that methods learn on the first draw of each pool."""

from coassoc.figures.matrices import plot_matrices
from coassoc.figures.style import save
from coassoc.methods import METHODS
from coassoc.runs import learned_similarities
from coassoc.scripting import job

with job(snakemake.log[0]):
    panels, classes = learned_similarities(
        snakemake.params.fits, METHODS, dict(snakemake.params.inputs), snakemake.params.seed
    )
    save(
        plot_matrices(panels, classes, snakemake.params.spec.get("panels", [])),
        dict(snakemake.output.items()),
    )
