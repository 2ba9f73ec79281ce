"""AWEC: adaptive high-order topological weights.

J. Xu, T. Li, L. Duan, "Enhancing ensemble clustering with adaptive high-order topological weights",
AAAI 2024. With A the co-association matrix of n samples and c the number of clusters wanted:

*First order.* A, cut off at four standard deviations from its mean and centred by rows and columns,
ranks the neighbours of each sample; the n / 2c best ones count. T₁ is A, 0 for pairs that are no
neighbours and doubled for those that are each other's, cut off at three standard deviations above
the mean. Its diagonal is then 0, and it is divided by the roots of its row sums on both sides.

*Second order.* T₂ is T₁ᵀ T₁ without its positive entries that lie half a standard deviation below
their mean, without diagonal, and divided in the same way.

*Learning.* A cleaned co-association matrix C and a graph Z are found together:

    min_{C,Z,a,H}  Σ_k ‖C − a_k T_k‖² + λ/2 ‖A − C‖² + tr(Zᵀ (I − D^{-1/2} C D^{-1/2}) Z)
                   + γ ‖Z − I‖² + 1.1 Σ_ij Z_ij ‖h_i − h_j‖²
    s.t.           C symmetric with entries in [0, 1], Z ≥ 0, Z 1 = 1, a_1 + a_2 = 1, HᵀH = I,

D the row sums of C, h_i the rows of H (n × c), by alternating directions. The partition is the
average linkage of Z.

Where labels are missing, A is the co-association of each pair in the base clusterings that have
both samples, and all else follows from it.

What the paper leaves open
--------------------------
*Taken from the authors' program.*

- λ = 0.1 and γ = 50 are values of the grid over which the program tunes both with the classes.
  With γ up to 1 the graph is almost constant, and its linkage no better than chance on small
  data.
- The penalty μ of the alternating directions starts at 0.1 and is multiplied by 1.2 in each
  iteration, but the step of C always divides by 4.2, which is right for the first μ only. With 4
  + 2μ instead, C would converge to something else; the program's step is kept. The iteration
  ends when no entry of A − C − E or of C and its feasible copy F differ by more than 0.01, after
  100 at the latest.
- Row sums of C are negative in some early iterations. In D^{-1/2} they count by absolute value:
  the program's imaginary roots come to the same where all of them have one sign.
- The step of Z has diag(C 1) − C for the Laplacian of C, and takes ten steps of an augmented
  Lagrangian from the constant 1/n, which do not reach the optimum. One of its two multiplier
  terms has the wrong sign; it is kept as in the program. Z is then made symmetric.
- The demonstration also has a spectral ending for Z; here there is none.

What differs from the program:

- Eigenvectors of Z's Laplacian count as long as they are determined: those whose eigenvalue is,
  by 1e-9, less than the (c + 1)-th. The first Laplacian is 0, and early ones often have equal
  eigenvalues. The program takes what its eigensolver returns, which for the first one are the
  first c samples of the file: with γ = 1, entries of Z move by up to 0.14 on 40 samples when
  other samples come first. With γ = 50 they move by 0.003.
- Where neighbours of equal rank compete for the last place all of them count. The program takes
  the first in the file.
- A sample without any entry in T₁ has no links. The program gives it one-sided ones to the two
  samples with the largest centred entries.
- Where labels are missing, A is the share of the base clusterings that have both samples.
"""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from coassoc.ensemble import Ensemble
from coassoc.errors import MethodError
from coassoc.invariant import InvariantMatrix
from coassoc.methods.base import (
    Array,
    ConsensusClusterer,
    Iteration,
    Labels,
    RandomState,
    history_of,
)
from coassoc.methods.parameters import integer, number
from coassoc.numerics.compiled import compiled
from coassoc.numerics.distances import squared_distances
from coassoc.numerics.threads import over_blocks, row_blocks
from coassoc.partition.linkage import linkage_labels
from coassoc.similarity import co_association

