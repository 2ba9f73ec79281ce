"""The check over all columns of a table: which columns do not agree with the others.

Each clustering of the same samples agrees at least with some other clustering. A batch, a count of
molecules or a genotype agrees with no clustering more than expected by chance. A single column does
not show its meaning, but a comparison with the other columns does.

The index of two clusterings is (t − e) / (min(p, q) − e): t pairs of samples are co-clustered in
both, p and q in each, and e are expected in both by chance. It is 1 if one clustering refines the
other, like cuts of a dendrogram, and 0 on average by chance. If it is undefined, or based on too
few pairs, it is not used as evidence.
"""

from collections.abc import Collection, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

#: Smallest agreement of two columns that are clusterings of the same samples.
_LEAST = 0.1
#: Number of samples to examine first, and number to examine if the first are inconclusive.
_SAMPLES = (1000, 20_000)
#: Each column is compared with at most this many other columns.
_OTHERS = 40


class Reason(NamedTuple):
    """Reason why a column is not a clustering."""

    kind: Literal["values", "number", "unique", "many", "one", "apart", "all apart"]
    #: What the column has, or how it agrees with others.
    text: str

    def predicate(self, n_columns: int = 1) -> str:
        """The reason with its verb, such as "has no label at all"."""
        verbs = ("agrees", "agree") if self.kind in ("apart", "all apart") else ("has", "have")
        return f"{verbs[n_columns > 1]} {self.text}"


class Column(NamedTuple):
    """A column as a clustering, or the reason why it is not a clustering."""

    name: str
    #: (n,) clusters 0 … k−1, −1 where one is missing, and their k labels.
    clusters: NDArray
    labels: list[Any]
    reason: Reason | None = None
    #: Negative numbers among whole ones, and values that were read as missing.
    codes: Collection[Any] = ()
    missing: Collection[str] = ()


