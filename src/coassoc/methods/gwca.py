"""GWCA: generalized weighted cluster aggregation.

F. Wang, X. Wang, T. Li, "Generalized cluster aggregation", IJCAI 2009. The consensus is the matrix
nearest to the weighted connective matrices S⁽ⁱ⁾ of the base clusterings in a Bregman divergence D,
with weights on the simplex and a penalty that prevents concentration on one base clustering:

    min_{M,w}  Σ_i w_i D(S⁽ⁱ⁾, M) + η‖w‖²   s.t.  w ≥ 0, Σ_i w_i = 1

The two steps alternate:

    M = Σ_i w_i S⁽ⁱ⁾                     whatever the divergence (Banerjee et al. 2005)
    w = projection of −D(S⁽ⁱ⁾, M) / 2η on the simplex

How it is solved
----------------
M is a weighted co-association matrix, which is needed only on microclusters and only once. Its
Euclidean distances follow from the m × m inner products ⟨S⁽ⁱ⁾, S⁽ʲ⁾⟩ = Σ n_kl², where n_kl is the
number of samples that cluster k of i shares with cluster l of j.

What the paper leaves open
--------------------------
- Divergence: the squared Euclidean distance.
- Start: w = 1/m.
- η is given in units of Σ_i D(S⁽ⁱ⁾, M) at the start, so that it does not depend on n and m. The
  default of 1 is the smallest η for which the problem is convex for every ensemble; a much
  smaller η selects a single base clustering.
- The iteration stops when no weight changes by more than ``tol``/m.
- The final partition is spectral clustering of M, with the best of ten k-means++ starts.
"""

from typing import Any, ClassVar

import numpy as np

from coassoc.ensemble import Ensemble
from coassoc.invariant import InvariantMatrix
from coassoc.methods.base import Array, ConsensusClusterer, Labels, RandomState
from coassoc.methods.parameters import Cost, integer, number
from coassoc.numerics.simplex import project_columns_on_simplex
from coassoc.partition.spectral import spectral_labels
from coassoc.similarity import weighted_co_association


class GWCA(ConsensusClusterer):
    """Generalized weighted cluster aggregation (Wang, Wang & Li 2009).

    The base classes describe further parameters and attributes.

    Parameters
    ----------
    eta : float
        η > 0, weight of ‖w‖², in units of the total divergence from the unweighted mean.
    tol : float
        Largest change of a weight at which the iteration stops, in units of 1/m.
    max_iter : int
        Maximum number of iterations.

    Attributes
    ----------
    affinity_ : InvariantMatrix
        M, the co-association matrix with the weights w.
    weights_ : (m,) array
        w, in the order of the base clusterings.
    """

    title: ClassVar = "Generalized weighted cluster aggregation by Bregman divergence"
    paper: ClassVar = "Wang, Wang & Li, IJCAI 2009"
    cost: ClassVar = Cost(seconds=0.35, power=2, squares=4)
    offers: ClassVar = ("weights_", "affinity_")
    eta: float = number(1.0, above=0, grid=(0.1, 0.3, 1, 3, 10))
    tol: float = number(1e-6, minimum=0)
    max_iter: int = integer(500, minimum=1)

    def _consensus(self, ensemble: Ensemble, X: Any, random_state: RandomState) -> Labels:
        self.weights_ = aggregate(ensemble, self)
        m, weights = ensemble.n_clusterings, self.weights_[ensemble.clustering_of_cluster]
        M = weighted_co_association(ensemble, m * weights)
        self.affinity_ = InvariantMatrix(M, 0.0, ensemble.microclusters)
        return spectral_labels(self.affinity_, self.n_clusters, random_state)


def aggregate(ensemble: Ensemble, method: GWCA) -> Array:
    """(m,) weights of the base clusterings in the nearest weighted mean; see :class:`GWCA`."""
    G = _inner_products(ensemble)

    def distances(w: Array) -> Array:
        """‖S⁽ⁱ⁾ − Σ_j w_j S⁽ʲ⁾‖² for all i."""
        return np.maximum(np.diagonal(G) - 2 * (G @ w) + w @ G @ w, 0.0)

    m = ensemble.n_clusterings
    w = np.full(m, 1 / m)
    d = distances(w)
    penalty = method.eta * d.sum()
    if penalty == 0:  # all base clusterings are equal
        return w
    for _ in method._rounds():
        step = project_columns_on_simplex(-d[:, None] / (2 * penalty), np.ones(m)).ravel()
        method.converged_ = bool(np.abs(step - w).max() <= method.tol / m)
        w, d = step, distances(step)
    return w


def _inner_products(ensemble: Ensemble) -> Array:
    """(m, m) array of ⟨S⁽ⁱ⁾, S⁽ʲ⁾⟩ over the pairs of samples."""
    m, clustering = ensemble.n_clusterings, ensemble.clustering_of_cluster
    products = np.zeros(m * m)
    for rows, intersections in ensemble.intersections():
        shared = intersections.tocoo()
        pair = clustering[rows][shared.row] * m + clustering[shared.col]
        products += np.bincount(pair, weights=shared.data**2, minlength=m * m)
    return products.reshape(m, m)
