"""The page and the files of a posterior of partitions: ``coassoc posterior``."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from numpy.typing import NDArray

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
    point_estimate,
    similarity_matrix,
)
from coassoc.posterior.losses import Loss

#: Largest number of pixels along one side of a matrix.
_PIXELS = 400
#: Largest number of clusters that lines separate.
_MOST_LINES = 30
_SIMILARITIES = (
    "Colours show the fraction of draws that join two items, with items in the order of the "
    "estimate. White lines separate the clusters of the estimate, unless there are many "
    "clusters. The estimate is the best partition that the search found. If few searches ended "
    "at it, more starts may find a better one."
)
_BOUNDS = (
    "The bounds are draws inside the ball (Wade and Ghahramani, 2018). The vertical upper bound "
    "has the fewest clusters, and the vertical lower bound has the most. The horizontal bound is "
    "the farthest from the estimate. If the estimate minimises Binder's loss, distances are in "
    "this loss. Otherwise they are variations of information in bits."
)
_CHAINS = (
    "The table has the estimate of each chain and the variation of information between the "
    "estimates, in bits. This distance is 0 if two chains have the same estimate. Chains whose "
    "estimates are far apart have not reached the same posterior."
)


@dataclass(frozen=True, eq=False)
class PosteriorSummary:
    """What :func:`summarise` finds."""

    table: DrawTable
    draws: Draws
    estimate: PointEstimate
    level: float
    ball: CredibleBall
    allocations: NDArray[np.float64]
    partial: PartialPartition
    #: Estimates of the chains, or None if there is only one chain.
    chains: ChainEstimates | None

    @property
    def verdict(self) -> str:
        """The estimate in a sentence."""
        estimate = self.estimate
        costs = "" if estimate.a == 1 else f" with a = {estimate.a:g}"
        number = f"{estimate.n_clusters} clusters" if estimate.n_clusters > 1 else "one cluster"
        return (
            f"{number} of {self.draws.n_items:,} items have the smallest expected loss that was "
            f"found ({estimate.loss}{costs} {estimate.expected_loss:.6g}). {estimate.n_best} of "
            f"{len(estimate.found)} searches ended at this partition."
        )


def summarise(table: DrawTable, loss: Loss, level: float, **search: Any) -> PosteriorSummary:
    """The estimate of draws, and how sure it is; `search` as of :func:`point_estimate`."""
    draws = Draws.of_items(table.labels)
    estimate = point_estimate(draws, loss, **search)
    metric: Literal["VI", "Binder"] = "Binder" if loss == "Binder" else "VI"
    several = len(set(table.chains.tolist())) > 1
    return PosteriorSummary(
        table,
        draws,
        estimate,
        level,
        credible_ball(draws, estimate.labels, level, metric),
        allocation_probabilities(draws, estimate.labels),
        partial_partition(draws, level),
        chain_estimates(table.labels, table.chains, loss, **search) if several else None,
    )


def files_of_posterior(stem: str | Path) -> list[Path]:
    """The page, the clusters, the similarities and the numbers of clusters."""
    ends = (".html", ".csv", "_similarity.csv", "_clusters.csv")
    return [Path(f"{stem}{end}") for end in ends]


def write_posterior(stem: str | Path, summary: PosteriorSummary, about: str) -> list[Path]:
    """Write :func:`files_of_posterior`; `about` says of which draws, in the title."""
    page, clusters, similarity, numbers = paths = files_of_posterior(stem)
    items, estimate = summary.table.items, summary.estimate
    together = similarity_matrix(summary.draws)
    probabilities = pd.DataFrame(
        number_probabilities(summary.draws).items(), columns=["clusters", "probability"]
    )
    write_lines(clusters, _clusters(summary))
    write_lines(similarity, pd.DataFrame(together, index=items, columns=items), index=True)
    write_lines(numbers, probabilities)
    sections = [
        Section(
            f"{summary.verdict}\n{_sizes(summary)}",
            figures={"Posterior similarities": plot_similarity(together, estimate.labels)},
            caption=_SIMILARITIES,
        ),
        Section(
            f"A ball of radius {summary.ball.radius:.4g} around the estimate contains "
            f"{summary.ball.mass:.1%} of the draws. The table lists its bounds.",
            _ball(summary),
            heading="Credible ball",
            caption=_BOUNDS,
        ),
        Section(
            figures={
                "Probabilities of numbers of clusters": plot_numbers(probabilities),
                "Probabilities of partial partitions": plot_partial(summary.partial),
            },
            caption=_partial_caption(summary.partial),
        ),
    ]
    if summary.chains is not None:
        chains = _chains(summary.chains)
        sections.append(Section(table=chains, heading="Chains", caption=_CHAINS))
    write_report(page, f"Posterior of partitions: {about}", sections)
    return paths


def _sizes(summary: PosteriorSummary) -> str:
    sizes, draws = np.bincount(summary.estimate.labels).tolist(), summary.draws
    shown = ", ".join(map(str, sizes[:30])) + (", …" if len(sizes) > 30 else ".")
    return (
        f"Sizes of the clusters, numbered from 0: {shown} There are {draws.n_draws:,} draws of "
        f"{len(draws.weights):,} distinct partitions, equivalent to {effective_draws(draws):,.1f} "
        "equally frequent partitions."
    )


def _partial_caption(partial: PartialPartition) -> str:
    return (
        f"With a probability of {partial.probability:.3f}, the partition of "
        f'{int((partial.labels >= 0).sum())} items is as in the column "certain" of '
        "posterior.csv. The table shows how this probability falls as more items are included. The "
        'column "probability" of posterior.csv is the fraction of draws in which an item is in '
        "the cluster that matches its own cluster."
    )


def _clusters(summary: PosteriorSummary) -> pd.DataFrame:
    labels, ball = summary.estimate.labels, summary.ball
    return pd.DataFrame(
        {
            "item": summary.table.items,
            "cluster": labels,
            "probability": summary.allocations[np.arange(len(labels)), labels],
            "certain": np.where(summary.partial.labels < 0, "", summary.partial.labels.astype(str)),
            "upper": ball.upper[0],
            "lower": ball.lower[0],
            "horizontal": ball.horizontal[0],
        }
    )


def _ball(summary: PosteriorSummary) -> pd.DataFrame:
    away = np.empty(len(summary.draws.weights))
    away[summary.draws.place] = summary.ball.distances
    place = {labels.tobytes(): k for k, labels in enumerate(summary.draws.labels)}
    bounds = {
        "vertical upper": summary.ball.upper,
        "vertical lower": summary.ball.lower,
        "horizontal": summary.ball.horizontal,
    }
    lines = [
        (
            name,
            len(partitions),
            partitions[0].max() + 1,
            away[place[partitions[0].tobytes()]],
        )
        for name, partitions in bounds.items()
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
    """Posterior similarities in the order of the estimate, a few clusters between white lines.

    A pixel is the mean over as many items as it takes for at most 400 pixels a side.
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
    """Probability of the partial partitions, by how many items they have."""
    figure, axis = canvas(3.6, 2.2)
    edges = np.arange(len(partial.order) + 1) + 0.5
    axis.stairs(partial.probabilities, edges, baseline=None, color=COLOURS["red"], linewidth=1.2)
    axis.xaxis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))
    axis.set(xlabel="items with a certain cluster", ylabel="posterior probability", ylim=(0, 1.02))
    return figure
