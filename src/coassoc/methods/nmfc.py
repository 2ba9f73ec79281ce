"""NMFC: consensus clustering by non-negative matrix factorization.

T. Li, C. Ding, M. I. Jordan, "Solving consensus and semi-supervised clustering problems using
nonnegative matrix factorization", ICDM 2007; T. Li, C. Ding, "Weighted consensus clustering", SDM
2008. The method finds the partition nearest to the co-association matrix Ã, with its constraints
relaxed to

    min_{Q,D}  ‖Ã − Q D Qᵀ‖_F²   s.t.  QᵀQ = I,  Q ≥ 0,  D ≥ 0 diagonal

by the multiplicative updates

    Q_ik *= √( (Ã Q D)_ik / (Q Qᵀ Ã Q D)_ik )
    D_kk *= √( (QᵀÃQ)_kk / (QᵀQ D QᵀQ)_kk )

A sample belongs to the cluster with the largest entry in its row of Q.

How it is solved
----------------
Q is constant on microclusters because its start is. If rows are multiplied by the square roots of
the sizes, the updates keep their form. Ã is never formed, because Ã = F Fᵀ with F = N^{1/2} Z/√m.

What the paper leaves open
--------------------------
- Start: Q uniform in (0, 1), its columns scaled to unit length; D = diag(QᵀÃQ). The best of
  ``n_init`` starts by the objective is kept.
- With ``init="k-means"`` the start is the indicators of KC's clusters, from one k-means, plus
  0.2, as Ding, Li and Jordan start their other factorizations. This start fits RCE's table best,
  by a small margin (``rce_protocol_nmfc``).
- The iteration stops when the relative change of the objective is less than ``tol``. The updates
  of Q balance the objective against QᵀQ = I and do not always lower the objective. The updates
  of D always lower it.
- A cluster that has the largest entry in no row of Q takes over the microcluster in whose row its
  entry is largest relative to the largest entry of the row.
"""

from collections.abc import Iterable
from functools import partial
from typing import Any, ClassVar

import numpy as np

from coassoc.ensemble import Ensemble
from coassoc.methods.base import Array, ConsensusClusterer, Labels, RandomState
from coassoc.methods.kc import co_association_points
from coassoc.methods.parameters import Cost, choice, integer, number
from coassoc.partition.spectral import k_means

#: Added to the indicators of a start, because no update would change their zeros (Ding, Li &
#: Jordan, "Convex and semi-nonnegative matrix factorizations", IEEE TPAMI 32(1), 2010).
_ADDED = 0.2
#: Smallest entry. Products of smaller entries would leave the range of normal numbers, where
#: arithmetic is slow.
_TINY = 1e-100


class NMFC(ConsensusClusterer):
    """Consensus clustering by non-negative matrix factorization (Li, Ding & Jordan 2007).

    `random_state` is the seed of the starts.

    The base classes describe further parameters and attributes.

    Parameters
    ----------
    init : {"uniform", "k-means"}
        Start of Q: uniform random numbers from (0, 1), or cluster indicators plus 0.2. The
        indicators come from k-means of the rows of Ã, started from c random samples.
    n_init : int
        Number of starts. The start that ends with the smallest objective is kept.
    tol : float
        Smallest relative change of the objective for which another iteration is run.
    max_iter : int
        Maximum number of iterations per start.

    Attributes
    ----------
    membership_ : (n, c') array
        Q. c' is the smaller of c and the number of microclusters.
    """

    title: ClassVar = "Consensus clustering by non-negative matrix factorization"
    paper: ClassVar = "Li, Ding & Jordan, ICDM 2007; Li & Ding, SDM 2008"
    cost: ClassVar = Cost(seconds=0.42, power=2, squares=0)
    offers: ClassVar = ("membership_",)
    init: str = choice("uniform", ("uniform", "k-means"))
    n_init: int = integer(10, minimum=1)
    tol: float = number(1e-5, minimum=0)
    max_iter: int = integer(500, minimum=1)

    def _consensus(self, ensemble: Ensemble, X: Any, random_state: RandomState) -> Labels:
        micro = ensemble.microclusters
        c = min(self.n_clusters, micro.count)
        starts = self._starts(ensemble, c, random_state)
        Q, _ = self._best(starts, partial(factorize, ensemble, self))
        self.membership_ = micro.expand(Q)
        return self._labels_of_membership(Q)

    def _starts(self, ensemble: Ensemble, c: int, random_state: RandomState) -> Iterable[Array]:
        micro = ensemble.microclusters
        if self.init == "uniform":
            yield from random_state.uniform(size=(self.n_init, micro.count, c))
            return
        points = co_association_points(ensemble)
        for _ in range(self.n_init):
            labels = k_means(points, c, random_state, micro.r, n_init=1, init="random")
            yield np.eye(c)[labels] + _ADDED


def factorize(ensemble: Ensemble, method: NMFC, Q: Array) -> tuple[Array, float]:
    """Multiplicative updates of Q and D from a positive start; see :class:`NMFC`.

    Parameters
    ----------
    Q : (n', c) array
        Start on the microclusters; its columns are scaled to unit length over the samples.

    Returns
    -------
    Q : (n', c) array
        Rows of Q on the microclusters.
    objective : float
    """
    root = np.sqrt(ensemble.microclusters.r)[:, None]
    F = ensemble.microcluster_membership.multiply(root / np.sqrt(ensemble.n_clusterings)).tocsr()
    # ‖Ã‖_F² = ‖ZᵀZ‖_F² / m²
    squares = sum(float(np.sum(rows.data**2)) for _, rows in ensemble.intersections())
    total = squares / ensemble.n_clusterings**2
    Q = Q * root
    Q /= np.linalg.norm(Q, axis=0)
    FQ = F.T @ Q
    d = np.einsum("lk,lk->k", FQ, FQ)
    objective = np.inf
    for t in method._rounds():
        AQD = (F @ FQ) * d
        AQD /= np.maximum(Q @ (Q.T @ AQD), _TINY)
        Q = np.maximum(Q * np.sqrt(AQD), _TINY)
        FQ = F.T @ Q
        fit = np.einsum("lk,lk->k", FQ, FQ)  # diagonal of QᵀÃQ
        overlap = (Q.T @ Q) ** 2  # diagonal of QᵀQ D QᵀQ = overlap · d
        d *= np.sqrt(fit / np.maximum(overlap @ d, _TINY))
        before = objective
        objective = max(total - 2 * float(d @ fit) + float(d @ overlap @ d), 0.0)
        method.converged_ = t > 1 and abs(before - objective) <= method.tol * before
    return Q / root, objective
