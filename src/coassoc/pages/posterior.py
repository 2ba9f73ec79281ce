"""The page and the files of ``coassoc posterior``."""

from itertools import islice
from pathlib import Path
from typing import Literal

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from coassoc.evidence import Evidence
from coassoc.io.display import cluster_numbers, count_of
from coassoc.pages.pictures import plot_consensus_matrix
from coassoc.pages.rendering import write_lines
from coassoc.pages.report import Section, write_report
from coassoc.pages.style import COLOURS, canvas, cluster_colour, panels, styled
from coassoc.posterior import (
    Convergence,
    Draws,
    PartialPartition,
    PointEstimate,
    allocation_probabilities,
    credible_ball,
    number_probabilities,
    partial_partition,
    similarity_matrix,
)

_SIMILARITIES = (
    "Colours show the fraction of draws that join two items, and white lines separate the clusters "
    "of the estimate. If few searches ended at the estimate, more starts may find a better "
    "partition."
)
_BOUNDS = (
    "The bounds are draws inside the ball (Wade and Ghahramani 2018): the upper bound has the "
    "fewest clusters, the lower bound has the most, and the horizontal bound is the farthest from "
    "the estimate. The radius is a variation of information in bits, or Binder's loss if the "
    "estimate minimises this loss."
)
_PROBABILITY = (
    "For the column “probability” of posterior.csv, the clusters of each draw are matched one to "
    "one with those of the estimate. The column gives the fraction of draws in which the cluster "
    "of the item is matched with its cluster in the estimate."
)
_CHAINS = (
    "Split R̂ compares halves of chains; it is near 1 if they agree. Bulk ESS is the number of "
    "independent draws that would be as precise (Vehtari et al. 2021). The table describes a draw "
    "by its number of clusters, its variation of information from the estimate, its difference in "
    "distance from two representative partitions, and whether it joins the items of an uncertain "
    "pair. The figure shows the first three in the order of the draws; colours are chains."
)
_MODES = (
    "Each draw is represented by the nearest of the partitions in the columns “representative” of "
    "posterior.csv (Balocchi and Wade 2025). The columns give the fraction of the draws of each "
    "chain."
)
_CERTAIN = (
    "The figure shows the fraction of the draws that partition the items in exactly one way, for "
    "sets of items that grow by the most certain item. Larger sets may exist."
)

_FURTHER = (
    " This may not hold in further draws: a set that is chosen from half of the draws holds in "
    "{:.1f} % of the other half."
)


def files_of_posterior(stem: str | Path) -> list[Path]:
    """The page, the clusters, the similarities and the numbers of clusters."""
    ends = (".html", ".csv", "_similarity.csv", "_clusters.csv")
    return [Path(f"{stem}{end}") for end in ends]


