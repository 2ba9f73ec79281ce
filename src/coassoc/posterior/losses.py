"""Losses between partitions, and their expectations under draws from a posterior.

For a draw S and an estimate T of n items, let n_s and n_t be the sizes of their clusters, and n_st
the number of items that cluster s of S shares with cluster t of T. All losses are functions of
three sums over a function f of sizes,

    A = Σ_s f(n_s),    E = Σ_t f(n_t),    J = Σ_st f(n_st).

With f(x) = x (x − 1) / 2, the number of pairs, and N = n (n − 1) / 2, b = 2 − a,

    Binder = 2 (a A + b E − 2 J) / n²
    omARI  = 1 − (J − A E / N) / ((A + E) / 2 − A E / N)

and with f(x) = x log₂ x and entropies in bits H_S = log₂ n − A / n, H_T = log₂ n − E / n,
H_ST = log₂ n − J / n and the mutual information I = H_S + H_T − H_ST,

    VI  = a (H_ST − H_S) + b (H_ST − H_T) = (a A + b E − 2 J) / n
    NVI = 1 − I / H_ST
    ID  = max(H_S, H_T) − I
    NID = 1 − I / max(H_S, H_T)

where 0 / 0, which occurs for equal partitions without information, counts as loss 0. The cost a,
from 0 to 2, is the cost of separating two items that S joins, and b is the cost of the opposite
mistake. Both are 1 by default, and only Binder and VI have costs. "omARI.approx" uses the
expectations of A and J instead of A and J, which approximates the expectation of omARI.

Sources
-------
D. A. Binder, "Bayesian cluster analysis", Biometrika 65(1), 1978; S. Wade, Z. Ghahramani, "Bayesian
cluster analysis: point estimation and credible balls", Bayesian Analysis 13(2), 2018; D. B. Dahl,
D. J. Johnson, P. Müller, "Search algorithms and loss functions for Bayesian clustering", Journal of
Computational and Graphical Statistics 31(4), 2022 (costs a and b, omARI); N. X. Vinh, J. Epps,
J. Bailey, "Information theoretic measures for clusterings comparison", JMLR 11, 2010 (NVI, ID,
NID); A. Fritsch, K. Ickstadt, "Improved criteria for clustering based on the posterior similarity
matrix", Bayesian Analysis 4(2), 2009 (omARI.approx).
"""

from __future__ import annotations

from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from coassoc.errors import ConfigError, DataError
from coassoc.numerics.compiled import compiled
from coassoc.partition.labels import canonical_labels
from coassoc.posterior.draws import Draws, Units, draw_labels

__all__ = ["LOSSES", "Loss", "expected_loss", "losses_of_draws"]

Array = NDArray[np.float64]

#: Losses that are computed from entropies.
ENTROPIES = ("VI", "NVI", "ID", "NID")
#: Names of losses.
Loss = Literal["Binder", "VI", "NVI", "ID", "NID", "omARI", "omARI.approx"]
LOSSES: tuple[str, ...] = get_args(Loss)
#: Information below this fraction of the largest possible value is a rounding error.
_NONE = 1e-9


def check_loss(loss: str, a: float) -> None:
    """Raise a ConfigError for an unknown loss, or for a cost that the loss does not have."""
    if loss not in LOSSES:
        raise ConfigError(f"loss is {loss!r}. It must be one of {', '.join(LOSSES)}.")
    if not 0 <= a <= 2:
        raise ConfigError(f"a is {a!r}. It must be a number from 0 to 2.")
    if a != 1 and loss not in ("Binder", "VI"):
        raise ConfigError(
            f"a is {a!r}. Leave out the argument 'a', or choose the loss Binder or VI, the only "
            "losses with this cost."
        )


def expected_loss(
    draws: Draws | ArrayLike, labels: ArrayLike, loss: Loss = "VI", a: float = 1.0
) -> float:
    """Expected loss of a partition under a posterior.

    Parameters
    ----------
    draws : (n, m) array-like, or Draws
        Items × draws.
    labels : (n,) array-like
        Cluster of each item.
    loss : str
        One of :data:`LOSSES`, which this module defines.
    a : float
        Cost, from 0 to 2, of separating two items that a draw joins; the opposite mistake costs 2 −
        a. Only for Binder and VI.

    Returns
    -------
    float
        Mean over the draws. Losses that are entropies are in bits.

    Raises
    ------
    ConfigError, DataError
        If an argument is not as described.
    """
    check_loss(loss, a)
    checked = Draws.of(draws)
    return loss_of_units(*checked.units_of(partition_of(labels, checked.n_items)), loss, a)


