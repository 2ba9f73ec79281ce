"""CEAM: clustering ensemble via diffusion on adaptive multiplex.

P. Zhou, B. Hu, D. Yan, L. Du, "Clustering ensemble via diffusion on adaptive multiplex", IEEE TKDE
36(4), 2024. Each of the m base clusterings j, with indicators Y_j (n × l_j), is a layer of a
multiplex network of the n samples, at first with the links W_j = Y_j Y_jᵀ. A sample is also linked
to itself in all other layers. With d_j = 1 / √(W_j 1 + m − 1), all links are normalised: links
inside layer j become d_j(p) W_j(p, q) d_j(q), and links between layers become d_j(p) d_k(p).
Clustering j diffuses over all layers k,

    F_jk ← α (W_k F_jk + Σ_{l≠k} d_k d_l ∘ F_jl) + (1 − α) Y_j,

and the links of layer j are then replaced by the cosines of the rows of F_jj between each sample
and its K nearest neighbours, in either direction. This is repeated for one clustering after the
other, in several rounds. The mean of the normalised W_j is the final graph, which is cut by
normalised cuts.

What the paper leaves open
--------------------------
*Taken from the authors' program.*

- α = 0.85 and K = 20, 20 steps of the diffusion and 5 rounds. F_jk begins as Y_j and keeps its
  value from one round to the next.
- An updated layer is used at once for the following clusterings, so their order has some
  influence.
- A sample is its own neighbour, in addition to the K nearest samples by the Euclidean distance
  of the rows of F_jj. If several samples compete for the last place, all of them count. The
  program uses the first in the file.
- The cut takes the c + 1 first eigenvectors of the graph's normalised Laplacian without the
  constant one, and the discretisation of Yu and Shi (2003), from one random row. coassoc uses
  the best of ten. The program drops the first eigenvector that it finds, which need not be the
  constant one if the graph is not connected.
- If the cut leaves clusters empty, the largest clusters are split. ``n_clusters_found_`` gives
  the number of clusters before the split.
"""

from itertools import pairwise
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp

from coassoc.ensemble import Ensemble
from coassoc.invariant import InvariantMatrix
from coassoc.methods.base import Array, ConsensusClusterer, Labels, RandomState
from coassoc.methods.parameters import Cost, integer, number
from coassoc.numerics.distances import squared_distances
from coassoc.numerics.threads import over_blocks
from coassoc.partition.discretisation import discretize
from coassoc.partition.labels import labels_of_samples
from coassoc.partition.spectral import unit_rows

# Normalised links W of a layer, as W diag(r) = `outer` @ `inner`, and one over the roots of the
# degrees. At first W joins the members of h clusters, and `outer`, (n', h), has one entry in a
# row; `inner`, (h, n'), is None for the identity.
Layer = tuple[sp.csr_array, sp.csr_array | None, Array]

#: Rows of the eigenvectors from which the discretisation starts.
_STARTS = 10
#: Steps of the diffusion of each clustering in a round.
_STEPS = 20
#: Largest difference of squared distances that count as equal.
_ROUNDING = 1e-10


class CEAM(ConsensusClusterer):
    """Clustering ensemble via diffusion on adaptive multiplex (Zhou et al. 2024).

    `random_state` is the seed of the rows from which the discretisation starts.

    The base classes describe further parameters and attributes.

    Parameters
    ----------
    alpha : float
        α from 0 to 1, weight of the diffused values in a step. The weight of Y_j is 1 − α.
    n_neighbors : int
        K, number of neighbours in an updated layer.
    n_rounds : int
        Number of updates of all layers.

    Attributes
    ----------
    affinity_ : InvariantMatrix
        The final graph.
    """

    title: ClassVar = "Diffusion on an adaptive multiplex, normalised cut"
    paper: ClassVar = "Zhou, Hu, Yan & Du, IEEE TKDE 2024"
    cost: ClassVar = Cost(seconds=26, power=1.9, squares=6, tables_each=1)
    revision = 2
    offers: ClassVar = ("affinity_",)
    alpha: float = number(0.85, minimum=0, maximum=1)
    n_neighbors: int = integer(20, minimum=1)
    n_rounds: int = integer(5, minimum=1)

    def _consensus(self, ensemble: Ensemble, X: Any, random_state: RandomState) -> Labels:
        self.affinity_ = adaptive_multiplex(ensemble, self)
        microclusters = ensemble.microclusters
        vectors = cut_vectors(self.affinity_, self.n_clusters)
        count = microclusters.count
        starts = random_state.choice(count, min(count, _STARTS), replace=False)
        labels = discretize(vectors, starts, microclusters.r)
        self.n_clusters_found_ = len(np.unique(labels))
        return labels_of_samples(labels, microclusters, self.n_clusters)


