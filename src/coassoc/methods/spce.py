"""SPCE: self-paced clustering ensemble.

P. Zhou, L. Du, X. Liu, Y.-D. Shen, M. Fan, X. Li, "Self-paced clustering ensemble", IEEE TNNLS
32(4), 2021. With A^(j) the connective matrix of base clustering j, one consensus graph S is learned
together with weights W of the pairs and p of the base clusterings:

    min_{S,W,p}  Σ_j 1/p_j ‖W ∘ (S − A^(j))‖_F² + γ‖S‖_0 − τ‖W‖_1
    s.t.         0 ≤ S ≤ 1, S = Sᵀ, 0 ≤ W ≤ 1, p ≥ 0, Σ_j p_j = 1, rank(L_S) = n − c,
                 S_ij = 1 where all, S_ij = 0 where no base clusterings put i and j together.

The rank constraint is replaced by 2λ tr(FᵀL_S F) = λ Σ_ij S_ij ‖f_i − f_j‖², F the eigenvectors of
the c smallest eigenvalues of the Laplacian L_S. Each step is closed, with P = Σ_j 1/p_j and
B = Σ_j A^(j) / (p_j P):

    W_ij = min(1, τ / (2 Σ_j (S − A^(j))_ij² / p_j))
    S_ij = B_ij − λ‖f_i − f_j‖² / (2 P W_ij²) if that is positive and P W_ij² S_ij² > γ, else 0
    p_j ∝ ‖W ∘ (S − A^(j))‖_F

Decisions the paper leaves open, taken from measured behaviour of the authors' program
--------------------------------------------------------------------------------------
- Start: S = Ã, p = 1/m, λ = 1, F of Ã.
- The pace: τ/2 = m² q(1 − q) for q = 0.9, 0.8, …, 0.5, so that at first only pairs on which 90 % of
  the base clusterings agree have full weight. W is renewed once per stage; a stage has at most 5
  rounds of S, p, F, the last one 20, and ends when the graph has c components, but never after its
  first round.
- λ doubles while the c smallest eigenvalues sum to more than 1e-11 and halves while there are more
  than c components; then F stays that of the last graph with at most c.
- γ is given in units of m²: entries of S up to √γ / W vanish. An entry that equals the threshold
  up to rounding vanishes.
- With γ ≥ 0.09 the graph usually has more than c components at the end. They are counted in
  `n_clusters_found_` and joined by :func:`~coassoc.partition.components.merge_components`.
- A base clustering with which S agrees exactly would get p_j = 0; its p_j² is kept at 1e-12 of the
  largest.
- F is sought among the vectors constant on microclusters, whose samples must link anyway. All
  eigenvectors of the smallest eigenvalues are of that kind unless more clusters are wanted than
  the must-links leave groups to separate.

How it is solved
----------------
S and W live on microclusters. All entrywise steps run on the lower triangle in slabs of columns
that fit in cache; B and the sums for p are products with the sparse memberships; W is held as W²,
with 0 marking the pairs whose S is given. Eigenvectors come from a Lanczos iteration in which the
connected components, whose indicators are known, are deflated.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from coassoc.ensemble import Ensemble
from coassoc.invariant import InvariantMatrix
from coassoc.methods.base import GraphLearner, history_of
from coassoc.methods.parameters import Parameter
from coassoc.numerics.distances import squared_distances
from coassoc.numerics.rank_constraint import RankConstraint, graph_components
from coassoc.partition.spectral import spectral_labels
from coassoc.similarity import co_association

__all__ = ["SPCE", "SelfPaced", "self_paced_graph"]

Array = NDArray[np.float64]

#: Pace q of each stage and the most rounds it may take.
_STAGES = ((0.9, 5), (0.8, 5), (0.7, 5), (0.6, 5), (0.5, 20))
#: Eigenvalue sums that count as positive.
_TOL = (1e-11, 1e-11)
#: Relative margin within which a squared entry equals the threshold γ.
_TIE = 1e-12
#: Smallest p_j² relative to the largest.
_LEAST_SHARE = 1e-12


class SelfPaced(NamedTuple):
    """Result of :func:`self_paced_graph`.

    Attributes
    ----------
    S : InvariantMatrix
        Consensus graph.
    W : InvariantMatrix
        Weights of the pairs in the last stage.
    p : (m,) array
        Weights of the base clusterings.
    n_components : int
        Connected components of S.
    component : (n',) integer array
        Component of each microcluster.
    n_iter : int
        Rounds used.
    converged : bool
        Whether the last stage ended with c components.
    history : dict of str to (n_iter,) array
        Pace "q", penalty "lam", sum "rank_gap" of the c smallest eigenvalues and "n_components".
    """

    S: InvariantMatrix
    W: InvariantMatrix
    p: Array
    n_components: int
    component: NDArray[np.intp]
    n_iter: int
    converged: bool
    history: dict[str, Array]


class SPCE(GraphLearner):
    """Self-paced clustering ensemble (Zhou et al. 2021).

    Parameters
    ----------
    n_clusters : int
        c, number of clusters wanted.
    gamma : float
        γ/m² ≥ 0, weight of ‖S‖_0: similarities up to √gamma count as none where W = 1.
    random_state : int, RandomState or None
        Seed of k-means, which is needed only when S has another number of components than c.

    Attributes
    ----------
    affinity_ : InvariantMatrix
        The consensus graph S.
    n_clusters_found_ : int
        Number of connected components of S.
    history_ : dict of str to array
        Pace "q", penalty "lam", sum "rank_gap" of the c smallest eigenvalues of the Laplacian and
        "n_components", per round.
    """

    offers: ClassVar = ("affinity_",)
    records: ClassVar = ("q", "lam", "rank_gap", "n_components")
    parameters: ClassVar = {
        "gamma": Parameter(
            "number", minimum=0, grid=(0, 0.01, 0.04, 0.09, 0.16, 0.25, 0.36, 0.49, 0.64, 0.81)
        ),
    }

    def __init__(
        self, n_clusters: int = 2, *, gamma: float = 0.09, random_state: Any = None
    ) -> None:
        self.n_clusters = n_clusters
        self.gamma = gamma
        self.random_state = random_state

    def _consensus(
        self, ensemble: Ensemble, X: Any, random_state: np.random.RandomState
    ) -> NDArray:
        learned = self_paced_graph(ensemble, self.n_clusters, self.gamma)
        self.affinity_ = learned.S
        return self._labels_of(
            ensemble,
            learned,
            learned.S.row_sums(),
            random_state,
            lambda: spectral_labels(learned.S, self.n_clusters, random_state),
        )


def self_paced_graph(ensemble: Ensemble, n_clusters: int, gamma: float) -> SelfPaced:
    """Learn the consensus graph of SPCE.

    Parameters
    ----------
    ensemble : Ensemble
    n_clusters : int
        c, number of components wanted.
    gamma : float
        γ/m².
    """
    learner = _Learner(ensemble, n_clusters, gamma)
    rounds: list[tuple[float, float, float, int]] = []
    met = False
    for q, most in _STAGES:
        learner.renew_weights(q)
        for t in range(most):
            lam = learner.rank.penalty
            met = learner.update()
            rounds.append((q, lam, learner.rank.rank_gap, learner.rank.count))
            if met and t > 0:
                break
    history = history_of(("q", "lam", "rank_gap", "n_components"), rounds)
    return learner.result(len(rounds), met, history)


@dataclass
class _Slab:
    """Some columns of the lower triangle: the rows from the first of these columns on."""

    rows: slice
    columns: slice

    @property
    def place(self) -> tuple[slice, slice]:
        return self.rows, self.columns

    @property
    def mirror(self) -> tuple[slice, slice]:
        return self.columns, self.rows

    @property
    def width(self) -> int:
        return self.columns.stop - self.columns.start


class _Learner:
    """S, W, p, F and λ of the alternating minimisation."""

    def __init__(self, ensemble: Ensemble, n_clusters: int, gamma: float) -> None:
        self.micro = ensemble.microclusters
        self.Z = ensemble.microcluster_membership
        self.labels = ensemble.distinct_labels + ensemble.offsets[:-1]
        self.clustering = ensemble.clustering_of_cluster
        m = ensemble.n_clusterings
        self.m = m
        self.gamma = gamma * m * m
        self.p = np.full(m, 1 / m)
        self.S = co_association(ensemble).S
        #: W², and 0 where S is given.
        self.V = (self.S > 0).astype(np.float64)
        np.fill_diagonal(self.V, 0.0)
        #: F and λ.
        self.rank = RankConstraint(
            n_clusters, self.micro.r, 1.0, _TOL, self.S, graph_components(self.S)
        )

    def renew_weights(self, q: float) -> None:
        """W for the pace q; Σ_j (S − a_j)²/p_j = P(S² − 2SB + B) since a_j is 0 or 1."""
        half_tau = self.m**2 * q * (1 - q)
        P = (1 / self.p).sum()
        for slab in self._slabs():
            S, V = self.S[slab.place], self.V[slab.place]
            loss = self._mean_similarity(slab)
            loss *= P * (1 - 2 * S)
            loss += P * S * S
            free = V > 0
            W = np.minimum(1.0, half_tau / np.where(free, loss, half_tau))
            W *= W
            W[~free] = 0.0
            self._store(self.V, slab, W)

    def update(self) -> bool:
        """One round of S, p and F; returns whether the graph has c components."""
        self._update_S_and_p()
        return self.rank.update(self.S, graph_components(self.S))

    def result(self, n_iter: int, met: bool, history: dict[str, Array]) -> SelfPaced:
        """The graph and what led to it."""
        W = np.sqrt(self.V)
        W[self.V == 0] = 1.0
        return SelfPaced(
            InvariantMatrix(self.S, 0.0, self.micro),
            InvariantMatrix(W, 0.0, self.micro),
            self.p,
            self.rank.count,
            self.rank.component,
            n_iter,
            met,
            history,
        )

    def _update_S_and_p(self) -> None:
        P = (1 / self.p).sum()
        r, F = self.micro.r, self.rank.F
        total = 0.0
        inside = np.zeros(self.m)
        for slab in self._slabs():
            S = self._mean_similarity(slab)
            V = self.V[slab.place]
            D = squared_distances(F[slab.rows], F[slab.columns])
            D *= self.rank.penalty / (2 * P)
            D /= np.where(V > 0, V, 1.0)
            S -= D
            np.multiply(S, S, out=D)
            D *= V
            vanishes = D * P <= self.gamma * (1 + _TIE)
            vanishes |= S <= 0
            S[vanishes] = 0.0
            S[V == 0] = 0.0
            self._store(self.S, slab, S)
            # ‖W∘(S − a_j)‖² = Σ W²S² + Σ_{a_j = 1} W²(1 − 2S); each pair below the triangle
            # stands for its mirror image as well.
            weight = r[slab.rows].copy()
            weight[slab.width :] *= 2
            np.multiply(S, S, out=D)
            D *= V
            total += float(weight @ D @ r[slab.columns])
            np.multiply(S, -2.0, out=D)
            D += 1
            D *= V
            D *= weight[:, None]
            sums = self.Z[slab.rows].T @ D
            own = sums[self.labels[slab.columns].T, np.arange(slab.width)]
            inside += own @ r[slab.columns]
        np.fill_diagonal(self.S, 1.0)
        squares = np.maximum(total + inside, 0.0)
        if squares.max() > 0:
            p = np.sqrt(np.maximum(squares, _LEAST_SHARE * squares.max()))
            self.p = p / p.sum()

    def _mean_similarity(self, slab: _Slab) -> Array:
        """B on a slab."""
        share = 1 / self.p
        share /= share.sum()
        columns = self.Z[slab.columns].multiply(share[self.clustering]).T.toarray()
        return np.asarray(self.Z[slab.rows] @ columns)

    def _store(self, target: Array, slab: _Slab, values: Array) -> None:
        """Write a slab and its mirror image; its square top part comes from its lower triangle."""
        top = values[: slab.width]
        lower = np.tril(top)
        top[...] = lower + np.tril(top, -1).T
        target[slab.place] = values
        target[slab.mirror] = values.T

    def _slabs(self) -> Iterator[_Slab]:
        n_micro = self.micro.count
        width = 128
        for start in range(0, n_micro, width):
            yield _Slab(slice(start, n_micro), slice(start, min(start + width, n_micro)))
