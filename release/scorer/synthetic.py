"""Synthetic measurements with classes, of many kinds: all that the scorer has seen.

Each set is drawn with a seed of its own number. A class 0 marks noise points.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from coassoc.numerics.seeds import seed_from_names

Set = tuple[NDArray[np.float64], NDArray[np.int64]]
Rng = np.random.Generator


def _sizes(rng: Rng, n: int, k: int) -> NDArray[np.int64]:
    """Sizes of classes from nearly equal to very unequal."""
    share = rng.dirichlet(np.full(k, rng.choice([0.6, 1.5, 5.0, 50.0])))
    return np.maximum((share * n).astype(int), max(5, n // (12 * k)))


def _rotation(rng: Rng, d: int) -> NDArray[np.float64]:
    return np.linalg.qr(rng.normal(size=(d, d)))[0]


def _centres(rng: Rng, k: int, d: int, apart: float) -> NDArray[np.float64]:
    for _ in range(200):
        C = rng.normal(size=(k, d)) * apart * max(1.0, k ** (1 / d) / 1.5)
        D = np.linalg.norm(C[:, None] - C, axis=2) + np.eye(k) * 1e6
        if D.min() > 0.8 * apart:
            break
    return C


def _stacked(parts: list[NDArray]) -> Set:
    y = np.repeat(np.arange(1, len(parts) + 1), [len(part) for part in parts])
    return np.vstack(parts), y


def gaussians(rng: Rng) -> Set:
    """Spherical or elliptical groups, some with heavy tails."""
    k, d, n = (
        rng.integers(2, 13),
        int(rng.choice([2, 2, 3, 5, 8, 12, 20, 30])),
        rng.integers(60, 1000),
    )
    elliptical, heavy = rng.random() < 0.6, rng.random() < 0.3
    C = _centres(rng, k, d, rng.uniform(2.2, 7) * (1 if d < 8 else 0.7))
    parts = []
    for size, centre in zip(_sizes(rng, n, k), C, strict=True):
        log = rng.normal(size=d) * rng.choice([0.2, 0.7, 1.1])
        scale = (
            np.exp(log) if elliptical else np.full(d, np.exp(rng.normal() * rng.choice([0, 0.5])))
        )
        scale /= max(1.0, np.sqrt((scale**2).mean()) / 1.5)
        Z = rng.normal(size=(size, d))
        if heavy:
            Z /= np.sqrt(rng.chisquare(4, size=(size, 1)) / 4)
        parts.append(centre + (Z * scale) @ _rotation(rng, d))
    return _stacked(parts)


def boxes(rng: Rng) -> Set:
    """Boxes and balls with uniform density."""
    k, d, n = rng.integers(2, 9), int(rng.choice([2, 2, 2, 3])), rng.integers(150, 1000)
    parts = []
    for size, centre in zip(_sizes(rng, n, k), _centres(rng, k, d, rng.uniform(2, 4)), strict=True):
        Z = rng.uniform(-1, 1, size=(size, d))
        if rng.random() < 0.5:
            Z = rng.normal(size=(size, d))
            Z *= rng.random((size, 1)) ** (1 / d) / np.linalg.norm(Z, axis=1, keepdims=True)
        parts.append(centre + (Z * np.exp(rng.normal(size=d) * 0.5)) @ _rotation(rng, d))
    return _stacked(parts)


def _curve(rng: Rng, m: int) -> NDArray[np.float64]:
    t = np.sort(rng.random(m)) if rng.random() < 0.5 else np.linspace(0, 1, m)
    kind = rng.integers(6)
    if kind == 0:  # a ring
        return np.c_[np.cos(2 * np.pi * t), np.sin(2 * np.pi * t)]
    if kind == 1:  # an arc
        a = rng.uniform(0.6, 1.7) * np.pi
        return np.c_[np.cos(a * t), np.sin(a * t)]
    if kind == 2:  # a spiral
        a = rng.uniform(1, 3) * np.pi
        return np.c_[(0.2 + t) * np.cos(a * t), (0.2 + t) * np.sin(a * t)]
    if kind == 3:  # a line
        return np.c_[2 * t - 1, 0 * t]
    if kind == 4:  # a wave
        return np.c_[2 * t - 1, 0.6 * np.sin(rng.uniform(3, 9) * t)]
    turns = 6 * np.sin(3 * t)
    return np.cumsum(np.c_[np.cos(turns), np.sin(turns)], axis=0) / m * 3


def curves(rng: Rng) -> Set:
    """Rings, arcs, spirals, lines and waves that do not touch."""
    k, n, width = rng.integers(2, 7), rng.integers(150, 1000), rng.uniform(0.01, 0.12)
    sizes = _sizes(rng, n, k)
    for _ in range(60):
        parts = []
        for size in sizes:
            P = _curve(rng, size)
            P = (P + rng.normal(size=P.shape) * width) * rng.uniform(0.6, 1.6)
            parts.append(P @ _rotation(rng, 2) + rng.uniform(-1, 1, 2) * np.sqrt(k) * 1.3)
        gaps = [
            np.linalg.norm(parts[a][::3, None] - parts[b][None, ::3], axis=2).min()
            for a in range(k)
            for b in range(a)
        ]
        if min(gaps) > 3 * width + 0.03:
            break
    return _stacked(parts)


def nested(rng: Rng) -> Set:
    """Shells around each other, and often a core."""
    n, k, width, d = (
        rng.integers(200, 1000),
        rng.integers(2, 5),
        rng.uniform(0.02, 0.15),
        int(rng.choice([2, 2, 3])),
    )
    core, parts = rng.random() < 0.6, []
    for j, size in enumerate(_sizes(rng, n, k)):
        Z = rng.normal(size=(size, d))
        if j == 0 and core:
            parts.append(Z * 0.25)
        else:
            Z /= np.linalg.norm(Z, axis=1, keepdims=True)
            radius = j + (0.0 if rng.random() < 0.5 else 0.5)
            parts.append(Z * radius + rng.normal(size=Z.shape) * width)
    return _stacked(parts)


def spirals(rng: Rng) -> Set:
    """Arms that wind around each other."""
    k, m, turns, parts = rng.integers(2, 4), rng.integers(60, 350), rng.uniform(0.8, 2), []
    for j in range(k):
        even = np.linspace(0.3, turns * 2 * np.pi, m)
        t = np.sqrt(rng.random(m)) * turns * 2 * np.pi if rng.random() < 0.7 else even
        a = t + 2 * np.pi * j / k
        arm = np.c_[t * np.cos(a), t * np.sin(a)]
        parts.append(arm + rng.normal(size=(m, 2)) * rng.uniform(0.02, 0.35))
    return _stacked(parts)


def touching(rng: Rng) -> Set:
    """Bands, moons, a dense group beside a sparse one, wings with densest ends."""
    kind, n = rng.integers(4), rng.integers(150, 1000)
    y = rng.integers(0, 2, n)
    if kind == 0:
        y = rng.integers(0, rng.integers(2, 6), n)
        height = y + rng.uniform(-0.5, 0.5, n) * rng.uniform(0.5, 0.95)
        X = np.c_[rng.uniform(0, rng.uniform(3, 12), n), height] @ _rotation(rng, 2)
    elif kind == 1:
        t = rng.random(n) * np.pi
        moons = np.c_[np.cos(t), np.sin(t)], np.c_[1 - np.cos(t), 0.5 - np.sin(t)]
        X = np.where(y[:, None] == 0, *moons) + rng.normal(size=(n, 2)) * rng.uniform(0.03, 0.17)
    elif kind == 2:
        y = (rng.random(n) < rng.uniform(0.3, 0.8)).astype(int)
        scale = np.where(y == 0, rng.uniform(0.05, 0.3), 1.0)
        X = rng.normal(size=(n, 2)) * scale[:, None] + np.c_[y * rng.uniform(1.2, 3.2), 0 * y]
    else:
        X = rng.uniform(size=(n, 2)) ** rng.uniform(0.6, 1.6)
        X[:, 0] = np.where(y == 0, X[:, 0], 2.05 + rng.random() * 0.3 - X[:, 0])
        X[:, 1] += y * rng.uniform(0, 0.5)
    return X, y + 1


def tables(rng: Rng) -> Set:
    """Like real tables: classes of several parts, mixed, skewed, in other units, with noise."""
    k, q, n = rng.integers(2, 13), rng.integers(2, 9), rng.integers(100, 1000)
    d, apart = int(rng.choice([4, 7, 10, 16, 30, 60, 120, 300])), rng.uniform(1.5, 4.5)
    parts = []
    for size in _sizes(rng, n, k):
        several = rng.multinomial(size, rng.dirichlet(np.full(rng.integers(1, 4), 3.0)))
        pieces = [
            rng.normal(size=q) * apart
            + (rng.normal(size=(m, q)) * np.exp(rng.normal(size=q) * 0.4)) @ _rotation(rng, q)
            for m in several
        ]
        parts.append(np.vstack(pieces))
    X, y = _stacked(parts)
    if rng.random() < 0.5:
        W = rng.normal(size=(q, 2 * q)) / np.sqrt(q) / rng.uniform(1, 4)
        X = np.tanh(X @ W + rng.normal(size=2 * q))
    X = X @ rng.normal(size=(X.shape[1], d))
    X /= X.std(axis=0)
    X += rng.normal(size=X.shape) * rng.uniform(0.05, 1)
    X[:, : int(d * rng.choice([0, 0, 0.3]))] = 0.0
    X += (X == 0) * rng.normal(size=X.shape)
    skewed, rounded, cut = rng.random(3) < 0.3
    if skewed:
        some = rng.random(d) < 0.5
        X[:, some] = np.exp(X[:, some] * rng.uniform(0.3, 1))
    if rounded:
        some = rng.random(d) < 0.4
        X[:, some] = np.round(X[:, some] * 2) / 2
    if cut:
        X = np.maximum(X - rng.uniform(0, 1), 0)
    if rng.random() < 0.6:
        X = X * np.exp(rng.normal(size=d) * rng.choice([0.3, 1, 2]))
    return X, y


def texts(rng: Rng) -> Set:
    """Counts of words about topics, weighted by how rare a word is."""
    k, n, words = rng.integers(2, 13), rng.integers(150, 800), rng.integers(300, 2000)
    common, mix, length = (
        rng.dirichlet(np.full(words, 0.1)),
        rng.uniform(0.15, 0.6),
        rng.integers(20, 200),
    )
    parts = []
    for size in _sizes(rng, n, k):
        topic = (1 - mix) * common + mix * rng.dirichlet(np.full(words, 0.03))
        lengths = np.maximum(5, rng.gamma(2, length / 2, size).astype(int))
        parts.append(np.array([rng.multinomial(m, topic) for m in lengths], dtype=float))
    X, y = _stacked(parts)
    return X * np.log(len(X) / np.maximum(1, (X > 0).sum(axis=0))), y


#: Kinds in turn; some come more than once.
KINDS: tuple[Callable[[Rng], Set], ...] = (
    *(gaussians, gaussians, boxes, curves, curves, nested, spirals),
    *(touching, touching, tables, tables, tables, texts),
)


def synthetic_set(number: int) -> tuple[NDArray[np.float64], NDArray[np.int64], str]:
    """Measurements, classes (0 for noise points) and the name of the kind."""
    rng = np.random.default_rng(seed_from_names(0, "scorer", number))
    make = KINDS[number % len(KINDS)]
    X, y = make(rng)
    if X.shape[1] <= 3 and rng.random() < 0.25:
        low, high = X.min(axis=0), X.max(axis=0)
        margin = 0.1 * (high - low)
        m = int(len(X) * rng.uniform(0.02, 0.12))
        noise = rng.uniform(low - margin, high + margin, size=(m, X.shape[1]))
        X, y = np.vstack([X, noise]), np.r_[y, np.zeros(m, dtype=int)]
    order = rng.permutation(len(X))
    return X[order], y[order], make.__name__
