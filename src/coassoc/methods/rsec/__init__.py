"""RSEC: robust spectral ensemble clustering via rank minimization.

Z. Tao, H. Liu, S. Li, Z. Ding, Y. Fu, "Robust spectral ensemble clustering", CIKM 2016, and "Robust
spectral ensemble clustering via rank minimization", ACM TKDD 13(1), 2019. With S the
co-association matrix, a low-rank representation Z of S and a relaxed partition H are learned
together:

    min_{H,Z,E}  tr(Hᵀ L_Z H) + λ₁ ‖Z‖_* + λ₂ ‖E‖_{2,1}
    s.t.         HᵀH = I,  S = S Z + E

L_Z is the normalised Laplacian of a graph made of Z and HHᵀ, with degrees D. RSEC-H is k-means
on the rows of H, RSEC-Z spectral clustering of (|Z| + |Zᵀ|)/2.

The augmented Lagrangian with a copy J of Z and multipliers Y₁, Y₂ is minimised over one variable
at a time (D and the previous H are held while Z moves):

    J  = shrink the singular values of Z + Y₂/μ by λ₁/μ
    Z  = (S² + I)⁻¹ (S² + J − S E + (S Y₁ − Y₂ + B Bᵀ)/μ),  B = D^{-1/2} H
    E  = shrink the column lengths of S − S Z + Y₁/μ by λ₂/μ
    H  = the c leading eigenvectors of I − L_Z
    Y₁ += μ (S − S Z − E),  Y₂ += μ (Z − J),  μ *= ρ

Decisions the paper leaves open
-------------------------------
- The graph. A signed graph (Z + Zᵀ)/2 + HHᵀ, as printed, can have negative degrees, and the
  iteration then diverges. The graph is instead the usual affinity of low-rank representations
  (Liu et al. 2013): with U Σ Uᵀ the part of (Z + Zᵀ)/2 + HHᵀ whose singular values exceed 1e-4
  of the largest, the rows of U Σ^{1/2} scaled to unit length and R the matrix of them, (R Rᵀ)⁴
  entrywise. It is computed from J, which equals Z at convergence and has a low rank exactly.
- H = 0 until J has rank c: a graph of lower rank does not determine c eigenvectors.
- k-means sees the rows of H at unit length, as in spectral clustering. Otherwise a few short rows
  far from all others make clusters: on Caltech20 the ARI is 0.04, at unit length 0.18, as printed.
- H is sought among the matrices that treat samples with equal labels alike.
- Penalty: μ starts at 1.5/‖S‖₂ and grows by ρ = 1.1. The iteration stops when
  ‖S − SZ − E‖_F ≤ tol ‖S‖_F and ‖Z − J‖_F ≤ tol ‖Z‖_F.
- Only the nuclear norm is implemented, not the paper's second, non-convex model.
- λ₁ = 1 and λ₂ = 0.3 by default. The result depends mostly on λ₂/λ₁.

How it is solved
----------------
Everything is constant on microclusters; with rows and columns multiplied by the square roots of
the sizes, Frobenius and nuclear norms keep their values. In the eigenvectors V of S, of rank
ρ ≤ L − m + 1, the first factor of Z's update is diagonal, and E and Y₁ have their columns in the
range of V. Outside it, the update of Z makes Y₂ equal to the projection of B Bᵀ, and Z − J equal
to a difference of two such matrices over μ. The n × n matrices are thus [V, C] times
coefficients, with a few columns C, and singular values are shrunk by an eigendecomposition of
the size of the rank.
"""

from __future__ import annotations

from coassoc.methods.rsec.algorithm import RobustRepresentation, robust_representation
from coassoc.methods.rsec.estimator import RSEC

__all__ = ["RSEC", "RobustRepresentation", "robust_representation"]
