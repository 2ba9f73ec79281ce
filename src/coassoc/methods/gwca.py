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
number of samples that cluster k of i shares with cluster l of j. For 0/1 matrices, every other
divergence is Σ D(0, M) plus the sum of D(1, M) − D(0, M) over the pairs that a base clustering
joins.

What the paper leaves open
--------------------------
- Divergence: the squared Euclidean distance. The alternatives are the generalised
  Kullback-Leibler divergence and the logistic loss, with entries of M at least 1e-12 away from 0
  and 1.
- Start: w = 1/m.
- η is given in units of Σ_i D(S⁽ⁱ⁾, M) at the start, so that it does not depend on n, m and the
  divergence. The default of 1 is the smallest η for which the Euclidean problem is convex for
  every ensemble; a much smaller η selects a single base clustering.
- The iteration stops when no weight changes by more than ``tol``/m.
- The final partition is spectral clustering of M, with the best of ten k-means++ starts.
"""

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from coassoc.ensemble import Ensemble
from coassoc.invariant import InvariantMatrix
from coassoc.methods.base import Array, ConsensusClusterer, Iteration, Labels, RandomState
from coassoc.methods.parameters import Cost, choice, integer, number
from coassoc.numerics.simplex import project_columns_on_simplex
from coassoc.partition.spectral import spectral_labels
from coassoc.similarity import weighted_co_association

#: Entries of M are clipped to this distance from 0 and 1 for divergences with a pole there.
_POLE = 1e-12

#: Name → D(1, x) and D(0, x), for divergences that need M itself.
_ENTRYWISE: dict[str, tuple[Callable[[Array], Array], Callable[[Array], Array]]] = {
    "kullback-leibler": (lambda x: x - 1 - np.log(x), lambda x: x),
    "logistic": (lambda x: -np.log(x), lambda x: -np.log1p(-x)),
}
_DIVERGENCES = ("euclidean", *_ENTRYWISE)


class GWCA(ConsensusClusterer):
    """Generalized weighted cluster aggregation (Wang, Wang & Li 2009).

    Parameters
    ----------
    eta : float
        η > 0, weight of ‖w‖², in units of the total divergence from the unweighted mean.
    divergence : {"euclidean", "kullback-leibler", "logistic"}
        D, the Bregman divergence.
    tol : float
        Largest change of a weight at which the iteration stops, in units of 1/m.

    Attributes
    ----------
    affinity_ : InvariantMatrix
        M, the co-association matrix with the weights w.
    weights_ : (m,) array
        w, in the order of the base clusterings.
    history_ : dict of str to array
        "objective" per iteration.
    """

    title: ClassVar = "Generalized weighted cluster aggregation by Bregman divergence"
    paper: ClassVar = "Wang, Wang & Li, IJCAI 2009"
    names: ClassVar = {"GWCA": {}}
    cost: ClassVar = Cost(seconds=0.35, power=2, squares=4)
    offers: ClassVar = ("weights_", "affinity_")
    records: ClassVar = ("objective",)
    eta: float = number(1.0, above=0, grid=(0.1, 0.3, 1, 3, 10))
    divergence: str = choice("euclidean", _DIVERGENCES)
    tol: float = number(1e-6, minimum=0)
    max_iter: int = integer(500, minimum=1)

    def _consensus(self, ensemble: Ensemble, X: Any, random_state: RandomState) -> Labels:
        self.weights_, iteration = aggregate(ensemble, **self._declared())
        self._record(iteration)
        M = _weighted_mean(ensemble, self.weights_)
        self.affinity_ = InvariantMatrix(M, 0.0, ensemble.microclusters)
        return spectral_labels(self.affinity_, self.n_clusters, random_state)


def aggregate(
    ensemble: Ensemble, eta: float, divergence: str, *, tol: float, max_iter: int
) -> tuple[Array, Iteration]:
    """(m,) weights of the base clusterings in the nearest weighted mean; see :class:`GWCA`."""
    divergences = _divergences(ensemble, divergence)
    m = ensemble.n_clusterings
    w = np.full(m, 1 / m)
    d = divergences(w)
    penalty = eta * d.sum()
    objective: list[float] = []
    converged = False
    while not converged and len(objective) < max_iter:
        objective.append(float(w @ d + penalty * (w @ w)))
        if penalty == 0:  # all base clusterings are equal
            converged = True
            break
        step = project_columns_on_simplex(-d[:, None] / (2 * penalty), np.ones(m)).ravel()
        change = np.abs(step - w).max()
        w, d = step, divergences(step)
        converged = bool(change <= tol / m)
    return w, Iteration(converged, {"objective": np.array(objective)})


def _divergences(ensemble: Ensemble, name: str) -> Callable[[Array], Array]:
    """The function w ↦ D(S⁽ⁱ⁾, Σ_j w_j S⁽ʲ⁾) for all i."""
    if name == "euclidean":
        G = _inner_products(ensemble)
        squares = np.diagonal(G).copy()
        return lambda w: np.maximum(squares - 2 * (G @ w) + w @ G @ w, 0.0)
    joined, apart = _ENTRYWISE[name]
    r = ensemble.microclusters.r
    members = ensemble.microcluster_membership.multiply(r[:, None]).tocsc()
    clustering = ensemble.clustering_of_cluster

    def entrywise(w: Array) -> Array:
        M = _weighted_mean(ensemble, w)
        np.clip(M, _POLE, 1 - _POLE, out=M)
        rest = apart(M)
        gain = joined(M)
        gain -= rest
        inside = members.multiply(gain @ members).sum(axis=0)
        sums: Array = np.bincount(clustering, weights=inside) + r @ rest @ r
        return sums

    return entrywise


def _inner_products(ensemble: Ensemble) -> Array:
    """(m, m) array of ⟨S⁽ⁱ⁾, S⁽ʲ⁾⟩ over the pairs of samples."""
    m, clustering = ensemble.n_clusterings, ensemble.clustering_of_cluster
    products = np.zeros(m * m)
    for rows, intersections in ensemble.intersections():
        shared = intersections.tocoo()
        pair = clustering[rows][shared.row] * m + clustering[shared.col]
        products += np.bincount(pair, weights=shared.data**2, minlength=m * m)
    return products.reshape(m, m)


def _weighted_mean(ensemble: Ensemble, w: Array) -> Array:
    """M = Σ_i w_i S⁽ⁱ⁾ on the microclusters."""
    weights = ensemble.n_clusterings * w[ensemble.clustering_of_cluster]
    return weighted_co_association(ensemble, weights)
