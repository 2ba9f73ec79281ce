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

Where labels are missing, the matrices of a family have only the pairs of samples that their base
clusterings have: S^i those that i has both of, S^i S^j those with a label in each. An entry is
multiplied by the number of matrices over the number of those that have it, so that sums over a
family count each pair alike. A⁴ is 1 where all base clusterings that have both samples agree.

How it is solved
----------------
The families and their fusion (Algorithm 1) are in :mod:`.families`, the graphs (Algorithms 2 and 3)
in :mod:`.graphs`.

Everything lives on microclusters. A¹ and A³ depend on a pair of samples only through the set of
base clusterings that agree on it, so the pairs are grouped by that set once; Tr((S^i ∘ S^j) Ŝ)
for all i, j is then one small product. Σ w_ij S^i S^j = Z K Zᵀ with the L × L matrix K of weighted
cluster intersections, and Tr(S^i S^j Ŝ) sums a block of (ZᵀZ) ∘ (ZᵀŜZ). The projection does not
change when a1ᵀ + 1aᵀ is added, so Ŝ − (λ/2) D becomes Ŝ + λ F Fᵀ.
"""

from typing import Any, ClassVar

import numpy as np

from coassoc.ensemble import Ensemble
from coassoc.methods.base import ConsensusClusterer, Labels, RandomState
from coassoc.methods.hclce.families import fused_similarities
from coassoc.methods.hclce.graphs import Structured, fused_graph, structured_graph
from coassoc.methods.parameters import choice, integer, number
from coassoc.partition.labels import split_to
from coassoc.partition.spectral import spectral_labels

__all__ = ["HCLCE", "Structured", "fused_similarities", "structured_graph"]


class HCLCE(ConsensusClusterer):
    """Clustering ensemble with high-order consistency learning (Gan et al. 2023).

    Parameters
    ----------
    lam : float
        λ > 0 at the start; it doubles while there are fewer than c components and halves when
        there are more.
    view : {"all", 1, 2, 3, 4}
        Which matrix the labels come from: the fusion M of all four, or one M^d alone (Table 4).
    max_iter : int
        Most updates of each structured matrix.

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

    revision = 1
    seeds = "the spectral cut, used where the learned graph has fewer than c components"
    offers: ClassVar = ("weights_", "views_", "view_weights_", "affinity_")
    records: ClassVar = ("lam", "n_components")
    squares: ClassVar = 8
    takes_missing: ClassVar = True
    lam: float = number(0.1, above=0)
    view: str | int = choice("all", ("all", 1, 2, 3, 4))
    max_iter: int = integer(50, minimum=1)

    def _consensus(self, ensemble: Ensemble, X: Any, random_state: RandomState) -> Labels:
        orders = (1, 2, 3, 4) if self.view == "all" else (int(self.view),)
        views = [
            (weights, structured_graph(S_hat, self.n_clusters, **self._declared("view")))
            for S_hat, weights in fused_similarities(ensemble, orders)
        ]
        self.weights_ = {o: w for o, (w, _) in zip(orders, views, strict=True) if w is not None}
        self.views_ = {o: graph.M for o, (_, graph) in zip(orders, views, strict=True)}
        if self.view == "all":
            result, self.view_weights_ = fused_graph(
                list(self.views_.values()), self.n_clusters, self.lam, self.max_iter
            )
        else:
            ((_, result),) = views
        self.affinity_ = result.M
        self._record(result)
        self.n_iter_ = max(1, result.n_iter)
        self.n_clusters_found_ = result.n_components
        return _labels(result, self.n_clusters, random_state)


def _labels(result: Structured, n_clusters: int, random_state: RandomState) -> Labels:
    """Components of the graph as exactly c clusters."""
    micro = result.M.microclusters
    if result.n_components < min(n_clusters, micro.count):
        return spectral_labels(result.M, n_clusters, random_state)
    sizes = np.bincount(result.component, weights=micro.r)
    rank = np.empty(len(sizes), dtype=np.intp)
    rank[np.argsort(-sizes, kind="stable")] = np.arange(len(sizes))
    labels = np.minimum(rank[result.component], n_clusters - 1)
    return split_to(micro.expand(labels), n_clusters)
