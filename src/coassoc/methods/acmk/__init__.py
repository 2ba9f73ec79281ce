"""ACMK: adaptive consensus multiple k-means, and its ablations.

P. Zhou, L. Du, X. Li, "Adaptive consensus clustering for multiple k-means via base results
refining", IEEE TKDE 35(10), 2023. With A = (I + D^{-1/2} W D^{-1/2})/2 the filter of a learned
graph W with degrees D = diag(W1),

    min  Σ_m ‖A^k X − G⁽ᵐ⁾F⁽ᵐ⁾‖² + λ ‖W − Σ_m α_m G⁽ᵐ⁾G⁽ᵐ⁾ᵀ‖²                        (Eq. 6)
    s.t. G⁽ᵐ⁾ the 0/1 indicators of the m-th base clustering, F⁽ᵐ⁾ its centroids,
         0 ≤ W ≤ 1, W = Wᵀ, α on the simplex,

The problem is solved by the ADMM of Algorithm 1 with copies A of the filter and V of W, multipliers
Λ₁ and Λ₂ and a growing penalty μ. ACMK-SC ends with spectral clustering on W, and ACMK-KM with
k-means of the final embedding ((I + D^{-1/2}WD^{-1/2})/2)^k X. ACMK-SC-A and ACMK-KM-A use A
instead of the filter of W. ACMK-GF filters with W = G⁽ᵐ⁾G⁽ᵐ⁾ᵀ of each base clustering instead.
ACMK-Fix is spectral clustering on the co-association matrix.

How it is solved
----------------
Only distances between the rows of X matter, so X (n × d) with d > n is first replaced by n
coordinates with the same Gram matrix. Then

- Λ₂ is antisymmetric, hence V = (W + Wᵀ)/2, and one array P holds all that (11) needs of V, Λ₂ and
  the base clusterings.
- (9) is a proximal problem around C − Λ₁/μ with C the filter of W; its solution is that centre
  plus a matrix Δ whose rows lie in the span of the filtered X, of rank kd at most.
- Δ is kept as ΓBᵀ with B an orthonormal basis of those rows (the identity where kd exceeds n), so
  that quasi-Newton vectors are n × kd. The Hessian of (9) is close to Δ ↦ Δ (μI + 2v S Sᵀ),
  S = Σ_r A^r X; its inverse preconditions the steps. Where B is a thin basis, the product of
  C − Λ₁/μ with X is kept, so that AX costs no product with an n × n array.
- With ``solver="author"`` (9) is solved from the last A, by SciPy's L-BFGS-B or, where X has few
  columns, by the same steps of low rank (:mod:`.thin_steps`).
- (11) is separable but for the degrees: a diagonal Newton step, projected on the box, is nearly
  exact.
- Moving one sample changes two columns of the costs of the others. Only moves cost time.

For k = 3, the library's solver holds five n × n arrays if 17 d < n (W and room for its next value,
A, Λ₁ and P), and otherwise about forty during (9). The author's solver holds six if 164 d < n, and
otherwise about thirty. An evaluation of (9) takes O(n² d) operations for k products with A. Nearly
all of the time goes into these products of n × n with n × d arrays; (11), (13) and the rest take
O(n² v) and O(n²). BLAS computes the products, and NumPy the costs of (13), which are products too.
Loops over single entries are compiled.

What the paper leaves open
--------------------------
- The indicators are updated row by row, but the paper does not state the order. coassoc sorts
  rows by decreasing gain and base clusterings by decreasing k-means cost, so the result does not
  depend on the order of samples and base clusterings. A row keeps its cluster unless another
  cluster is better.
- Eq. (13) contains the cross terms of the base clusterings once. The objective contains them
  twice, and so does the update.
- The paper does not say how its features are scaled. Its k-means scores fit rows of unit length
  for Tr11, Tr12 and Lung, raw counts for Tr31, raw term weights for 20NG, and for Yale
  standardised pixels whose rows are scaled to unit length. The tables use these scales.
- Fixed values of μ and λ suit only one scale of X. X is divided by the root mean square distance
  of its rows from their mean. The paper tunes λ. With the default of 0.01 the base clusterings
  are still refined, but a large λ keeps every sample in its clusters.
- Equal base clusterings share their weight: if (18) has several minimisers, coassoc uses the one
  with the smallest norm. A cluster that lost its last sample keeps its centroid, because Eq.
  (15) would divide by zero.
- (9) starts from the extrapolation of the last two solutions and is solved by quasi-Newton steps
  until its gradient is at most a fifth of the gradient of the proximal term, but with at most 8
  steps, because the next iteration continues from this point. Up to 60 steps take three to five
  times as long and barely change W and the partitions. They change A more. (11) is solved by
  projected Newton steps from the last W, until a step changes W by less than 1e-6 of its norm.
- The objective is (6) as a function of W, α and the G⁽ᵐ⁾, with the F⁽ᵐ⁾ that minimise it. With
  the F⁽ᵐ⁾ of Algorithm 1 (centroids of A^k X), (6) rises while A and the filter of W diverge.
  The paper shows convergence curves but does not say which quantity they show.
- The iteration stops when the objective changes by less than ``tol`` twice in a row, or after 20
  iterations, within which it converges according to the paper. At this point A and the filter of
  W still differ. W is symmetrised at the end.
- The final step of the paper uses W, or the embedding by the filter of W, and so do ACMK-SC and
  ACMK-KM. By (11) W changes slowly from the co-association matrix. Unlike in the paper, spectral
  clustering of W therefore depends very little on k. The final steps of ACMK-SC-A and ACMK-KM-A
  use the copy A: spectral clustering of max((A + Aᵀ)/2, 0), and k-means of A^k X.
- ACMK's program is not available. A program of the same author, for a method that learns a
  filter by the same alternation, scales the rows of X to unit length. For the filter it uses at
  most 20 steps of L-BFGS-B, until no entry of the gradient exceeds 1e-3. ``solver="author"`` does
  the same for (9). The protocols ``acmk_protocol_solver_sc``, ``acmk_protocol_solver_km``,
  ``acmk_protocol_filter_sc`` and ``acmk_protocol_filter_km`` compare solvers and final steps with
  the published numbers. The row ACMK-SC of the tables is ACMK-SC-A with the author's solver. The
  row ACMK-KM uses the library's solver and a final step on W. The ranking and the analyses use W,
  as in the text of the paper.
- The published numbers of ACMK-KM on Tr11 and Tr12 remain unexplained. Scale, λ, more
  iterations, higher orders, a hundred starts, and counting the cross terms once do not explain
  them. On Tr31 the paper gives the same numbers for ACMK-SC and ACMK-KM.
- ACMK-GF reports averages over the base clusterings: ``refined_labels_`` contains the partitions
  from all base clusterings, and ``labels_`` is the partition with the median k-means cost on X.
  Its k-means mostly recovers the base clustering.
"""

