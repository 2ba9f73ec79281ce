"""KC: k-means on the rows of the co-association matrix.

This is a baseline in the papers: every sample is represented by its row of Ã = Z Zᵀ / m, and
k-means clusters the n rows.

If labels are missing, Ã_ij is the fraction among the base clusterings that label both samples, and
0 if there are none.

How it is solved
----------------
The distance of rows i and k of Ã is ‖(z_i − z_k) Zᵀ‖ / m, so the rows of Z K^{1/2} / m with K = ZᵀZ
(L × L) have the same distances. Each microcluster is therefore a point of at most L numbers,
weighted by its size.

What the paper leaves open
--------------------------
- Rows are not scaled; k-means takes the best of ten k-means++ starts. ``init`` and ``n_init``
  change that. RCE's table contains lower scores. One start from random samples fits them best
  (``rce_protocol_kc``), so the reproduced table uses it.
"""

from typing import Any, ClassVar

import numpy as np
import scipy.linalg
from numpy.typing import NDArray

from coassoc.ensemble import Ensemble
from coassoc.methods.base import KMeansEnding, Labels, RandomState
from coassoc.methods.parameters import Cost
from coassoc.similarity import co_association


class KC(KMeansEnding):
    """k-means on the rows of the co-association matrix.

    `random_state` is the seed of k-means.

    The base classes describe further parameters and attributes.
    """

    title: ClassVar = "k-means on the rows of the co-association matrix"
    paper: ClassVar = "baseline in Zhou, Du, Wang, Shi & Shen, IJCAI 2015"
    cost: ClassVar = Cost(seconds=0.67, power=2, squares=0, tables=2)
    takes_missing: ClassVar = True

    def _consensus(self, ensemble: Ensemble, X: Any, random_state: RandomState) -> Labels:
        points = co_association_points(ensemble)
        return self._cluster(points, ensemble.microclusters, random_state)


def co_association_points(ensemble: Ensemble) -> NDArray[np.float64]:
    """Points whose distances are those of the rows of the co-association matrix.

    Returns
    -------
    (n', d) array
        One point per microcluster, d ≤ min(n', L).
    """
    micro = ensemble.microclusters
    if micro.count <= ensemble.n_clusters_total or ensemble.has_missing:
        return co_association(ensemble).S * np.sqrt(micro.r)
    K = ensemble.cluster_intersections.toarray()
    eigenvalues, U = scipy.linalg.eigh(K, overwrite_a=True, check_finite=False)
    # Z has rank at most L − m + 1: its base clusterings all sum to 1.
    kept = eigenvalues > eigenvalues[-1] * len(K) * np.finfo(float).eps
    root = U[:, kept] * np.sqrt(eigenvalues[kept])
    return np.asarray(ensemble.microcluster_membership @ root) / ensemble.n_clusterings
