"""HCLCE: clustering ensemble with high-order consistency learning.

J. Gan, Y. Chen, P. Zhou, L. Du, "Clustering ensemble algorithm with high-order consistency
learning", Journal of Computer Applications 43(9), 2023. With S^i the connective matrix of base
clustering i, four families of matrices describe the samples in different ways:

    A¹ = {S^i},  A² = {S^i S^j},  A³ = {S^i ∘ S^j},  A⁴ = S^1 ∘ … ∘ S^m.

Each family is fused with weights learned from it (Eqs. 1, 3, 5), and structured (Eqs. 2, 4, 6, 7):

    max_{w,Ŝ}  Σ_i w_i Tr(A_i Ŝ)      s.t.  ‖w‖ = 1, w ≥ 0, Ŝ ≥ 0, rows of Ŝ of unit length
    min_{M,F}  ‖M − Ŝ‖_F² + 2λ Tr(Fᵀ L_M F)
               s.t.  M ≥ 0, M = Mᵀ, M1 = 1, F ∈ R^{n×c}, FᵀF = I

where λ is adapted until L_M has rank n − c, so that the graph M has c connected components. The
four M^d are fused in the same way, with weights on the simplex (Eq. 8):

    min_{M,w,F}  ‖M − Σ_d w_d M^d‖_F² + 2λ Tr(Fᵀ L_M F)

If labels are missing, the matrices of a family contain only the pairs of samples that their base
clusterings label: for S^i the pairs that i labels, for S^i S^j the pairs with a label in each of i
and j. An entry is multiplied by the number of matrices divided by the number of matrices that
contain it, so that sums over a family give each pair the same weight. A⁴ is 1 if all base
clusterings that label both samples join them.

How it is solved
----------------
All matrices are defined on microclusters. A¹ and A³ depend on a pair of samples only through the
set of base clusterings that agree on it, so the pairs are grouped by that set once; Tr((S^i ∘ S^j)
Ŝ) for all i, j is then one small product. Σ w_ij S^i S^j = Z K Zᵀ with the L × L matrix K of
weighted cluster intersections, and Tr(S^i S^j Ŝ) sums a block of (ZᵀZ) ∘ (ZᵀŜZ). The projection
does not change when a1ᵀ + 1aᵀ is added, so Ŝ − (λ/2) D becomes Ŝ + λ F Fᵀ.

What the paper leaves open
--------------------------
The paper provides no program and states neither the number of base clusterings nor the scale of
their features. Its k-means column fits k-means with c clusters, started at random samples, on rows
of unit length. The interpretation of the text was chosen by the accuracies of all M^d and of M in
Table 4 of the paper.

- *Loops.* Ŝ loses its diagonal before it is structured, except for what a row needs to sum to 1.
  Rows of unit length mostly have sums far above 1, so the projection keeps only their largest
  entries, and the largest entry is that of the sample itself. Of six interpretations of Ŝ, this
  one is nearest to Table 4 (all loops kept, none, rows that sum to 1 with and without loops,
  largest entry 1).
- *Unexplained numbers.* No interpretation reproduces the published M³ on Tr41 or M⁴ on AR. Pairs
  i = j in A³, all components as clusters, and five to forty base clusterings were tried.
- *Weight of the trace.* Tr(FᵀLF) = ½ Σ_ij M_ij ‖f_i − f_j‖², so (13) projects Ŝ − (λ/2) D, where
  D contains the squared distances. The text has M − λD.
- *Projection.* The problem (13) is solved exactly. The paper's alternation of (16) and (17)
  finds a doubly stochastic matrix that need not be the nearest one: von Neumann's theorem holds
  for subspaces, and the matrices M ≥ 0 are a cone.
- *Start.* F starts as the eigenvectors for the projection of Ŝ itself, and λ starts at 0.1.
  Starts of λ between 0.01 and 1 give nearly the same result.
- *More than c components* without the term of λ remain: F is constant on them, D is zero inside
  them, and M is the same at every λ. The iteration then ends at once. For M⁴ this is usual.
- *Ensemble size.* The tables use 20 base clusterings, which is nearer to the published numbers
  than 10 (``hclce_protocol_size``).
- *Pairs.* S^i S^j and S^j S^i count as one matrix, their mean, so the order of the base
  clusterings does not matter. A single base clustering is paired with itself.
- *Weights of the views.* P in (19) is diagonal, as its entries p_i = Tr(M^i M^i) say: w
  minimises Σ_d ‖M − w_d M^d‖_F². With all Tr(M^i M^j), as in (8), the results are farther from
  the published numbers. M starts as the mean of the views.
- *Eigenvectors* are sought among the vectors constant on microclusters. The other eigenvectors
  belong to eigenvalues of L_M of at least 1.
- *Labels* are the connected components of M, without links of at most 1e-9. If there are fewer
  than c components, spectral clustering divides M. If there are more than c, the c − 1 largest
  are clusters and the others form one more cluster, because spectral clustering would choose c
  of them arbitrarily.
- *Missing labels* do not occur in the paper. A pair of samples that is missing from some
  matrices of a family counts as much as the other pairs. A sample that is missing from all of
  them is alone in that family.
"""

