"""Effect of a transform along the samples on the co-association, for two orders of the samples."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from numpy.typing import NDArray

from coassoc.bench.pools.draws import shuffle_pool
from coassoc.ensemble import Ensemble
from coassoc.pages.style import COLOURS, blank, styled
from coassoc.similarity import co_association
from reproduction.figures.inputs import first_ensemble, pool_of
from reproduction.figures.layout import write_figure
from reproduction.running.scripting import job
from reproduction.scores.evidence import read_evidence


def slice_norms(ensemble: Ensemble) -> NDArray:
    """Norms ‖F_k‖, k = 1, …, n // 2, of the slices of a transform along the samples.

    F is the discrete Fourier transform of the co-association matrix along its first index. LTA and
    GTLEC minimise the sum of the nuclear norms of all slices.
    """
    transformed = np.fft.rfft(np.asarray(co_association(ensemble)), axis=0)
    return np.linalg.norm(transformed[1:], axis=1)


@styled
def draw_transform(
    orders: Sequence[tuple[str, Ensemble, Ensemble]],
) -> tuple[Figure, pd.DataFrame]:
    """Co-association of ensembles in stored and in shuffled order, and norms of its slices.

    There is a row of panels for each data set. The norms are also returned.
    """
    figure, lines = Figure((7.2, 2.5 * len(orders))), []
    grid = figure.subplots(len(orders), 3, width_ratios=[1, 1, 1.5], squeeze=False)
    for line, (dataset, stored, shuffled) in zip(grid, orders, strict=True):
        for axis, order, ensemble, colour in (
            (line[0], "order of the file", stored, COLOURS["pink"]),
            (line[1], "shuffled", shuffled, COLOURS["black"]),
        ):
            axis.imshow(np.asarray(co_association(ensemble)), cmap="Greys", vmin=0, vmax=1)
            axis.set_title(f"{dataset}, {order}")
            blank(axis)
            norms = slice_norms(ensemble)
            frequencies = np.arange(1, len(norms) + 1)
            line[2].plot(frequencies, norms, color=colour, linewidth=1, label=order)
            drawn = {"dataset": dataset, "order": order, "frequency": frequencies, "norm": norms}
            lines.append(pd.DataFrame(drawn))
        line[2].set(xscale="log", xlabel="frequency along the sample axis")
        line[2].set(yscale="log", ylabel="norm of the slice")
        line[2].legend(frameon=False)
    return figure, pd.concat(lines)


if __name__ == "__main__":
    with job(snakemake.log[0]):
        orders = []
        for cell in read_evidence(snakemake).cells:
            pool = pool_of(cell)
            shuffled = shuffle_pool(pool, cell.dataset, snakemake.params.seed, 100)
            shown = first_ensemble(pool, cell.m), first_ensemble(shuffled, cell.m)
            orders.append((cell.dataset, *shown))
        write_figure(snakemake.output, *draw_transform(orders))
