"""Maps of samples, from their features and from the embeddings that methods learn."""

from collections.abc import Iterable
from typing import Any

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from coassoc.numerics.distances import distance_coordinates
from coassoc.numerics.threads import one_thread_per_library
from coassoc.pages.style import blank, styled
from reproduction.figures.inputs import FittedCell, fit_cells
from reproduction.figures.layout import write_figure
from reproduction.running.scripting import job
from reproduction.study.plan import Plan

#: Approximate number of neighbours of a sample in the map; t-SNE's usual value.
_PERPLEXITY = 30.0


def map_samples(X: Any, seed: int = 0) -> NDArray:
    """Place samples in the plane by t-SNE (van der Maaten & Hinton 2008), as an (n, 2) array.

    The map depends only on the distances between rows of X, an (n, d) dense or sparse array. The
    search starts from the principal components.
    """
    points = distance_coordinates(X)
    n = len(points)
    if min(points.shape) < 2 or n < 4:  # too few samples for neighbourhoods
        return np.pad(points, ((0, 0), (0, 2)))[:, :2]
    from sklearn.manifold import TSNE

    search = TSNE(perplexity=min(_PERPLEXITY, (n - 1) / 3), init="pca", random_state=seed)
    # OpenMP's threads would wait in busy loops for threads that other processes delay.
    with one_thread_per_library():
        return search.fit_transform(points)


@styled
def draw_embedding(fits: Iterable[FittedCell], seed: int) -> Figure:
    """One row of maps per data set, coloured by class, for the features and for each method."""
    rows: dict[str, dict[str, tuple[NDArray, NDArray]]] = {}
    for fit in fits:
        row = rows.setdefault(fit.dataset, {})
        if not row:
            row["features"] = map_samples(fit.features, seed), fit.pool.classes
        row[fit.label] = map_samples(fit.estimator.embedding_, seed), fit.pool.classes
    n_columns = max(map(len, rows.values()))
    figure = Figure((1.7 * n_columns, 1.95 * len(rows) + 0.25))
    grid = figure.subplots(len(rows), n_columns, squeeze=False)
    for axes, (dataset, row) in zip(grid, rows.items(), strict=True):
        axes[0].set_ylabel(dataset)
        for axis, (title, shown) in zip(axes, row.items(), strict=False):
            _scatter(axis, *shown)
            axis.set_title(title)
        for spare in axes[len(row) :]:
            spare.set_visible(False)
    figure.supxlabel("t-SNE with one point per sample, coloured by class", fontsize=8)
    return figure


def _scatter(axis: Axes, places: NDArray, classes: NDArray) -> None:
    colours = colormaps["tab10" if classes.max() < 10 else "tab20"]
    # Random order, so that no class covers the others.
    order = np.random.default_rng(0).permutation(len(places))
    axis.scatter(
        places[order, 0],
        places[order, 1],
        c=[colours(int(j) % colours.N) for j in classes[order]],
        s=float(np.clip(1500 / len(places), 0.5, 9.0)),
        linewidths=0,
        rasterized=len(places) > 2000,
    )
    blank(axis)
    axis.spines[["top", "right"]].set_visible(True)
    axis.margins(0.05)


if __name__ == "__main__":
    with job(snakemake.log[0]):
        plan = Plan(snakemake.config)
        fits = fit_cells(plan.cells(snakemake.wildcards.target), plan)
        write_figure(snakemake.output, draw_embedding(fits, snakemake.params.seed))