#: First penalty of the alternating directions, its growth and its largest value.
_PENALTY, _GROWTH, _LARGEST_PENALTY = 0.1, 1.2, 1e8
#: Largest entry of the residuals at the stop.
_TOLERANCE = 1e-2
#: Factor of Σ Z_ij ‖h_i − h_j‖².
_EMBEDDING = 1.1
#: Steps for Z, their first penalty and its growth.
_STEPS, _STEP_PENALTY, _STEP_GROWTH = 10, 10.0, 1.5
#: Smallest row sum that is divided by.
_SMALLEST_DEGREE = 1e-10
#: Relative difference of numbers that count as equal.
_ROUNDING = 1e-9


@dataclass(frozen=True)
class CleanedGraph(Iteration):
    """Result of :func:`learn_graph`.

    Attributes
    ----------
    C : InvariantMatrix
        The cleaned co-association matrix.
    Z : InvariantMatrix
        The graph.
    weights : (k,) array
        a, the weights of the topologies.
    """

    C: InvariantMatrix
    Z: InvariantMatrix
    weights: Array


class AWEC(ConsensusClusterer):
    """Adaptive high-order topological weights (Xu et al. 2024).

    Parameters
    ----------
    lam : float
        λ > 0, how much the cleaned matrix should be like the co-association matrix.
    gamma : float
        γ > 0, how much the graph should be like the identity.

    Attributes
    ----------
    affinity_ : InvariantMatrix
        The graph Z.
    history_ : dict of str to array
        Largest entries of the residuals "noise" and "copy" per iteration.
    """

    revision = 1
    reads_matrix: ClassVar = True
    seeds = ""
    offers: ClassVar = ("affinity_",)
    records: ClassVar = ("noise", "copy")
    squares: ClassVar = 19
    takes_missing: ClassVar = True
    lam: float = number(0.1, above=0, grid=(0.01, 0.02, 0.04, 0.08, 0.1, 0.2))
    gamma: float = number(50.0, above=0, grid=(0.1, 0.5, 1, 5, 10, 50))
    max_iter: int = integer(100, minimum=1)

    def _consensus(self, ensemble: Ensemble, X: Any, random_state: RandomState) -> Labels:
        A = co_association(ensemble)
        T = first_order_topology(A, self.n_clusters)
        topologies = [T, second_order_topology(T)]
        learned = learn_graph(A, topologies, self.n_clusters, **self._declared())
        self._record(learned)
        self.affinity_ = learned.Z
        return linkage_labels(learned.Z, self.n_clusters, "average")


def first_order_topology(A: InvariantMatrix, n_clusters: int) -> InvariantMatrix:
    """T₁, the co-associations of neighbours, scaled.

    Parameters
    ----------
    A : InvariantMatrix
        The co-association matrix.
    n_clusters : int
        c.
    """
    n = A.shape[0]
    n_neighbors = min(int(n / (2 * n_clusters) + 0.5), n - 1)
    near = _nearest(_clipped(A, 4.0), n_neighbors)
    T = _clipped(A * (near + near.T), 3.0)
    return _scaled(T)


def _clipped(X: InvariantMatrix, deviations: float) -> InvariantMatrix:
    """X with its entries brought within some standard deviations of their mean."""
    mean, deviation = _mean_and_deviation(X, X.map(np.ones_like))
    lowest, highest = mean - deviations * deviation, mean + deviations * deviation
    return X.map(lambda x: np.clip(x, lowest, highest))


def _mean_and_deviation(X: InvariantMatrix, counted: InvariantMatrix) -> tuple[float, float]:
    """Mean and standard deviation of the entries where `counted` is 1."""
    count = counted.sum()
    if count == 0:
        return 0.0, 0.0
    mean = X.inner(counted) / count
    excess = X.map(lambda x, one: np.where(one > 0, x - mean, 0.0), counted)
    return mean, excess.norm() / np.sqrt(max(count - 1, 1.0))


def _nearest(K: InvariantMatrix, n_neighbors: int) -> InvariantMatrix:
    """1 for each entry of a column that is among its largest, by K centred; 0 on the diagonal.

    Where several compete for the last place, all are.
    """
    # The means of columns change no order within a column.
    centred = K.S - (K.row_sums() / K.shape[0])[:, None]
    order = np.argsort(-centred, axis=0, kind="stable")
    others = np.repeat(K.r[:, None], len(K.r), axis=1)
    np.fill_diagonal(others, K.r - 1)
    ranked = np.cumsum(np.take_along_axis(others, order, axis=0), axis=0)
    last = (ranked >= n_neighbors).argmax(axis=0)
    columns = np.arange(len(K.r))
    lowest = centred[order[last, columns], columns] - _ROUNDING
    near = (centred >= lowest) & (n_neighbors > 0)
    return InvariantMatrix.with_diagonal(near.astype(np.float64), 0.0, K.microclusters)


