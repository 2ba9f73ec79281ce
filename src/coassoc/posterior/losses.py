"""Losses between two partitions, and their expectations under a posterior."""
from __future__ import annotations
from typing import Any
import numpy as np
from numpy.typing import ArrayLike, NDArray
from coassoc.numerics.compiled import compiled
from coassoc.posterior.draws import Draws

Array = NDArray[np.float64]
ENTROPIES = ("VI", "NVI", "ID", "NID")
LOSSES = ("Binder", *ENTROPIES, "omARI", "omARI.approx")


def sizes_table(loss: str, n: int) -> Array:
    x = np.arange(n + 2, dtype=np.float64)
    if loss in ENTROPIES:
        return x * np.log2(np.maximum(x, 1))
    return x * (x - 1) / 2


def loss_of_sums(loss: str, A: Any, E: Any, J: Any, n: int, a: float) -> Any:
    b = 2 - a
    if loss == "Binder":
        return 2 * (a * A + b * E - 2 * J) / n**2
    if loss == "VI":
        return (a * A + b * E - 2 * J) / n
    with np.errstate(divide="ignore", invalid="ignore"):
        if loss in ENTROPIES:
            c = n * np.log2(n)
            hS, hT, hST = (np.maximum(c - x, 0) for x in (A, E, J))
            if loss == "ID":
                return (hST - np.minimum(hS, hT)) / n
            if loss == "NVI":
                return np.where(hST > 1e-9 * c, 2 - (hS + hT) / hST, 0.0)
            top = np.maximum(hS, hT)
            return np.where(top > 1e-9 * c, 1 - (hS + hT - hST) / top, 0.0)
        c = n * (n - 1) / 2
        by_chance = A * E / c
        spread = (A + E) / 2 - by_chance
        return np.where(spread > 0, 1 - (J - by_chance) / spread, 0.0)


def losses_per_draw(draws, labels, loss, a=1.0):
    f = sizes_table(loss, draws.n_items)
    A, J = np.empty((2, len(draws.weights)))
    _sums(draws.labels, labels.astype(np.int32), f, A, J)
    E = f[np.bincount(labels)].sum()
    return A, E, J


def expected_loss(draws, labels, loss="VI", a=1.0):
    draws = Draws.of(draws)
    A, E, J = losses_per_draw(draws, labels, loss, a)
    w = draws.weights / draws.n_draws
    if loss == "omARI.approx":
        return float(loss_of_sums(loss, w @ A, E, w @ J, draws.n_items, a))
    return float(w @ loss_of_sums(loss, A, E, J, draws.n_items, a))


@compiled("void(s2, s1, f1, f1, f1)")
def _sums(labels: Any, z: Any, f: Any, A: Any, J: Any) -> None:
    m, n = labels.shape
    q = z.max() + 1
    count = np.zeros((n, q), dtype=np.int64)
    size = np.zeros(n, dtype=np.int64)
    for b in range(m):
        for i in range(n):
            count[labels[b, i], z[i]] += 1
            size[labels[b, i]] += 1
        total, joint = 0.0, 0.0
        for i in range(n):
            s = labels[b, i]
            if size[s] > 0:
                total += f[size[s]]
                size[s] = 0
            if count[s, z[i]] > 0:
                joint += f[count[s, z[i]]]
                count[s, z[i]] = 0
        A[b], J[b] = total, joint
