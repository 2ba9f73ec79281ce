"""SPCE: self-paced clustering ensemble.

P. Zhou, L. Du, X. Liu, Y.-D. Shen, M. Fan, X. Li, "Self-paced clustering ensemble", IEEE TNNLS
32(4), 2021. With A^(j) the connective matrix of base clustering j, one consensus graph S is learned
together with weights W of the pairs and p of the base clusterings:

    min_{S,W,p}  Σ_j 1/p_j ‖W ∘ (S − A^(j))‖_F² + γ‖S‖_0 − τ‖W‖_1
    s.t.         0 ≤ S ≤ 1, S = Sᵀ, 0 ≤ W ≤ 1, p ≥ 0, Σ_j p_j = 1, rank(L_S) = n − c,
                 S_ij = 1 if all, S_ij = 0 if no base clusterings co-cluster i and j.

The rank constraint is replaced by 2λ tr(FᵀL_S F) = λ Σ_ij S_ij ‖f_i − f_j‖², where F has the
eigenvectors of the c smallest eigenvalues of the Laplacian L_S. Each step has a closed form, with
P = Σ_j 1/p_j and B = Σ_j A^(j) / (p_j P):

    W_ij = min(1, τ / (2 Σ_j (S − A^(j))_ij² / p_j))
    S_ij = B_ij − λ‖f_i − f_j‖² / (2 P W_ij²) if that is positive and P W_ij² S_ij² > γ, else 0
    p_j ∝ ‖W ∘ (S − A^(j))‖_F

How it is solved
----------------
S and W are defined on microclusters. W is stored as W², and 0 marks the pairs with a fixed S. The
steps for S and p process tiles of the lower triangle in a compiled loop. Eigenvectors come from a
Lanczos iteration in which the connected components, whose indicators are known, are deflated.

What the paper leaves open
--------------------------
*Taken from measured behaviour of the authors' program.*

- Start: S = Ã, p = 1/m, λ = 1, F of Ã.
- The pace: τ/2 = m² q(1 − q) for q = 0.9, 0.8, …, 0.5, so that at first only pairs on which 90 %
  of the base clusterings agree have full weight. W is updated once per stage. A stage has at
  most 5 rounds of S, p and F (at most 20 in the last stage). It ends when the graph has c
  components, but not after its first round.
- λ doubles while the c smallest eigenvalues sum to more than 1e-11 and halves while there are
  more than c components; F is then still the F of the last graph with at most c.
- γ is given in units of m²: entries of S up to √γ / W vanish. An entry that equals the threshold
  up to rounding vanishes.
- With γ ≥ 0.09 the graph usually has more than c components at the end. They are counted in
  ``n_clusters_found_`` and joined by :func:`~coassoc.partition.components.merge_components`.
- A base clustering with which S agrees exactly would get p_j = 0. Its p_j² is therefore kept at
  1e-12 of the largest.
- F is sought among the vectors constant on microclusters, whose samples must link anyway. All
  eigenvectors of the smallest eigenvalues are of this kind, unless more clusters are requested than
  there are groups of must-linked samples.
"""

from typing import Any, ClassVar

import numpy as np

from coassoc.ensemble import Ensemble
from coassoc.invariant import InvariantMatrix
from coassoc.methods.base import Components, GraphLearner, Labels, RandomState
from coassoc.methods.parameters import Cost, number
from coassoc.numerics.compiled import compiled
from coassoc.numerics.rank_constraint import RankConstraint, graph_components
from coassoc.numerics.threads import even_blocks, lower_tiles, over_blocks
from coassoc.similarity import co_association, shared_weight

#: Pace q of each stage, and the largest number of rounds of a stage.
_STAGES = ((0.9, 5), (0.8, 5), (0.7, 5), (0.6, 5), (0.5, 20))
#: Smallest sum of eigenvalues that counts as positive.
_TOL = (1e-11, 1e-11)
#: Relative margin within which a squared entry equals the threshold γ.
_TIE = 1e-12
#: Smallest p_j² relative to the largest.
_LEAST_SHARE = 1e-12

#: Side of a tile, which stays in cache together with its mirror image.
_SIDE = 128


class SPCE(GraphLearner):
    """Self-paced clustering ensemble (Zhou et al. 2021).

    The base classes describe further parameters and attributes.

    Parameters
    ----------
    gamma : float
        γ/m² ≥ 0, weight of ‖S‖_0. Where W = 1, similarities up to √gamma become 0.

    Attributes
    ----------
    affinity_ : InvariantMatrix
        The consensus graph S.
    """

    title: ClassVar = "Self-paced clustering ensemble"
    paper: ClassVar = "Zhou, Du, Liu, Shen, Fan & Li, IEEE TNNLS 2021"
    cost: ClassVar = Cost(seconds=3, power=2.5, squares=3)
    offers: ClassVar = ("affinity_",)
    gamma: float = number(
        0.09, minimum=0, grid=(0, 0.01, 0.04, 0.09, 0.16, 0.25, 0.36, 0.49, 0.64, 0.81)
    )

    def _consensus(self, ensemble: Ensemble, X: Any, random_state: RandomState) -> Labels:
        S, components = self_paced_graph(ensemble, self)
        return self._labels_of_similarity(components, S, random_state)


