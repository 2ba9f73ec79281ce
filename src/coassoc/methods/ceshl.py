"""CESHL: clustering ensemble via structured hypergraph learning.

P. Zhou, X. Wang, L. Du, X. Li, "Clustering ensemble via structured hypergraph learning",
Information Fusion 78, 2022. The base clusterings form a hypergraph with the samples as nodes, the L
clusters as hyperedges and the incidence matrix Z. The method first learns weights w of the
hyperedges, and then an incidence matrix H with c connected components:

    min_w  wᵀ L_Z w + λ‖w − w⁰‖²                            s.t. 0 ≤ w ≤ 1
    min_H  ‖(H − Z) diag(w)‖_F² + ρ tr(Yᵀ Δ(H) Y)           s.t. 0 ≤ H ≤ 1

    L_Z  = I − D_Z^{-1/2} ZᵀZ D_Z^{-1/2} / m,   D_Z the cluster sizes
    Δ(H) = I − D_v^{-1/2} H diag(w) D_e^{-1} Hᵀ D_v^{-1/2},  D_v = diag(H w),  D_e = diag(Hᵀ1)

w⁰ has the mean co-association inside each cluster, and Y has the eigenvectors of the c smallest
eigenvalues of the Laplacian of the hypergraph of the previous round.

How it is solved
----------------
Samples of a microcluster keep equal rows of H, so H is n' × L; in the variables √r_k h_k, with r
the sizes, the steps of L-BFGS-B are those of the n × L problem. The n × n Laplacian is never
formed: a Lanczos iteration uses its factors. L_Z + λI has no positive off-diagonal entry, so the
primal-dual active set method solves the problem for w with a few linear systems.

What the paper leaves open
--------------------------
*Taken from measured behaviour of the authors' program.*

- Start: H = Z, ρ = 100; at most 100 rounds, at least 2.
- Δ is normalised, but Y are eigenvectors of the Laplacian D_v − H diag(w) D_e⁻¹ Hᵀ, which is
  not.
- The H step is 20 iterations of L-BFGS-B with 5 pairs, begun at the previous H and ended early
  when no entry of the projected gradient exceeds 1e-3. Its result is not a minimiser; the limit of
  20 iterations is part of the method. SciPy takes these steps.
- ρ doubles while the c smallest eigenvalues sum to more than 1e-9 and halves while there are
  more than c components; Y is then still the Y of the last hypergraph with at most c.
- **Rounding can decide the labels.** Many entries of H are at a bound, and the twenty steps stop
  far from a minimum, so the last digit of a weight can lead to a different hypergraph. A rule
  for entries near a bound does not help.
- If H stops changing before it has c components, ρ keeps doubling without effect until the last
  round. This happens if a microcluster contains a third of the samples.
- If the number of components at the end is not c, H is divided by the transfer cut, or its
  components are joined by :func:`~coassoc.partition.components.merge_components`.
- Y is sought among the vectors constant on microclusters.
"""

from functools import partial
from typing import Any, ClassVar

import numpy as np
import scipy.linalg  # scipy.optimize, slow to import, is loaded when it is first used
import scipy.sparse as sp
from scipy.sparse.linalg import LinearOperator, aslinearoperator

from coassoc.ensemble import Ensemble
from coassoc.methods.base import Array, Components, GraphLearner, Labels, RandomState
from coassoc.methods.parameters import Cost, integer, number
from coassoc.numerics.rank_constraint import RankConstraint, bipartite_components
from coassoc.partition.spectral import transfer_cut_labels

#: First penalty ρ of the rank constraint.
_RHO = 100.0
#: Smallest sum of eigenvalues that counts as positive.
_TOL = (1e-9, 1e-11)
#: Iterations of L-BFGS-B per round, how many of them it remembers, and the projected gradient at
#: which it ends early.
_STEPS, _REMEMBERED, _GRADIENT = 20, 5, 1e-3


class CESHL(GraphLearner):
    """Clustering ensemble via structured hypergraph learning (Zhou et al. 2022).

    The base classes describe further parameters and attributes.

    Parameters
    ----------
    lam : float
        λ > 0, controls how closely hyperedge weights follow the mean co-association of the
        clusters.
    max_iter : int
        Maximum number of iterations.

    Attributes
    ----------
    incidence_ : (n, L) array
        The learned incidence matrix H. If a step of L-BFGS-B ends on a bound, rounding may cut the
        next step short, so that entries of H differ between processors by some thousandths.
    cluster_weights_ : (L,) array
        The weights w of the hyperedges, which are the clusters of all base clusterings.
    """

    title: ClassVar = "Clustering ensemble via structured hypergraph learning"
    paper: ClassVar = "Zhou, Wang, Du & Li, Information Fusion 2022"
    cost: ClassVar = Cost(seconds=30, power=1.3, squares=1, tables=80)
    revision = 2
    offers: ClassVar = ("incidence_", "cluster_weights_")
    lam: float = number(1.0, above=0, grid=(0.001, 0.01, 0.1, 1, 10, 100, 1000))
    max_iter: int = integer(100, minimum=1)

    def _consensus(self, ensemble: Ensemble, X: Any, random_state: RandomState) -> Labels:
        H, w, components = structured_hypergraph(ensemble, self)
        self.incidence_ = ensemble.microclusters.expand(H)
        self.cluster_weights_ = w
        B = sp.csr_array(H * w)
        cut_graph = partial(transfer_cut_labels, ensemble, B, self.n_clusters, random_state)
        return self._labels_of(components, H @ w, random_state, cut_graph)


