"""LTA: clustering ensemble meets low-rank tensor approximation.

Y. Jia, H. Liu, J. Hou, Q. Zhang, "Clustering ensemble meets low-rank tensor approximation", AAAI
2021. With Ã the co-association matrix A and M = [A = 1] the coherent link matrix, the tensor P
(n × n × 2) of low t-SVD nuclear norm with slices near M and A is

    min_{P,E}  ‖P‖_⊛ + λ ‖E‖_F²                                                    (Eq. 9)
    s.t.       P(:,:,1) = M where M = 1,  P(:,:,2) + E = A,
               both slices symmetric with entries in [0, 1]

solved by the augmented Lagrangian of Algorithm 2. The refined co-association P(:,:,2) is cut by
average linkage (LTA-EA) or by spectral clustering (LTA-SC).

The result depends on the order of the samples
----------------------------------------------
The nuclear norm is that of n slices of size n × 2 in the Fourier domain *along the samples*. It
is small when neighbours in the file are alike, so a file sorted by class gives the classes away.
Accuracies in the order of the file and shuffled are in docs/deviations.md, as are the decisions
that the paper leaves open.

How it is solved
----------------
*P step* (Eq. 12): a slice is n × 2, so its shrinkage is a product with a 2 × 2 matrix, known in
closed form from the slice's Gram matrix; real Fourier transforms leave ⌊n/2⌋+1 slices, handled
all at once. *All other steps* are entrywise but for the symmetrisation. They run in one pass over
pairs of mirrored tiles.
"""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from coassoc.ensemble import Ensemble, Microclusters
from coassoc.invariant import InvariantMatrix
from coassoc.methods.base import Iteration, RandomState, require
from coassoc.methods.lta.algorithm import TensorApproximation, refine_co_association, shrinkage
from coassoc.methods.parameters import choice, integer, number
from coassoc.methods.refinement import RefiningClusterer
from coassoc.partition.linkage import linkage_labels
from coassoc.partition.spectral import spectral_labels

__all__ = ["LTA", "TensorApproximation", "refine_co_association", "shrinkage"]


@dataclass(frozen=True)
class SymmetricPart(Iteration):
    """(P(:,:,2) + P(:,:,2)ᵀ)/2 as `S`, and how the iteration went."""

    S: InvariantMatrix


class LTA(RefiningClusterer):
    """Low-rank tensor approximation of the co-association (Jia et al. 2021).

    **The result depends on the order of the samples**: neighbours in the file are drawn together.
    Files sorted by class therefore give far better partitions than the same samples shuffled, by
    as much as docs/deviations.md shows; shuffle the samples to judge the method. The penalty
    also grows so fast that the iteration freezes before the optimum of the printed problem, and its
    own limit is the optimum for λ/2.

    Parameters
    ----------
    ending : {"linkage", "spectral"}
        Average linkage (LTA-EA) or spectral clustering (LTA-SC) of the refined matrix.
    lam : float
        λ > 0, weight of the error term (Eq. 9).
    mu0 : float
        First penalty μ > 0.
    rho : float
        ρ ≥ 1, growth of the penalty per iteration.
    mu_max : float
        Largest penalty, at least `mu0`.
    tol : float
        Largest absolute violation of a constraint at which the iteration stops.

    Attributes
    ----------
    affinity_ : InvariantMatrix
        Symmetric part of the refined co-association P(:,:,2); samples are their own
        microclusters, since equal samples differ by their position.
    history_ : dict of str to array
        Largest violations of the constraints on "B", "C", "E" per iteration.
    """

    revision = 1
    seeds = "the final k-means; average linkage is deterministic"

    def _cut_by_linkage(
        self, ensemble: Ensemble, refined: SymmetricPart, random_state: RandomState
    ) -> NDArray[np.intp]:
        return linkage_labels(refined.S, self.n_clusters, "average")

    def _cut_by_spectrum(
        self, ensemble: Ensemble, refined: SymmetricPart, random_state: RandomState
    ) -> NDArray[np.intp]:
        return spectral_labels(refined.S, self.n_clusters, random_state)

    endings: ClassVar = {"linkage": _cut_by_linkage, "spectral": _cut_by_spectrum}

    offers: ClassVar = ("affinity_",)
    records: ClassVar = ("B", "C", "E")
    depends_on_sample_order = True
    squares: ClassVar = 8
    ending: str = choice("linkage", tuple(endings))
    lam: float = number(0.002, above=0, grid=(0.0002, 0.002, 0.02, 0.2, 2))
    mu0: float = number(1e-4, above=0)
    rho: float = number(1.1, minimum=1)
    mu_max: float = number(1e10, above=0)
    tol: float = number(1e-8, above=0)
    max_iter: int = integer(500, minimum=1)

    def _check_parameters(self) -> None:
        require(self, "mu_max", self.mu_max >= self.mu0, "at least mu0")

    def _refine(self, ensemble: Ensemble, X: Any) -> SymmetricPart:
        result = refine_co_association(ensemble, **self._declared("ending"))
        S = result.P2 + result.P2.T
        S /= 2
        singles = Microclusters.from_assignment(np.arange(ensemble.n_samples))
        refined = InvariantMatrix(S, 0.0, singles)
        return SymmetricPart(refined, converged=result.converged, history=result.history)

    def _keep(self, ensemble: Ensemble, refined: SymmetricPart) -> None:
        self._record(refined)
        self.affinity_ = refined.S
