"""DREC: ensemble clustering based on dense representation.

J. Zhou, H. Zheng, L. Pan, "Ensemble clustering based on dense representation", Neurocomputing 357,
2019. Each microcluster, a column x_i of the 0/1 cluster–microcluster matrix X (L × n'), is
represented by all microclusters with a ridge penalty, and errors are measured per microcluster so
that outliers have less weight:

    min_Z  ‖X − XZ‖_{2,1} + λ ‖Z‖_F².

The similarity is (UUᵀ)⁴, entrywise, with U the rows of U_Z Σ_Z^{1/2} of the skinny SVD of Z scaled
to unit length. Spectral clustering of this similarity gives the labels.

If labels are missing, a microcluster is in no cluster of a base clustering that does not label it.
Its x_i has fewer ones, and is divided by the root of their fraction so that all x_i have the same
length.

How it is solved
----------------
Only the eigenpairs XᵀX = V diag(w) Vᵀ of rank r ≤ L − m + 1 are needed, once, from an L × L matrix.
Given μ_i = λ/d_i, column i of Z is V [w/(w + μ_i)] Vᵀ e_i and its error V [√w μ_i/(w + μ_i)] Vᵀ e_i
up to a rotation. A round therefore costs O(n'r) instead of n' systems of order n', and a vanishing
error causes no division by zero. With C = Vᵀ Z (r × n') the SVD of Z is that of C.

What the paper leaves open
--------------------------
*Taken from measured behaviour of the authors' program.*

- Five rounds of iteratively reweighted least squares, d_i = 1/(2‖x_i − Xz_i‖), from d = 1.
- Singular values up to 1e-4 of the largest are dropped.
- Each microcluster has weight one in all steps, including k-means, whatever its size.
- λ = 100. The paper tunes it over 10⁻³ … 10³. A small λ gives poor partitions. LTA's tables
  contain such low scores for DREC. λ = 0.7 is nearest to these scores, so the reproduced tables
  use it (``lta_protocol_drec``).
- If labels are missing, the columns of X are scaled to length √m, which they have without
  missing labels.
"""

from typing import Any, ClassVar

import numpy as np
import scipy.linalg

from coassoc.ensemble import Ensemble, Microclusters
from coassoc.invariant import InvariantMatrix
from coassoc.methods.base import Array, ConsensusClusterer, Labels, RandomState
from coassoc.methods.parameters import Cost, number
from coassoc.numerics.sparse import scaled_rows
from coassoc.partition.labels import labels_of_samples
from coassoc.partition.spectral import spectral_labels, unit_rows

#: Rounds of reweighting, and the smallest singular value of Z kept, relative to the largest.
_ROUNDS, _RANK_TOLERANCE = 5, 1e-4


class DREC(ConsensusClusterer):
    """Dense representation ensemble clustering (Zhou, Zheng & Pan 2019).

    The base classes describe further parameters and attributes.

    Parameters
    ----------
    lam : float
        λ > 0, weight of the ridge penalty.

    Attributes
    ----------
    affinity_ : InvariantMatrix
        The similarity (UUᵀ)⁴; 1 inside a microcluster.
    """

    title: ClassVar = "Dense representation"
    paper: ClassVar = "Zhou, Zheng & Pan, Neurocomputing 2019"
    cost: ClassVar = Cost(seconds=0.89, power=2, squares=4)
    offers: ClassVar = ("affinity_",)
    takes_missing: ClassVar = True
    lam: float = number(100.0, above=0, grid=(0.001, 0.01, 0.1, 1, 10, 100, 1000))

    def _consensus(self, ensemble: Ensemble, X: Any, random_state: RandomState) -> Labels:
        micro = ensemble.microclusters
        self.n_iter_ = _ROUNDS
        L = representation_similarity(*dense_representation(ensemble, self.lam))
        self.affinity_ = InvariantMatrix(L, 0.0, micro)
        atoms = Microclusters.from_assignment(np.arange(micro.count))
        n_labels = min(self.n_clusters, micro.count)
        labels = spectral_labels(InvariantMatrix(L, 0.0, atoms), n_labels, random_state)
        return labels_of_samples(labels, micro, self.n_clusters)


def dense_representation(ensemble: Ensemble, lam: float) -> tuple[Array, Array]:
    """Minimise ‖X − XZ‖_{2,1} + λ ‖Z‖_F² by iteratively reweighted least squares.

    Returns
    -------
    V : (n', r) array
        Orthonormal basis of the row space of X.
    C : (r, n') array
        Coordinates of the columns of Z = V C.
    """
    V, w = _row_space(ensemble)
    w = w[:, None]
    square = w * (V * V).T
    mu = np.full(V.shape[0], float(lam))
    for _ in range(_ROUNDS):
        shrink = 1 / (w + mu)
        mu = 2 * lam * (mu * np.sqrt((shrink * shrink * square).sum(axis=0)))
    return V, w * shrink * V.T


def _row_space(ensemble: Ensemble) -> tuple[Array, Array]:
    """Eigenvectors (n' × r) and non-zero eigenvalues of XᵀX, from the smaller Gram matrix."""
    Z = ensemble.microcluster_membership
    if ensemble.has_missing:
        seen = (ensemble.distinct_labels >= 0).mean(axis=1)
        Z = scaled_rows(Z, 1 / np.sqrt(seen))
    wide = ensemble.microclusters.count > ensemble.n_clusters_total
    gram = (Z.T @ Z if wide else Z @ Z.T).toarray()
    w, U = scipy.linalg.eigh(gram, overwrite_a=True, check_finite=False)
    # A hundred times the usual bound, which rounding errors exceed for small matrices.
    kept = w > w[-1] * 100 * max(Z.shape) * np.finfo(float).eps
    w, U = w[kept], U[:, kept]
    return (np.asarray(Z @ (U / np.sqrt(w))), w) if wide else (U, w)


def representation_similarity(V: Array, C: Array) -> Array:
    """(UUᵀ)⁴, entrywise, between microclusters, with the factors of :func:`dense_representation`.

    Returns
    -------
    (n', n') array
        Between 0 and 1, with 1 on the diagonal.
    """
    squares, U = scipy.linalg.eigh(C @ C.T, overwrite_a=True, check_finite=False)
    singular = np.sqrt(np.maximum(squares, 0.0))
    kept = singular > _RANK_TOLERANCE * singular[-1]
    U = unit_rows(V @ (U[:, kept] * np.sqrt(singular[kept])))
    return ((U @ U.T) ** 2) ** 2
