"""The page and the files of ``coassoc posterior``."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import numpy as np
import pandas as pd

from coassoc.evidence import Evidence
from coassoc.io.display import cluster_numbers, count_of
from coassoc.io.draws import DrawTable
from coassoc.pages.pictures import plot_consensus_matrix
from coassoc.pages.rendering import write_lines
from coassoc.pages.report import Section, write_report
from coassoc.posterior import (
    Draws,
    PointEstimate,
    allocation_probabilities,
    chain_estimates,
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
    "VI is the variation of information between the estimates of two chains, in bits. If it is "
    "large, the chains have probably not converged."
)


def files_of_posterior(stem: str | Path) -> list[Path]:
    """The page, the clusters, the similarities and the numbers of clusters."""
    ends = (".html", ".csv", "_similarity.csv", "_clusters.csv")
    return [Path(f"{stem}{end}") for end in ends]


def write_posterior(
    stem: str | Path,
    table: DrawTable,
    draws: Draws,
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
    draws : Draws
        The draws of the table.
    estimate : PointEstimate
        Estimate from all draws. `search` has its arguments, for the estimates of the chains.
    level : float
        Probability of the credible ball and the partial partition.
    about : str
        Description of the draws, for the title.
    """
    page, clusters, similarity, numbers = paths = files_of_posterior(stem)
    items, together = table.items, similarity_matrix(draws)
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
    write_lines(clusters, pd.DataFrame(columns))
    write_lines(similarity, pd.DataFrame(together, index=items, columns=items), index=True)
    write_lines(numbers, probabilities)
    bounds = {
        "vertical upper": ball.upper,
        "vertical lower": ball.lower,
        "horizontal": ball.horizontal,
    }
    sections = [
        Section(
            f"{estimate!r}\nThe {count_of(draws.rows.n_draws, 'draw')} contain "
            f"{count_of(len(draws.rows.weights), 'distinct partition')}.",
            figures={
                "Posterior similarities": plot_consensus_matrix(
                    Evidence(together), cluster_numbers(estimate.labels)
                )
            },
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
            "The column “certain” of posterior.csv is a partition of "
            f"{count_of(int((partial.labels >= 0).sum()), 'item')} that has a probability of "
            f"{partial.probability:.3f}.",
            probabilities,
            heading="Numbers of clusters and certain items",
            caption=_PROBABILITY,
        ),
    ]
    if len({*table.chains.tolist()}) > 1:
        chains = chain_estimates(table.labels, table.chains, **search)
        distances = pd.DataFrame(chains.VI, columns=[f"VI to {name}" for name in chains.chains])
        distances.insert(0, "chain", chains.chains)
        distances.insert(1, "clusters", [each.n_clusters for each in chains.estimates])
        distances.insert(2, "expected loss", [each.expected_loss for each in chains.estimates])
        sections.append(Section(table=distances, heading="Chains", caption=_CHAINS))
    write_report(page, f"Posterior of partitions: {about}", sections)
    return paths