def adaptive_multiplex(ensemble: Ensemble, method: CEAM) -> InvariantMatrix:
    """The mean of the normalised layers, with the parameters of :class:`CEAM`."""
    r, m = ensemble.microclusters.r, ensemble.n_clusterings
    memberships = ensemble.microcluster_membership.tocsc()
    parts = [slice(*ends) for ends in pairwise(ensemble.offsets)]
    Z = [memberships[:, part].tocsr() for part in parts]
    layers = [_first_layer(z, r, m) for z in Z]
    Y = [z.toarray() for z in Z]
    F = [np.stack([y] * m) for y in Y]
    for _ in range(method.n_rounds):
        for j in range(m):
            for _ in range(_STEPS):
                F[j] = _spread(F[j], Y[j], layers, method.alpha)
            layers[j] = _renewed_layer(nearest_links(F[j][j], r, method.n_neighbors), r, m)
    W, *others = (outer if inner is None else outer @ inner for outer, inner, _ in layers)
    W = sum(others, W)
    return InvariantMatrix(W.toarray() / (m * r), 0.0, ensemble.microclusters)


def _first_layer(Y: sp.csr_array, r: Array, m: int) -> Layer:
    """W = Y Yᵀ before it is normalised."""
    d = 1 / np.sqrt(Y @ (Y.T @ r) + m - 1)
    outer = sp.csr_array(sp.diags_array(d) @ Y)
    return outer, sp.csr_array(outer.T @ sp.diags_array(r)), d


def _renewed_layer(W: sp.csr_array, r: Array, m: int) -> Layer:
    """W before it is normalised."""
    d = 1 / np.sqrt(W @ r + m - 1)
    return sp.csr_array(sp.diags_array(d) @ W @ sp.diags_array(d * r)), None, d


def _spread(F: Array, Y: Array, layers: list[Layer], alpha: float) -> Array:
    """One step of the diffusion of a clustering, F (m, n', l), over all layers."""
    roots = np.stack([d for _, _, d in layers])[:, :, None]
    together = (roots * F).sum(axis=0)

    def step(k: int) -> Array:
        outer, inner, _ = layers[k]
        others = roots[k] * (together - roots[k] * F[k])
        linked = F[k] if inner is None else inner @ F[k]
        return np.asarray(alpha * (others + outer @ linked) + (1 - alpha) * Y)

    return np.stack(over_blocks(step, range(len(layers))))


def nearest_links(F: Array, r: Array, n_neighbors: int) -> sp.csr_array:
    """Cosines between the rows of each sample and its nearest samples, in either direction.

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
    (n', n') sparse array
        Symmetric, 1 on the diagonal unless a row is 0.
    """
    squares = squared_distances(F, F)
    np.fill_diagonal(squares, 0.0)
    # The sample itself and K others are found among as many microclusters.
    n_links = min(n_neighbors + 1, int(r.sum()))
    order = np.argpartition(squares, min(n_links, len(r)) - 1, axis=1)[:, :n_links]
    nearest = np.take_along_axis(squares, order, 1)
    by_distance = np.argsort(nearest, axis=1)
    counted = np.cumsum(r[np.take_along_axis(order, by_distance, 1)], axis=1)
    last = (counted >= n_links).argmax(axis=1)[:, None]
    farthest = np.take_along_axis(nearest, np.take_along_axis(by_distance, last, 1), 1)
    near = sp.csr_array(squares <= farthest + _ROUNDING * (F * F).sum(axis=1).max())
    links = near.maximum(near.T).tocoo()
    directions = unit_rows(F)
    cosines = np.einsum("ij,ij->i", directions[links.row], directions[links.col])
    return sp.csr_array((cosines, (links.row, links.col)), shape=links.shape)


def cut_vectors(W: InvariantMatrix, n_clusters: int) -> Array:
    """The eigenvectors after the constant one of the normalised Laplacian, on microclusters.

    Parameters
    ----------
    W : InvariantMatrix
        Symmetric graph.
    n_clusters : int
        Number of eigenvectors, if there are as many.
    """
    degrees = W.row_sums()
    root = InvariantMatrix.from_diagonal(1 / np.sqrt(degrees), W.microclusters)
    constant = np.sqrt(degrees / (W.r @ degrees))
    first = InvariantMatrix(2 * np.outer(constant, constant), 0.0, W.microclusters)
    return (root @ W @ root - first).eigh(n_clusters).vectors
