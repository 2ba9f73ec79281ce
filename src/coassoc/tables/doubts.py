"""Columns of a table of labels that do not look like clusterings, and values that mean no cluster.

Tables that programs write hold more than clusterings: names, measurements, samples and batches, a
copy of the chosen clustering. No single column shows what it is, but beside the others it does.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import combinations, islice, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "COUNTS",
    "ORDERED",
    "Judged",
    "adjusted_rand",
    "counts_or_chance",
    "doubts",
    "keys_of_long_table",
    "ordered",
    "refusal",
    "remarks_on_missing",
]

#: So many labelled samples show by the values of a column whether it is a clustering.
ENOUGH_SAMPLES = 20
#: So many distinct values show by their distribution whether they are measurements.
_MANY_VALUES = 30
#: Samples by which agreement is estimated, and pairs of columns.
LOOKED_AT = 2000
_PAIRS = 60

#: What is said of a table of counts whose reader goes on.
COUNTS = (
    "the columns look like counts of something; coassoc.subtypes clusters the samples by "
    "measurements"
)
#: What is said of a table of answers, whose reader goes on.
ORDERED = (
    "the values go together as ordered numbers do, such as answers from 1 to 5, and as those of "
    "clusters hardly do; coassoc.subtypes clusters the samples by measurements"
)
#: So many columns are named in a sentence.
_NAMED = 8

#: Columns of metadata by their names, in small letters without other signs.
_METADATA = frozenset(
    [
        *(
            "origident",
            "sample",
            "sampleid",
            "samplename",
            "batch",
            "batchid",
            "dataset",
            "project",
        ),
        *("donor", "donorid", "patient", "patientid", "subject", "subjectid", "individual"),
        *("replicate", "condition", "treatment", "genotype", "sex", "gender", "age", "tissue"),
        *("organ", "species", "time", "timepoint", "phase", "doublet", "predicteddoublet", "lane"),
        *("library", "libraryid", "dataset", "class", "classes", "truth", "groundtruth", "target"),
        *("y", "ytrue", "truelabel", "truelabels", "diagnosis", "outcome"),
    ]
)
#: Names of the clustering that was chosen among several.
_CHOSEN = frozenset(["seuratclusters", "cluster", "clusters", "ident", "activeident", "final"])
#: Words for a sample without a cluster, in small letters.
_NO_CLUSTER = frozenset(
    [
        *("?", ".", "-", "--", "noise", "outlier", "outliers", "unassigned", "unclassified"),
        *("unclustered", "unlabeled", "unlabelled", "unknown", "undefined", "ambiguous"),
        *("missing", "n.a.", "none"),
    ]
)


@dataclass(frozen=True, eq=False)
class Judged:
    """A column as it is judged: its (n,) clusters 0 … k−1, −1 where one is missing, and labels."""

    name: str
    clusters: NDArray
    values: Any
    #: (n,) number of samples that each of n rows stands for; None for one.
    times: NDArray | None = None

    @cached_property
    def sizes(self) -> NDArray[np.int64]:
        """(k,) number of samples with each value."""
        there = self.clusters >= 0
        times = None if self.times is None else self.times[there]
        sizes = np.bincount(self.clusters[there], times, minlength=len(self.values))
        return sizes.astype(np.int64)

    @cached_property
    def labelled(self) -> int:
        """Number of samples with a value."""
        if self.times is None:
            return int(np.count_nonzero(self.clusters >= 0))
        return int(self.sizes.sum())

    def has(self, n: int) -> bool:
        """Whether n samples have a value; mostly the first ones show it."""
        head = self.clusters[: 2 * LOOKED_AT]
        return bool(self.times is None and np.count_nonzero(head >= 0) >= n) or self.labelled >= n

    @property
    def is_text(self) -> bool:
        """Whether the values are texts."""
        return isinstance(self.values[0], str)

    @property
    def is_numbered(self) -> bool:
        """Whether the values count on from 0 or 1, as most programs number clusters."""
        first, last = self.values[0], self.values[-1]
        return not self.is_text and first in (0, 1) and last - first == len(self.values) - 1

    @property
    def series(self) -> str:
        """The name without its numbers: columns of one series were made alike."""
        return re.sub(r"[\d\W_]+", "", self.name.casefold())


def doubts(columns: Sequence[Judged], values_only: bool = False) -> dict[str, str]:
    """Why some columns are probably no clusterings, by their names; what each one "has" or "is".

    Parameters
    ----------
    columns : sequence of Judged
        All columns that may be clusterings.
    values_only : bool
        Leave out what is judged by the names of columns and by their types.
    """
    found: dict[str, str] = {}
    usual = _usual_series(columns)
    n_texts = sum(column.is_text for column in columns)
    sizes = np.array([len(column.values) for column in columns])

    @cache
    def usual_size(k: int) -> float:
        """Median number of values of all columns but one with k values."""
        others = np.delete(sizes, np.argmax(sizes == k))
        return float(np.median(others)) if len(others) else np.inf

    for place, column in enumerate(columns):
        others = [*columns[:place], *columns[place + 1 :]]
        stranger = column.series not in usual
        reason = _values(column, others, usual_size(len(column.values)))
        if not reason and stranger and not values_only:
            if re.sub(r"[\W_]", "", column.name.casefold()) in _METADATA:
                reason = "is called like what is known of the samples"
            elif (usual or (column.is_text and 2 * n_texts < len(columns))) and _is_apart(
                column, [other for other in others if other.series in usual] or others
            ):
                what = f"has texts ({column.values[0]!r} …)" if column.is_text else "is a column"
                reason = f"{what} and agrees with no other one, while these agree"
        if not reason and stranger and column.has(ENOUGH_SAMPLES):
            if len(column.values) == 1 and others:
                reason = f"has one value ({column.values[0]!r})"
            elif copied := next((o for o in others if _is_copy(column, o, usual)), None):
                reason = f"is a copy of {copied.name!r}"
        if reason:
            found[column.name] = reason
    return found


def _usual_series(columns: Sequence[Judged]) -> set[str]:
    """Series that several columns are of."""
    return {key for key, times in Counter(c.series for c in columns).items() if times > 1}


def _values(column: Judged, others: Sequence[Judged], usual: float) -> str:
    """Why values are those of names or measurements; empty if they may be those of clusters.

    `usual` is the median number of values of the others.
    """
    k = len(column.values)
    if not column.has(2 * k):
        n, few = column.labelled, 5 if column.is_text else 8
        each = k == n >= few and any(other.has(2 * len(other.values)) for other in others)
        if each or n >= ENOUGH_SAMPLES:
            return f"has {k} values for {n} samples"
    if k < 8 or not column.has(ENOUGH_SAMPLES):
        return ""
    # Those of a million samples are not counted in vain.
    single = np.count_nonzero(column.sizes == 1) / k if k >= _MANY_VALUES else 0.0
    if column.is_text or column.is_numbered:
        # Numbered from 0 on, or named: so many clusters are odd if others have few, and most of
        # these many are single samples.
        odd = bool(k >= _MANY_VALUES and k > 10 * usual and single > 0.25)
    else:
        first, last = column.values[0], column.values[-1]
        gaps = last - first + 1 > k
        far = first > 1 and last > 2 * k
        odd = bool(k >= _MANY_VALUES and gaps and (single > 0.05 or k > 3 * usual))
        odd = odd or bool(k >= 8 and far and any(other.is_numbered for other in others))
    if not odd:
        return ""
    values = (
        "values" if column.is_text else f"values from {column.values[0]} to {column.values[-1]}"
    )
    return f"has {k} {values}" + (f", others {usual:g}" if np.isfinite(usual) else "")


def _is_apart(column: Judged, others: Sequence[Judged]) -> bool:
    """Whether a column says nothing of any other one, while these agree with one another."""
    some = others[: _PAIRS // 2]
    if column.labelled < ENOUGH_SAMPLES or len(some) < 2 or len(column.values) < 2:
        return False
    own = max(adjusted_rand(column, other) for other in some)
    theirs = [adjusted_rand(a, b) for a, b in pairwise(some)]
    # By chance it is about one in so many samples.
    return own < max(0.02, 4 / column.labelled) and float(np.mean(theirs)) > 0.2


def _is_copy(column: Judged, other: Judged, usual: set[str]) -> bool:
    """Whether a column repeats another one, value by value, and is called like the chosen one."""
    a, b = column.series, other.series
    named = b in usual or a in _CHOSEN or (a != b and len(a) > 3 and a in b)
    return (
        named
        and len(column.values) > 2
        and list(column.values) == list(other.values)
        and np.array_equal(column.clusters, other.clusters)
    )


def keys_of_long_table(columns: Sequence[Judged]) -> tuple[str, str] | None:
    """Two columns of which each pair of values has one row: a table of samples by clusterings.

    One of them, that of the samples, has many values.
    """
    n = columns[0].labelled if columns else 0
    for a, b in combinations(columns, 2):
        size = len(a.values) * len(b.values)
        many = max(len(a.values), len(b.values)) >= ENOUGH_SAMPLES
        if size == n and many and min(len(a.values), len(b.values)) > 1:
            cells = a.clusters.astype(np.int64) * len(b.values) + b.clusters
            if len(np.unique(cells)) == n == len(cells):
                return a.name, b.name
    return None


def refusal(
    columns: Sequence[Judged],
    reasons: Mapping[str, str],
    counts: bool,
    say: Callable[[str, Any], str],
) -> str:
    """What is said of a table with columns that are no clusterings, and how to go on.

    Parameters
    ----------
    columns : sequence of Judged
        All that could be read as clusterings.
    reasons : mapping of str to str
        As :func:`doubts` gives them; of other columns too.
    counts : bool
        Whether :func:`counts_or_chance` or :func:`ordered` holds.
    say : callable
        Takes a key and its value and returns how the user gives them.
    """
    measured = sum(reason.startswith("has") for reason in reasons.values())
    everything = say("columns", ["*"])
    if counts or (measured > 4 and 2 * measured > len(columns)):
        what = "counts or other measurements"
        return (
            f"the columns hold {what}, no clusterings; `coassoc subtypes` clusters the samples by "
            f"measurements. Say {everything} if they are clusterings"
        )
    listed = [f"{name!r} {reason}" for name, reason in reasons.items()][:_NAMED]
    more = len(reasons) - len(listed)
    listed += [f"{more} more are like these"] if more else []
    *most, last = listed
    what = f"{', '.join(most)} and {last}" if most else last
    good = [column.name for column in columns if column.name not in reasons]
    ids = [name for name, reason in reasons.items() if " values for " in reason]
    ways = [*(f"say {say('id', name)} if it names the samples" for name in ids[:1])]
    ways += [f"list the clusterings by {say('columns', _patterns(good, reasons))}"] if good else []
    ways += [f"leave columns out by {say('except', [*reasons])}"] if not more else []
    return f"column {what}; {', or '.join(ways)}"


def _patterns(good: Sequence[str], bad: Mapping[str, str]) -> list[str]:
    """A pattern that only the names of clusterings fit, or these names."""
    prefix = os.path.commonprefix([*good])  # noqa: RUF071 — letters are wanted
    if len(good) > 1 and len(prefix) > 1 and not any(name.startswith(prefix) for name in bad):
        return [f"{prefix}*"]
    return [*good[:_NAMED], *(["…"] if len(good) > _NAMED else [])]


def counts_or_chance(columns: Sequence[Judged]) -> bool:
    """Whether a table is one of counts: each column like a Poisson variable, none like another.

    The number of samples of a value rises with the value up to the most frequent one and falls
    from there to a rare last one, and pairs of columns agree hardly better than by chance.
    """
    if len(columns) < 3 or not columns[0].has(ENOUGH_SAMPLES):
        return False
    pairs = np.random.default_rng(0).integers(len(columns), size=(_PAIRS, 2))
    agreement = [adjusted_rand(columns[i], columns[j]) for i, j in pairs if i != j]
    if np.mean(agreement) >= 0.1:
        return False
    others = (column for column in columns if not _is_count(column))
    return sum(1 for _ in islice(others, len(columns) // 5 + 1)) <= len(columns) / 5


def ordered(columns: Sequence[Judged]) -> bool:
    """Whether most columns have numbers whose order tells something, as answers or counts have.

    Samples whose answers are 1 and 2 are more alike in other columns than those with 1 and 5. The
    number of a cluster is by chance, or that of its size. Where the columns agree well, they are
    clusterings whose clusters were numbered alike.
    """
    some = [c for c in columns if not c.is_text and 3 < len(c.values) <= 2 * _MANY_VALUES]
    some = some[: _PAIRS // 2]
    if len(some) < 5 or 2 * len(some) <= len(columns):
        return False
    correlations, agreement = [], []
    for place, column in enumerate(some):
        others = [some[(place + step) % len(some)] for step in range(1, 5)]
        agreement += [adjusted_rand(column, other) for other in others]
        together = np.hstack([_contingency(column, other) for other in others])
        known = together[together.sum(axis=1) >= 5 * len(others)]
        i, j = np.triu_indices(len(known), 1)
        roots = np.sqrt(known / known.sum(axis=1, keepdims=True))
        distance = ((roots[i] - roots[j]) ** 2).sum(axis=1)
        if len(known) > 3 and distance.std() > 0:
            correlations.append(np.corrcoef(distance, j - i)[0, 1])
    enough = 2 * len(correlations) > len(some)
    return bool(enough and np.mean(correlations) > 0.7 and np.mean(agreement) < 0.3)


def _is_count(column: Judged) -> bool:
    if column.is_text or len(column.values) < 2 or column.values[-1] > 10**6:
        return False
    frequency = np.zeros(int(column.values[-1]) + 1)
    frequency[np.array(column.values, dtype=np.intp)] = column.sizes
    steps, peak = np.diff(frequency), int(frequency.argmax())
    against = np.maximum(-steps[:peak], 0).sum() + np.maximum(steps[peak:], 0).sum()
    return bool(against <= 0.1 * column.labelled and frequency[-1] <= 0.1 * frequency[peak])


def _contingency(a: Judged, b: Judged) -> NDArray[np.int64]:
    """(k_a, k_b) numbers of samples, of the first ones that both label."""
    both = np.array([], dtype=np.intp)
    for head in (2 * LOOKED_AT, None):  # mostly the first ones are enough
        if len(both) < LOOKED_AT:
            both = np.flatnonzero((a.clusters[:head] >= 0) & (b.clusters[:head] >= 0))
    both = both[:LOOKED_AT]
    (rows, n_rows), (columns, n_columns) = (_seen(column, both) for column in (a, b))
    cells = rows.astype(np.intp) * n_columns + columns
    return np.bincount(cells, minlength=n_rows * n_columns).reshape(n_rows, n_columns)


def _seen(column: Judged, places: NDArray) -> tuple[NDArray, int]:
    """Clusters of some samples, and how many there may be; of very many only those seen."""
    clusters, k = column.clusters[places], len(column.values)
    if k > 10 * _MANY_VALUES:
        values, clusters = np.unique(clusters, return_inverse=True)
        k = len(values)
    return clusters, k


def adjusted_rand(a: Judged, b: Judged) -> float:
    """The adjusted Rand index of two columns, of their first samples."""
    table = _contingency(a, b).astype(np.float64)

    def pairs(counts: NDArray) -> float:
        return float((counts * (counts - 1)).sum() / 2)

    both, rows, columns = pairs(table), pairs(table.sum(axis=1)), pairs(table.sum(axis=0))
    chance = rows * columns / max(pairs(table.sum()), 1.0)
    most = (rows + columns) / 2
    return (both - chance) / (most - chance) if most > chance else 0.0


def remarks_on_missing(columns: Sequence[Judged], say: Callable[[str, Any], str]) -> list[str]:
    """Sentences on values that probably mean that a sample has no cluster.

    They are words such as "unassigned" in two columns or more, codes such as 99, and 0 where
    most columns have it and its samples are together elsewhere hardly more often than by chance,
    as those of no other cluster are.
    """
    words = Counter(
        value
        for column in columns
        for value in column.values
        if isinstance(value, str) and value.casefold() in _NO_CLUSTER
    )
    found = {word: times for word, times in words.items() if times > 1}
    found |= Counter(str(column.values[-1]) for column in columns if _ends_in_nines(column))
    zero = [column for column in columns if column.is_numbered and column.values[0] == 0]
    known = any((column.clusters < 0).any() for column in columns)
    if not known and len(zero) > 2 and 2 * len(zero) > len(columns):
        apart = [_together(column, other) for column, other in _neighbours(zero)]
        if apart and np.mean([of_zero < 0.05 and rest > 0.15 for of_zero, rest in apart]) > 0.5:
            found["0"] = len(zero)
    return [
        f"{value!r} is taken for a cluster in {times} column{'s' * (times > 1)}; say "
        f"{say('missing', value)} if it means that a sample has none"
        for value, times in found.items()
    ]


def _ends_in_nines(column: Judged) -> bool:
    """Whether the last value is 99, 999 or the like, as SPSS writes it, and far from the others."""
    if column.is_text or len(column.values) < 2:
        return False
    *_, before, last = column.values
    return set(str(last)) == {"9"} and last >= 99 and last > 2 * before


def _neighbours(columns: Sequence[Judged]) -> list[tuple[Judged, Judged]]:
    """Each column and the next one of more than two values, of some columns."""
    some = [column for column in columns if len(column.values) > 2][:_PAIRS]
    return list(zip(some, [*some[1:], *some[:1]], strict=True)) if len(some) > 1 else []


def _together(column: Judged, other: Judged) -> tuple[float, float]:
    """How much samples of cluster 0, and of the other ones, are together in another column.

    Of two samples of a cluster, the share that are in one cluster there, from chance (0) to always
    (1).
    """
    table = _contingency(column, other).astype(np.float64)
    overall = table.sum(axis=0) / max(table.sum(), 1)
    chance = float((overall**2).sum())
    sizes = table.sum(axis=1)
    pairs = np.maximum(sizes * (sizes - 1), 1)
    together = (table * (table - 1)).sum(axis=1) / pairs
    above = (together - chance) / max(1 - chance, 1e-12)
    return float(above[0]), float(np.average(above[1:], weights=pairs[1:]))