from collections.abc import Callable, Iterator
from typing import Any, ClassVar

import numpy as np

from coassoc.ensemble import Ensemble, Microclusters
from coassoc.invariant import InvariantMatrix
from coassoc.methods.base import Array, Components, ConsensusClusterer, Labels, RandomState
from coassoc.methods.parameters import Cost, choice, integer, number
from coassoc.numerics.doubly_stochastic import doubly_stochastic_projection
from coassoc.numerics.rank_constraint import (
    adjust_rank_penalty,
    bottom_laplacian_eigenvectors,
    graph_components,
)
from coassoc.numerics.simplex import simplex_qp
from coassoc.numerics.sparse import scaled_rows
from coassoc.numerics.threads import over_blocks, row_blocks
from coassoc.partition.labels import labels_of_samples
from coassoc.partition.spectral import spectral_labels

#: Largest change of a weight at which the fusion of a family has converged, and the largest number
#: of rounds.
_FUSION_TOL, _FUSION_ROUNDS = 1e-10, 200
#: A table with this many numbers takes little time and memory for any number of microclusters.
_SMALL_TABLE = 2**20
#: Links up to this size count as zero, because the projection is accurate to 1e-10.
NO_LINK = 1e-9


class HCLCE(ConsensusClusterer):
    """Clustering ensemble with high-order consistency learning (Gan et al. 2023).

    `random_state` is the seed of the spectral cut, which is needed only if the graph has fewer than
    c components.

    The base classes describe further parameters and attributes.

    Parameters
    ----------
    lam : float
        Initial λ > 0. λ doubles while the graph has fewer than c components and halves while it has
        more.
    view : {"all", 1, 2, 3, 4}
        Matrix from which the labels are computed: the fusion M of all four views, or one M^d alone
        (Table 4).
    max_iter : int
        Maximum number of updates of each structured matrix.

    Attributes
    ----------
    affinity_ : InvariantMatrix
        Matrix from which the labels are computed: M, or M^d of the chosen view.
    views_ : dict of int to InvariantMatrix
        M^d for d = 1 … 4, or for the chosen view alone.
    weights_ : dict of int to array
        Weights w of the base clusterings (d = 1), or of their pairs as a symmetric m × m matrix
        (d = 2, 3), for the views in `views_`.
    view_weights_ : (4,) array
        Weights of M¹ … M⁴ in M; only with ``view="all"``.
    n_clusters_found_ : int
        Number of connected components of `affinity_`.
    """

    title: ClassVar = "High-order consistency learning"
    paper: ClassVar = "Gan, Chen, Zhou & Du, J. Computer Applications 2023"
    cost: ClassVar = Cost(seconds=7.9, power=2, squares=11)
    offers: ClassVar = ("weights_", "views_", "view_weights_", "affinity_")
    takes_missing: ClassVar = True
    lam: float = number(0.1, above=0)
    view: str | int = choice("all", ("all", 1, 2, 3, 4))
    max_iter: int = integer(50, minimum=1)

    def _consensus(self, ensemble: Ensemble, X: Any, random_state: RandomState) -> Labels:
        orders = (1, 2, 3, 4) if self.view == "all" else (int(self.view),)
        self.weights_, self.views_ = {}, {}
        families = fused_similarities(ensemble, orders)
        for order, (S_hat, weights) in zip(orders, families, strict=True):
            if weights is not None:
                self.weights_[order] = weights
            self.views_[order], components = structured_graph(S_hat, self)
        self.affinity_ = self.views_[orders[-1]]
        if self.view == "all":
            views = list(self.views_.values())
            self.affinity_, self.view_weights_, components = fused_graph(views, self)
        self.n_clusters_found_, component = components
        if self.n_clusters_found_ < min(self.n_clusters, ensemble.microclusters.count):
            return spectral_labels(self.affinity_, self.n_clusters, random_state)
        return _component_labels(component, ensemble.microclusters, self.n_clusters)


