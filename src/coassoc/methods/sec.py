"""SEC: spectral ensemble clustering as weighted k-means.

H. Liu, J. Wu, T. Liu, D. Tao, Y. Fu, "Spectral ensemble clustering via weighted k-means:
theoretical and practical evidence", IEEE TKDE 29(5), 2017. The normalised cut of the co-association
matrix Z Zᵀ is

    min Σ_i w_i ‖z_i / w_i − m_π(i)‖²,   w = Z Zᵀ 1,

that is, k-means of the scaled rows of Z with the degrees w as weights. Each row has m entries, so a
round costs O(nmc), and no co-association matrix is needed.

What the paper leaves open
--------------------------
- k-means uses the best of ten k-means++ starts, which fits LTA's tables better than one or fifty
  such starts, or starts at random samples.
- Samples of a microcluster have the same row and degree, so they are one row with weight r_k w_k.
"""

from typing import Any, ClassVar

from coassoc.ensemble import Ensemble
from coassoc.methods.base import ConsensusClusterer, Labels, RandomState
from coassoc.methods.parameters import Cost
from coassoc.numerics.sparse import scaled_rows
from coassoc.partition.labels import labels_of_samples
from coassoc.partition.spectral import k_means


class SEC(ConsensusClusterer):
    """Spectral ensemble clustering via weighted k-means (Liu et al. 2017).

    `random_state` is the seed of k-means.

    The base classes describe further parameters and attributes.
    """

    title: ClassVar = "Spectral ensemble clustering via weighted k-means"
    paper: ClassVar = "Liu, Wu, Liu, Tao & Fu, IEEE TKDE 2017"
    cost: ClassVar = Cost(seconds=0.51, power=2, squares=0)

    def _consensus(self, ensemble: Ensemble, X: Any, random_state: RandomState) -> Labels:
        micro = ensemble.microclusters
        Z = ensemble.microcluster_membership
        # Degrees relative to the largest possible degree, because scaling w changes no partition.
        w = Z @ ensemble.cluster_sizes / (ensemble.n_samples * ensemble.n_clusterings)
        points = scaled_rows(Z, 1 / w)
        labels = k_means(points, self.n_clusters, random_state, weights=micro.r * w)
        return labels_of_samples(labels, micro, self.n_clusters)
