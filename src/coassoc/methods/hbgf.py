"""HBGF and U-SENC: spectral cuts of the bipartite graph between samples and clusters.

X. Z. Fern, C. E. Brodley, "Solving cluster ensemble problems by bipartite graph partitioning", ICML
2004. Samples and clusters of all base clusterings are the vertices of a graph in which each sample
is linked to the clusters that contain it. The graph is cut into c parts, which contain clusters and
samples. With Z the membership of samples in clusters and D₁, D₂ the degrees of samples and
clusters, the leading singular vectors u_k, v_k of D₁^{-1/2} Z D₂^{-1/2} embed both kinds of
vertices.

D. Huang, C.-D. Wang, J.-S. Wu, J.-H. Lai, C.-K. Kwoh, "Ultra-scalable spectral clustering and
ensemble clustering", IEEE TKDE 32(6), 2020. U-SENC cuts the same graph by the transfer cut, which
omits the scale of u_k, and clusters only the samples.

A missing label is a missing link.

What the paper leaves open
--------------------------
- HBGF uses the paper's spectral partitioner (Ng, Jordan & Weiss): rows of unit length and k-means,
  the best of ten k-means++ starts. The paper's other partitioner, METIS, requires parts of equal
  weight, including the clusters. Where the classes have equal sizes it may be better (on
  scikit-learn's moons, ARI 0.99 instead of 0.68), and where they have not, worse (on iris, 0.52
  instead of 0.75). ensembleclustering's HBGF uses METIS.
- Singular vectors with singular values below 1e-6 are left out, because they contain no
  information about the samples.
- A part of HBGF that has clusters and no sample takes over the microcluster nearest to its
  centre; ``n_clusters_found_`` is the number of parts with samples.
- Only the consensus function of U-SENC is implemented, for given base clusterings. The paper
  computes its own base clusterings by spectral clustering with representatives. k-means takes
  the best of ten starts instead of three.
"""

from typing import Any, ClassVar

import numpy as np
from scipy.spatial.distance import cdist

from coassoc.ensemble import Ensemble
from coassoc.methods.base import Array, ConsensusClusterer, Labels, RandomState
from coassoc.methods.parameters import Cost
from coassoc.numerics.eigenpairs import eigenpairs_within
from coassoc.numerics.sparse import scaled_columns, scaled_rows
from coassoc.partition.spectral import (
    SMALLEST_VALUE,
    k_means,
    right_vectors_of_few_rows,
    transfer_cut_labels,
    unit_rows,
)


class HBGF(ConsensusClusterer):
    """Hybrid bipartite graph formulation, spectral partitioner (Fern & Brodley 2004).

    `random_state` is the seed of k-means.

    The base classes describe further parameters and attributes.
    """

    title: ClassVar = "Hybrid bipartite graph formulation, spectral partitioner"
    paper: ClassVar = "Fern & Brodley, ICML 2004"
    cost: ClassVar = Cost(seconds=0.5, power=2, squares=0, link_squares=2)
    takes_missing: ClassVar = True

    def _consensus(self, ensemble: Ensemble, X: Any, random_state: RandomState) -> Labels:
        micro = ensemble.microclusters
        n_parts = min(self.n_clusters, micro.count)
        samples, clusters = bipartite_embedding(ensemble, n_parts)
        points = np.vstack((samples, clusters))
        weights = np.concatenate((micro.r, np.ones(len(clusters))))
        part = k_means(points, n_parts, random_state, weights=weights)
        centres = np.array(
            [np.average(points[part == k], axis=0, weights=weights[part == k]) for k in set(part)]
        )
        nearness = np.exp(-cdist(samples, centres, "sqeuclidean"))
        return self._labels_of_membership(nearness)


class USENC(ConsensusClusterer):
    """Consensus function of ultra-scalable ensemble clustering (Huang et al. 2020).

    `random_state` is the seed of k-means.

    The base classes describe further parameters and attributes.
    """

    title: ClassVar = "Ultra-scalable ensemble clustering, its consensus function"
    paper: ClassVar = "Huang, Wang, Wu, Lai & Kwoh, IEEE TKDE 2020"
    cost: ClassVar = Cost(seconds=0.5, power=2, squares=0, link_squares=2)
    takes_missing: ClassVar = True

    def _consensus(self, ensemble: Ensemble, X: Any, random_state: RandomState) -> Labels:
        Z = ensemble.microcluster_membership
        return transfer_cut_labels(ensemble, Z, self.n_clusters, random_state)


def bipartite_embedding(ensemble: Ensemble, n_components: int) -> tuple[Array, Array]:
    """Samples and clusters by the leading singular vectors of D₁^{-1/2} Z D₂^{-1/2}.

    Parameters
    ----------
    ensemble : Ensemble
    n_components : int
        Number of vectors, including the trivial one; fewer vectors if some carry no information.

    Returns
    -------
    samples : (n', q) array
        Rows of unit length, one for each microcluster.
    clusters : (L, q) array
        Rows of unit length.
    """
    Z = ensemble.microcluster_membership
    degree = np.asarray(Z.sum(axis=1)).ravel()
    scaled = scaled_rows(Z, 1 / np.sqrt(degree))
    scaled = scaled_columns(scaled, 1 / np.sqrt(ensemble.cluster_sizes))
    # Singular vectors of the samples' matrix, in which row k stands r_k times.
    (q, L), r = scaled.shape, ensemble.microclusters.r
    if q < L:
        V, sigma = right_vectors_of_few_rows(scaled_rows(scaled, np.sqrt(r)), n_components)
    else:
        gram = (scaled.T @ scaled_rows(scaled, r)).toarray()
        squares, V = eigenpairs_within(gram, max(L - n_components, 0), L - 1)
        sigma = np.sqrt(np.maximum(squares[::-1], 0.0))
        kept = sigma > SMALLEST_VALUE
        V, sigma = V[:, ::-1][:, kept], sigma[kept]
    return unit_rows(np.asarray(scaled @ V) / sigma), unit_rows(V)