def _component_labels(component: Labels, micro: Microclusters, n_clusters: int) -> Labels:
    """Components of the graph as exactly c clusters."""
    sizes = np.bincount(component, weights=micro.r)
    rank = np.argsort(np.argsort(-sizes, kind="stable"))
    labels = np.minimum(rank[component], n_clusters - 1)
    return labels_of_samples(labels, micro, n_clusters)


class _AgreementSets:
    """Pairs of microclusters grouped by the set of base clusterings that agree on them."""

    def __init__(self, ensemble: Ensemble) -> None:
        labels = np.ascontiguousarray(ensemble.distinct_labels.T)
        m, n_micro = labels.shape
        #: (q, m) 0/1 array of the sets that occur.
        self.sets = np.ones((1, 0))
        #: (n', n') number of each pair's set.
        self.of_pair = np.zeros((n_micro, n_micro), dtype=np.int64)
        while m:
            # Sets are numbered with as many base clusterings at a time, the last first, as a table
            # of the numbers has room for.
            room = max(n_micro**2, _SMALL_TABLE) // len(self.sets)
            count = min(max(room.bit_length() - 1, 1), m)
            m -= count
            self.of_pair <<= count
            for digit, column in enumerate(labels[m : m + count]):
                agree = (column[:, None] == column) & (column >= 0)
                self.of_pair += agree.astype(np.int64) << digit
            occurs = np.bincount(self.of_pair.ravel(), minlength=len(self.sets) << count) > 0
            numbers = np.flatnonzero(occurs)
            self.of_pair = (np.cumsum(occurs) - 1)[self.of_pair]
            digits = (numbers[:, None] >> np.arange(count)) & 1
            self.sets = np.hstack((digits, self.sets[numbers >> count]))

    def totals(self, R: Array, left: Array, right: Array) -> Array:
        """Sum of diag(`left`) R diag(`right`) over the pairs of each set."""
        products = left[:, None] * R * right
        sums = np.bincount(self.of_pair.ravel(), products.ravel(), len(self.sets))
        return np.asarray(sums, dtype=np.float64)


# A family of matrices A_i on the microclusters, none of which is ever formed: the first w; the
# function that gives (n', n') Σ_i w_i A_i; and the one that gives b_i = Tr(A_i Ŝ) for diagonals
# and an R with diag(left) R diag(right) = N Ŝ N.
Family = tuple[Array, Callable[[Array], Array], Callable[[Array, Array, Array], Array]]


def _single(agreement: _AgreementSets) -> Family:
    """A¹ = {S^i}: an entry of Σ w_i S^i is the weight of the agreement set."""
    sets, m = agreement.sets, agreement.sets.shape[1]

    def combine(w: Array) -> Array:
        return (sets @ w)[agreement.of_pair]

    def traces(R: Array, left: Array, right: Array) -> Array:
        return agreement.totals(R, left, right) @ sets

    return np.full(m, 1 / np.sqrt(m)), combine, traces


def _pairs(m: int) -> Array:
    """(m, m) 0/1 matrix of the pairs i ≠ j; of the pair (1, 1) where there is no other."""
    return 1.0 - np.eye(m) if m > 1 else np.ones((1, 1))


def _sample_pairs(agreement: _AgreementSets) -> Family:
    """A³ = {S^i ∘ S^j}: an entry of Σ w_ij S^i ∘ S^j sums w over the pairs in the agreement set."""
    sets = agreement.sets
    pairs = _pairs(sets.shape[1])

    def combine(w: Array) -> Array:
        return np.einsum("pi,pi->p", sets @ w, sets)[agreement.of_pair]

    def traces(R: Array, left: Array, right: Array) -> Array:
        totals = agreement.totals(R, left, right)
        return pairs * (sets.T @ (totals[:, None] * sets))

    return pairs / np.linalg.norm(pairs), combine, traces


