"""CEAM: clustering ensemble via diffusion on adaptive multiplex.

P. Zhou, B. Hu, D. Yan, L. Du, "Clustering ensemble via diffusion on adaptive multiplex", IEEE TKDE
36(4), 2024. Each of the m base clusterings j, with indicators Y_j (n × l_j), is a layer of a
multiplex network of the n samples, at first with the links W_j = Y_j Y_jᵀ. A sample is also linked
to itself in all other layers. With d_j = 1 / √(W_j 1 + m − 1), all links are normalised: those
inside layer j become d_j(p) W_j(p, q) d_j(q), those between layers d_j(p) d_k(p). Clustering j is
spread over all layers k,

    F_jk ← α (W_k F_jk + Σ_{l≠k} d_k d_l ∘ F_jl) + (1 − α) Y_j,

and the links of layer j are then renewed: the cosines of the rows of F_jj between each sample and
its K nearest, in either direction. This is done for one clustering after the other, in several
rounds. The mean of the normalised W_j is the final graph, which is cut by normalised cuts.

Decisions taken from the authors' program are in docs/deviations.md.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp

from coassoc.ensemble import Ensemble
from coassoc.invariant import InvariantMatrix
from coassoc.methods.base import Array, ConsensusClusterer, Labels, RandomState
from coassoc.methods.parameters import integer, number
from coassoc.numerics.distances import squared_distances
from coassoc.partition.discretisation import discretize
from coassoc.partition.labels import split_to
from coassoc.partition.spectral import unit_rows

__all__ = ["CEAM", "adaptive_multiplex", "cut_vectors", "nearest_links"]

#: Rows of the eigenvectors from which the discretisation starts.
_STARTS = 10
#: Steps of the diffusion of each clustering in a round.
_STEPS = 20
#: Squared distances that count as equal.
_ROUNDING = 1e-10


class CEAM(ConsensusClusterer):
    """Clustering ensemble via diffusion on adaptive multiplex (Zhou et al. 2024).

    Parameters
    ----------
    alpha : float
        α from 0 to 1, the share of what is spread in a step.
    n_neighbors : int
        K, neighbours in a renewed layer.
    n_rounds : int
        How often all layers are renewed.
    random_state : int, RandomState or None
        Seed of the rows from which the discretisation starts.

    Attributes
    ----------
    affinity_ : InvariantMatrix
        The final graph.
    """

    offers: ClassVar = ("affinity_",)
    alpha: float = number(0.85, minimum=0, maximum=1)
    n_neighbors: int = integer(20, minimum=1)
    n_rounds: int = integer(5, minimum=1)

    def _consensus(self, ensemble: Ensemble, X: Any, random_state: RandomState) -> Labels:
        self.affinity_ = adaptive_multiplex(ensemble, self.alpha, self.n_neighbors, self.n_rounds)
        microclusters = ensemble.microclusters
        vectors = cut_vectors(self.affinity_, self.n_clusters)
        count = microclusters.count
        starts = random_state.choice(count, min(count, _STARTS), replace=False)
        labels = microclusters.expand(discretize(vectors, starts, microclusters.r))
        self.n_clusters_found_ = len(np.unique(labels))
        return split_to(labels, self.n_clusters)


def adaptive_multiplex(
    ensemble: Ensemble, alpha: float, n_neighbors: int, n_rounds: int
) -> InvariantMatrix:
    """The mean of the normalised layers, with the parameters of :class:`CEAM`."""
    r, m = ensemble.microclusters.r, ensemble.n_clusterings
    Z = ensemble.microcluster_membership.toarray()
    Y = [Z[:, start:stop] for start, stop in pairwise(ensemble.offsets)]
    links = [_normalized(y @ y.T, r, m) for y in Y]
    W, d = [w for w, _ in links], np.array([scale for _, scale in links])
    F = [np.stack([y] * m) for y in Y]
    for _ in range(n_rounds):
        for j in range(m):
            for _ in range(_STEPS):
                F[j] = _spread(F[j], Y[j], W, d, r, alpha)
            W[j], d[j] = _normalized(nearest_links(F[j][j], r, n_neighbors), r, m)
    return InvariantMatrix(sum(W[1:], W[0]).toarray() / m, 0.0, ensemble.microclusters)


def _normalized(W: Array, r: Array, m: int) -> tuple[sp.csr_array, Array]:
    """A layer's links divided by the roots of the degrees on both sides, and one over the roots."""
    d = 1 / np.sqrt(W @ r + m - 1)
    return sp.csr_array(W * d * d[:, None]), d


def _spread(F: Array, Y: Array, W: list[sp.csr_array], d: Array, r: Array, alpha: float) -> Array:
    """One step of the diffusion of a clustering, F (m, n', l), over all layers."""
    between = d[:, :, None] * F
    together = between.sum(axis=0)
    return np.stack(
        [
            alpha * (W[k] @ (r[:, None] * F[k]) + d[k][:, None] * (together - between[k]))
            + (1 - alpha) * Y
            for k in range(len(W))
        ]
    )


def nearest_links(F: Array, r: Array, n_neighbors: int) -> Array:
    """Cosines between the rows of each sample and its nearest, in either direction.

    Parameters
    ----------
    F : (n', l) array
        Rows of the microclusters.
    r : (n',) array
        Sizes of the microclusters.
    n_neighbors : int
        K.

    Returns
    -------
    (n', n') array
        Symmetric, 1 on the diagonal unless a row is 0.
    """
    squares = squared_distances(F, F)
    np.fill_diagonal(squares, 0.0)
    order = np.argsort(squares, axis=1, kind="stable")
    counted = np.cumsum(r[order], axis=1)
    last = (counted >= min(n_neighbors + 1, r.sum())).argmax(axis=1)
    farthest = np.take_along_axis(squares, np.take_along_axis(order, last[:, None], 1), 1)
    near = squares <= farthest + _ROUNDING * (F * F).sum(axis=1).max()
    directions = unit_rows(F)
    return np.where(near | near.T, directions @ directions.T, 0.0)


def cut_vectors(W: InvariantMatrix, n_clusters: int) -> Array:
    """The eigenvectors after the constant one of the normalised Laplacian, on microclusters.

    Parameters
    ----------
    W : InvariantMatrix
        Symmetric graph.
    n_clusters : int
        How many, as far as there are.
    """
    degrees = W.row_sums()
    root = InvariantMatrix.from_diagonal(1 / np.sqrt(degrees), W.microclusters)
    constant = np.sqrt(degrees / (W.r @ degrees))
    first = InvariantMatrix(2 * np.outer(constant, constant), 0.0, W.microclusters)
    return (root @ W @ root - first).eigh(n_clusters).vectors
