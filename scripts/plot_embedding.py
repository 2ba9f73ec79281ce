"""Maps of samples, from their features and from the embeddings that methods learn."""

from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd
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
from reproduction.scores.evidence import read_evidence

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


def maps_of_fits(fits: Iterable[FittedCell], seed: int) -> pd.DataFrame:
    """The samples in the maps of the features and of each method, with their classes."""
    maps = {}
    for fit in fits:
        shown = {fit.label: fit.estimator.embedding_}
        if (fit.dataset, "features") not in maps:
            shown = {"features": fit.features, **shown}
        for title, X in shown.items():
            places = pd.DataFrame(map_samples(X, seed), columns=["x", "y"])
            maps[fit.dataset, title] = places.assign(**{"class": fit.pool.classes})
    return pd.concat(maps, names=["dataset", "map"]).droplevel(2).reset_index()


@styled
def draw_embedding(maps: pd.DataFrame) -> Figure:
    """One row of maps per data set, coloured by class, for the features and for each method."""
    rows = [*maps.groupby("dataset", sort=False)]
    n_columns = maps.groupby("dataset")["map"].nunique().max()
    figure = Figure((1.7 * n_columns, 1.95 * len(rows) + 0.25))
    grid = figure.subplots(len(rows), n_columns, squeeze=False)
    for axes, (dataset, row) in zip(grid, rows, strict=True):
        axes[0].set_ylabel(dataset)
        shown = [*row.groupby("map", sort=False)]
        for axis, (title, samples) in zip(axes, shown, strict=False):
            _scatter(axis, samples[["x", "y"]].to_numpy(), samples["class"].to_numpy())
            axis.set_title(title)
        for spare in axes[len(shown) :]:
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
        maps = maps_of_fits(
            fit_cells(read_evidence(snakemake), snakemake.params.fits), snakemake.params.seed
        )
        write_figure(snakemake.output, draw_embedding(maps), maps)
