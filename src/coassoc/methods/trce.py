"""TRCE: tri-level robust clustering ensemble with multiple graph learning.

P. Zhou, L. Du, Y.-D. Shen, X. Li, "Tri-level robust clustering ensemble with multiple graph
learning", AAAI 2021. The m base clusterings become m graphs A^(v), the connective matrices with
rows scaled to sum to 1. The method identifies unreliable base clusterings (weights α), instances
(weights w, learned at their own pace) and edges (a graph S in addition to the consensus graph B):

    min  Σ_i w_i² Σ_v KL(A_i^(v) ‖ B_i) / α_v − λ Σ_i w_i + γ‖S − B‖_F²
    s.t. B ≥ 0, B 1 = 1, S ≥ 0, S 1 = 1, 0 ≤ w ≤ 1, α ≥ 0, Σ_v α_v = 1, c components.

The last constraint is replaced by ρ Σ_ij ‖f_i − f_j‖² (·)_ij on either graph, where F has the
eigenvectors of the c smallest eigenvalues of the Laplacian of S. Each step has a closed form except
for one number per instance:

    w_i = min(1, λ / (2 d_i)),  d_i = Σ_v KL(A_i^(v) ‖ B_i) / α_v
    B_ij = w_i² Σ_v A_ij^(v) / α_v / (η_i + ρ‖f_i − f_j‖²),  η_i such that row i sums to 1
    α_v ∝ (Σ_i w_i² KL(A_i^(v) ‖ B_i))^{1/2}
    S_i = projection of B_i − ρ/(2γ) ‖f_i − f_j‖² on the simplex, then S ← (S + Sᵀ)/2

How it is solved
----------------
All matrices are defined on microclusters. An entry of A^(v) is 1/|cluster| if two samples share a
cluster, so sums over v are products of sparse memberships, and the m graphs are never formed. One
pass over slabs of instances computes B, KL and S; only S is stored. η_i is the root of a secular
equation: the reciprocal of the row sum is concave in η_i, and Newton's method applied to it
increases to the root from the bound given by Jensen's inequality.

What the paper leaves open
--------------------------
*Taken from measured behaviour of the authors' program.*

- The step of B leaves out γ‖S − B‖², so γ only determines how far S may differ from B.
- Start: B = Σ_v A^(v)/m, α = 1/m, ρ = 1, F of that B. Steps in the order above, at most 10
  rounds, at least 2.
- λ/2 starts at the ⌊n/10⌋-th smallest d_i, the smallest where n < 10, and grows by 1.1 per
  round. If base clusterings agree entirely on this many instances, it is 0 and the program
  stops. In this case coassoc uses as n the number of instances on which they do not agree.
- d_i is a sum over all base clusterings, as in the paper. The program adds the term of the last
  base clustering m times, so its result depends on their order.
- ρ doubles while the c smallest eigenvalues sum to more than 1e-9 and halves while there are
  more than c components; F is then still the F of the last graph with at most c.
- If the number of components at the end is not c, S is divided by spectral clustering, or its
  components are joined by :func:`~coassoc.partition.components.merge_components`.
- A base clustering that B reproduces exactly would get α_v = 0. Its α_v² is therefore kept at
  1e-12 of the largest.
- F is sought among the vectors constant on microclusters.
"""

from typing import Any, ClassVar

import numpy as np

from coassoc.ensemble import Ensemble
from coassoc.invariant import InvariantMatrix
from coassoc.methods.base import Array, Components, GraphLearner, Labels, RandomState
from coassoc.methods.parameters import Cost, integer, number
from coassoc.numerics.distances import squared_distances
from coassoc.numerics.rank_constraint import RankConstraint, graph_components
from coassoc.numerics.simplex import project_columns_on_simplex
from coassoc.numerics.threads import row_blocks

#: Smallest sum of eigenvalues that counts as positive.
_TOL = (1e-9, 1e-11)
#: Growth of λ per round.
_PACE = 1.1
#: Losses below this fraction of the largest loss are rounding errors.
_ROUNDING = 1e-12
#: Smallest α_v² relative to the largest.
_LEAST_SHARE = 1e-12
#: Number of instances processed at a time.
_SLAB = 128


class TRCE(GraphLearner):
    """Tri-level robust clustering ensemble (Zhou et al. 2021).

    The base classes describe further parameters and attributes.

    Parameters
    ----------
    gamma : float
        γ > 0, weight of ‖S − B‖².
    max_iter : int
        Maximum number of iterations.

    Attributes
    ----------
    affinity_ : InvariantMatrix
        The graph S.
    """

    title: ClassVar = "Tri-level robust clustering ensemble"
    paper: ClassVar = "Zhou, Du, Shen & Li, AAAI 2021"
    cost: ClassVar = Cost(seconds=1.1, power=2, squares=4)
    revision = 2
    offers: ClassVar = ("affinity_",)
    gamma: float = number(
        0.01, above=0, grid=(1e-5, 1e-4, 1e-3, 0.01, 0.1, 1, 10, 100, 1000, 1e4, 1e5)
    )
    max_iter: int = integer(10, minimum=1)

    def _consensus(self, ensemble: Ensemble, X: Any, random_state: RandomState) -> Labels:
        S, _, components = tri_level_graph(ensemble, self)
        return self._labels_of_similarity(components, S, random_state)