def write_posterior(
    stem: str | Path,
    draws: Draws,
    estimate: PointEstimate,
    chains: Convergence,
    level: float,
    about: str,
) -> list[Path]:
    """Write :func:`files_of_posterior`.

    Parameters
    ----------
    stem : path
    draws : Draws
    estimate : PointEstimate
        Estimate from all draws.
    chains : Convergence
        Comparison of the chains.
    level : float
        Probability of the credible ball and the partial partition.
    about : str
        Description of the draws, for the title.
    """
    page, clusters, similarity, numbers = paths = files_of_posterior(stem)
    items, together = [*draws.names], similarity_matrix(draws)
    probabilities = pd.DataFrame(
        number_probabilities(draws).items(), columns=["clusters", "probability"]
    )
    metric: Literal["VI", "Binder"] = "Binder" if estimate.loss == "Binder" else "VI"
    ball = credible_ball(draws, estimate.labels, level, metric)
    partial = partial_partition(draws, level)
    allocations = allocation_probabilities(draws, estimate.labels)
    columns = {
        "item": items,
        "cluster": cluster_numbers(estimate.labels),
        "probability": allocations[np.arange(len(items)), estimate.labels],
        "certain": np.where(partial.labels < 0, "", cluster_numbers(partial.labels).astype(str)),
        "upper": cluster_numbers(ball.upper[0]),
        "lower": cluster_numbers(ball.lower[0]),
        "horizontal": cluster_numbers(ball.horizontal[0]),
    }
    representatives = [] if chains.modes is None else [*chains.modes.labels.T]
    columns |= {
        f"representative {l}": cluster_numbers(one) for l, one in enumerate(representatives, 1)
    }
    write_lines(clusters, pd.DataFrame(columns))
    write_lines(similarity, pd.DataFrame(together, index=items, columns=items), index=True)
    write_lines(numbers, probabilities)
    bounds = {
        "vertical upper": ball.upper,
        "vertical lower": ball.lower,
        "horizontal": ball.horizontal,
    }
    quantities = pd.DataFrame({"split R̂": chains.rhat, "bulk ESS": chains.ess})
    covers = pd.DataFrame(
        chains.covers,
        columns=[f"representative {l + 1}" for l in range(len(representatives))],
    )
    covers.insert(0, "chain", chains.chains)
    sections = [
        Section(
            chains.verdict,
            quantities.rename_axis("quantity").reset_index(),
            {"Traces": plot_traces(draws, chains)},
            heading="Convergence",
            caption=_CHAINS,
        ),
        *(
            [Section(chains.verdict_on_modes, covers, heading="Modes", caption=_MODES)]
            if representatives
            else []
        ),
        Section(
            f"{estimate!r}\nThe {count_of(draws.n_draws, 'draw')} contain "
            f"{count_of(len(draws.rows.weights), 'distinct partition')}.",
            figures={
                "Posterior similarities": plot_consensus_matrix(
                    Evidence(together), cluster_numbers(estimate.labels)
                )
            },
            heading="Estimate",
            caption=_SIMILARITIES,
        ),
        Section(
            f"A ball of radius {ball.radius:.4g} around the estimate contains "
            f"{100 * ball.mass:.1f} % of the draws. The table lists its bounds.",
            pd.DataFrame(
                {
                    "bound": [*bounds],
                    "partitions": [*map(len, bounds.values())],
                    "clusters": [bound[0].max() + 1 for bound in bounds.values()],
                }
            ),
            heading="Credible ball",
            caption=_BOUNDS,
        ),
        Section(
            f"In {100 * partial.probability:.1f} % of the draws, at least "
            f"{count_of(int((partial.labels >= 0).sum()), 'item')} have exactly the clusters of "
            "the column “certain” of posterior.csv."
            + ("" if partial.holds else _FURTHER.format(100 * partial.held_out)),
            figures={"Size and probability": plot_partial(partial)},
            heading="Jointly certain items",
            caption=_CERTAIN,
        ),
        Section(
            table=probabilities,
            heading="Numbers of clusters",
            caption=_PROBABILITY,
        ),
    ]
    write_report(page, f"Posterior of partitions: {about}", sections)
    return paths


@styled
def plot_traces(draws: Draws, chains: Convergence) -> Figure:
    """Numbers that describe the draws, in their order, with a colour for each chain."""
    series = dict(islice(chains.series.items(), 3))
    figure, axes = panels(len(series), most=1, width=6.2, sharex=True)
    for axis, (name, values) in zip(axes, series.items(), strict=True):
        for number, chain in enumerate(chains.chains):
            own = values[draws.chains == chain]
            axis.plot(own, color=cluster_colour(number), linewidth=0.6)
        axis.set_ylabel(name.replace(" ", "\n", 1), fontsize=8)
    axes[-1].set_xlabel("draw of a chain")
    return figure


@styled
def plot_partial(partial: PartialPartition, axis: Axes | None = None) -> Figure:
    """Fraction of the draws that partition growing sets of items in exactly one way."""
    figure, axis = canvas(5.2, 2.6, axis)
    sizes = np.arange(1, len(partial.probabilities) + 1)
    axis.plot(sizes, partial.probabilities, color=COLOURS["blue"])
    axis.plot((partial.labels >= 0).sum(), partial.probability, "o", color=COLOURS["orange"])
    axis.set(xlabel="number of items", ylabel="fraction of the draws", ylim=(-0.03, 1.03))
    return figure
