"""Point estimates from posterior draws of partitions, and their uncertainty.

Draws are items × draws: the cluster of each item in each draw.
"""

from coassoc.posterior.convergence import Convergence as Convergence
from coassoc.posterior.convergence import convergence as convergence
from coassoc.posterior.draws import Draws as Draws
from coassoc.posterior.losses import LOSSES as LOSSES
from coassoc.posterior.losses import expected_loss as expected_loss
from coassoc.posterior.losses import losses_of_draws as losses_of_draws
from coassoc.posterior.partial import PartialPartition as PartialPartition
from coassoc.posterior.partial import partial_partition as partial_partition
from coassoc.posterior.representatives import Representatives as Representatives
from coassoc.posterior.representatives import representative_partitions as representative_partitions
from coassoc.posterior.search import PointEstimate as PointEstimate
from coassoc.posterior.search import point_estimate as point_estimate
from coassoc.posterior.similarities import similarity_estimate as similarity_estimate
from coassoc.posterior.similarities import similarity_loss as similarity_loss
from coassoc.posterior.uncertainty import CredibleBall as CredibleBall
from coassoc.posterior.uncertainty import allocation_probabilities as allocation_probabilities
from coassoc.posterior.uncertainty import credible_ball as credible_ball
from coassoc.posterior.uncertainty import number_probabilities as number_probabilities
from coassoc.posterior.uncertainty import similarity_matrix as similarity_matrix
