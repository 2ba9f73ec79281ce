"""Locally weighted ensemble clustering: LWEA, LWGP and LWSC, and the consensus of MDEC.

D. Huang, C.-D. Wang, J.-H. Lai, "Locally weighted ensemble clustering", IEEE Transactions on
Cybernetics 48(5), 2018. Clusters are weighted by their ensemble-driven cluster index (ECI), which
is based on the entropy with which the other base clusterings split them.

D. Huang, C.-D. Wang, J.-H. Lai, C.-K. Kwoh, "Toward multidiversified ensemble clustering of
high-dimensional data: from subspaces to metrics and beyond", IEEE Transactions on Cybernetics
52(11), 2022. MDEC computes base clusterings by spectral clustering in random subspaces and metrics,
and combines them by linkage (MDEC-HC), spectral clustering (MDEC-SC) or the transfer cut (MDEC-BG)
with θ = 1.

If labels are missing, the index of a cluster uses the base clusterings that label any of its
samples, each with the fractions among the samples that it labels. LWCA_ij is the mean over the base
clusterings that label both samples, and 0 if there are none. A missing label is a missing link in
the graph of LWGP.

What the paper leaves open
--------------------------
- The diagonal of LWCA is 1, as in the authors' program (the formula gives the mean ECI). Linkage
  does not use the diagonal.
- LWGP embeds with the transfer cut, scales rows to unit length and runs k-means, as the program
  does; the paper says only "Tcut". k-means takes the best of ten k-means++ starts instead of
  three; ``init`` and ``n_init`` change that. For LTA's and HCLCE's tables, one start from random
  samples fits best (``lta_protocol_lwgp``, ``hclce_protocol_lwgp``). For LTA's LWSC, three such
  starts fit best (``lta_protocol_lwsc``).
- LWSC is not in the paper, but later papers compare with a method of this name: spectral
  clustering of LWCA, whose diagonal of 1 is a self-loop of each sample.
- Only the consensus functions of MDEC are implemented, for given base clusterings: LWEA, LWSC
  and LWGP with θ = 1. The new part of MDEC is its base clusterings, which do not belong to a
  consensus method.
"""

from typing import Any, ClassVar

from coassoc.ensemble import Ensemble
from coassoc.methods.base import ConsensusClusterer, KMeansEnding, Labels, RandomState
from coassoc.methods.parameters import Cost, number
from coassoc.numerics.sparse import scaled_columns
from coassoc.similarity import THETA, ensemble_driven_cluster_index, locally_weighted_co_association


class _LocallyWeighted(ConsensusClusterer):
    """Base class of the locally weighted methods.

    Parameters
    ----------
    theta : float
        θ > 0, parameter of the cluster index ECI.
    """

    paper: ClassVar = "Huang, Wang & Lai, IEEE Trans. Cybernetics 2018"
    takes_missing: ClassVar = True
    theta: float = number(THETA, above=0, grid=(0.1, 0.2, 0.4, 0.6, 0.8, 1, 2, 4))


class LWEA(_LocallyWeighted):
    """Locally weighted evidence accumulation: average linkage on LWCA (Huang et al. 2018).

    The method is deterministic and ignores `random_state`.

    The base classes describe further parameters and attributes.

    Attributes
    ----------
    affinity_ : InvariantMatrix
        The LWCA matrix.
    dendrogram_ : Dendrogram
        Merges of the linkage, see :func:`~coassoc.partition.linkage.cut_samples`.
    """

    title: ClassVar = "Locally weighted evidence accumulation"
    cost: ClassVar = Cost(seconds=0.1, power=2, squares=2, links_labels="complete")
    n_clusters_is: ClassVar = "optional"
    offers: ClassVar = ("affinity_", "dendrogram_")

    def _consensus(self, ensemble: Ensemble, X: Any, random_state: RandomState) -> Labels:
        return self._cut(locally_weighted_co_association(ensemble, self.theta), "average")


class LWGP(_LocallyWeighted, KMeansEnding):
    """Locally weighted graph partitioning: transfer cut on Z diag(ECI) (Huang et al. 2018).

    The base classes describe further parameters and attributes.
    """

    title: ClassVar = "Locally weighted graph partitioning"
    cost: ClassVar = Cost(seconds=0.57, power=2, squares=0, link_squares=2)

    def _consensus(self, ensemble: Ensemble, X: Any, random_state: RandomState) -> Labels:
        eci = ensemble_driven_cluster_index(ensemble, self.theta)
        B = scaled_columns(ensemble.microcluster_membership, eci)
        micro = ensemble.microclusters
        from coassoc.partition.spectral import transfer_cut_embedding

        embedding = transfer_cut_embedding(B, micro.r, self.n_clusters)
        return self._cluster(embedding, micro, random_state)


class LWSC(_LocallyWeighted, KMeansEnding):
    """Locally weighted spectral clustering: spectral clustering of LWCA (Huang et al. 2018).

    The base classes describe further parameters and attributes.

    Attributes
    ----------
    affinity_ : InvariantMatrix
        The LWCA matrix.
    """

    title: ClassVar = "Locally weighted spectral clustering"
    cost: ClassVar = Cost(seconds=0.51, power=2, squares=4)
    offers: ClassVar = ("affinity_",)

    def _consensus(self, ensemble: Ensemble, X: Any, random_state: RandomState) -> Labels:
        from coassoc.partition.spectral import spectral_embedding

        self.affinity_ = locally_weighted_co_association(ensemble, self.theta)
        return self._cluster(*spectral_embedding(self.affinity_, self.n_clusters), random_state)
