"""What ``coassoc cluster`` says of the agreement of the algorithms, with a given number.

The sentence is true of measurements with as many groups, and false of measurements without groups.
Where two groupings cross, the algorithms may agree on one of them.
"""

import numpy as np
from sklearn.datasets import make_moons

from coassoc import EnsembleClusterer
from coassoc.pages.cluster import agrees
from verdicts import Kind, Product, kind

Rng = np.random.Generator


def _groups(k: int, d: int, n: int = 150, apart: float = 6.0, shares=None):
    """Spherical groups whose neighbours are `apart` standard deviations from each other."""

    def make(rng: Rng):
        while True:
            C = rng.normal(size=(k, d)) * apart
            if min(np.linalg.norm(C[a] - C[b]) for a in range(k) for b in range(a)) > apart:
                break
        y = rng.choice(k, n, p=shares)
        return C[y] + rng.normal(size=(n, d)), k

    return make


def _with_noise_columns(rng: Rng):
    X, k = _groups(3, 4)(rng)
    return np.hstack([X, rng.normal(size=(len(X), 8))]), k


def _in_other_units(rng: Rng):
    X, k = _groups(3, 4)(rng)
    return X * np.exp(rng.normal(size=4)), k


def _elongated(rng: Rng):
    X, k = _groups(3, 2, apart=4.0)(rng)
    return X * [1.0, 4.0], k


def _moons(rng: Rng):
    return make_moons(200, noise=0.06, random_state=int(rng.integers(2**31)))[0], 2


def _rings(rng: Rng):
    y, t = rng.integers(0, 2, 240), rng.uniform(0, 2 * np.pi, 240)
    radius = 1 + 1.5 * y + rng.normal(size=240) * 0.08
    return np.c_[radius * np.cos(t), radius * np.sin(t)], 2


def _lines(rng: Rng):
    y = rng.integers(0, 3, 180)
    return np.c_[rng.uniform(0, 6, 180), 1.5 * y + rng.normal(size=180) * 0.1], 3


def _crossing(k: int, d: int, apart: float = 5.0):
    """Two independent groupings into k clusters, each in d columns of its own."""

    def make(rng: Rng):
        parts = [_groups(k, d, 200, apart)(rng)[0] for _ in range(2)]
        return np.hstack([part / part.std() for part in parts]), k

    return make


def _units_decide(rng: Rng):
    """One grouping in a column with a large unit, another in the other columns."""
    big = 100 * (5 * rng.integers(0, 2, 200) + rng.normal(size=200))
    rest = 5 * rng.integers(0, 2, 200)[:, None] + rng.normal(size=(200, 4))
    return np.column_stack([big, rest]), 2


def _triangle(rng: Rng):
    weights = rng.dirichlet(np.ones(3), 150)
    return weights @ np.array([[0, 0], [1, 0], [0.5, np.sqrt(3) / 2]])


def _arc(rng: Rng):
    t = rng.uniform(0, 4, 150)
    return np.c_[np.cos(t), np.sin(t)] + rng.normal(size=(150, 2)) * 0.05


def _heavy(k: int):
    """Groups with the tails of Student's t with five degrees of freedom."""

    def make(rng: Rng):
        y, C = rng.integers(0, k, 160), 12 * np.eye(k)
        return C[y] + rng.standard_t(5, size=(160, k)), k

    return make


def _one(draw, k: int):
    """A sample without groups."""
    return lambda rng: (draw(rng), k)


def said(data) -> set[str]:
    """Whether the algorithms are said to agree."""
    X, k = data
    return {"agree"} if agrees(EnsembleClusterer(k, random_state=0).fit(X)) else set()


KINDS: dict[str, Kind] = {
    **{
        f"one Gaussian, d = {d}, k = {k}": kind(_one(lambda rng, d=d: rng.normal(size=(150, d)), k))
        for d, k in ((2, 2), (4, 3), (10, 2))
    },
    "log-normal, k = 2": kind(_one(lambda rng: np.exp(rng.normal(size=(150, 3))), 2)),
    "long Gaussian, k = 2": kind(_one(lambda rng: rng.normal(size=(150, 2)) * [6.0, 1.0], 2)),
    "uniform square, k = 4": kind(_one(lambda rng: rng.random((200, 2)), 4)),
    "uniform line, k = 2": kind(_one(lambda rng: rng.random((150, 1)), 2)),
    # The threshold was chosen on the kinds before these.
    "uniform triangle, k = 3": kind(_one(_triangle, 3)),
    "arc, k = 2": kind(_one(_arc, 2)),
    "uniform rectangle, k = 2": kind(_one(lambda rng: rng.random((150, 2)) * [3.0, 1.0], 2)),
    "uniform cube, k = 5": kind(_one(lambda rng: rng.random((200, 3)), 5)),
    "exponential, k = 3": kind(_one(lambda rng: rng.exponential(size=(150, 2)), 3)),
    "counts, k = 2": kind(_one(lambda rng: rng.poisson(3.0, (150, 4)).astype(float), 2)),
    "t₃, k = 2": kind(_one(lambda rng: rng.standard_t(3, size=(150, 3)), 2)),
    "one factor, k = 2": kind(
        _one(lambda rng: rng.normal(size=(120, 8)) + 2 * rng.normal(size=(120, 1)), 2)
    ),
    "Gaussian, n = 60, d = 50, k = 3": kind(_one(lambda rng: rng.normal(size=(60, 50)), 3)),
    "4 groups with heavy tails": kind(_heavy(4), plain="agree"),
    "4 groups, d = 20": kind(_groups(4, 20, 200), plain="agree"),
    "3 groups, n = 60": kind(_groups(3, 5, 60, 8.0), plain="agree"),
    **{
        f"{k} groups, d = {d}": kind(_groups(k, d), plain="agree")
        for k, d in ((2, 2), (3, 2), (3, 10), (5, 5))
    },
    "8 groups, d = 10": kind(_groups(8, 10, 300), plain="agree"),
    "90:10": kind(_groups(2, 3, shares=[0.9, 0.1]), true="agree"),
    "70:20:10": kind(_groups(3, 3, shares=[0.7, 0.2, 0.1]), true="agree"),
    "noise columns": kind(_with_noise_columns, true="agree"),
    "other units": kind(_in_other_units, true="agree"),
    "elongated": kind(_elongated, true="agree"),
    "moons": kind(_moons, true="agree"),
    "rings": kind(_rings, true="agree"),
    "parallel lines": kind(_lines, true="agree"),
    "two groupings, k = 3": kind(_crossing(3, 3), open="agree"),
    "units decide": kind(_units_decide, open="agree"),
}

PRODUCT = Product(
    "Clusters of measurements", {"agree": "The algorithms agree"}, KINDS, said, first=20_000
)
