"""Probability trajectories: PTA and PTGP.

D. Huang, J.-H. Lai, C.-D. Wang, "Robust ensemble clustering using probability trajectories", IEEE
TKDE 28(5), 2016. The methods use random walks on the elite links between microclusters. In the
linkage and in k-means, each microcluster counts once, independent of its size.

If labels are missing, the link of a pair is its co-association in the base clusterings that label
both. In PTGP, a cluster consists of the microclusters with its label.

What the paper leaves open
--------------------------
- K = T = min(20, ⌊√n'/2⌋), with the limit of 20 from the authors' demonstration program. On
  Caltech20 the ARI is below that in EC-CMS's Table IV, which K = T = 40 fits. On the other data
  sets of this table the default is nearer (``eccms_protocol_pta``).
- Links equal to the K-th largest link are kept too.
- Complete linkage uses the maximum of the distances, as usual. Eq. (14) of the paper contains a
  sum.
"""

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from coassoc.ensemble import Ensemble
from coassoc.methods.base import ConsensusClusterer, Labels, RandomState
from coassoc.methods.parameters import Cost, choice, integer
from coassoc.partition.labels import labels_of_samples
from coassoc.partition.linkage import LINKAGES, agglomerate, cut
from coassoc.partition.spectral import transfer_cut_labels
from coassoc.similarity import probability_trajectory_similarity


class _ProbabilityTrajectories(ConsensusClusterer):
    """Base class of the trajectory methods.

    Parameters
    ----------
    n_neighbors : int, optional
        K, number of elite neighbours of each microcluster. Default: min(20, ⌊√n'/2⌋).
    n_steps : int, optional
        T, length of the trajectories, with the same default.

    Attributes
    ----------
    affinity_ : InvariantMatrix
        The PTS matrix.
    """

    paper: ClassVar = "Huang, Lai & Wang, IEEE TKDE 2016"
    offers: ClassVar = ("affinity_",)
    takes_missing: ClassVar = True
    n_neighbors: int | None = integer(None, minimum=1)
    n_steps: int | None = integer(None, minimum=1)


class PTA(_ProbabilityTrajectories):
    """Probability trajectory accumulation: linkage of microclusters on PTS (Huang et al. 2016).

    The method is deterministic and ignores `random_state`.

    The base classes describe further parameters and attributes.

    Parameters
    ----------
    linkage : {"average", "complete", "single"}
        Linkage criterion on 1 − `affinity_`.
    """

    cost: ClassVar = Cost(seconds=0.59, power=3, squares=4)
    reads_matrix: ClassVar = True
    linkage: str = choice("average", LINKAGES)

    def _consensus(self, ensemble: Ensemble, X: Any, random_state: RandomState) -> Labels:
        self.affinity_ = probability_trajectory_similarity(ensemble, self.n_neighbors, self.n_steps)
        self._linkage = self.linkage
        labels = self._linked(self.affinity_.S, self.n_clusters)
        return labels_of_samples(labels, ensemble.microclusters, self.n_clusters)

    def _relinked(self, order: NDArray[np.intp], n_clusters: int) -> Labels:
        labels = self._linked(self.affinity_.S[np.ix_(order, order)], n_clusters)
        labels = labels[np.argsort(order)]
        return labels_of_samples(labels, self.affinity_.microclusters, n_clusters)

    def _linked(self, S: NDArray[np.float64], n_clusters: int) -> Labels:
        return cut(agglomerate(S, np.ones(len(S)), self.linkage), n_clusters)


class PTGP(_ProbabilityTrajectories):
    """Probability trajectory based graph partitioning (Huang et al. 2016).

    Transfer cut of the bipartite graph of microclusters and clusters. The weight of an edge is the
    mean PTS of the microcluster and the microclusters in the cluster.

    The base classes describe further parameters and attributes.
    """

    title: ClassVar = "Probability trajectory based graph partitioning"
    cost: ClassVar = Cost(seconds=2.3, power=2, squares=4, link_squares=2)

    def _consensus(self, ensemble: Ensemble, X: Any, random_state: RandomState) -> Labels:
        self.affinity_ = probability_trajectory_similarity(ensemble, self.n_neighbors, self.n_steps)
        Z = ensemble.microcluster_membership
        sizes_in_microclusters = np.asarray(Z.sum(axis=0)).ravel()
        B = np.asarray((Z.T @ self.affinity_.S).T) / sizes_in_microclusters
        return transfer_cut_labels(ensemble, B, self.n_clusters, random_state, weighted=False)
