"""Propagation of cluster-wise similarities: ECPCS-HC and ECPCS-MC.

D. Huang, C.-D. Wang, H. Peng, J. Lai, C.-K. Kwoh, "Enhanced ensemble clustering via fast
propagation of cluster-wise similarities", IEEE Transactions on Systems, Man, and Cybernetics:
Systems 51(1), 2021.

Random walks on the Jaccard graph of all clusters find clusters that are similar although they share
few samples. HC uses these similarities in the co-association matrix and applies linkage; MC
partitions the clusters.

If labels are missing, a cluster consists of the samples with its label, and the mean in HC is over
the base clusterings that label both samples.

What the paper leaves open
--------------------------
- T = 20 steps, as in the authors' program. The tables of EC-CMS use T = 10, which is nearest to
  the published numbers among five values (``eccms_protocol_ecpcs``).
- A cluster that overlaps no other cluster has similarity 0 to all clusters, including itself. In
  the enhanced co-association matrix the entry for two of its samples is still 1.
- MC cuts the cluster graph by the normalised cut of Shi & Malik as the authors' program does:
  entries up to 1e-6 are dropped, degrees are raised by 1 and the diagonal by 1/2, and
  eigenvectors are scaled to equal length. Its discretisation depends on the random cluster from
  which it starts, so the library uses the best of ten starts.
- MC assigns a sample to the meta-cluster with the largest fraction of clusters that contain the
  sample. Ties go to the meta-cluster whose clusters contain most samples (in the program, to the
  first). If a meta-cluster wins no sample, the program returns fewer clusters. In coassoc it
  takes over the microcluster that it is closest to winning, and ``n_clusters_found_`` counts the
  meta-clusters that won a sample.
"""

from typing import Any, ClassVar

import numpy as np

from coassoc.ensemble import Ensemble
from coassoc.methods.base import Array, ConsensusClusterer, Labels, RandomState
from coassoc.methods.parameters import Cost, integer
from coassoc.numerics.eigenpairs import eigenpairs_within
from coassoc.partition.discretisation import discretize
from coassoc.partition.labels import vote_labels
from coassoc.similarity import N_STEPS, enhanced_co_association, propagated_cluster_similarity

#: Size up to which similarities count as no links, and the number added to the graph, both as in
#: the Ncut program.
_NO_LINK, _OFFSET = 1e-6, 0.5

#: Clusters from which the discretisation starts.
_STARTS = 10


class _ClusterPropagation(ConsensusClusterer):
    """Base class of both methods.

    Parameters
    ----------
    n_steps : int
        T ≥ 1, length of the random walks.
    """

    paper: ClassVar = "Huang, Wang, Peng, Lai & Kwoh, IEEE Trans. SMC: Systems 2021"
    takes_missing: ClassVar = True
    n_steps: int = integer(N_STEPS, minimum=1)


class ECPCSHC(_ClusterPropagation):
    """Average linkage on the enhanced co-association matrix (Huang et al. 2021).

    The method is deterministic and ignores `random_state`.

    The base classes describe further parameters and attributes.

    Attributes
    ----------
    affinity_ : InvariantMatrix
        The enhanced co-association matrix.
    dendrogram_ : Dendrogram
        Merges of the linkage, see :func:`~coassoc.partition.linkage.cut_samples`.
    """

    title: ClassVar = "Propagation of cluster-wise similarities, average linkage"
    cost: ClassVar = Cost(seconds=1.1, power=2, squares=2, cluster_squares=5)
    offers: ClassVar = ("affinity_", "dendrogram_")

    def _consensus(self, ensemble: Ensemble, X: Any, random_state: RandomState) -> Labels:
        return self._cut(enhanced_co_association(ensemble, self.n_steps), "average")


class ECPCSMC(_ClusterPropagation):
    """Normalised cut of the clusters into meta-clusters, then majority vote (Huang et al. 2021).

    `random_state` is the seed of the clusters from which the discretisation starts.

    The base classes describe further parameters and attributes.
    """

    title: ClassVar = "Propagation of cluster-wise similarities, meta-clustering"
    cost: ClassVar = Cost(seconds=0.93, power=2, squares=0, cluster_squares=5)
    revision = 2

    def _consensus(self, ensemble: Ensemble, X: Any, random_state: RandomState) -> Labels:
        S = propagated_cluster_similarity(ensemble, self.n_steps)
        vectors = ncut_vectors(S, self.n_clusters)
        starts = random_state.permutation(len(S))[:_STARTS]
        meta = discretize(vectors, starts)
        labels, self.n_clusters_found_ = vote_labels(ensemble, meta, self.n_clusters)
        return labels


def ncut_vectors(S: Array, n_components: int) -> Array:
    """Leading eigenvectors of the regularised normalised cut (Shi & Malik 2000).

    Parameters
    ----------
    S : (L, L) array
        Symmetric non-negative similarity.
    n_components : int
        Number of eigenvectors, including the trivial one; at most L are returned.

    Returns
    -------
    (L, n_components) array
        Solutions of W v = μ D v with the largest μ, each of length √L.
    """
    W = np.where(S > _NO_LINK, S, 0.0)
    degree = W.sum(axis=1) + 2 * _OFFSET
    W.flat[:: len(W) + 1] += _OFFSET
    scale = 1 / np.sqrt(degree)
    W *= scale
    W *= scale[:, None]
    first = max(len(W) - n_components, 0)
    vectors = eigenpairs_within(W, first, len(W) - 1)[1]
    vectors = vectors[:, ::-1] * scale[:, None]
    return vectors * (np.sqrt(len(W)) / np.linalg.norm(vectors, axis=0))