def hyperedge_weights(ensemble: Ensemble, lam: float) -> Array:
    """(L,) weights w of the hyperedges, with λ as in :class:`CESHL`."""
    shared = ensemble.cluster_intersections.toarray()
    sizes, m = ensemble.cluster_sizes, ensemble.n_clusterings
    w0 = (shared**2).sum(axis=1) / (m * sizes**2)
    root = np.sqrt(sizes)
    K = shared / (-m * root * root[:, None])
    K.flat[:: len(K) + 1] += 1 + lam
    # Primal-dual active set: without positive entries off the diagonal of K the entries at the
    # bound 1 are found in a few rounds, and no entry of w falls below 0.
    at_bound = np.zeros(len(w0), dtype=bool)
    for _ in range(len(w0) + 1):
        w = np.ones(len(w0))
        free = ~at_bound
        load = lam * w0[free] - K[np.ix_(free, at_bound)].sum(axis=1)
        w[free] = scipy.linalg.solve(K[np.ix_(free, free)], load, assume_a="pos")
        pull = lam * w0 - K @ w
        active = np.where(at_bound, pull >= 0, w > 1)
        if (active == at_bound).all():
            break
        at_bound = active
    return np.clip(w, 0.0, 1.0)


def structured_hypergraph(ensemble: Ensemble, method: CESHL) -> tuple[Array, Array, Components]:
    """Learn the hypergraph of :class:`CESHL`.

    Returns
    -------
    H : (n', L) array
        Incidence of microclusters and hyperedges, between 0 and 1.
    w : (L,) array
        Weights of the hyperedges.
    components : (int, (n',) integer array)
        Number of components of the hypergraph, and the component of each microcluster.
    """
    w = hyperedge_weights(ensemble, method.lam)
    r, Z = ensemble.microclusters.r, ensemble.microcluster_membership.toarray()
    H = Z
    rank = RankConstraint(method.n_clusters, r, _RHO, _TOL, *_graph(H, w, r))
    for t in method._rounds():
        H = _incidence(H, Z, w, r, rank.F, rank.penalty)
        method.converged_ = rank.update(*_graph(H, w, r)) and t > 1
    return H, w, rank.components


def _graph(H: Array, w: Array, r: Array) -> tuple[LinearOperator, tuple[int, Labels]]:
    """H diag(w) D_e⁻¹ Hᵀ by its factors, and the components of the hypergraph."""
    de = r @ H
    R = aslinearoperator(H * np.sqrt(w / np.where(de > 0, de, 1.0)))
    return R @ R.T, bipartite_components(H)


def _incidence(H: Array, Z: Array, w: Array, r: Array, Y: Array, rho: float) -> Array:
    """H for given Y and ρ: twenty steps of L-BFGS-B from the given H."""

    def value_and_gradient(H: Array) -> tuple[float, Array]:
        """Objective over the n samples, and its gradient for one sample of each microcluster."""
        dv, de = H @ w, r @ H
        dv[dv <= 0] = 1.0
        de[de <= 0] = 1.0
        u = w / de
        Q = Y / np.sqrt(dv)[:, None]
        G = H.T @ (r[:, None] * Q)
        squares = np.einsum("ij,ij->i", G, G)
        value = Y.shape[1] - float(u @ squares)
        # The gradient of the penalty has terms of H itself, of D_e and of D_v. All of them are
        # products of narrow factors, and so is the term that diag(w) of the fit adds.
        uG = u[:, None] * G
        diagonal = np.einsum("ij,ij->i", Q, H @ uG) / dv
        left = np.hstack((Q, np.ones((len(Q), 1)), diagonal[:, None]))
        right = np.vstack((-2 * uG.T, u / de * squares, w))
        gradient = left @ (rho * right)
        difference = (H - Z) * w
        fit = float(r @ np.einsum("ij,ij->i", difference, difference))
        return fit + rho * value, gradient + 2 * w * difference

    def is_stationary(H: Array) -> bool:
        step = np.clip(H - value_and_gradient(H)[1], 0.0, 1.0) - H
        return bool(np.abs(step).max() <= _GRADIENT)

    if is_stationary(H):
        return H
    root = np.sqrt(r)[:, None]

    def incidence(y: Array) -> Array:
        return y.reshape(Z.shape) / root

    def scaled(y: Array) -> tuple[float, Array]:
        value, gradient = value_and_gradient(incidence(y))
        return value, (gradient * root).ravel()

    def end_early(y: Array) -> None:
        # SciPy tests the gradient in y, and this test is stricter for large microclusters.
        if is_stationary(incidence(y)):
            raise StopIteration

    solution = scipy.optimize.minimize(
        scaled,
        (H * root).ravel(),
        jac=True,
        method="L-BFGS-B",
        bounds=scipy.optimize.Bounds(0.0, np.repeat(root, Z.shape[1])),
        callback=end_early,
        options={"maxcor": _REMEMBERED, "maxiter": _STEPS, "gtol": 0.0},
    )
    return incidence(solution.x)
