"""What a Fourier transform along the samples makes of a co-association matrix in two orders."""

from __future__ import annotations

from collections.abc import Mapping

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray

from coassoc.ensemble import Ensemble
from coassoc.similarity import co_association

__all__ = ["plot_transform", "slice_norms"]

#: Colours of the two orders.
_COLOURS = ("#CC79A7", "#000000")


def slice_norms(ensemble: Ensemble) -> NDArray:
    """Norms of the slices that a transform along the samples has, from the lowest frequency.

    Parameters
    ----------
    ensemble : Ensemble
        Of n samples, in the order in which they are transformed.

    Returns
    -------
    (n // 2,) array
        ‖F_k‖ for k = 1, …, n // 2, where F is the discrete Fourier transform of the co-association
        matrix along its first index. The norm that LTA and GTLEC make small is the sum over all
        slices' nuclear norms.
    """
    transformed = np.fft.rfft(np.asarray(co_association(ensemble)), axis=0)
    return np.linalg.norm(transformed[1:], axis=1)


def plot_transform(ensembles: Mapping[str, Mapping[str, Ensemble]]) -> Figure:
    """The matrices and the norms of their slices, one line of panels for each data set.

    Parameters
    ----------
    ensembles : mapping
        Data set → name of an order → the ensemble in that order; two orders.
    """
    size = (7.2, 2.5 * len(ensembles))
    figure, axes = plt.subplots(
        len(ensembles), 3, figsize=size, width_ratios=[1, 1, 1.5], squeeze=False
    )
    for line, (dataset, orders) in zip(axes, ensembles.items(), strict=True):
        for axis, (order, ensemble), colour in zip(line, orders.items(), _COLOURS, strict=False):
            axis.imshow(np.asarray(co_association(ensemble)), cmap="Greys", vmin=0, vmax=1)
            axis.set_title(f"{dataset}, {order}")
            axis.grid(False)
            axis.set_xticks([])
            axis.set_yticks([])
            norms = slice_norms(ensemble)
            frequencies = np.arange(1, len(norms) + 1)
            line[2].plot(frequencies, norms, color=colour, linewidth=1, label=order)
        line[2].set_xscale("log")
        line[2].set_yscale("log")
        line[2].set_xlabel("frequency along the samples")
        line[2].set_ylabel("norm of the slice")
        line[2].legend(frameon=False)
    return figure
