"""Point estimates from posterior draws of partitions, and their uncertainty.

Draws are items × draws: the cluster of each item in each draw.
"""

from coassoc.posterior.draws import Draws
from coassoc.posterior.losses import LOSSES, expected_loss, losses_of_draws
from coassoc.posterior.representatives import Representatives, representative_partitions
from coassoc.posterior.search import PointEstimate, point_estimate
from coassoc.posterior.similarities import similarity_estimate, similarity_loss
from coassoc.posterior.uncertainty import (
    ChainEstimates,
    CredibleBall,
    PartialPartition,
    allocation_probabilities,
    chain_estimates,
    credible_ball,
    effective_draws,
    number_probabilities,
    partial_partition,
    similarity_matrix,
)

__all__ = [
    "LOSSES",
    "ChainEstimates",
    "CredibleBall",
    "Draws",
    "PartialPartition",
    "PointEstimate",
    "Representatives",
    "allocation_probabilities",
    "chain_estimates",
    "credible_ball",
    "effective_draws",
    "expected_loss",
    "losses_of_draws",
    "number_probabilities",
    "partial_partition",
    "point_estimate",
    "representative_partitions",
    "similarity_estimate",
    "similarity_loss",
    "similarity_matrix",
]
