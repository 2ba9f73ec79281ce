"""AWEC: adaptive high-order topological weights.

J. Xu, T. Li, L. Duan, "Enhancing ensemble clustering with adaptive high-order topological weights",
AAAI 2024. With A the co-association matrix of n samples and c the number of clusters requested:

*First order.* A, clipped at four standard deviations from its mean and centred by rows and columns,
ranks the neighbours of each sample, and the n / 2c best are used. T₁ is A with 0 for pairs that are
not neighbours and doubled entries for mutual neighbours, clipped at three standard deviations above
the mean. Its diagonal is then set to 0, and it is divided by the square roots of its row sums on
both sides.

*Second order.* T₂ is T₁ᵀ T₁ without the positive entries that are half a standard deviation below
their mean, without the diagonal, and divided in the same way.

*Learning.* A cleaned co-association matrix C and a graph Z are computed together:

    min_{C,Z,a,H}  Σ_k ‖C − a_k T_k‖² + λ/2 ‖A − C‖² + tr(Zᵀ (I − D^{-1/2} C D^{-1/2}) Z)
                   + γ ‖Z − I‖² + 1.1 Σ_ij Z_ij ‖h_i − h_j‖²
    s.t.           C symmetric with entries in [0, 1], Z ≥ 0, Z 1 = 1, a_1 + a_2 = 1, HᵀH = I,

where D has the row sums of C, and h_i are the rows of H (n × c). The problem is solved by
alternating directions. The partition is the average linkage of Z.

If labels are missing, A is the co-association of each pair in the base clusterings that label both
samples. Everything else follows from A.

What the paper leaves open
--------------------------
*Taken from the authors' program.*

- λ = 0.1 and γ = 50 are values of the grid over which the program tunes both against the classes.
  With γ up to 1 the graph is almost constant, and its linkage no better than chance on small data.
- The penalty μ of the alternating directions starts at 0.1 and is multiplied by 1.2 in each
  iteration, but the step of C always divides by 4.2, which is right for the first μ only. With 4
  + 2μ instead, C would converge to a different matrix, so coassoc keeps the program's step. The
  iteration ends when no entry of A − C − E exceeds 0.01 and no entries of C and its feasible
  copy F differ by more than 0.01, or after 100 iterations.
- Row sums of C are negative in some early iterations. D^{-1/2} uses their absolute values. The
  program's imaginary roots have the same effect if all row sums have the same sign.
- The step of Z has diag(C 1) − C for the Laplacian of C, and takes ten steps of an augmented
  Lagrangian from the constant 1/n, which do not reach the optimum. One of its two multiplier
  terms has the wrong sign, which coassoc keeps as in the program. Z is then symmetrised.
- The demonstration also has a spectral final step for Z, which coassoc does not have.

What differs from the program:

- Only eigenvectors of Z's Laplacian that are determined count. Their eigenvalues are smaller than
  the (c + 1)-th by more than 1e-9. The first Laplacian is 0, and early ones often have equal
  eigenvalues. The program takes what its eigensolver returns, which for the first one are the first
  c samples of the file: with γ = 1, entries of Z move by up to 0.14 on 40 samples when other
  samples come first. With γ = 50 they move by 0.003.
- If neighbours of equal rank compete for the last place, all of them count. The program uses the
  first in the file.
- A sample without any entry in T₁ has no links. The program gives it one-sided links to the two
  samples with the largest centred entries.
- If labels are missing, A is the fraction among the base clusterings that label both samples.
"""

from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp

from coassoc.ensemble import Ensemble
from coassoc.errors import MethodError
from coassoc.invariant import InvariantMatrix
from coassoc.methods.base import Array, ConsensusClusterer, Labels, RandomState
from coassoc.methods.parameters import Cost, integer, number
from coassoc.numerics.compiled import compiled
from coassoc.numerics.distances import squared_distances
from coassoc.numerics.rank_constraint import graph_components
from coassoc.numerics.threads import over_blocks, row_blocks
from coassoc.partition.linkage import linkage_labels
from coassoc.similarity import co_association

