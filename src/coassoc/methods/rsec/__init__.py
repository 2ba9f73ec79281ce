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

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from coassoc.ensemble import Ensemble
from coassoc.invariant import InvariantMatrix
from coassoc.methods.base import Array, Iteration, Labels, RandomState
from coassoc.methods.ending import KMeansEnding
from coassoc.methods.parameters import boolean, choice, integer, number
from coassoc.methods.refinement import RefiningClusterer
from coassoc.methods.rsec.algorithm import RobustRepresentation, robust_representation
from coassoc.partition.spectral import spectral_embedding, unit_rows

__all__ = ["RSEC", "RobustRepresentation", "robust_representation"]


@dataclass(frozen=True)
class RobustGraph(Iteration):
    """What the endings of RSEC need: (|Z| + |Zᵀ|)/2 and H, and how the iteration went."""

    affinity: InvariantMatrix
    H: Array


class RSEC(RefiningClusterer, KMeansEnding):
    """Robust spectral ensemble clustering (Tao et al. 2016, 2019).

    Parameters
    ----------
    lam1 : float
        λ₁ > 0, weight of the nuclear norm of Z.
    lam2 : float
        λ₂ > 0, weight of the error E.
    ending : {"H", "Z"}
        Final partition: k-means on the rows of H (RSEC-H), or spectral clustering of Z (RSEC-Z).
    unit_rows : bool
        Whether k-means clusters the rows of H scaled to unit length.
    mu : float, optional
        First penalty μ > 0; 1.5/‖S‖₂ by default.
    rho : float
        ρ ≥ 1, growth of the penalty per iteration.
    tol : float
        Largest relative residual at the stop.

    Attributes
    ----------
    affinity_ : InvariantMatrix
        (|Z| + |Zᵀ|)/2.
    embedding_ : (n, min(c, n')) array
        The relaxed partition H.
    history_ : dict of str to array
        "objective" of the model, relative "residual_S" and "residual_Z" per iteration.
    """

    revision = 1

    def _k_means(
        self, ensemble: Ensemble, refined: RobustGraph, random_state: RandomState
    ) -> Labels:
        rows = unit_rows(refined.H) if self.unit_rows else refined.H
        return self._cluster(rows, refined.affinity.microclusters, random_state)

    def _spectral(
        self, ensemble: Ensemble, refined: RobustGraph, random_state: RandomState
    ) -> Labels:
        return self._cluster(*spectral_embedding(refined.affinity, self.n_clusters), random_state)

    endings: ClassVar = {"H": _k_means, "Z": _spectral}

    offers: ClassVar = ("affinity_", "embedding_")
    records: ClassVar = ("objective", "residual_S", "residual_Z")
    squares: ClassVar = 6
    lam1: float = number(1.0, above=0, grid=(0.1, 0.3, 1))
    lam2: float = number(0.3, above=0, grid=(0.1, 0.3, 1))
    ending: str = choice("H", tuple(endings))
    unit_rows: bool = boolean(True)
    mu: float | None = number(None, above=0)
    rho: float = number(1.1, minimum=1)
    tol: float = number(1e-6, above=0)
    max_iter: int = integer(500, minimum=1)

    def _refine(self, ensemble: Ensemble, X: Any) -> RobustGraph:
        settings = self._declared("ending", "unit_rows", "init", "n_init")
        result = robust_representation(ensemble, self.n_clusters, **settings)
        affinity = result.Z.map(np.abs).symmetrized()
        return RobustGraph(affinity, result.H, converged=result.converged, history=result.history)

    def _keep(self, ensemble: Ensemble, refined: RobustGraph) -> None:
        self._record(refined)
        self.affinity_ = refined.affinity
        self.embedding_ = refined.affinity.microclusters.expand(refined.H)
