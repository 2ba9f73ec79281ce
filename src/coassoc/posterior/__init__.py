"""What draws of partitions from a posterior say: a point estimate, and how sure it is.

Draws are items × draws: the cluster of each item in each draw.
"""

from coassoc.posterior.draws import Draws
from coassoc.posterior.losses import LOSSES, expected_loss, losses_of_draws
from coassoc.posterior.search import PointEstimate, point_estimate

__all__ = [
    "LOSSES",
    "Draws",
    "PointEstimate",
    "expected_loss",
    "losses_of_draws",
    "point_estimate",
]
