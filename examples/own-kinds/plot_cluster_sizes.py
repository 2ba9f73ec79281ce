"""Plot the sizes of the clusters in the base clusterings."""

from collections.abc import Mapping

import pandas as pd
from matplotlib.figure import Figure

from coassoc.ensemble import Ensemble
from coassoc.pages.style import panels, styled
from reproduction.figures.inputs import pool_of
from reproduction.figures.layout import write_figure
from reproduction.running.scripting import job
from reproduction.scores.evidence import read_evidence


@styled
def draw_cluster_sizes(ensembles: Mapping[str, Ensemble]) -> Figure:
    """Histogram of the cluster sizes of each data set's base clusterings."""
    figure, axes = panels(len(ensembles))
    for axis, (dataset, ensemble) in zip(axes, ensembles.items(), strict=True):
        axis.hist(ensemble.cluster_sizes, bins=20)
        axis.set(title=dataset, xlabel="samples in a cluster")
    return figure


if __name__ == "__main__":
    with job(snakemake.log[0]):
        cells = read_evidence(snakemake).cells
        ensembles = {cell.dataset: Ensemble(pool_of(cell).labels) for cell in cells}
        sizes = {dataset: pd.Series(each.cluster_sizes) for dataset, each in ensembles.items()}
        lines = pd.concat(sizes, names=["dataset"]).rename("samples").reset_index(0)
        write_figure(snakemake.output, draw_cluster_sizes(ensembles), lines)