def second_order_topology(T: InvariantMatrix) -> InvariantMatrix:
    """T₂, what neighbours' neighbours have in common, without the weakest links, scaled.

    Parameters
    ----------
    T : InvariantMatrix
        T₁.
    """
    common = T.T @ T
    mean, deviation = _mean_and_deviation(common, common.map(lambda x: (x > 0).astype(float)))
    weakest = (mean - deviation / 2) * (1 - _ROUNDING)
    return _scaled(common.map(lambda x: np.where(x >= weakest, x, 0.0)))


def _scaled(X: InvariantMatrix) -> InvariantMatrix:
    """X without its diagonal, divided by the roots of its row sums on both sides."""
    X = InvariantMatrix.with_diagonal(X.S, 0.0, X.microclusters)
    root = InvariantMatrix.from_diagonal(_inverse_root(X.row_sums()), X.microclusters)
    return root @ X @ root


def _inverse_root(degrees: Array) -> Array:
    return np.asarray(1 / np.sqrt(np.maximum(degrees, _SMALLEST_DEGREE)))


def learn_graph(
    A: InvariantMatrix,
    topologies: list[InvariantMatrix],
    n_clusters: int,
    lam: float,
    gamma: float,
    max_iter: int,
) -> CleanedGraph:
    """Clean the co-association matrix and learn a graph from it; see :class:`AWEC`.

    Parameters
    ----------
    A : InvariantMatrix
        The co-association matrix.
    topologies : list of InvariantMatrix
        T_k.
    """
    one = A.map(np.ones_like)
    C = F = Z = InvariantMatrix.identity(A.microclusters)
    E = A * 0.0
    Y_E = Y_F = one
    distances = A * 0.0
    a = np.full(len(topologies), 1 / len(topologies))
    mu = _PENALTY
    rounds: list[tuple[float, float]] = []
    converged = False
    while not converged and len(rounds) < max_iter:
        root = InvariantMatrix.from_diagonal(_inverse_root(np.abs(C.row_sums())), A.microclusters)
        G = root @ Z
        C = mu * (A - E + F) + Y_E - Y_F + G @ G.T
        for weight, T in zip(a, topologies, strict=True):
            C = C + 2 * float(weight) * T
        C = C / (2 * len(topologies) + 2 * _PENALTY)
        E = (mu * (A - C) + Y_E) / (lam + mu)
        F = (C + Y_F / mu).symmetrized().map(lambda x: np.clip(x, 0.0, 1.0))
        Z = _graph(C, distances, gamma)
        a = _topology_weights(C, topologies, a)
        distances = _embedded_distances(Z, n_clusters)
        noise, copy = A - C - E, C - F
        rounds.append((_largest(noise), _largest(copy)))
        if not np.isfinite(rounds[-1]).all():
            raise MethodError(f"The iteration diverges with {A.shape[0]:,} samples.")
        converged = max(rounds[-1]) < _TOLERANCE
        Y_E, Y_F = Y_E + mu * noise, Y_F + mu * copy
        mu = min(_GROWTH * mu, _LARGEST_PENALTY)
    return CleanedGraph(C, Z, a, converged=converged, history=history_of(AWEC.records, rounds))


def _largest(X: InvariantMatrix) -> float:
    """Largest entry of |X|."""
    return float(max(np.abs(X.S).max(), np.abs(X.diagonal()).max()))


def _topology_weights(C: InvariantMatrix, topologies: list[InvariantMatrix], a: Array) -> Array:
    """The weights of sum 1 that bring a_k T_k nearest to C; `a` again where a T_k has no entry."""
    squares = np.array([T.inner(T) for T in topologies])
    if not squares.all():
        return a
    alone = np.array([C.inner(T) for T in topologies]) / squares
    return np.asarray(alone - (alone.sum() - 1) / (1 / squares).sum() / squares)