def _cluster_pairs(ensemble: Ensemble) -> Family:
    """A² = {(S^i S^j + S^j S^i) / 2}, by the cluster intersections C = ZᵀZ."""
    Z, C = ensemble.microcluster_membership, ensemble.cluster_intersections.tocoo()
    clustering = ensemble.clustering_of_cluster
    block = clustering[C.row], clustering[C.col]
    pairs = _pairs(ensemble.n_clusterings)

    def combine(w: Array) -> Array:
        K = C.copy()
        K.data = C.data * w[block]
        return np.asarray((Z @ K.tocsr()).toarray() @ Z.T)

    def traces(R: Array, left: Array, right: Array) -> Array:
        T = scaled_rows(Z, left).T @ np.asarray(R @ scaled_rows(Z, right))
        b = np.zeros_like(pairs)
        np.add.at(b, block, C.data * T[C.col, C.row])
        return pairs * (b + b.T) / 2

    return pairs / np.linalg.norm(pairs), combine, traces


def fused_similarities(
    ensemble: Ensemble, orders: tuple[int, ...]
) -> Iterator[tuple[InvariantMatrix, Array | None]]:
    """Ŝ of several families, Algorithm 1: rows of Σ w_i A_i at unit length, w_i ∝ Tr(A_i Ŝ).

    Parameters
    ----------
    ensemble : Ensemble
    orders : tuple of {1, 2, 3, 4}
        Families among A¹ … A⁴, which share computations.

    Yields
    ------
    S_hat : InvariantMatrix
        Rows of unit Euclidean length over the n samples (Eq. 10); A⁴ itself for order 4.
    weights : array or None
        (m,) weights for order 1, (m, m) symmetric ones of the pairs for orders 2 and 3 (Eq. 12);
        None for order 4, which has one matrix.
    """
    micro, more = ensemble.microclusters, _divide_by_pairs_seen(ensemble, orders)
    agreement = _AgreementSets(ensemble) if {1, 3} & set(orders) else None
    for order in orders:
        if order == 4:
            yield InvariantMatrix(_all_agree(ensemble), 0.0, micro), None
        elif order == 2:
            yield _fuse(_cluster_pairs(ensemble), micro, more[order])
        else:
            assert agreement is not None
            family = (_single if order == 1 else _sample_pairs)(agreement)
            yield _fuse(family, micro, more[order])


def _divide_by_pairs_seen(ensemble: Ensemble, orders: tuple[int, ...]) -> dict[int, Any]:
    """What the entries of a family's matrices are multiplied by; 1 where no label is missing.

    It is the number of matrices divided by the number of matrices with the pair, or 0 if there are
    none.
    """
    if not ensemble.has_missing:
        return dict.fromkeys(orders, 1.0)
    both, m = ensemble.n_common, ensemble.n_clusterings
    diagonal = np.diagonal(both)
    pairs = m * (m - 1)
    seen = {
        1: both / m,
        2: (diagonal[:, None] * diagonal - both) / pairs,
        3: both * (both - 1) / pairs,
    }
    return {d: 1 / np.where(seen[d] > 0, seen[d], np.inf) for d in {1, 2, 3} & set(orders)}


def _all_agree(ensemble: Ensemble) -> Array:
    """A⁴: 1 where all base clusterings that have both microclusters agree, and one does."""
    if not ensemble.has_missing:
        return np.eye(ensemble.microclusters.count)
    Z = ensemble.microcluster_membership
    together = (Z @ Z.T).toarray()
    return ((together == ensemble.n_common) & (together > 0)).astype(np.float64)


def _fuse(family: Family, micro: Microclusters, more: Any) -> tuple[InvariantMatrix, Array]:
    """Alternate (10) and (12) to a fixed point."""
    w, combine, traces = family
    r, seen_less = micro.r, np.ndim(more) > 0
    for _ in range(_FUSION_ROUNDS):
        S = combine(w)
        if seen_less:
            S *= more
        lengths = np.sqrt(np.einsum("kl,kl,l->k", S, S, r))
        b = traces(S * more if seen_less else S, r / np.where(lengths > 0, lengths, 1), r)
        previous, w = w, b / np.linalg.norm(b)
        if np.abs(w - previous).max() <= _FUSION_TOL:
            break
    # A sample that is in none of the matrices becomes its own cluster.
    alone = lengths == 0
    S[alone, alone], lengths[alone] = 1.0, np.sqrt(r[alone])
    S /= lengths[:, None]
    return InvariantMatrix(S, 0.0, micro), w