def loss_of_units(units: Units, z: NDArray[np.int64], loss: str, a: float) -> float:
    """Expected loss of labels of units."""
    return mean_loss(units, loss, *_sums(units, z, loss), a)


def mean_loss(units: Units, loss: str, A: Array, E: float, J: Array, a: float) -> float:
    """Mean over draws, from the sums of the draws, the partition, and their intersections."""
    shares = units.weights / units.n_draws
    if loss == "omARI.approx":
        return float(loss_of_sums(loss, shares @ A, E, shares @ J, units.n_items, a))
    return float(shares @ loss_of_sums(loss, A, E, J, units.n_items, a))


def losses_of_draws(
    draws: Draws | ArrayLike, labels: ArrayLike, loss: Loss = "VI", a: float = 1.0
) -> Array:
    """Loss of a partition for each draw. The mean of these losses is :func:`expected_loss`.

    Returns
    -------
    (m,) array
    """
    check_loss(loss, a)
    checked = Draws.of(draws)
    A, E, J = _sums(*checked.units_of(partition_of(labels, checked.n_items)), loss)
    return loss_of_sums(loss, A, E, J, checked.n_items, a)[checked.rows.place]


def table_of_sizes(loss: str, n: int) -> Array:
    """(n + 2,) values f(0), f(1), … of the function that a loss sums."""
    x = np.arange(n + 2, dtype=np.float64)
    return x * np.log2(np.maximum(x, 1)) if loss in ENTROPIES else x * (x - 1) / 2


def loss_of_sums(loss: str, A: Any, E: Any, J: Any, n: int, a: float) -> Any:
    """The loss for the sums A, E and J, each a number or an array."""
    cost = a * A + (2 - a) * E - 2 * J
    if loss == "Binder":
        return 2 * cost / n**2
    if loss == "VI":
        return np.maximum(cost, 0) / n
    if loss in ENTROPIES:
        most = n * np.log2(n)
        H_S, H_T, H_ST = most - A, most - E, most - J
        if loss == "NVI":
            return _quotient(H_ST - (H_S + H_T - H_ST), H_ST, _NONE * most)
        largest = np.maximum(H_S, H_T)
        distance = np.maximum(largest - (H_S + H_T - H_ST), 0)
        return distance / n if loss == "ID" else _quotient(distance, largest, _NONE * most)
    by_chance = A * E / max(n * (n - 1) / 2, 1)
    return _quotient((A + E) / 2 - J, (A + E) / 2 - by_chance, 0)


def _quotient(x: Any, y: Any, zero: float) -> Any:
    """The quotient x / y, and 0 where y is no more than `zero`."""
    return np.where(y > zero, x / np.where(y > zero, y, 1), 0)


def _sums(units: Units, z: NDArray[np.int64], loss: str) -> tuple[Array, float, Array]:
    """A of each distinct draw, E, and J with each distinct draw."""
    f = table_of_sizes(loss, units.n_items)
    A, J = np.empty((2, len(units.weights)))
    _sum_sizes(units.labels, units.counts, z, f, A, J)
    return A, float(f[np.bincount(z, units.counts).astype(np.int64)].sum()), J


def partition_of(labels: ArrayLike, n: int) -> NDArray[np.int64]:
    """(n,) labels 0 … c−1 of a partition. A DataError is raised if there are not n labels."""
    given = np.asanyarray(labels)  # masked arrays are refused
    if given.shape != (n,):
        raise DataError(
            f"labels have the shape {given.shape}, but the draws have {n} items. Pass one label "
            "for each item."
        )
    return canonical_labels(draw_labels(given[:, None], "labels")[:, 0]).astype(np.int64)


@compiled("void(s2, i1, i1, f1, f1, f1)")
def _sum_sizes(labels, counts, z, f, A, J):
    m, n = labels.shape
    size = np.zeros(n, dtype=np.int64)
    shared = np.zeros((n, z.max() + 1), dtype=np.int64)
    for b in range(m):
        total, joint = 0.0, 0.0
        for i in range(n):
            s, t = labels[b, i], z[i]
            total += f[size[s] + counts[i]] - f[size[s]]
            joint += f[shared[s, t] + counts[i]] - f[shared[s, t]]
            size[s] += counts[i]
            shared[s, t] += counts[i]
        for i in range(n):
            size[labels[b, i]] = 0
            shared[labels[b, i], z[i]] = 0
        A[b], J[b] = total, joint
