"""EC-CMS: ensemble clustering via co-association matrix self-enhancement.

Y. Jia, S. Tao, R. Wang, Y. Wang, "Ensemble clustering via co-association matrix self-enhancement",
IEEE TNNLS, 2023. With Ã the co-association matrix, A any input similarity, H the entries of Ã that
are at least α, Ω their positions, and Φ the Laplacian of H:

    min_{C,E}  tr(CᵀΦC) + λ/2 ‖E‖_F²                                              (Eq. 5)
    s.t.       A = C + E,  Ψ_Ω(E) = 0,  C = Cᵀ,  0 ≤ C ≤ 1

The problem is solved by the ADMM of Algorithm 1. Average linkage on C gives the clusters.

How it is solved
----------------
All variables are defined on microclusters. The algorithm of the paper is in :mod:`.algorithm`.

What the paper leaves open
--------------------------
*Taken from measured behaviour of the authors' program.*

- The diagonal of H is set to 0 first, so the diagonal is never locked.
- Start: C = E = F = 0, Y₁ = A, Y₂ = 0.
- The five relative changes are ratios of norms (of squared norms in the text). For the
  multipliers they are ‖residual‖ / ‖previous Y‖. A division by the zero start counts as
  infinite. A change that is zero up to rounding counts as 0, even if it is divided by 0 (when no
  bound is active).
- The result is C, not its projected copy F. At the end C is asymmetric by up to about 1e-2, so
  linkage uses (C + Cᵀ)/2.
- If labels are missing, each entry of A and Ã is computed from the base clusterings that label
  both samples.
"""

from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp

from coassoc.ensemble import Ensemble
from coassoc.evidence import Evidence
from coassoc.invariant import InvariantMatrix
from coassoc.methods.base import ConsensusClusterer, Labels, RandomState
from coassoc.methods.eccms.algorithm import self_enhance
from coassoc.methods.parameters import Cost, boolean, choice, integer, number
from coassoc.similarity import (
    THETA,
    co_association,
    locally_weighted_co_association,
    probability_trajectory_similarity,
)

__all__ = ["ECCMS", "high_confidence", "self_enhance"]


class ECCMS(ConsensusClusterer):
    """Ensemble clustering via co-association matrix self-enhancement (Jia et al. 2023).

    If labels are missing, the entries of A and Ã for a pair are computed from the base clusterings
    that label both samples. A pair has high confidence if a fraction of at least α of these base
    clusterings co-cluster it, however few they are. A pair that is never observed together has
    co-association 0, and the method may enhance its entry of A like any other entry.

    The method is deterministic and ignores `random_state`.

    The base classes describe further parameters and attributes.

    Parameters
    ----------
    alpha : float
        α in [0, 1], smallest co-association that counts as high confidence (Eq. 2).
    lam : float
        λ > 0, weight of the error term (Eq. 5).
    gamma1, gamma2 : float
        Penalties γ₁, γ₂ > 0 of the ADMM.
    theta : float
        θ > 0, parameter of the locally weighted similarity; used only if ``similarity="lwca"``.
    similarity : {"lwca", "ca", "pts"}
        The input A: locally weighted co-association (the paper's default), plain co-association
        (Table VI) or probability trajectory similarity (Table VII). If similarities are given
        instead of labels, both "lwca" and "ca" use them. Their co-association therefore gives the
        partition of the labels with "ca", and another one than with "lwca".
    laplacian : bool
        Whether to include the term tr(CᵀΦC). Without it, the solution of the model is C = A (Table
        VIII).
    lock : bool
        Whether to impose Ψ_Ω(E) = 0 (Table VIII).
    tol : float
        ε, largest relative change at which the iteration stops.
    max_iter : int
        Maximum number of iterations.

    Attributes
    ----------
    affinity_ : InvariantMatrix
        The enhanced matrix C.
    history_ : dict of str to array
        Relative changes of "C", "E", "F", "Y1", "Y2" per iteration.
    dendrogram_ : Dendrogram
        Merges of the linkage, see :func:`~coassoc.partition.linkage.cut_samples`.
    """

    title: ClassVar = "Co-association matrix self-enhancement"
    paper: ClassVar = "Jia, Tao, Wang & Wang, IEEE TNNLS 2023"
    cost: ClassVar = Cost(seconds=3.6, power=2.5, squares=6)
    reads_matrix: ClassVar = True
    takes_missing: ClassVar = True
    offers: ClassVar = ("affinity_", "dendrogram_")
    alpha: float = number(
        0.8, minimum=0, maximum=1, grid=(0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95)
    )
    lam: float = number(0.4, above=0, grid=(0.001, 0.01, 0.1, 1, 10, 100, 1000))
    gamma1: float = number(1.0, above=0)
    gamma2: float = number(1.0, above=0)
    theta: float = number(THETA, above=0)
    similarity: str = choice("lwca", ("ca", "lwca", "pts"))
    laplacian: bool = boolean(True)
    lock: bool = boolean(True)
    tol: float = number(1e-2, above=0)
    max_iter: int = integer(100, minimum=1)

    def _consensus(self, ensemble: Ensemble, X: Any, random_state: RandomState) -> Labels:
        # Without Φ nothing opposes E = 0: the minimum of (5) is C = A.
        enhance = self._enhanced if self.laplacian else self._input_similarity
        return self._cut(enhance(ensemble), "average")

    def _enhanced(self, ensemble: Ensemble) -> InvariantMatrix:
        """C; nothing else of the algorithm is kept, since linkage needs the memory."""
        H = high_confidence(ensemble, self.alpha)
        return self_enhance(self._input_similarity(ensemble), H, self).C

    def _input_similarity(self, ensemble: Ensemble) -> InvariantMatrix:
        if self.similarity == "lwca" and not isinstance(ensemble, Evidence):
            return locally_weighted_co_association(ensemble, self.theta)
        if self.similarity == "pts":
            return probability_trajectory_similarity(ensemble)
        return co_association(ensemble)


def high_confidence(ensemble: Ensemble, alpha: float) -> sp.csr_array:
    """H on the microclusters: co-associations of at least α, EC-CMS Eq. (2).

    Returns
    -------
    (n', n') sparse array
        The diagonal holds the entry between different samples of one microcluster, which is 0
        (not stored) for a microcluster of one sample.
    """
    H = co_association(ensemble).S
    # Co-associations are multiples of 1/m. The margin keeps k/m ≥ α when α = k/m was rounded.
    H[H < alpha - 1e-12] = 0.0
    alone = np.flatnonzero(ensemble.microclusters.sizes == 1)
    H[alone, alone] = 0.0
    return sp.csr_array(H)
