"""The page and the files of ``coassoc posterior``."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from numpy.typing import NDArray

from coassoc.display import count_of
from coassoc.io.draws import DrawTable
from coassoc.pages.rendering import write_lines
from coassoc.pages.report import Section, write_report
from coassoc.pages.style import COLOURS, blank, canvas, divide, styled
from coassoc.posterior import (
    ChainEstimates,
    CredibleBall,
    Draws,
    PartialPartition,
    PointEstimate,
    allocation_probabilities,
    chain_estimates,
    credible_ball,
    effective_draws,
    number_probabilities,
    partial_partition,
    similarity_matrix,
)

#: Largest number of pixels along one side of a matrix.
_PIXELS = 400
#: Largest number of clusters that lines separate.
_MOST_LINES = 30
_SIMILARITIES = (
    "Colours show the fraction of draws that join two items, with items in the order of the "
    "estimate. White lines separate the clusters of the estimate, unless there are many clusters. "
    "The estimate is the best partition that the search found. If few searches ended at the "
    "estimate, more starts may find a better partition."
)
_BOUNDS = (
    "The bounds are draws inside the ball (Wade and Ghahramani, 2018). The vertical upper bound "
    "has the fewest clusters, and the vertical lower bound has the most clusters. The horizontal "
    "bound is the farthest from the estimate. If the estimate minimises Binder's loss, distances "
    "are in this loss. Otherwise they are variations of information in bits."
)
_CHAINS = (
    "The table shows the estimate of each chain and the variation of information between the "
    "estimates, in bits. This distance is 0 if two chains have the same estimate. If the "
    "estimates of two chains are far apart, the chains have probably not converged."
)


def files_of_posterior(stem: str | Path) -> list[Path]:
    """The page, the clusters, the similarities and the numbers of clusters."""
    ends = (".html", ".csv", "_similarity.csv", "_clusters.csv")
    return [Path(f"{stem}{end}") for end in ends]


def write_posterior(
    stem: str | Path,
    table: DrawTable,
    estimate: PointEstimate,
    level: float,
    about: str,
    **search: Any,
) -> list[Path]:
    """Write :func:`files_of_posterior`.

    Parameters
    ----------
    stem : path
    table : DrawTable
    estimate : PointEstimate
        Estimate from all draws. `search` has its arguments, for the estimates of the chains.
    level : float
        Probability of the credible ball and the partial partition.
    about : str
        Description of the draws, for the title.
    """
    page, clusters, similarity, numbers = paths = files_of_posterior(stem)
    draws, items = Draws.of_items(table.labels), table.items
    together = similarity_matrix(draws)
    probabilities = pd.DataFrame(
        number_probabilities(draws).items(), columns=["clusters", "probability"]
    )
    metric: Literal["VI", "Binder"] = "Binder" if estimate.loss == "Binder" else "VI"
    ball = credible_ball(draws, estimate.labels, level, metric)
    partial = partial_partition(draws, level)
    allocations = allocation_probabilities(draws, estimate.labels)
    columns = {
        "item": items,
        "cluster": estimate.labels,
        "probability": allocations[np.arange(len(items)), estimate.labels],
        "certain": np.where(partial.labels < 0, "", partial.labels.astype(str)),
        "upper": ball.upper[0],
        "lower": ball.lower[0],
        "horizontal": ball.horizontal[0],
    }
    write_lines(clusters, pd.DataFrame(columns))
    write_lines(similarity, pd.DataFrame(together, index=items, columns=items), index=True)
    write_lines(numbers, probabilities)
    sections = [
        Section(
            f"{_estimate(estimate)}\nThe {count_of(draws.n_draws, 'draw')} contain "
            f"{count_of(len(draws.weights), 'distinct partition')}, equivalent to "
            f"{effective_draws(draws):,.1f} equally frequent partitions.",
            figures={"Posterior similarities": plot_similarity(together, estimate.labels)},
            caption=_SIMILARITIES,
        ),
        Section(
            f"A ball of radius {ball.radius:.4g} around the estimate contains "
            f"{100 * ball.mass:.1f} % of the draws. The table lists its bounds.",
            _bounds(draws, ball),
            heading="Credible ball",
            caption=_BOUNDS,
        ),
        Section(
            figures={
                "Probabilities of numbers of clusters": plot_numbers(probabilities),
                "Probabilities of partial partitions": plot_partial(partial),
            },
            caption=_partial_caption(partial),
        ),
    ]
    if len({*table.chains.tolist()}) > 1:
        chains = chain_estimates(table.labels, table.chains, **search)
        sections.append(Section(table=_chains(chains), heading="Chains", caption=_CHAINS))
    write_report(page, f"Posterior of partitions: {about}", sections)
    return paths


def _estimate(estimate: PointEstimate) -> str:
    """The lines that describe an estimate, as sentences."""
    lines = str(estimate).splitlines()
    return " ".join(f"{line[0].upper()}{line[1:]}." for line in lines)


def _partial_caption(partial: PartialPartition) -> str:
    return (
        'The column "certain" of posterior.csv is a partition of '
        f"{count_of(int((partial.labels >= 0).sum()), 'item')} that has a probability of "
        f"{partial.probability:.3f}. The last figure shows how this probability falls as more "
        'items are included. For the column "probability" of posterior.csv, the clusters of each '
        "draw are matched one to one with the clusters of the estimate. The column gives the "
        "fraction of draws in which the cluster of the item is matched with its cluster in the "
        "estimate."
    )


def _bounds(draws: Draws, ball: CredibleBall) -> pd.DataFrame:
    away = np.empty(len(draws.weights))
    away[draws.place] = ball.distances
    place = {labels.tobytes(): k for k, labels in enumerate(draws.labels)}
    bounds = {
        "vertical upper": ball.upper,
        "vertical lower": ball.lower,
        "horizontal": ball.horizontal,
    }
    lines = [
        (name, len(bound), bound[0].max() + 1, away[place[bound[0].tobytes()]])
        for name, bound in bounds.items()
    ]
    return pd.DataFrame(lines, columns=["bound", "partitions", "clusters", "distance"])


def _chains(chains: ChainEstimates) -> pd.DataFrame:
    table = pd.DataFrame(
        {
            "chain": chains.chains,
            "clusters": [estimate.n_clusters for estimate in chains.estimates],
            "expected loss": [estimate.expected_loss for estimate in chains.estimates],
        }
    )
    return table.join(pd.DataFrame(chains.VI, columns=[f"VI to {name}" for name in chains.chains]))


@styled
def plot_similarity(together: NDArray[np.float64], labels: NDArray[np.intp]) -> Figure:
    """Posterior similarities in the order of the estimate, with white lines between clusters.

    A pixel is the mean over several items if there are more than 400 items.
    """
    n = len(labels)
    same = labels[:, None] == labels
    own_mean = (together * same).sum(axis=1) / same.sum(axis=1)
    order = np.lexsort((-own_mean, labels))  # inside a cluster, the most certain items come first
    step = -(-n // _PIXELS)
    starts = np.arange(0, n, step)
    means = np.add.reduceat(np.add.reduceat(together[order][:, order], starts), starts, axis=1)
    sizes = np.diff(np.append(starts, n))
    figure, axis = canvas(4.6, 3.6)
    image = axis.imshow(means / np.outer(sizes, sizes), vmin=0, vmax=1, cmap="viridis")
    figure.colorbar(image, ax=axis, label="posterior similarity")
    borders = (np.flatnonzero(np.diff(labels[order])) + 1) / step
    if len(borders) < _MOST_LINES:  # more lines would hide the matrix
        divide(axis, borders, "white", 0.6)
    blank(axis)
    return figure


@styled
def plot_numbers(probabilities: pd.DataFrame) -> Figure:
    """Posterior probability of each number of clusters."""
    figure, axis = canvas(3.6, 2.2)
    axis.bar(probabilities["clusters"], probabilities["probability"], color=COLOURS["blue"])
    axis.set(xlabel="number of clusters", ylabel="posterior probability")
    axis.xaxis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))
    return figure


@styled
def plot_partial(partial: PartialPartition) -> Figure:
    """Probability of the partial partitions by their number of items."""
    figure, axis = canvas(3.6, 2.2)
    edges = np.arange(len(partial.order) + 1) + 0.5
    axis.stairs(partial.probabilities, edges, baseline=None, color=COLOURS["red"], linewidth=1.2)
    axis.xaxis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))
    axis.set(xlabel="items with a certain cluster", ylabel="posterior probability", ylim=(0, 1.02))
    return figure
