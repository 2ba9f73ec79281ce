"""RCE: robust clustering ensemble by Kullback-Leibler divergence minimisation.

P. Zhou, L. Du, H. Wang, L. Shi, Y.-D. Shen, "Learning a robust consensus matrix for clustering
ensemble via Kullback-Leibler divergence minimization", IJCAI, 2015. With A⁽ⁱ⁾ the connective
matrix of base clustering i and E⁽ⁱ⁾ its errors:

    min_{Ã,E,S}  Σ_i Σ_pq KL(Ã_pq, A⁽ⁱ⁾_pq − E⁽ⁱ⁾_pq) + λ₁ Σ_i ‖E⁽ⁱ⁾‖₁
                 + λ₂ (tr(Ãᵀ S⁻¹ Ã) + tr(S))                                       (Eq. 4)
    s.t.         0 ≤ Ã ≤ 1,  0 ≤ A⁽ⁱ⁾ − E⁽ⁱ⁾ ≤ 1,  E⁽ⁱ⁾ = E⁽ⁱ⁾ᵀ,  S ⪰ 0

by block coordinate descent (Algorithm 1), then spectral clustering of W = (Ã + Ãᵀ)/2.

How it is solved
----------------
Nothing is of size n × n × m. For a pair with a = Ã_pq and b = Ã_qp, E⁽ⁱ⁾_pq depends on a + b and on
whether clustering i joins the pair, so all sums over i are functions of a + b and of the count of
clusterings that join it. Ã is 1 inside a microcluster, the diagonal included, so it has no diagonal
correction; S⁻¹ acts as 1/√μ on vectors inside a microcluster, and its positive and negative parts
are invariant matrices too.

Pairs at 0 stay there, so the connected components of the co-association graph are separate
problems. While S and E are fixed, so are the columns of Ã: a group of columns goes through all its
updates (11) while it is in cache, and meets only those rows of D⁺ and D⁻ that the group does not
have at 0 (:mod:`.groups`). Groups are shared out among threads.

What is left are the products D⁺Ã and D⁻Ã of 400 updates, 4 n'³ operations each where Ã has no
zeros: nine tenths of the time. Of the rest, the eigendecompositions take most.
"""

from typing import Any, ClassVar

from coassoc.ensemble import Ensemble
from coassoc.methods.base import ConsensusClusterer, Labels, RandomState
from coassoc.methods.parameters import integer, number
from coassoc.methods.rce.algorithm import RobustConsensus, robust_consensus
from coassoc.partition.spectral import spectral_labels

__all__ = ["RCE", "RobustConsensus", "robust_consensus"]


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

    revision = 1
    offers: ClassVar = ("affinity_",)
    records: ClassVar = (
        "objective",
        "objective_errors",
        "nuclear_norm",
        "smoothed_nuclear_norm",
        "max_error",
    )
    squares: ClassVar = 8
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