#: First penalty of the alternating directions, its growth and its largest value.
_PENALTY, _GROWTH, _LARGEST_PENALTY = 0.1, 1.2, 1e8
#: Largest entry of the residuals at which the iteration stops.
_TOLERANCE = 1e-2
#: Factor of Σ Z_ij ‖h_i − h_j‖².
_EMBEDDING = 1.1
#: Number of steps for Z, their first penalty and its growth.
_STEPS, _STEP_PENALTY, _STEP_GROWTH = 10, 10.0, 1.5
#: Smallest row sum by which the method divides.
_SMALLEST_DEGREE = 1e-10
#: Largest relative difference of numbers that count as equal.
_ROUNDING = 1e-9


class AWEC(ConsensusClusterer):
    """Adaptive high-order topological weights (Xu et al. 2024).

    The method is deterministic and ignores `random_state`.

    The base classes describe further parameters and attributes.

    Parameters
    ----------
    lam : float
        λ > 0, weight of the difference between the cleaned matrix and the co-association matrix.
    gamma : float
        γ > 0, weight of the difference between the graph and the identity.
    max_iter : int
        Maximum number of iterations.

    Attributes
    ----------
    affinity_ : InvariantMatrix
        The graph Z.
    """

    title: ClassVar = "Adaptive high-order topological weights"
    paper: ClassVar = "Xu, Li & Duan, AAAI 2024"
    cost: ClassVar = Cost(seconds=11, power=3, squares=19)
    reads_matrix: ClassVar = True
    offers: ClassVar = ("affinity_",)
    takes_missing: ClassVar = True
    lam: float = number(0.1, above=0, grid=(0.01, 0.02, 0.04, 0.08, 0.1, 0.2))
    gamma: float = number(50.0, above=0, grid=(0.1, 0.5, 1, 5, 10, 50))
    max_iter: int = integer(100, minimum=1)

    def _consensus(self, ensemble: Ensemble, X: Any, random_state: RandomState) -> Labels:
        A = co_association(ensemble)
        T = first_order_topology(A, self.n_clusters)
        topologies = [T, second_order_topology(T)]
        _, self.affinity_, _ = learn_graph(A, topologies, self)
        return linkage_labels(self.affinity_, self.n_clusters, "average")


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

    If several entries compete for the last place, all of them get 1.
    """
    # Subtracting the mean of a column changes no order within the column.
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
    """T₂, the scaled links between neighbours of neighbours, without the weakest links.

    Parameters
    ----------
    T : InvariantMatrix
        T₁.
    """
    common = T.T @ T  # the zeros of this matrix are exact
    mean, deviation = _mean_and_deviation(common, common.map(lambda x: (x > 0).astype(float)))
    weakest = (mean - deviation / 2) * (1 - _ROUNDING)
    return _scaled(common.map(lambda x: np.where(x >= weakest, x, 0.0)))


def _square(X: InvariantMatrix) -> InvariantMatrix:
    """X² of a symmetric X, as a product with a transpose, in half the time of other products."""
    half = X.S * np.sqrt(X.r)
    S = half @ half.T
    if X.e.any():
        S += X.S * np.add.outer(X.e, X.e)
    return InvariantMatrix(S, X.e**2, X.microclusters)


def _scaled(X: InvariantMatrix) -> InvariantMatrix:
    """X without its diagonal, divided by the roots of its row sums on both sides."""
    X = InvariantMatrix.with_diagonal(X.S, 0.0, X.microclusters)
    root = _inverse_root(X.row_sums())
    return InvariantMatrix(X.S * np.outer(root, root), X.e * root**2, X.microclusters)


def _inverse_root(degrees: Array) -> Array:
    return np.asarray(1 / np.sqrt(np.maximum(degrees, _SMALLEST_DEGREE)))


def learn_graph(
    A: InvariantMatrix, topologies: list[InvariantMatrix], method: AWEC
) -> tuple[InvariantMatrix, InvariantMatrix, Array]:
    """Clean the co-association matrix and learn a graph from it; see :class:`AWEC`.

    Parameters
    ----------
    A : InvariantMatrix
        The co-association matrix.
    topologies : list of InvariantMatrix
        T_k.

    Returns
    -------
    C : InvariantMatrix
        The cleaned co-association matrix.
    Z : InvariantMatrix
        The graph.
    weights : (k,) array
        a, the weights of the topologies.
    """
    micro = A.microclusters
    entries = _entries(A)
    C = Z = InvariantMatrix.identity(micro)
    F, E = _entries(C), np.zeros_like(entries)
    Y_E, Y_F = np.ones((2, *entries.shape))
    squares = np.array([T.inner(T) for T in topologies])
    a = np.full(len(topologies), 1 / len(topologies))
    distances = InvariantMatrix.from_diagonal(0.0, micro)
    mu, divisor = _PENALTY, 2 * len(topologies) + 2 * _PENALTY
    for _ in method._rounds():
        root = _inverse_root(np.abs(C.row_sums()))
        drawn = _entries(_square(Z))
        drawn[:, :-1] *= np.outer(root, root)
        drawn[:, -1] *= root**2
        for weight, T in zip(a, topologies, strict=True):
            drawn += 2 * float(weight) * _entries(T)
        cleaned = (mu * (entries - E + F) + Y_E - Y_F + drawn) / divisor
        E = (mu * (entries - cleaned) + Y_E) / (method.lam + mu)
        F = np.clip(cleaned + Y_F / mu, 0.0, 1.0)
        noise, copy = entries - cleaned - E, cleaned - F
        Y_E += mu * noise
        Y_F += mu * copy
        residuals = [float(np.abs(residual).max()) for residual in (noise, copy)]
        del drawn, noise, copy  # the graph takes the most memory
        if not np.isfinite(residuals).all():
            raise MethodError(
                f"AWEC: the iteration diverges with {A.shape[0]:,} samples. Choose another method."
            )
        C = InvariantMatrix.with_diagonal(cleaned[:, :-1], cleaned[:, -1], micro)
        Z = _graph(C, distances, method.gamma)
        a = _topology_weights(C, topologies, squares, a)
        distances = _embedded_distances(Z, method.n_clusters)
        method.converged_ = max(residuals) < _TOLERANCE
        mu = min(_GROWTH * mu, _LARGEST_PENALTY)
    return C, Z, a


def _entries(X: InvariantMatrix) -> Array:
    """(n', n' + 1) array of the entries of one sample of each microcluster, its own one last."""
    return np.column_stack((X.S, X.diagonal()))


def _topology_weights(
    C: InvariantMatrix, topologies: list[InvariantMatrix], squares: Array, a: Array
) -> Array:
    """The weights of sum 1 that bring a_k T_k nearest to C; `a` again where a T_k has no entry."""
    if not squares.all():
        return a
    alone = np.array([C.inner(T) for T in topologies]) / squares
    return np.asarray(alone - (alone.sum() - 1) / (1 / squares).sum() / squares)


def _graph(C: InvariantMatrix, distances: InvariantMatrix, gamma: float) -> InvariantMatrix:
    """Z, whose rows lie in the simplex before it is made symmetric.

    Notes
    -----
    A step from a row z, with its multipliers y and the penalty η, to the next one is

        x = z − (z Q + y) / η,   z ← projection of x − (y + x Q − b) / η,   η ← 1.5 η,
        y ← y − η (x − z),

    in which x Q = z Q − (z Q² + y Q) / η, and y Q follows from the other products. A step of all
    rows therefore takes 4 n' operations for each positive entry of Z, and reads and writes about
    ten arrays of n'² numbers, which blocks of rows keep in cache. In the 80 steps at n' = 1,000, Z
    is the identity in half of the steps, has a tenth of its entries in a quarter, and most of its
    entries in a fifth. With Q² in each round, this costs as much as 40 products of matrices;
    computing Z Q and x Q by products would take 160.
    """
    micro = C.microclusters
    identity = InvariantMatrix.identity(micro)
    Q = InvariantMatrix.from_diagonal(C.row_sums() + gamma, micro) - C
    powers = Q, _square(Q)
    linear = _entries(2 * gamma * identity - _EMBEDDING * distances)
    means = [power.row_sums() / C.shape[0] for power in powers]
    Z = np.empty_like(linear)
    over_blocks(
        lambda rows: _step_rows(powers, linear[rows], means, rows, Z[rows]), row_blocks(len(Z))
    )
    return InvariantMatrix.with_diagonal(Z[:, :-1], Z[:, -1], micro).symmetrized()


def _step_rows(
    powers: tuple[InvariantMatrix, ...], linear: Array, means: list[Array], rows: slice, Z: Array
) -> None:
    """All steps of some rows of Z, from 1 / n."""
    n = powers[0].shape[0]
    Z[:] = 1 / n
    Y = np.ones_like(Z)
    products = [np.column_stack((np.tile(x, (len(Z), 1)), x[rows])) for x in means]
    penalty = _STEP_PENALTY
    YQ = (n - penalty) * products[0]
    for step in range(_STEPS):
        if step:
            _multiply(Z, powers, rows, products)
        _step(Z, *products, Y, YQ, linear, powers[0].r, rows.start, penalty)
        penalty *= _STEP_GROWTH


def _multiply(
    Z: Array, powers: tuple[InvariantMatrix, ...], rows: slice, products: list[Array]
) -> None:
    """Products of some rows, by their entries, with symmetric matrices."""
    diagonal = np.arange(len(Z)), np.arange(rows.start, rows.stop)
    e = Z[:, -1] - Z[diagonal]
    weights = Z[:, :-1] * powers[0].r
    weights[diagonal] += e
    # Z is the identity or nearly so in many steps.
    left = sp.csr_array(weights) if 6 * np.count_nonzero(weights) < weights.size else weights
    for power, product in zip(powers, products, strict=True):
        product[:, :-1] = left @ power.S
        if power.e.any():
            product[:, :-1] += Z[:, :-1] * power.e
        product[:, -1] = product[diagonal] + e * power.e[rows]


@compiled("void(f2, f2, f2, f2, f2, f2, f1, i, f)")
def _step(Z, ZQ, ZQQ, Y, YQ, linear, r, first, penalty):
    """One step of the rows from `first` on; y Q lacks the product of the last z.

    A row x is projected to max(x − θ, 0). Newton's steps for θ rise to the root from a smaller
    number, and have reached it once no further entry falls to 0. Each step collects the entries
    that are still above θ.
    """
    q = len(r)
    grown = _STEP_GROWTH * penalty
    left, copies = np.empty(q + 1), np.empty(q + 1)
    for i in range(len(Z)):
        for j in range(q + 1):
            yq = YQ[i, j] + penalty * ZQ[i, j]
            x = Z[i, j] - (ZQ[i, j] + Y[i, j]) / penalty
            xq = ZQ[i, j] - (ZQQ[i, j] + yq) / penalty
            left[j] = x - (Y[i, j] + xq - linear[i, j]) / penalty
            Y[i, j] -= grown * x
            YQ[i, j] = yq - grown * xq
        Z[i] = left
        copies[:q], copies[q] = r, 1.0
        copies[first + i] -= 1
        count, kept, before, theta = q + 1, 0.0, -1.0, left.max() - 1
        while kept != before:
            before, among = kept, count
            count, kept, total = 0, 0.0, 0.0
            for k in range(among):
                if left[k] >= theta:
                    left[count], copies[count] = left[k], copies[k]
                    total += copies[k] * (left[k] - theta)
                    kept += copies[k]
                    count += 1
            theta += (total - 1) / kept
        for j in range(q + 1):
            Z[i, j] = max(Z[i, j] - theta, 0.0)
            Y[i, j] += grown * Z[i, j]


def _embedded_distances(Z: InvariantMatrix, n_clusters: int) -> InvariantMatrix:
    """‖h_i − h_j‖², H those of the c smallest eigenvectors of Z's Laplacian that are determined."""
    if graph_components(Z.S)[0] > n_clusters:  # more eigenvalues of 0 than eigenvectors are needed
        return InvariantMatrix.from_diagonal(0.0, Z.microclusters)
    laplacian = InvariantMatrix.from_diagonal(Z.row_sums(), Z.microclusters) - Z
    eigen = (-laplacian).eigh(n_clusters + 1)
    values, inner = -eigen.values, -eigen.inner_values
    # further copies of the eigenvalue 1 change nothing
    copies = np.minimum(Z.microclusters.sizes - 1, n_clusters + 1)
    smallest = np.sort(np.concatenate((values, np.repeat(inner, copies))))
    limit = smallest[n_clusters] - _ROUNDING if n_clusters < len(smallest) else np.inf
    H = eigen.vectors[:, values < limit]
    # All eigenvectors inside a microcluster together have the Gram matrix I − 11ᵀ / r.
    inside = (inner < limit) & (Z.microclusters.sizes > 1)
    length = np.where(inside, 1 - 1 / Z.r, 0.0)
    distances = squared_distances(H, H) + length[:, None] + length
    np.fill_diagonal(distances, np.where(inside, 2.0, 0.0))
    return InvariantMatrix.with_diagonal(distances, 0.0, Z.microclusters)
