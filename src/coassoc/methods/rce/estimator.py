"""RCE's estimator: the robust consensus matrix, cut by spectral clustering."""

from __future__ import annotations

from typing import Any, ClassVar

from coassoc.ensemble import Ensemble
from coassoc.methods.base import ConsensusClusterer, Labels, RandomState
from coassoc.methods.parameters import integer, number
from coassoc.methods.rce.algorithm import robust_consensus
from coassoc.partition.spectral import spectral_labels

__all__ = ["RCE"]


class RCE(ConsensusClusterer):
    """Robust clustering ensemble (Zhou et al. 2015).

    Parameters
    ----------
    lam1 : float
        λ₁ > 0, weight of the errors (Eq. 1).
    lam2 : float
        λ₂ ≥ 0, weight of the nuclear norm (Eq. 2).
    mu : float
        μ > 0, keeps S invertible (Eq. 6).
    n_outer : int
        Rounds of E-step, updates of Ã and S-step.
    n_inner : int
        Updates (11) of Ã in each round.

    Attributes
    ----------
    affinity_ : InvariantMatrix
        W = (Ã + Ãᵀ)/2.
    history_ : dict of str to (n_outer,) array
        "objective": Eq. (4) + λ₂ μ tr(S⁻¹) after each round; "objective_errors": the same after the
        round's E-step, with the S of the round before; "nuclear_norm": ‖Ã‖_* to about eight digits,
        as it comes from ÃÃᵀ; "smoothed_nuclear_norm": tr((ÃÃᵀ + μI)^{1/2}), both after the round;
        "max_error": largest |E⁽ⁱ⁾_pq|.
    """

    offers: ClassVar = ("affinity_",)
    records: ClassVar = (
        "objective",
        "objective_errors",
        "nuclear_norm",
        "smoothed_nuclear_norm",
        "max_error",
    )
    lam1: float = number(0.1, above=0, grid=(0.0001, 0.001, 0.01, 0.1, 1, 10, 100, 1000, 10000))
    lam2: float = number(0.1, minimum=0, grid=(0.0001, 0.001, 0.01, 0.1, 1, 10, 100, 1000, 10000))
    mu: float = number(1e-3, above=0)
    n_outer: int = integer(20, minimum=1)
    n_inner: int = integer(20, minimum=1)

    def _consensus(self, ensemble: Ensemble, X: Any, random_state: RandomState) -> Labels:
        result = robust_consensus(ensemble, **self._declared())
        self.affinity_ = result.A.symmetrized()
        self._record(result)
        return spectral_labels(self.affinity_, self.n_clusters, random_state)
