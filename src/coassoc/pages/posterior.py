"""The page and the files of a posterior of partitions: ``coassoc posterior``."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from numpy.typing import NDArray

from coassoc.ensemble import Ensemble
from coassoc.errors import TooLargeError
from coassoc.io.draws import DrawTable
from coassoc.io.labels import EncodedLabels
from coassoc.pages.rendering import write_lines, write_page
from coassoc.pages.style import COLOURS, blank, canvas, divide, embedded, styled
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
from coassoc.selection import lower_bound

#: Most pixels of a side of a matrix.
_PIXELS = 400
#: Clusters that lines part from each other.
_MOST_LINES = 30


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
    #: None where there is one chain.
    chains: ChainEstimates | None

    @property
    def verdict(self) -> str:
        """The estimate in a sentence."""
        estimate = self.estimate
        costs = "" if estimate.a == 1 else f" with a = {estimate.a:g}"
        number = f"{estimate.n_clusters} clusters" if estimate.n_clusters > 1 else "one cluster"
        best = int((estimate.found < estimate.found.min() + 1e-9).sum())
        return (
            f"{number} of {self.draws.n_items:,} items have the least expected loss, "
            f"{estimate.loss}{costs} {estimate.expected_loss:.6g}, that was found; {best} of "
            f"{len(estimate.found)} searches ended there."
        )


def summarise(table: DrawTable, loss: str, level: float, **search: Any) -> PosteriorSummary:
    """The estimate of draws, and how sure it is; `search` as of :func:`point_estimate`."""
    draws = Draws.of(table.labels)
    estimate = point_estimate(draws, loss, **search)
    metric = "Binder" if loss == "Binder" else "VI"
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
    page, clusters, similarity, numbers = made = files_of_posterior(stem)
    items, estimate = summary.table.items, summary.estimate
    together = similarity_matrix(summary.draws)
    probabilities = pd.DataFrame(
        number_probabilities(summary.draws).items(), columns=["clusters", "probability"]
    )
    write_lines(clusters, _clusters(summary))
    write_lines(similarity, pd.DataFrame(together, index=items, columns=items), index=True)
    write_lines(numbers, probabilities)
    write_page(
        page,
        "posterior.html",
        title=f"Posterior of partitions: {about}",
        summary=summary,
        effective=effective_draws(summary.draws),
        ball=_ball(summary),
        sizes=np.bincount(estimate.labels).tolist(),
        known=int((summary.partial.labels >= 0).sum()),
        chains=None if summary.chains is None else _chains(summary.chains),
        picture=embedded(plot_similarity(together, estimate.labels)),
        numbers=embedded(plot_numbers(probabilities)),
        partials=embedded(plot_partial(summary.partial)),
        best=_distance_to_best(summary),
    )
    return made


def _distance_to_best(summary: PosteriorSummary) -> str:
    """How far Binder's loss can be from the least one; of other losses no bound is known here."""
    estimate, draws = summary.estimate, summary.draws
    if estimate.loss != "Binder" or estimate.a != 1:
        return ""
    to_loss = 2 / (draws.n_items**2 * draws.n_draws)
    reached = float(np.rint(estimate.expected_loss / to_loss))
    try:
        labels = EncodedLabels([*range(draws.n_draws)], draws.labels[draws.place].T)
        bound = lower_bound(Ensemble.from_labels(labels), reached)
    except TooLargeError:
        return ""
    return f"No partition has a loss below {bound.disagreements * to_loss:.6g}" + (
        ", so that this one is the best."
        if bound.within(reached) == 0
        else f"; this one is {bound.words(reached)}."
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
        (name, len(found), found[0].max() + 1, f"{away[place[found[0].tobytes()]]:.4g}")
        for name, found in bounds.items()
    ]
    return pd.DataFrame(lines, columns=["bound", "partitions", "clusters", "distance"])


def _chains(chains: ChainEstimates) -> pd.DataFrame:
    table = pd.DataFrame(
        {
            "chain": chains.chains,
            "clusters": [estimate.n_clusters for estimate in chains.estimates],
            "expected loss": [f"{estimate.expected_loss:.4g}" for estimate in chains.estimates],
        }
    )
    for name, column in zip(chains.chains, chains.VI.T, strict=True):
        table[f"VI to {name}"] = [f"{distance:.3f}" for distance in column]
    return table


@styled
def plot_similarity(together: NDArray[np.float64], labels: NDArray[np.intp]) -> Figure:
    """Posterior similarities in the order of the estimate, a few clusters between white lines.

    A pixel is the mean over as many items as it takes for at most 400 pixels a side.
    """
    n = len(labels)
    same = labels[:, None] == labels
    own = (together * same).sum(axis=1) / same.sum(axis=1)
    order = np.lexsort((-own, labels))  # in a cluster the surest items first
    step = -(-n // _PIXELS)
    starts = np.arange(0, n, step)
    means = np.add.reduceat(np.add.reduceat(together[order][:, order], starts), starts, axis=1)
    sizes = np.diff(np.append(starts, n))
    figure, axis = canvas(4.6, 3.6)
    image = axis.imshow(means / np.outer(sizes, sizes), vmin=0, vmax=1, cmap="viridis")
    figure.colorbar(image, ax=axis, label="posterior similarity")
    borders = (np.flatnonzero(np.diff(labels[order])) + 1) / step
    if len(borders) < _MOST_LINES:  # more would hide the picture
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
    axis.set(xlabel="items with a stated cluster", ylabel="posterior probability", ylim=(0, 1.02))
    return figure