from typing import Any, ClassVar

import numpy as np

from coassoc.ensemble import Ensemble, Microclusters
from coassoc.invariant import InvariantMatrix
from coassoc.methods.acmk.algorithm import Refined, centroids, k_means_cost, refine
from coassoc.methods.base import Array, ConsensusClusterer, Labels, RandomState, RefiningClusterer
from coassoc.methods.parameters import Cost, boolean, choice, integer, number
from coassoc.numerics.distances import distance_coordinates
from coassoc.partition.labels import split_to
from coassoc.partition.spectral import k_means, spectral_labels, unit_rows

__all__ = ["ACMK", "ACMKGF", "Refined", "refine"]


class ACMK(RefiningClusterer):
    """Adaptive consensus multiple k-means (Zhou, Du & Li 2023).

    The method does not always converge in twenty iterations. If it does not, as on Glass, rounding
    differences grow with each iteration, from 3·10⁻¹⁰ to 1, and the labels differ between
    processors.

    The base classes describe further parameters and attributes.

    Parameters
    ----------
    ending : {"spectral", "k-means", "spectral-A", "k-means-A"}
        Final clustering step. "spectral" and "k-means" are the steps of the paper: spectral
        clustering of W, and k-means of the embedding by the filter of W. "spectral-A" and
        "k-means-A" use A, the copy of the filter, in place of W: spectral clustering of max((A +
        Aᵀ)/2, 0), and k-means of A^k X.
    lam : float
        λ > 0, weight of the consensus term (Eq. 6).
    order : int
        k ≥ 1, order of the graph filter.
    mu0 : float
        Initial penalty μ > 0.
    rho : float
        Factor, at least 1, by which μ grows in each iteration (Eq. 19).
    tol : float
        Relative change of the objective at which the iteration stops.
    solver : {"library", "author"}
        "library" divides X by its root mean square distance from the mean and solves (9) almost to
        its minimum. "author" scales the rows of X to unit length and takes at most 20 steps of
        L-BFGS-B from the previous A, which are the settings of the author's program for a similar
        method. The tables that reproduce the paper use "author" with an ending on A, because this
        combination comes closest to the published ACMK-SC. "author" needs memory for about thirty n
        × n arrays, or six if 4 d (1 + 20 (k − 1)) < n.
    unit_rows : bool
        Whether k-means clusters the rows of the embedding scaled to unit length.
    max_iter : int
        Maximum number of iterations.

    Attributes
    ----------
    affinity_ : (n, n) array
        The learned graph W, or max((A + Aᵀ)/2, 0) for an ending on A.
    embedding_ : (n, r) array
        Final embedding of the scaled X by the filter of W, or by A for an ending on A. It is
        determined up to a rotation of its columns.
    initial_labels_, refined_labels_ : (n, m) integer arrays
        Base clusterings before and after the refinement.
    alpha_ : (m,) array
        Weights of the base clusterings.
    history_ : dict of str to array
        "objective" per iteration, Eq. (6) of W, α and the G⁽ᵐ⁾ for the scaled X.
    """

    paper: ClassVar = "Zhou, Du & Li, IEEE TKDE 2023"
    cost: ClassVar = Cost(seconds=300, power=2, grows_with_features=True, squares=6)

    offers: ClassVar = ("initial_labels_", "refined_labels_", "alpha_", "affinity_", "embedding_")
    uses_features = True
    ending: str = choice("spectral", ("spectral", "k-means", "spectral-A", "k-means-A"))
    lam: float = number(0.01, above=0, grid=(0.001, 0.01, 0.1, 1, 10, 100, 1000))
    order: int = integer(3, minimum=1)
    mu0: float = number(1.0, above=0)
    rho: float = number(1.05, minimum=1)
    solver: str = choice("library", ("library", "author"))
    unit_rows: bool = boolean(False)
    tol: float = number(1e-4, above=0)
    max_iter: int = integer(20, minimum=1)

    def _refine(self, ensemble: Ensemble, X: Any) -> Refined:
        library = self.solver == "library"
        points = in_units_of_spread(X) if library else unit_rows(distance_coordinates(X))
        return refine(points, ensemble.labels.astype(np.intp), self)

    def _end(self, refined: Refined, random_state: RandomState) -> Labels:
        self.converged_, self.n_iter_ = refined.converged, len(refined.objective)
        self.history_ = {"objective": np.array(refined.objective)}
        self.initial_labels_ = self.ensemble_.labels.astype(np.intp)
        self.refined_labels_, self.alpha_ = refined.labels, refined.alpha
        if self.ending.endswith("-A"):
            self.affinity_ = np.maximum((refined.A + refined.A.T) / 2, 0.0)
            self.embedding_ = refined.A_embedding
        else:
            self.affinity_, self.embedding_ = refined.W, refined.embedding
        if self.ending.startswith("spectral"):
            singles = Microclusters.from_assignment(np.arange(len(self.affinity_)))
            graph = InvariantMatrix(self.affinity_, 0.0, singles)
            return spectral_labels(graph, self.n_clusters, random_state)
        rows = unit_rows(self.embedding_) if self.unit_rows else self.embedding_
        return split_to(k_means(rows, self.n_clusters, random_state), self.n_clusters)