def structured_graph(S_hat: InvariantMatrix, method: HCLCE) -> tuple[InvariantMatrix, Components]:
    """Algorithm 2: a doubly stochastic matrix near Ŝ whose graph has c components.

    Parameters
    ----------
    S_hat : InvariantMatrix
        Non-negative matrix, which is symmetrised and loses its loops here.
    method : HCLCE

    Returns
    -------
    M : InvariantMatrix
        Symmetric, non-negative, with row sums of 1.
    components : (int, (n',) integer array)
        Number of its components, and the component of each microcluster.
    """
    K = _without_loops(S_hat.symmetrized())
    return _structure(lambda M: K, method)


def _without_loops(K: InvariantMatrix) -> InvariantMatrix:
    """Lower the diagonal to 1 minus the sum of the other entries of a row, or to 0."""
    diagonal = K.diagonal()
    others = K.row_sums() - diagonal
    lacking = np.maximum(1 - others, 0.0)
    return InvariantMatrix.with_diagonal(K.S, np.minimum(diagonal, lacking), K.microclusters)


def fused_graph(
    views: list[InvariantMatrix], method: HCLCE
) -> tuple[InvariantMatrix, Array, Components]:
    """Algorithm 3: M from Σ_d w_d M^d, with w from the quadratic program (19) in each round.

    Returns M, w and the components of M.
    """
    p = np.array([view.inner(view) for view in views])
    w = np.full(len(views), 1 / len(views))

    def combine() -> InvariantMatrix:
        S = np.zeros(views[0].S.shape)

        def add(rows: slice) -> None:
            for view, weight in zip(views, w, strict=True):
                S[rows] += view.S[rows] * weight

        over_blocks(add, row_blocks(len(S)))
        e = np.sum([view.e * weight for view, weight in zip(views, w, strict=True)], axis=0)
        return InvariantMatrix(S, e, views[0].microclusters)

    def target(M: InvariantMatrix | None) -> InvariantMatrix:
        M = combine() if M is None else M
        q = np.array([view.inner(M) for view in views])
        w[:] = simplex_qp(2 * np.diag(p), -2 * q)
        return combine()

    M, components = _structure(target, method)
    return M, w, components


def _structure(
    target: Callable[[InvariantMatrix | None], InvariantMatrix], method: HCLCE
) -> tuple[InvariantMatrix, Components]:
    """Alternate the projection (13) and F (18) while λ looks for c components.

    `target` gives the matrix to approximate for the current M, which is None at the start.
    """
    K = target(None)
    micro = K.microclusters
    r, c, lam = micro.r, min(method.n_clusters, micro.count), method.lam
    space, B = (np.empty_like(K.S), np.empty_like(K.S)), np.empty_like(K.S)
    S, e, u, residual = doubly_stochastic_projection(K.S, r, K.e, space)
    count, component = graph_components(S, NO_LINK)
    # More than c components without λ remain, because λ only removes links.
    n_rounds, done = 0, count >= c
    while not done and n_rounds < method.max_iter:
        M = InvariantMatrix(S, e, micro)
        if count < c:
            F, _ = bottom_laplacian_eigenvectors(M.S, r, c, component, count)
        K = target(M)
        np.matmul(F, lam * F.T, out=B)
        B += K.S
        # (λ/2) D contains the squared norms of the rows of F, which F Fᵀ leaves to u.
        norms = lam / 2 * np.einsum("kj,kj->k", F, F)
        S, e, u, residual = doubly_stochastic_projection(B, r, K.e, space, u - norms)
        u = u + norms
        count, component = graph_components(S, NO_LINK)
        n_rounds += 1
        lam, done = adjust_rank_penalty(lam, c - count, c + 1 - count, (0, 1))
    method.n_iter_ = max(1, n_rounds)
    method.converged_ = bool(done and residual <= NO_LINK)
    return InvariantMatrix(S, e, micro), (count, component)
