"""The estimator of RSEC, with both ways to end a representation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from coassoc.ensemble import Ensemble
from coassoc.invariant import InvariantMatrix
from coassoc.methods.base import Array, Iteration, Labels, RandomState
from coassoc.methods.parameters import choice, integer, number
from coassoc.methods.refinement import RefiningClusterer
from coassoc.methods.rsec.algorithm import robust_representation
from coassoc.partition.labels import split_to
from coassoc.partition.spectral import k_means, spectral_labels, unit_rows

__all__ = ["RSEC"]


@dataclass(frozen=True)
class RobustGraph(Iteration):
    """What the endings of RSEC need: (|Z| + |Zᵀ|)/2 and H, and how the iteration went."""

    affinity: InvariantMatrix
    H: Array


class RSEC(RefiningClusterer):
    """Robust spectral ensemble clustering (Tao et al. 2016, 2019).

    Parameters
    ----------
    lam1 : float
        λ₁ > 0, weight of the nuclear norm of Z.
    lam2 : float
        λ₂ > 0, weight of the error E.
    ending : {"H", "Z"}
        Final partition: k-means on the rows of H, at unit length (RSEC-H), or spectral
        clustering of Z (RSEC-Z).
    mu : float, optional
        First penalty μ > 0; 1.5/‖S‖₂ by default.
    rho : float
        ρ ≥ 1, growth of the penalty per iteration.
    tol : float
        Largest relative residual at the stop.
    max_iter : int
        Most iterations.

    Attributes
    ----------
    affinity_ : InvariantMatrix
        (|Z| + |Zᵀ|)/2.
    embedding_ : (n, min(c, n')) array
        The relaxed partition H.
    history_ : dict of str to array
        "objective" of the model, relative "residual_S" and "residual_Z" per iteration.
    """

    def _k_means(self, ensemble: Ensemble, found: RobustGraph, random_state: RandomState) -> Labels:
        rows, r = unit_rows(found.H), found.affinity.microclusters.r
        labels = k_means(rows, self.n_clusters, random_state, weights=r)
        return split_to(found.affinity.microclusters.expand(labels), self.n_clusters)

    def _spectral(
        self, ensemble: Ensemble, found: RobustGraph, random_state: RandomState
    ) -> Labels:
        return spectral_labels(found.affinity, self.n_clusters, random_state)

    endings: ClassVar = {"H": _k_means, "Z": _spectral}

    offers: ClassVar = ("affinity_", "embedding_")
    records: ClassVar = ("objective", "residual_S", "residual_Z")
    lam1: float = number(1.0, above=0, grid=(0.1, 0.3, 1))
    lam2: float = number(0.3, above=0, grid=(0.1, 0.3, 1))
    ending: str = choice("H", tuple(endings))
    mu: float | None = number(None, above=0)
    rho: float = number(1.1, minimum=1)
    tol: float = number(1e-6, above=0)
    max_iter: int = integer(500, minimum=1)

    def _refine(self, ensemble: Ensemble, X: Any) -> RobustGraph:
        found = robust_representation(ensemble, self.n_clusters, **self._declared("ending"))
        affinity = found.Z.map(np.abs).symmetrized()
        return RobustGraph(affinity, found.H, converged=found.converged, history=found.history)

    def _keep(self, ensemble: Ensemble, found: RobustGraph) -> None:
        self._record(found)
        self.affinity_ = found.affinity
        self.embedding_ = found.affinity.microclusters.expand(found.H)
