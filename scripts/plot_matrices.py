"""Plot the similarities that methods learn on the first draw of each pool."""

from coassoc.figures.matrices import plot_matrices
from coassoc.figures.style import save
from coassoc.methods import METHODS
from coassoc.runs import learned_similarity
from coassoc.scripting import job
from coassoc.store import read_dataset, read_pool

with job(snakemake.log[0]):
    panels = {}
    for fit in snakemake.params.fits:
        pool = read_pool(fit["pool_file"])
        similarity = learned_similarity(
            pool,
            METHODS.estimator(fit["method"], fit["estimator"]),
            method=fit["method"],
            parameters=fit["parameters"],
            m=fit["m"],
            n_clusters=pool.n_classes,
            seed=snakemake.params.seed,
            names=(fit["pool"], fit["dataset"]),
            features=read_dataset(fit["features"]).X if fit["features"] else None,
        )
        panels.setdefault(fit["dataset"], {})[fit["label"]] = similarity, pool.y
    spec = snakemake.params.spec
    figure = plot_matrices(panels, spec.get("panels", []), relative=spec.get("relative", False))
    save(figure, dict(snakemake.output.items()))
