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

- *Loops.* Ŝ loses its diagonal before it is structured, except for what a row needs to sum to 1.
  Rows of unit length mostly have sums far above 1, so that the projection keeps their largest
  entries only, and the largest is the sample itself.
- *Readings of Ŝ.* Compared by the accuracies of M¹ to M⁴ and M on the seven data sets of Table 4
  that can be had (35 cells, four repeats each), the mean absolute difference from the printed
  accuracies is 0.026 with the loops dropped as above, 0.029 with all loops kept, 0.031 with none at
  all, 0.028 with rows scaled to a sum of 1 and loops, 0.037 with such rows and no loops, and 0.036
  with the largest entry scaled to 1. Rows of unit length for A⁴ as well, where the paper takes A⁴
  itself, leave its labels as they are and move M only, by 0.004 on average: 0.025.
- *What stays open.* No reading reproduces the printed 0.720 of M³ on Tr41 (0.62 to 0.68 here), nor
  the 0.262 of M⁴ on AR (0.12 to 0.18). M³ on JAFFE comes to 0.96 (0.946 in the paper) with rows
  that sum to 1, which costs the other orders more than it gains.
- *Weight of the trace.* Tr(FᵀLF) = ½ Σ_ij M_ij ‖f_i − f_j‖², so (13) projects Ŝ − (λ/2) D with D
  the squared distances; the text prints M − λD.
- *Projection.* The problem (13) is solved exactly. The paper's alternation of (16) and (17) finds a
  doubly stochastic matrix that need not be the nearest one: von Neumann's theorem holds for
  subspaces, and the matrices M ≥ 0 are a cone.
- *Start.* F starts as the eigenvectors for the projection of Ŝ itself, λ at 0.1; between 0.01
  and 1 the start hardly matters.
- *More than c components* without the term of λ remain: F is constant on them, D is zero inside
  them, and M is the same at every λ. The iteration then ends at once. For M⁴ this is usual.
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
  by spectral clustering on M. Of more than c, the c − 1 largest are clusters and the others form
  one more: spectral clustering would take c indicators out of more, and the sizes break the tie.

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