def _graph(C: InvariantMatrix, distances: InvariantMatrix, gamma: float) -> InvariantMatrix:
    """Z, whose rows lie in the simplex before it is made symmetric."""
    identity = InvariantMatrix.identity(C.microclusters)
    Q = InvariantMatrix.from_diagonal(C.row_sums(), C.microclusters) - C + gamma * identity
    linear = 2 * gamma * identity - _EMBEDDING * distances
    Z = C.map(np.ones_like) / C.shape[0]
    Y = Z.map(np.ones_like)
    penalty = _STEP_PENALTY
    for _ in range(_STEPS):
        # copy = Z − (Z Q + Y) / penalty, and Z = copy − (Y + copy Q − linear) / penalty, in place.
        copy = Z @ Q
        copy += Y
        copy /= -penalty
        copy += Z
        Z = copy @ Q
        Z += Y
        Z -= linear
        Z /= -penalty
        Z += copy
        Z = project_rows_on_simplex(Z)
        penalty *= _STEP_GROWTH
        copy -= Z
        Y -= penalty * copy
    return Z.symmetrized()


def project_rows_on_simplex(X: InvariantMatrix) -> InvariantMatrix:
    """The nearest matrix whose rows are non-negative and sum to 1.

    Notes
    -----
    A row x becomes max(x − θ, 0). Newton's steps for θ rise from (Σ x − 1) / n to the root, which
    they have reached once no further entry falls to 0.
    """
    projected, diagonal = np.empty(X.S.shape), np.empty(len(X.S))
    S, own = np.ascontiguousarray(X.S), X.diagonal()
    over_blocks(
        lambda rows: _project_rows(
            S[rows], own[rows], X.r, rows.start, projected[rows], diagonal[rows]
        ),
        row_blocks(len(S)),
    )
    return InvariantMatrix.with_diagonal(projected, diagonal, X.microclusters)


@compiled("void(f2, f1, f1, i, f2, f1)")
def _project_rows(S, own, r, first, projected, diagonal):
    """Rows from `first` on; the entries left above θ are gathered anew in each step."""
    n = r.sum()
    left, copies = np.empty(len(r) + 1), np.empty(len(r) + 1)
    for i in range(len(S)):
        left[:-1], copies[:-1] = S[i], r
        left[-1], copies[-1] = own[i], 1.0
        copies[first + i] -= 1
        count, kept, theta = len(left), n, 0.0
        while True:
            total = 0.0
            for k in range(count):
                total += copies[k] * (left[k] - theta)
            theta += (total - 1) / kept
            before, kept, among, count = kept, 0.0, count, 0
            for k in range(among):
                if left[k] > theta:
                    left[count], copies[count] = left[k], copies[k]
                    kept += copies[k]
                    count += 1
            if kept >= before:
                break
        for j in range(len(r)):
            projected[i, j] = max(S[i, j] - theta, 0.0)
        diagonal[i] = max(own[i] - theta, 0.0)


def _embedded_distances(Z: InvariantMatrix, n_clusters: int) -> InvariantMatrix:
    """‖h_i − h_j‖², H those of the c smallest eigenvectors of Z's Laplacian that are determined."""
    laplacian = InvariantMatrix.from_diagonal(Z.row_sums(), Z.microclusters) - Z
    eigen = (-laplacian).eigh(n_clusters + 1)
    values, inner = -eigen.values, -eigen.inner_values
    copies = np.minimum(Z.microclusters.sizes - 1, n_clusters + 1)  # more of one decide nothing
    smallest = np.sort(np.concatenate((values, np.repeat(inner, copies))))
    limit = smallest[n_clusters] - _ROUNDING if n_clusters < len(smallest) else np.inf
    H = eigen.vectors[:, values < limit]
    # All eigenvectors inside a microcluster together have the Gram matrix I − 11ᵀ / r.
    inside = (inner < limit) & (Z.microclusters.sizes > 1)
    length = np.where(inside, 1 - 1 / Z.r, 0.0)
    distances = squared_distances(H, H) + length[:, None] + length
    np.fill_diagonal(distances, np.where(inside, 2.0, 0.0))
    return InvariantMatrix.with_diagonal(distances, 0.0, Z.microclusters)
