"""Evidence accumulation: linkage, or spectral clustering, on the co-association matrix.

A. L. Fred, A. K. Jain, "Combining multiple clusterings using evidence accumulation", IEEE TPAMI
27(6), 2005. The paper cuts the dendrogram at the number of clusters with the longest lifetime, as
``n_clusters=None`` does. In all five reproduced papers, the number of clusters is given.

Spectral clustering of the unrefined co-association matrix is not from a paper. It is the baseline
for LTA-SC and RCE, which refine this matrix and use the same final step.

If labels are missing, Ã_ij is the fraction of the base clusterings that label both samples in which
i and j share a cluster, and 0 if there is no such base clustering.
"""

from typing import Any, ClassVar

from coassoc.ensemble import Ensemble
from coassoc.methods.base import ConsensusClusterer, Labels, RandomState
from coassoc.methods.parameters import Cost, choice
from coassoc.partition.linkage import LINKAGES
from coassoc.partition.spectral import spectral_labels
from coassoc.similarity import co_association


class EAC(ConsensusClusterer):
    """Evidence accumulation clustering (Fred & Jain 2005).

    The method is deterministic and ignores `random_state`.

    The base classes describe further parameters and attributes.

    Parameters
    ----------
    linkage : {"average", "complete", "single"}
        Linkage criterion on 1 − `affinity_`.

    Attributes
    ----------
    affinity_ : InvariantMatrix
        The co-association matrix Ã.
    dendrogram_ : Dendrogram
        Merges of the linkage, see :func:`~coassoc.partition.linkage.cut_samples`.
    """

    paper: ClassVar = "Fred & Jain, IEEE TPAMI 2005"
    cost: ClassVar = Cost(seconds=0.1, power=2, squares=2, links_labels="any")
    reads_matrix: ClassVar = True
    takes_missing: ClassVar = True
    n_clusters_is: ClassVar = "optional"
    offers: ClassVar = ("affinity_", "dendrogram_")
    linkage: str = choice("average", LINKAGES)

    def _consensus(self, ensemble: Ensemble, X: Any, random_state: RandomState) -> Labels:
        return self._cut(co_association(ensemble), self.linkage)


class SpectralCoAssociation(ConsensusClusterer):
    """Spectral clustering of the co-association matrix.

    `random_state` is the seed of k-means.

    The base classes describe further parameters and attributes.

    Attributes
    ----------
    affinity_ : InvariantMatrix
        The co-association matrix Ã.
    """

    title: ClassVar = "Spectral clustering of the co-association matrix"
    paper: ClassVar = "baseline of LTA-SC and RCE, which use the same final step"
    cost: ClassVar = Cost(seconds=0.35, power=2, squares=4)
    reads_matrix: ClassVar = True
    offers: ClassVar = ("affinity_",)
    takes_missing: ClassVar = True

    def _consensus(self, ensemble: Ensemble, X: Any, random_state: RandomState) -> Labels:
        self.affinity_ = co_association(ensemble)
        return spectral_labels(self.affinity_, self.n_clusters, random_state)