def columns_apart(columns: Sequence[Column]) -> list[int]:
    """Positions of the columns that agree with none of the largest group of agreeing columns."""
    m, n = len(columns), len(columns[0].clusters) if columns else 0
    group, denied = list(range(m)), [False] * m
    for most in _SAMPLES:
        some = _some(n, most)
        tables = [_counted(c.clusters[some].astype(np.int64), len(c.labels)) for c in columns]
        # Further steps would compare the same pairs from the other side.
        for step in range(1, min(m // 2, _OTHERS) + 1):
            for i in range(m if 2 * step < m else step):
                j = (i + step) % m
                if group[i] != group[j]:
                    verdict = _verdict(tables[i], tables[j])
                    if verdict > 0:
                        old = group[j]
                        group = [group[i] if g == old else g for g in group]
                    elif verdict < 0:
                        denied[i] = denied[j] = True
            if len({*group}) == 1:
                return []
        if n <= most:
            break
    main = max(group, key=lambda g: (group.count(g), -g))
    alone = group.count(main) == 1 and m > 4  # no two of several columns agree
    return [
        j for j in range(m) if (group[j] != main or group.count(main) == 1) and (denied[j] or alone)
    ]


def _some(n: int, most: int) -> NDArray | slice:
    """Positions of some of n samples at random: the first ones of a sorted table are all alike."""
    return slice(n) if n <= most else np.random.default_rng(0).choice(n, most, replace=False)


class _Counted(NamedTuple):
    """(n,) clusters of a column, how many, whether all have one, and pairs that share one."""

    clusters: NDArray[np.int64]
    k: int
    complete: bool
    pairs: float


def _counted(clusters: NDArray[np.int64], k: int) -> _Counted:
    sizes = np.bincount(clusters + 1, minlength=1)
    return _Counted(clusters, k, not sizes[0], _pairs(sizes[1:], len(clusters) - sizes[0]))


def _pairs(sizes: NDArray[np.intp], n: int) -> float:
    """Pairs of n samples inside groups of some sizes."""
    return float(sizes @ sizes - n) / 2


def _verdict(a: _Counted, b: _Counted) -> int:
    """1 if two columns agree, −1 if they do not, 0 if that cannot be known."""
    n, p, q = len(a.clusters), a.pairs, b.pairs
    few = a.k * b.k <= 8 * n
    if a.complete and b.complete:
        cells = a.clusters * b.k + b.clusters
        together = _pairs(np.bincount(cells) if few else np.unique(cells, return_counts=True)[1], n)
    elif few:
        # The first row and the first column count samples without a label.
        cells = (a.clusters + 1) * (b.k + 1) + (b.clusters + 1)
        sizes = np.bincount(cells, minlength=(a.k + 1) * (b.k + 1)).reshape(a.k + 1, -1)[1:, 1:]
        n = int(sizes.sum())
        together, p, q = (_pairs(x, n) for x in (sizes.ravel(), sizes.sum(1), sizes.sum(0)))
    else:
        both = (a.clusters >= 0) & (b.clusters >= 0)
        return _verdict(_counted(a.clusters[both], a.k), _counted(b.clusters[both], b.k))
    total = n * (n - 1) / 2
    chance = p * q / total if total else 0.0
    room = min(p, q) - chance
    if room <= 0:
        return 0
    index, error = (together - chance) / room, max(chance, 1.0) ** 0.5 / room
    # With one large cluster, agreement beyond chance shows only in larger values.
    large = max(p, q) > 0.6 * total
    if index > (3 * _LEAST if large else _LEAST) and index > 3 * error:
        return 1
    return -1 if index < _LEAST and error < _LEAST / 2 and not large else 0


def missing_values(columns: Sequence[Column]) -> dict[str, str]:
    """Labels that probably mean that a sample has no cluster, and why.

    Such a label occurs in most columns. Unlike the samples of other labels, its samples are
    scattered over the clusters of the other columns, or they are the same samples in all columns.
    """
    columns = columns[:100]
    m, n = len(columns), len(columns[0].clusters) if columns else 0
    names = [{str(label): k for k, label in enumerate(c.labels)} for c in columns]
    counts: dict[str, int] = {}
    for name in (name for group in names for name in group):
        counts[name] = counts.get(name, 0) + 1
    usual = [name for name, times in counts.items() if 2 * times > m]
    if m < 2 or n < 20 or not usual or len(usual) > 100:
        return {}
    some = _some(n, _SAMPLES[1])
    labels = np.column_stack([c.clusters[some] for c in columns])
    n, reasons = len(labels), {}
    i, j = np.random.default_rng(0).integers(n, size=(2, min(20_000, 4_000_000 // m)))
    first = labels[i[i != j]]
    same = (first == labels[j[i != j]]) & (first >= 0)
    chance, others = same.mean(axis=0), same.sum(axis=1)
    for name in usual:
        scattered = [
            _is_scattered(first[:, c], same[:, c], (others - 1) / (m - 1), k, chance, c)
            for c in range(m)
            if (k := names[c].get(name)) is not None
        ]
        if 2 * sum(scattered) > len(scattered) > 1:
            reasons[name] = "its samples are scattered over the clusters of other columns"
    fixed = [name for name in usual if counts[name] == m and m > 2]
    for name in fixed if not reasons else ():
        where = labels == [group[name] for group in names]
        same_samples = not where.all() and (where == where[:, :1]).all()
        if same_samples and not _others_fixed(labels, where[:, 0]):
            reasons[name] = "it marks the same samples in all columns, unlike any other label"
    return reasons


def _is_scattered(
    label: NDArray, same: NDArray, others: NDArray, k: int, chance: NDArray, c: int
) -> bool:
    """Whether pairs of cluster k of column c are co-clustered elsewhere only by chance."""
    usual = (chance.sum() - chance[c]) / (len(chance) - 1)
    inside, rest = others[same & (label == k)], others[same & (label != k)]
    if min(len(inside), len(rest)) < 30 or usual >= 1:
        return False
    cohesion, of_rest = ((x.mean() - usual) / (1 - usual) for x in (inside, rest))
    return bool(of_rest > 0.1 and cohesion < of_rest / 4)


def _others_fixed(labels: NDArray, without: NDArray) -> bool:
    """Whether another cluster of the first column is also a cluster of every other column."""
    for k in np.unique(labels[~without, 0]):
        rows = labels[:, 0] == k
        if ((labels == labels[rows.argmax()]) == rows[:, None]).all():
            return True
    return False