def self_paced_graph(ensemble: Ensemble, method: SPCE) -> tuple[InvariantMatrix, Components]:
    """The consensus graph S, and its components."""
    learner = _Learner(ensemble, method.n_clusters, method.gamma)
    method.n_iter_ = 0
    for q, most in _STAGES:
        learner.renew_weights(q)
        for t in range(most):
            method.converged_ = learner.update()
            method.n_iter_ += 1
            if method.converged_ and t > 0:
                break
    return InvariantMatrix(learner.S, 0.0, learner.micro), learner.rank.components


class _Learner:
    """S, W, p, F and λ of the alternating minimisation."""

    def __init__(self, ensemble: Ensemble, n_clusters: int, gamma: float) -> None:
        self.ensemble, self.micro = ensemble, ensemble.microclusters
        #: (m, n') label of each microcluster in each base clustering.
        self.labels = np.ascontiguousarray(ensemble.distinct_labels.T, dtype=np.int32)
        m = ensemble.n_clusterings
        self.m = m
        self.gamma = gamma * m * m
        self.tiles = list(lower_tiles(self.micro.count, _SIDE))
        self.p = np.full(m, 1 / m)
        self.S = co_association(ensemble).S
        #: W², with 0 for the entries whose S is given.
        self.V = (self.S > 0).astype(np.float64)
        np.fill_diagonal(self.V, 0.0)
        #: F and λ.
        self.rank = RankConstraint(
            n_clusters, self.micro.r, 1.0, _TOL, self.S, graph_components(self.S)
        )

    def renew_weights(self, q: float) -> None:
        """W for the pace q; Σ_j (S − a_j)²/p_j = P(S² − 2SB + B) since a_j is 0 or 1."""
        half_tau, weights = self.m**2 * q * (1 - q), 1 / self.p
        PB = shared_weight(self.ensemble, weights[self.ensemble.clustering_of_cluster])

        def of_rows(I: slice) -> None:
            S = self.S[I]
            loss = weights.sum() * S**2 + (1 - 2 * S) * PB[I]
            V = (half_tau / np.maximum(loss, half_tau)) ** 2
            self.V[I] = np.where(self.V[I] > 0, V, 0.0)

        over_blocks(of_rows, even_blocks(len(PB)))

    def update(self) -> bool:
        """One round of S, p and F; returns whether the graph has c components."""
        self._update_S_and_p()
        return self.rank.update(self.S, graph_components(self.S))

    def _update_S_and_p(self) -> None:
        weights, F = 1 / self.p, np.ascontiguousarray(self.rank.F.T)
        half_lam, least = self.rank.penalty / 2, self.gamma * (1 + _TIE)
        variables = (self.labels, weights, F, self.micro.r, self.V, self.S)
        sums = over_blocks(lambda tile: _update_S(tile, *variables, half_lam, least), self.tiles)
        squares = np.maximum(np.sum(sums, axis=0), 0.0)
        if squares.max() > 0:
            p = np.sqrt(np.maximum(squares, _LEAST_SHARE * squares.max()))
            self.p = p / p.sum()


@compiled("f1(i1, s2, f1, f2, f1, f2, f2, f, f)")
def _update_S(tile, labels, weights, F, r, V, S, half_lam, least):
    """S on the pairs of a tile below the diagonal, and on their mirror images.

    The innermost loops run over the columns of a row with nothing but sums, so that they use the
    vector instructions. `weights` are 1/p_j, PB is P times the paper's B, and `F` has a column for
    each microcluster. S vanishes where P W² S² is at most `least`. Returns, for each j, the
    contribution of these pairs to ‖W ∘ (S − A^(j))‖²: Σ W²S² over all pairs, and Σ W²(1 − 2S) over
    the pairs that j co-clusters.
    """
    P = weights.sum()
    first = tile[2]
    PB, D, joined = np.empty((3, tile[3] - first))
    everywhere = 0.0
    inside = np.zeros((len(weights), tile[3] - first))
    for i in range(tile[0], tile[1]):
        n = min(tile[3], i) - first
        PB[:] = 0.0
        for m in range(len(weights)):
            label, others = labels[m, i], labels[m, first : first + n]
            for j in range(n):
                PB[j] += weights[m] if others[j] == label else 0.0
        D[:] = 0.0
        for c in range(len(F)):
            f, others_f = F[c, i], F[c, first : first + n]
            for j in range(n):
                D[j] += (f - others_f[j]) ** 2
        for j in range(n):
            v, s = V[i, first + j], 0.0
            if v > 0:
                s = (PB[j] - half_lam * D[j] / v) / P
                if s <= 0 or P * v * s * s <= least:
                    s = 0.0
            S[i, first + j] = S[first + j, i] = s
            copies = 2 * r[i] * r[first + j]
            everywhere += copies * v * s * s
            joined[j] = copies * v * (1 - 2 * s)
        for m in range(len(weights)):
            label, others, sums = labels[m, i], labels[m, first : first + n], inside[m]
            for j in range(n):
                sums[j] += joined[j] if others[j] == label else 0.0
    totals = np.full(len(weights), everywhere)
    for m in range(len(weights)):
        totals[m] += inside[m].sum()
    return totals
