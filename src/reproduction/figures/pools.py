"""Figures of pools alone: how reliable co-association values are, and transforms of them."""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from numpy.typing import NDArray

from coassoc.ensemble import Ensemble
from coassoc.pages.style import COLOURS, blank, panels, styled
from coassoc.pools.draws import shuffle_pool
from coassoc.similarity import co_association
from reproduction.figures.inputs import Inputs, first_ensemble
from reproduction.figures.layout import shared_legend


def co_association_reliability(ensemble: Ensemble, classes: NDArray) -> pd.DataFrame:
    """Count pairs by co-association value, in blocks of microclusters.

    Returns
    -------
    DataFrame
        One line per number of base clusterings that put a pair together, 0 to m. Columns: value
        (co-association 0, 1/m, …, 1), share (of all pairs), precision (share of same-class pairs
        among the pairs with at least this value), recall (share of the same-class pairs that have
        at least this value).
    """
    micro, m = ensemble.microclusters, ensemble.n_clusterings
    by_class = pd.crosstab(micro.assignment, classes).to_numpy().astype(np.float64)
    Z = ensemble.microcluster_membership
    pairs, same = np.zeros(m + 1), np.zeros(m + 1)
    for start in range(0, micro.count, 512):
        rows = slice(start, start + 512)
        together = np.rint((Z[rows] @ Z.T).toarray()).astype(np.intp)
        weights = np.outer(micro.r[rows], micro.r)
        matches = by_class[rows] @ by_class.T
        pairs += np.bincount(together.ravel(), weights.ravel(), m + 1)
        same += np.bincount(together.ravel(), matches.ravel(), m + 1)
    # A sample with itself is no pair; it has value 1 and its own class.
    pairs[m] -= ensemble.n_samples
    same[m] -= ensemble.n_samples
    at_least = np.cumsum(pairs[::-1])[::-1]
    same_at_least = np.cumsum(same[::-1])[::-1]
    precision = np.divide(same_at_least, at_least, where=at_least > 0, out=np.full(m + 1, np.nan))
    recall = same_at_least / max(same_at_least[0], 1.0)
    value, share = np.arange(m + 1) / m, pairs / max(pairs.sum(), 1.0)
    columns = {"value": value, "share": share, "precision": precision, "recall": recall}
    return pd.DataFrame(columns)


@styled
def draw_reliability(inputs: Inputs) -> Figure:
    """Share, precision and recall of pairs by their co-association on each pool's first draw."""
    figure, axes = panels(len(inputs.cells), width=8.4, height=2.6)
    for axis, cell in zip(axes, inputs.cells, strict=True):
        pool = inputs.pool(cell)
        curve = co_association_reliability(first_ensemble(pool, cell["m"]), pool.classes)
        value, width = curve["value"], 0.8 * curve["value"][1]
        axis.bar(value, curve["share"], width, color="#BBBBBB", label="share of pairs")
        axis.plot(value, curve["precision"], "o-", color=COLOURS["red"], label="precision")
        axis.plot(value, curve["recall"], "s--", color=COLOURS["blue"], label="recall")
        axis.set_title(cell["dataset"])
        axis.set(xlabel="co-association at least", ylim=(0, 1.02))
    axes[0].set_ylabel("share")
    shared_legend(figure)
    return figure


def slice_norms(ensemble: Ensemble) -> NDArray:
    """Norms ‖F_k‖, k = 1, …, n // 2, of the slices that a transform along the samples has.

    F is the discrete Fourier transform of the co-association matrix along its first index. The norm
    that LTA and GTLEC make small is the sum over all slices' nuclear norms.
    """
    transformed = np.fft.rfft(np.asarray(co_association(ensemble)), axis=0)
    return np.linalg.norm(transformed[1:], axis=1)


@styled
def draw_transform(inputs: Inputs) -> Figure:
    """Co-association of each pool's first draw as stored and shuffled, and norms of its slices."""
    figure = Figure((7.2, 2.5 * len(inputs.cells)))
    grid = figure.subplots(len(inputs.cells), 3, width_ratios=[1, 1, 1.5], squeeze=False)
    for line, cell in zip(grid, inputs.cells, strict=True):
        stored, dataset = inputs.pool(cell), cell["dataset"]
        shuffled = shuffle_pool(stored, dataset, inputs.seed, 100)
        for axis, order, pool, colour in (
            (line[0], "order of the file", stored, COLOURS["pink"]),
            (line[1], "shuffled", shuffled, COLOURS["black"]),
        ):
            ensemble = first_ensemble(pool, cell["m"])
            axis.imshow(np.asarray(co_association(ensemble)), cmap="Greys", vmin=0, vmax=1)
            axis.set_title(f"{dataset}, {order}")
            blank(axis)
            norms = slice_norms(ensemble)
            frequencies = np.arange(1, len(norms) + 1)
            line[2].plot(frequencies, norms, color=colour, linewidth=1, label=order)
        line[2].set(xscale="log", xlabel="frequency along the samples")
        line[2].set(yscale="log", ylabel="norm of the slice")
        line[2].legend(frameon=False)
    return figure
