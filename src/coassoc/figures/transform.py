"""What a Fourier transform along the samples makes of a co-association matrix in two orders."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray

from coassoc.ensemble import Ensemble
from coassoc.figures.inputs import Inputs, first_ensemble
from coassoc.figures.layout import blank
from coassoc.figures.style import COLOURS, styled
from coassoc.pools.draws import shuffle_pool
from coassoc.similarity import co_association

__all__ = ["draw_transform", "slice_norms"]


def slice_norms(ensemble: Ensemble) -> NDArray:
    """Norms of the slices that a transform along the samples has, from the lowest frequency.

    These are ‖F_k‖ for k = 1, …, n // 2, where F is the discrete Fourier transform of the
    co-association matrix along its first index, in the order of the ensemble's samples. The norm
    that LTA and GTLEC make small is the sum over all slices' nuclear norms.
    """
    transformed = np.fft.rfft(np.asarray(co_association(ensemble)), axis=0)
    return np.linalg.norm(transformed[1:], axis=1)


@styled
def draw_transform(inputs: Inputs) -> Figure:
    """Co-association of each pool's first draw as stored and shuffled, and the norms of its slices.

    One line of panels per cell.
    """
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
