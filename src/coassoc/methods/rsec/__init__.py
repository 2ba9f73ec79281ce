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

Decisions the paper leaves open are in docs/deviations.md.

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
