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

Decisions the paper leaves open are in docs/deviations.md.

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

from __future__ import annotations

from coassoc.methods.hclce.estimator import HCLCE
from coassoc.methods.hclce.families import fused_similarity
from coassoc.methods.hclce.graphs import Structured, structured_graph

__all__ = ["HCLCE", "Structured", "fused_similarity", "structured_graph"]