class ACMKGF(ConsensusClusterer):
    """K-means of features filtered by one base clustering, without consensus learning (ACMK-GF).

    The base classes describe further parameters and attributes.

    Parameters
    ----------
    order : int
        k ≥ 1, order of the graph filter.

    Attributes
    ----------
    initial_labels_, refined_labels_ : (n, m) integer arrays
        Base clusterings before and after the refinement. `labels_` is the refined clustering with
        the median k-means cost.
    """

    title: ClassVar = "K-means of the features filtered by one base clustering"
    paper: ClassVar = "Zhou, Du & Li, IEEE TKDE 2023"
    cost: ClassVar = Cost(seconds=2.1, power=2.5, squares=0)
    offers: ClassVar = ("initial_labels_", "refined_labels_")
    uses_features = True
    order: int = integer(3, minimum=1)

    def _consensus(self, ensemble: Ensemble, X: Any, random_state: RandomState) -> Labels:
        points = in_units_of_spread(X)
        self.initial_labels_ = ensemble.labels.astype(np.intp)
        seed = random_state.randint(np.iinfo(np.int32).max)
        refined = [
            k_means(own_filter(points, g, self.order), self.n_clusters, seed)
            for g in self.initial_labels_.T
        ]
        self.refined_labels_ = np.column_stack(refined)
        costs = [k_means_cost(points, labels, centroids(points, labels)) for labels in refined]
        typical = np.argsort(costs, kind="stable")[(len(costs) - 1) // 2]
        return split_to(refined[typical], self.n_clusters)


def in_units_of_spread(X: Any) -> Array:
    """Points with the distances of X's rows, in units of their root mean square from the mean."""
    points = distance_coordinates(X)
    spread = np.linalg.norm(points - points.mean(axis=0)) / np.sqrt(len(points))
    return points / (spread if spread > 1e-12 * np.abs(points).max(initial=0.0) else 1.0)


def own_filter(X: Array, g: Labels, order: int) -> Array:
    """((I + D^{-1/2}WD^{-1/2})/2)^k X for W = GGᵀ: rows drawn towards their centroid by 2^{-k}."""
    centres = centroids(X, g)[g]
    return centres + (X - centres) / 2**order