def tri_level_graph(ensemble: Ensemble, method: TRCE) -> tuple[InvariantMatrix, Array, Components]:
    """Learn the consensus graph of :class:`TRCE`.

    Returns
    -------
    S : InvariantMatrix
        Consensus graph.
    w : (n',) array
        Weight of the instances of each microcluster.
    components : (int, (n',) integer array)
        Number of components of S, and the component of each microcluster.
    """
    learner = _Learner(ensemble, method.n_clusters, method.gamma)
    for t in method._rounds():
        method.converged_ = learner.update() and t > 1
        learner.lam *= _PACE
    return InvariantMatrix(learner.S, 0.0, learner.micro), learner.w, learner.rank.components


class _Learner:
    """S, w, α, λ, F and ρ of the alternating minimisation; B is used up slab by slab."""

    def __init__(self, ensemble: Ensemble, n_clusters: int, gamma: float) -> None:
        self.micro = ensemble.microclusters
        self.r = self.micro.r
        self.Z = ensemble.microcluster_membership
        self.labels = ensemble.distinct_labels + ensemble.offsets[:-1]
        self.clustering = ensemble.clustering_of_cluster
        self.sizes = ensemble.cluster_sizes
        n_micro, m = self.micro.count, ensemble.n_clusterings
        self.gamma = gamma
        self.alpha = np.full(m, 1 / m)
        self.w = np.ones(n_micro)
        self.S = np.empty((n_micro, n_micro))
        #: KL(A_i^(v) ‖ B_i) of each instance and base clustering.
        self.divergence = np.empty((n_micro, m))
        self.slabs = row_blocks(n_micro, _SLAB)
        for columns in self.slabs:
            B = self._graph_sum(columns) / m**2
            self.S[columns] = B.T
            self.divergence[columns] = self._divergence(B, columns)
        self.lam = self._first_pace()
        #: F and ρ.
        self.rank = RankConstraint(n_clusters, self.r, 1.0, _TOL, self.S, graph_components(self.S))

    def update(self) -> bool:
        """One round of w, B, α, S and F; returns whether S has c components."""
        loss, F, rho = self._loss(), self.rank.F, self.rank.penalty
        self.w = np.minimum(1.0, self.lam / np.maximum(2 * loss, self.lam))
        for columns in self.slabs:
            D = squared_distances(F, F[columns])
            B = self._graph_sum(columns) * self.w[columns] ** 2
            self._scale_rows(B, rho * D, columns)
            self.divergence[columns] = self._divergence(B, columns)
            B -= rho / (2 * self.gamma) * D
            self.S[columns] = project_columns_on_simplex(B, self.r).T
        self.S = (self.S + self.S.T) / 2
        self._update_alpha()
        return self.rank.update(self.S, graph_components(self.S))

    def _graph_sum(self, columns: slice) -> Array:
        """(n', h) columns of Σ_v A^(v) / α_v, one for each instance of the slab."""
        scale = 1 / (self.alpha[self.clustering] * self.sizes)
        return np.asarray(self.Z @ self.Z[columns].multiply(scale).T.toarray())

    def _scale_rows(self, C: Array, H: Array, columns: slice) -> None:
        """Overwrite C by C/(η + H) with the η of each column for which Σ_k r_k B_k = 1."""
        r = self.r
        diagonal = np.arange(columns.start, columns.stop), np.arange(C.shape[1])
        mass = r @ C
        # Lower bounds of η: from Jensen's inequality, and from the instance's own microcluster.
        eta = np.maximum(mass - (r @ (C * H)) / mass, C[diagonal] * r[columns])
        for _ in range(100):
            inverse = 1 / (H + eta)
            B = C * inverse
            total = r @ B
            step = (total - 1) * total / (r @ (inverse * B))
            eta += np.maximum(step, 0.0)
            if (step <= 4e-16 * eta).all():
                break
        np.divide(C, H + eta, out=C)

    def _divergence(self, B: Array, columns: slice) -> Array:
        """(h, m) Kullback–Leibler divergences Σ_k a_k log(a_k / b_k), a_k = 1/|cluster|."""
        log_B = np.log(B, out=np.zeros_like(B), where=B > 0) * self.r[:, None]
        cluster = self.labels[columns]
        own_terms = (self.Z.T @ log_B)[cluster.T, np.arange(B.shape[1])].T
        size = self.sizes[cluster]
        return np.maximum(-np.log(size) - own_terms / size, 0.0)

    def _loss(self) -> Array:
        """d_i = Σ_v KL(A_i^(v) ‖ B_i) / α_v."""
        return self.divergence @ (1 / self.alpha)

    def _first_pace(self) -> float:
        loss = self._loss()
        order = np.argsort(loss, kind="stable")
        disputed = order[loss[order] > _ROUNDING * max(loss.max(), 1.0)]
        for among in (order, disputed):
            if len(among) == 0:
                break
            reached = np.cumsum(self.micro.sizes[among])
            lam = 2 * loss[among[np.searchsorted(reached, max(reached[-1] // 10, 1))]]
            if lam > 2 * _ROUNDING * max(loss.max(), 1.0):
                return float(lam)
        return 1.0

    def _update_alpha(self) -> None:
        squares = (self.r * self.w**2) @ self.divergence
        if squares.max() > 0:
            alpha = np.sqrt(np.maximum(squares, _LEAST_SHARE * squares.max()))
            self.alpha = alpha / alpha.sum()
