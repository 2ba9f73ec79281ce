"""HCLCE: clustering ensemble with high-order consistency learning.

J. Gan, Y. Chen, P. Zhou, L. Du, "Clustering ensemble algorithm with high-order consistency
learning", Journal of Computer Applications 43(9), 2023. With S^i the connective matrix of base
clustering i, four families of matrices look at the samples from different sides:

    A¹ = {S^i},  A² = {S^i S^j},  A³ = {S^i ∘ S^j},  A⁴ = S^1 ∘ … ∘ S^m.

Each family is fused with weights learned from it (Eqs. 1, 3, 5), and structured (Eqs. 2, 4, 6, 7):

    max_{w,Ŝ}  Σ_i w_i Tr(A_i Ŝ)      s.t.  ‖w‖ = 1, w ≥ 0, Ŝ ≥ 0, rows of Ŝ of unit length
    min_{M,F}  ‖M − Ŝ‖_F² + 2λ Tr(Fᵀ L_M F)
               s.t.  M ≥ 0, M = Mᵀ, M1 = 1, F ∈ R^{n×c}, FᵀF = I

where λ is driven to the value at which L_M has rank n − c, so that the graph M has c connected
components. The four M^d are fused the same way, with weights on the simplex (Eq. 8):

    min_{M,w,F}  ‖M − Σ_d w_d M^d‖_F² + 2λ Tr(Fᵀ L_M F)

Decisions the paper leaves open
-------------------------------
The paper gives no program, number of base clusterings or scale of their features; its k-means
column is that of k-means with c clusters from random samples on rows of unit length. The readings
below are those that bring the accuracies of all M^d and of M (its Table 4) together.

- *Loops.* Ŝ loses its diagonal before it is structured, but for what a row would then lack of a
  sum of 1. Rows of unit length mostly have sums far above 1, so that the projection keeps their
  largest entries only, and the largest is the sample itself. With loops the accuracy of M³ on
  JAFFE falls from 0.92 to 0.82 (0.946 in the paper).
- *Weight of the trace.* Tr(FᵀLF) = ½ Σ_ij M_ij ‖f_i − f_j‖², so (13) projects Ŝ − (λ/2) D with D
  the squared distances; the text prints M − λD.
- *Projection.* The problem (13) is solved exactly. The alternation (16), (17) only finds some
  doubly stochastic matrix near by: von Neumann's theorem is about subspaces, M ≥ 0 is a cone.
- *Start.* F starts as the eigenvectors for the projection of Ŝ itself, λ at 0.1; between 0.01
  and 1 the start hardly matters.
- *More than c components* before any λ stay: F is constant on them, D zero inside them, and M the
  same at every λ. Then the iteration ends at once. For M⁴ this is the rule.
- *Ensemble size.* The table runs with 20 base clusterings: CSTR and JAFFE then come out as printed
  (0.90 and 0.94 for 0.902 and 0.961), while 10 leave them at 0.83 and 0.91.
- *Pairs.* S^i S^j and S^j S^i count as one matrix, their mean, so that the order of the base
  clusterings does not matter. A single base clustering is paired with itself.
- *Weights of the views.* P in (19) is diagonal, as its entries p_i = Tr(M^i M^i) say: w minimises
  Σ_d ‖M − w_d M^d‖_F². With all Tr(M^i M^j), as (8) has it, the accuracy of M on CSTR falls from
  0.90 to 0.83 (0.902 in the paper). M starts as the mean of the views.
- *Eigenvectors* are sought among the vectors constant on microclusters. The others belong to
  eigenvalues of L_M from 1 on, above all those of a graph with c components.
- *Labels* are the connected components of M; links up to 1e-9 count as none. Fewer than c are cut
  by spectral clustering on M. Of more than c, the c − 1 largest stand and the others are one
  cluster: spectral clustering would take c indicators out of more, and the sizes break the tie.

How it is solved
----------------
Everything lives on microclusters. A¹ and A³ depend on a pair of samples only through the set of
base clusterings that agree on it, so the pairs are grouped by that set once; Tr((S^i ∘ S^j) Ŝ)
for all i, j is then one small product. Σ w_ij S^i S^j = Z K Zᵀ with the L × L matrix K of weighted
cluster intersections, and Tr(S^i S^j Ŝ) sums a block of (ZᵀZ) ∘ (ZᵀŜZ). The projection does not
change when a1ᵀ + 1aᵀ is added, so Ŝ − (λ/2) D becomes Ŝ + λ F Fᵀ.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import reduce
from typing import Any, ClassVar, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from coassoc.ensemble import Ensemble, Microclusters
from coassoc.errors import ConfigError
from coassoc.invariant import InvariantMatrix
from coassoc.methods.base import ConsensusClusterer
from coassoc.methods.parameters import Parameter
from coassoc.numerics.doubly_stochastic import doubly_stochastic_projection
from coassoc.numerics.rank_constraint import (
    adjust_rank_penalty,
    bottom_laplacian_eigenvectors,
    graph_components,
)
from coassoc.numerics.simplex import simplex_qp
from coassoc.partition.labels import split_to
from coassoc.partition.spectral import spectral_labels

__all__ = ["HCLCE", "Structured", "fused_similarity", "structured_graph"]

Array = NDArray[np.float64]

#: Links of a projection that is accurate to 1e-10 are none up to this size.
_NO_LINK = 1e-9


class Structured(NamedTuple):
    """Result of :func:`structured_graph`.

    Attributes
    ----------
    M : InvariantMatrix
        Symmetric, non-negative, with row sums of 1.
    component : (n',) integer array
        Connected component of each microcluster in the graph M.
    n_components : int
    n_iter : int
        Updates of M after the first projection.
    converged : bool
        Whether there are c components, or no λ gives fewer than there are.
    history : dict of str to (n_iter + 1,) array
        "lam" and "n_components"; the first entry is the projection without rank constraint.
    """

    M: InvariantMatrix
    component: NDArray[np.intp]
    n_components: int
    n_iter: int
    converged: bool
    history: dict[str, NDArray]


class HCLCE(ConsensusClusterer):
    """Clustering ensemble with high-order consistency learning (Gan et al. 2023).

    Parameters
    ----------
    n_clusters : int
        c, number of clusters wanted.
    lam : float
        λ > 0 at the start; it doubles while there are fewer than c components and halves when
        there are more.
    view : {"all", 1, 2, 3, 4}
        Which matrix the labels come from: the fusion M of all four, or one M^d alone (Table 4).
    max_iter : int
        Most updates of each structured matrix.
    random_state : int, RandomState or None
        Seed of the spectral cut, used where the learned graph has fewer than c components.

    Attributes
    ----------
    affinity_ : InvariantMatrix
        The matrix the labels come from: M, or M^d of the chosen view.
    views_ : dict of int to InvariantMatrix
        M^d for d = 1 … 4, or for the chosen view alone.
    weights_ : dict of int to array
        Weights w of the base clusterings (d = 1), or of their pairs as a symmetric m × m matrix
        (d = 2, 3), for the views in `views_`.
    view_weights_ : (4,) array
        Weights of M¹ … M⁴ in M; only with ``view="all"``.
    n_clusters_found_ : int
        Connected components of `affinity_`.
    history_ : dict of str to array
        "lam" and "n_components" per update of `affinity_`, from its first projection on.
    """

    offers: ClassVar = ("weights_", "views_", "view_weights_", "affinity_")
    records: ClassVar = ("lam", "n_components")
    parameters: ClassVar = {
        "lam": Parameter("number", above=0),
        "view": Parameter("choice", choices=("all", 1, 2, 3, 4)),
        "max_iter": Parameter("integer", minimum=1),
    }

    def __init__(
        self,
        n_clusters: int = 2,
        *,
        lam: float = 0.1,
        view: str | int = "all",
        max_iter: int = 50,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.lam = lam
        self.view = view
        self.max_iter = max_iter
        self.random_state = random_state

    def _consensus(
        self, ensemble: Ensemble, X: Any, random_state: np.random.RandomState
    ) -> NDArray:
        orders = (1, 2, 3, 4) if self.view == "all" else (int(self.view),)
        families = _families(ensemble, orders)
        structured, self.weights_ = {}, {}
        for order in orders:
            S_hat, weights = families[order]
            if weights is not None:
                self.weights_[order] = weights
            structured[order] = structured_graph(
                S_hat, self.n_clusters, lam=self.lam, max_iter=self.max_iter
            )
        self.views_ = {order: result.M for order, result in structured.items()}
        if self.view == "all":
            result, self.view_weights_ = _fused_graph(
                list(self.views_.values()), self.n_clusters, self.lam, self.max_iter
            )
        else:
            result = structured[orders[0]]
        self.affinity_ = result.M
        self.n_iter_ = max(1, result.n_iter)
        self.converged_ = result.converged
        self.history_ = result.history
        self.n_clusters_found_ = result.n_components
        return _labels(result, self.n_clusters, random_state)


# -- families and their fusion ------------------------------------------------------------------


class _Family(Protocol):
    """A family {A_i} by the two things its fusion needs; no A_i is ever formed."""

    start: Array

    def combine(self, w: Array) -> Array:
        """(n', n') array Σ_i w_i A_i on the microclusters."""
        ...

    def traces(self, R: Array) -> Array:
        """b_i = Tr(A_i Ŝ) for R = N Ŝ N."""
        ...


class _AgreementSets:
    """Pairs of microclusters grouped by the set of base clusterings that agree on them."""

    def __init__(self, ensemble: Ensemble) -> None:
        labels = ensemble.distinct_labels
        n_micro, m = labels.shape
        of_pair = np.zeros(n_micro**2, dtype=np.int64)
        self.sets = np.ones((1, 0))
        # A set is a number of up to 31 binary digits, joined to the number of the earlier digits.
        for first in range(0, m, 31):
            columns = labels[:, first : first + 31].T
            digits = of_pair.reshape(n_micro, n_micro) << len(columns)
            for power, column in enumerate(columns):
                digits += (column[:, None] == column).astype(np.int64) << power
            found, of_pair = np.unique(digits, return_inverse=True)
            new = (found[:, None] >> np.arange(len(columns))) & 1
            self.sets = np.hstack((self.sets[found >> len(columns)], new))
        self.of_pair = of_pair.reshape(n_micro, n_micro).astype(np.int32)

    def values(self, per_set: Array) -> Array:
        """(n', n') array of each pair's value."""
        return per_set[self.of_pair]

    def totals(self, R: Array) -> Array:
        """Sum of R over the pairs of each set."""
        sums = np.bincount(self.of_pair.ravel(), weights=R.ravel(), minlength=len(self.sets))
        return sums.astype(np.float64, copy=False)


class _Single:
    """A¹ = {S^i}: an entry of Σ w_i S^i is the weight of the agreement set."""

    def __init__(self, agreement: _AgreementSets) -> None:
        self.agreement = agreement
        m = agreement.sets.shape[1]
        self.start = np.full(m, 1 / np.sqrt(m))

    def combine(self, w: Array) -> Array:
        return self.agreement.values(self.agreement.sets @ w)

    def traces(self, R: Array) -> Array:
        return self.agreement.totals(R) @ self.agreement.sets


def _pairs(m: int) -> Array:
    """(m, m) 0/1 matrix of the pairs i ≠ j; of the pair (1, 1) where there is no other."""
    return 1.0 - np.eye(m) if m > 1 else np.ones((1, 1))


class _SamplePairs:
    """A³ = {S^i ∘ S^j}: an entry of Σ w_ij S^i ∘ S^j sums w over the pairs in the agreement set."""

    def __init__(self, agreement: _AgreementSets) -> None:
        self.agreement = agreement
        self.pairs = _pairs(agreement.sets.shape[1])
        self.start = self.pairs / np.linalg.norm(self.pairs)

    def combine(self, w: Array) -> Array:
        sets = self.agreement.sets
        return self.agreement.values(np.einsum("pi,pi->p", sets @ w, sets))

    def traces(self, R: Array) -> Array:
        sets = self.agreement.sets
        return self.pairs * (sets.T @ (self.agreement.totals(R)[:, None] * sets))


class _ClusterPairs:
    """A² = {(S^i S^j + S^j S^i) / 2}, by the cluster intersections C = ZᵀZ."""

    def __init__(self, ensemble: Ensemble) -> None:
        self.Z = ensemble.microcluster_membership
        self.C = ensemble.cluster_intersections.tocoo()
        clustering = ensemble.clustering_of_cluster
        self.block = clustering[self.C.row], clustering[self.C.col]
        self.pairs = _pairs(ensemble.n_clusterings)
        self.start = self.pairs / np.linalg.norm(self.pairs)

    def combine(self, w: Array) -> Array:
        K = self.C.copy()
        K.data = self.C.data * w[self.block]
        return np.asarray((self.Z @ K.tocsr()).toarray() @ self.Z.T)

    def traces(self, R: Array) -> Array:
        T = np.asarray(self.Z.T @ np.asarray(R @ self.Z))
        b = np.zeros_like(self.pairs)
        np.add.at(b, self.block, self.C.data * T[self.C.col, self.C.row])
        return self.pairs * (b + b.T) / 2


#: Largest change of a weight at which the fusion of a family has converged; most rounds.
_FUSION_TOL, _FUSION_ROUNDS = 1e-10, 200


def fused_similarity(ensemble: Ensemble, order: int) -> tuple[InvariantMatrix, Array | None]:
    """Ŝ of one family, Algorithm 1: the rows of Σ w_i A_i at unit length, w_i ∝ Tr(A_i Ŝ).

    Parameters
    ----------
    ensemble : Ensemble
    order : {1, 2, 3, 4}
        A¹ … A⁴.

    Returns
    -------
    S_hat : InvariantMatrix
        Rows of unit Euclidean length over the n samples (Eq. 10); A⁴ itself for order 4.
    weights : array or None
        (m,) weights for order 1, (m, m) symmetric ones of the pairs for orders 2 and 3 (Eq. 12);
        None for order 4, which has one matrix.
    """
    if order not in (1, 2, 3, 4):
        raise ConfigError(f"fused_similarity: order is {order!r}; it must be 1, 2, 3 or 4.")
    return _families(ensemble, (order,))[order]


def _families(
    ensemble: Ensemble, orders: tuple[int, ...]
) -> dict[int, tuple[InvariantMatrix, Array | None]]:
    """Ŝ and w of several families, which share what they can."""
    micro = ensemble.microclusters
    agreement = _AgreementSets(ensemble) if {1, 3} & set(orders) else None
    fused: dict[int, tuple[InvariantMatrix, Array | None]] = {}
    for order in orders:
        if order == 4:
            # All base clusterings agree exactly inside the microclusters.
            fused[4] = InvariantMatrix(np.eye(micro.count), 0.0, micro), None
        elif order == 2:
            fused[2] = _fuse(_ClusterPairs(ensemble), micro)
        else:
            assert agreement is not None
            fused[order] = _fuse((_Single if order == 1 else _SamplePairs)(agreement), micro)
    return fused


def _fuse(family: _Family, micro: Microclusters) -> tuple[InvariantMatrix, Array]:
    """Alternate (10) and (12) to a fixed point."""
    r, w = micro.r, family.start
    for _ in range(_FUSION_ROUNDS):
        S = family.combine(w)
        S /= np.sqrt(np.square(S) @ r)[:, None]
        b = family.traces(S * r * r[:, None])
        previous, w = w, b / np.linalg.norm(b)
        if np.abs(w - previous).max() <= _FUSION_TOL:
            break
    return InvariantMatrix(S, 0.0, micro), w


# -- structured graphs --------------------------------------------------------------------------


def structured_graph(
    S_hat: InvariantMatrix, n_clusters: int, *, lam: float = 0.1, max_iter: int = 50
) -> Structured:
    """Algorithm 2: a doubly stochastic matrix near Ŝ whose graph has c components.

    Parameters
    ----------
    S_hat : InvariantMatrix
        Non-negative; it is symmetrised and loses its loops here.
    n_clusters : int
        c.
    lam : float
        λ at the start.
    max_iter : int
        Most updates of M.
    """
    K = _without_loops(S_hat.symmetrized())
    return _structure(lambda M: K, n_clusters, lam, max_iter)


def _without_loops(K: InvariantMatrix) -> InvariantMatrix:
    """Lower the diagonal to what the other entries of a row lack of a sum of 1, mostly 0."""
    diagonal = K.diagonal()
    others = K.row_sums() - diagonal
    lacking = np.maximum(1 - others, 0.0)
    return InvariantMatrix.with_diagonal(K.S, np.minimum(diagonal, lacking), K.microclusters)


def _fused_graph(
    views: list[InvariantMatrix], n_clusters: int, lam: float, max_iter: int
) -> tuple[Structured, Array]:
    """Algorithm 3: structure Σ_d w_d M^d, with w from the quadratic program (19) in each round."""
    p = np.array([view.inner(view) for view in views])
    w = np.full(len(views), 1 / len(views))

    def combine() -> InvariantMatrix:
        return reduce(operator.add, map(operator.mul, views, w))

    def target(M: InvariantMatrix | None) -> InvariantMatrix:
        M = combine() if M is None else M
        q = np.array([view.inner(M) for view in views])
        w[:] = simplex_qp(2 * np.diag(p), -2 * q)
        return combine()

    return _structure(target, n_clusters, lam, max_iter), w


def _structure(
    target: Callable[[InvariantMatrix | None], InvariantMatrix],
    n_clusters: int,
    lam: float,
    max_iter: int,
) -> Structured:
    """Alternate the projection (13) and F (18) while λ looks for c components.

    Parameters
    ----------
    target : callable
        The matrix to approximate, given the current M; None at the start.
    """
    K = target(None)
    micro = K.microclusters
    r, c = micro.r, min(n_clusters, micro.count)
    projection = doubly_stochastic_projection(K.S, r, K.e)
    count, component = graph_components(projection.S > _NO_LINK)
    u = projection.u
    trace = [(0.0, count)]
    # More components than c without any λ stay: λ only ever removes links.
    done = count >= c
    while not done and len(trace) <= max_iter:
        M = InvariantMatrix(projection.S, projection.e, micro)
        if count < c:
            F, _ = bottom_laplacian_eigenvectors(M.S, r, c, component, count)
        K = target(M)
        B = F @ (lam * F.T)
        B += K.S
        # (λ/2) D contains the squared norms of the rows of F, which F Fᵀ leaves to u.
        norms = lam / 2 * np.einsum("kj,kj->k", F, F)
        projection = doubly_stochastic_projection(B, r, K.e, u - norms)
        u = projection.u + norms
        count, component = graph_components(projection.S > _NO_LINK)
        trace.append((lam, count))
        lam, done = adjust_rank_penalty(lam, c - count, c + 1 - count, (0, 1))
    lams, counts = np.array(trace).T
    return Structured(
        InvariantMatrix(projection.S, projection.e, micro),
        component,
        count,
        len(trace) - 1,
        bool(done and projection.residual <= _NO_LINK),
        {"lam": lams, "n_components": counts.astype(np.intp)},
    )


def _labels(result: Structured, n_clusters: int, random_state: np.random.RandomState) -> NDArray:
    """Components of the graph as exactly c clusters."""
    micro = result.M.microclusters
    if result.n_components < min(n_clusters, micro.count):
        return spectral_labels(result.M, n_clusters, random_state)
    sizes = np.bincount(result.component, weights=micro.r)
    rank = np.empty(len(sizes), dtype=np.intp)
    rank[np.argsort(-sizes, kind="stable")] = np.arange(len(sizes))
    labels = np.minimum(rank[result.component], n_clusters - 1)
    return split_to(micro.expand(labels), n_clusters)
