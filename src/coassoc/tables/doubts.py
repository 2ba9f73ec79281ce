"""Columns of a table of labels that do not look like clusterings, and values that mean no cluster.

Tables that programs write hold more than clusterings: names, measurements, samples and batches, a
copy of the chosen clustering. No single column shows what it is, but beside the others it does.
"""

from __future__ import annotations

import os
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import combinations, islice, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "COUNTS",
    "ORDERED",
    "JudgedColumn",
    "adjusted_rand",
    "are_measurements",
    "counts_or_chance",
    "doubts",
    "keys_of_long_table",
    "lone_column",
    "ordered",
    "refusal",
    "remark_on_shape",
    "remarks_on_missing",
    "rows_agree",
]

#: So many labelled samples show by the values of a column whether it is a clustering.
ENOUGH_SAMPLES = 20
#: So many distinct values show by their distribution whether they are measurements.
_MANY_VALUES = 30
#: Samples by which agreement is estimated, and pairs of columns.
LOOKED_AT = 2000
_PAIRS = 60
#: So many columns show at once that most are no noise, or in no order.
_FIRST = 3

#: What is said of a table of counts whose reader goes on.
COUNTS = (
    "the columns look like counts or other measurements; coassoc.subtypes clusters the samples by "
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
        *("id", "name", "names", "barcode", "rownames"),
    ]
)
#: Coordinates of a plane, as embeddings are called.
_COORDINATE = re.compile(r"(X_)?(umap|t-?sne|phate|pc)[_ ]?[123]", re.IGNORECASE)
#: Names of the clustering that was chosen among several.
_CHOSEN = frozenset(["seuratclusters", "cluster", "clusters", "ident", "activeident", "final"])
#: What stands for a sample without a cluster, words in small letters and without other signs.
_NO_CLUSTER = frozenset(
    [
        *("?", ".", "-", "--", "*"),
        *("noise", "outlier", "outliers", "unassigned", "notassigned", "unclassified"),
        *("unclustered", "notclustered", "nocluster", "unlabeled", "unlabelled", "nolabel"),
        *("unknown", "unk", "undefined", "undetermined", "nd", "ambiguous", "missing", "na", "nil"),
        *("none", "doublet", "rejected", "filtered", "lowquality"),
    ]
)


@dataclass(frozen=True, eq=False)
class JudgedColumn:
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

    @property
    def single(self) -> float:
        """Share of the values that one sample has."""
        return np.count_nonzero(self.sizes == 1) / len(self.values)

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


def doubts(columns: Sequence[JudgedColumn], values_only: bool = False) -> dict[str, str]:
    """Why some columns are probably no clusterings, by their names; what each one "has" or "is".

    Parameters
    ----------
    columns : sequence of JudgedColumn
        All columns that may be clusterings.
    values_only : bool
        Leave out what is judged by the names of columns and by their types.
    """
    usual = _usual_series(columns)
    sizes = sorted(len(column.values) for column in columns)

    def usual_size(k: int) -> float:
        """Median number of values of all columns but one with k values."""
        rank, n = bisect_left(sizes, k), len(sizes) - 1  # n others
        middle = [sizes[place + (place >= rank)] for place in ((n - 1) // 2, n // 2)] if n else []
        return sum(middle) / 2 if middle else np.inf

    found = {c.name: _values(c, columns, usual_size, c.series in usual) for c in columns}
    if not values_only:
        found |= {c.name: _meaning(c, usual) for c in columns if not found[c.name]}
    left = [column for column in columns if not found[column.name]]
    usual = _usual_series(left)
    # One series of three, or of half of the columns, is that of the clusterings.
    alike = sum(column.series in usual for column in left)
    one_series = len(usual) == 1 and (alike > 2 or 2 * alike >= len(left))
    for column in left:
        if column.series in usual or not column.has(ENOUGH_SAMPLES):
            continue
        others = [other for other in left if other is not column]
        likely = not values_only and (column.is_text or one_series)
        if likely and _is_apart(column, others):
            found[column.name] = "agrees with no other one, while these agree"
        elif len(column.values) == 1 and others:
            found[column.name] = f"has one value ({column.values[0]!r})"
        elif copied := next((o for o in others if _is_copy(column, o, one_series)), None):
            found[column.name] = f"is a copy of {copied.name!r}"
    return {name: reason for name, reason in found.items() if reason}


def _meaning(column: JudgedColumn, usual: set[str]) -> str:
    """What else than a clustering a column is called; empty if nothing else."""
    if _COORDINATE.fullmatch(column.name):
        return "is called like a coordinate"
    if column.series not in usual and _plain(column.name) in _METADATA:
        return "is called like what is known of the samples"
    return ""


def _plain(text: str) -> str:
    """A text in small letters, without spaces and other signs."""
    return re.sub(r"[\W_]", "", text.casefold())


def _usual_series(columns: Sequence[JudgedColumn]) -> set[str]:
    """Series that several columns are of."""
    return {key for key, times in Counter(c.series for c in columns).items() if times > 1}


def _values(
    column: JudgedColumn,
    columns: Sequence[JudgedColumn],
    usual_size: Callable[[int], float],
    is_cut: bool,
) -> str:
    """Why values are those of names or measurements; empty if they may be those of clusters.

    `usual_size` gives the median number of values of the others. `is_cut` says that the column is
    one of a series, as the cuts of a dendrogram are, of which the finest have many clusters.
    """
    k = len(column.values)
    if not column.has(2 * k) and not (column.is_numbered and is_cut and k < column.labelled):
        n, few = column.labelled, 5 if column.is_text else 8
        # Names of few samples, of which some may stand there twice.
        each = k == n >= few or (column.is_text and n >= 8 and 4 * k > 3 * n)
        each = each and any(o.has(2 * len(o.values)) for o in columns if o is not column)
        if each or n >= ENOUGH_SAMPLES:
            return f"has {k} values for {n} samples"
    named = column.is_text or column.is_numbered
    if k < (_MANY_VALUES if named else 8) or not column.has(ENOUGH_SAMPLES):
        return ""
    usual = usual_size(k)
    if named:
        # Numbered from 0 on, or named: so many clusters are odd if others have few, and many of
        # these are single samples.
        odd = k > 10 * usual and column.single > (0.25 if column.is_text else 0.5)
    else:
        first, last = column.values[0], column.values[-1]
        gaps = last - first + 1 > k
        far = first > 1 and last > 2 * k
        odd = k >= _MANY_VALUES and gaps and (k > 3 * usual or column.single > 0.05)
        odd = odd or (far and any(o.is_numbered for o in columns if o is not column))
    if not odd:
        return ""
    values = (
        "values" if column.is_text else f"values from {column.values[0]} to {column.values[-1]}"
    )
    return f"has {k} {values}" + (f", others {usual:g}" if np.isfinite(usual) else "")


def lone_column(columns: Sequence[JudgedColumn]) -> str | None:
    """The one of few columns that agrees with no other one, while these agree, by its name.

    An algorithm may find what no other one does, so that this is said and not asked about.
    """
    few = columns if len(columns) <= _NAMED and not _usual_series(columns) else []
    apart = [c.name for c in few if _is_apart(c, [other for other in few if other is not c])]
    return apart[0] if len(apart) == 1 else None


def _is_apart(column: JudgedColumn, others: Sequence[JudgedColumn]) -> bool:
    """Whether a column says nothing of any other one, while these agree with one another."""
    usual = _usual_series(others)
    some = [other for other in others if other.series in usual] or others
    some = some[: _PAIRS // 2]
    if column.labelled < ENOUGH_SAMPLES or len(some) < 2 or len(column.values) < 2:
        return False
    # One large cluster, as of single linkage, agrees with nothing, but is one.
    if column.sizes.max() > 0.8 * column.labelled:
        return False
    own = max(adjusted_rand(column, other) for other in some)
    # By chance it is about one in so many samples.
    return own < max(0.02, 4 / column.labelled) and _agree(some, 0.2)


def _agree(columns: Sequence[JudgedColumn], least: float) -> bool:
    """Whether several columns, each and the next, agree so much in the mean."""
    some = columns[: _PAIRS // 2]
    return float(np.mean([adjusted_rand(a, b) for a, b in pairwise(some)])) > least


def _is_copy(column: JudgedColumn, other: JudgedColumn, chosen: bool) -> bool:
    """Whether a column repeats another one and is called like the chosen one.

    Or it has a text for each number, as people name clusters; algorithms that find the same
    clusters number them.
    """
    k = len(column.values)
    if k < 3 or k != len(other.values):
        return False
    if list(column.values) == list(other.values):
        chosen |= column.series in _CHOSEN
        return chosen and np.array_equal(column.clusters, other.clusters)
    if not column.is_text or other.is_text or column.times is not None:
        return False
    there = (column.clusters >= 0) & (other.clusters >= 0)
    pairs = column.clusters.astype(np.int64) * k + other.clusters
    same = len(np.unique(pairs[there])) == k
    return same and column.labelled == other.labelled == np.count_nonzero(there)


def keys_of_long_table(columns: Sequence[JudgedColumn]) -> tuple[str, str] | None:
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


def remark_on_shape(columns: Sequence[JudgedColumn]) -> str | None:
    """What a table is if it is none of clusterings in columns, as is seen of the whole.

    Memberships have as many ones in each row, draws of a posterior are numbered from the left,
    similarities are symmetric, a first row may be one of names, and a last one the sum of the
    others.
    """
    m = len(columns)
    if m < 2 or any(c.times is not None for c in columns):
        return None
    if (n := len(columns[0].clusters)) < 8:
        return None
    if n >= ENOUGH_SAMPLES and m > 2 and all(map(_is_binary, columns)):
        ones = {*np.sum([c.clusters[_drawn(n)] == 1 for c in columns], axis=0).tolist()}
        # Half of them are ones where the columns are the same two clusters, numbered either way.
        if len(ones) == 1 and ones != {m / 2}:
            number = "a single one" if ones == {1} else f"{ones.pop()} ones"
            return (
                f"each row has {number}, as where a column is a cluster; give each clustering one "
                "column with numbers or names"
            )
    if 2 * sum(map(_begins_with_a_word, columns)) > m:
        return (
            "the first row has words where all others have numbers, as a second line of names, "
            "units or types has; remove it"
        )
    if any(column.is_text for column in columns):
        return None
    if all(map(_ends_in_sum, columns)) and not all(column.is_numbered for column in columns):
        return "the last row is the sum of the others; remove it"
    first = columns[0].values
    counts_on = len(first) == 1 and first[0] in (0, 1)
    if min(n, m) < ENOUGH_SAMPLES or not (counts_on or n == m):
        return None
    some = columns[:LOOKED_AT]
    head = np.array([np.array([*c.values, -1])[c.clusters[:LOOKED_AT]] for c in some])
    # Cuts of a dendrogram, coarse to fine, are numbered so too, but their numbers never fall.
    counts_on = counts_on and bool((np.diff(head, axis=0) < 0).any())
    counts_on = counts_on and bool(head.max() > first[0] + 1)  # two clusters may be so by chance
    if counts_on and (head[1:] <= np.maximum.accumulate(head)[:-1] + 1).all():
        return (
            "each row is numbered from the left, as draws of a posterior in rows are; coassoc "
            "posterior reads these"
        )
    if n == m and (head == head.T).all():
        return "the table is symmetric, as similarities of samples are"
    return None


def rows_agree(columns: Sequence[JudgedColumn]) -> bool:
    """Whether the rows agree as clusterings do, and the columns much less.

    So they do where each row is a clustering, or a draw of a posterior whose labels switch. Labels
    that mean the same in all columns may make rows agree too, so that this is said and not asked
    about.
    """
    n, m = len(columns[0].clusters) if columns else 0, len(columns)
    if min(n, m) < ENOUGH_SAMPLES or any(c.is_text or c.times is not None for c in columns):
        return False
    random = np.random.default_rng(0)
    some = columns[: 10 * _PAIRS]
    drawn = [JudgedColumn(c.name, c.clusters[_drawn(n)[:ENOUGH_SAMPLES]], c.values) for c in some]
    labels = np.array([np.array([*c.values, -1])[c.clusters] for c in drawn])
    encoded = (np.unique(row, return_inverse=True) for row in labels.T)
    rows = [
        JudgedColumn("", np.where(values[codes] < 0, -1, codes), values)
        for values, codes in encoded
    ]

    def agreement(tables: Sequence[JudgedColumn]) -> float:
        pairs = random.integers(len(tables), size=(ENOUGH_SAMPLES, 2))
        return float(np.mean([adjusted_rand(tables[i], tables[j]) for i, j in pairs if i != j]))

    of_rows = agreement(rows)
    return of_rows > 0.6 and of_rows - agreement(some) > 0.25


def _is_binary(column: JudgedColumn) -> bool:
    return [str(value).casefold() for value in column.values] in (["0", "1"], ["false", "true"])


def _begins_with_a_word(column: JudgedColumn) -> bool:
    if not column.is_text or column.clusters[0] < 0:
        return False
    first = column.values[column.clusters[0]]
    words = [value for value in column.values if not value.replace(".", "", 1).isdigit()]
    return words == [first] and column.sizes[column.clusters[0]] == 1 and not _means_none(first)


def _ends_in_sum(column: JudgedColumn) -> bool:
    if column.clusters[-1] < 0:
        return False
    values = np.asarray(column.values)
    last = values[column.clusters[-1]]
    if last < values[column.clusters[: min(2**10, len(column.clusters) - 1)]].sum():
        return False
    return bool(last > 0 and 2 * last == values @ column.sizes)


def refusal(
    columns: Sequence[JudgedColumn],
    reasons: Mapping[str, str],
    counts: bool,
    say: Callable[[str, Any], str],
) -> str:
    """What is said of a table with columns that are no clusterings, and how to go on.

    Parameters
    ----------
    columns : sequence of JudgedColumn
        All that could be read as clusterings.
    reasons : mapping of str to str
        As :func:`doubts` gives them; of other columns too.
    counts : bool
        Whether :func:`counts_or_chance` or :func:`ordered` holds.
    say : callable
        Takes a key and its value and returns how the user gives them.
    """
    if counts or are_measurements(columns, reasons):
        return (
            "the columns hold counts or other measurements, no clusterings; `coassoc subtypes` "
            f"clusters the samples by measurements. Say {say('columns', ['*'])} if they are "
            f"clusterings, or {say('in', 'rows')} if the rows are; `coassoc posterior` reads draws"
        )
    listed = [f"{name!r} {reason}" for name, reason in reasons.items()][:_NAMED]
    more = len(reasons) - len(listed)
    listed += [f"{more} more are like these"] if more else []
    *most, last = listed
    what = f"{', '.join(most)} and {last}" if most else last
    good = [column.name for column in columns if column.name not in reasons]
    ids = [c.name for c in columns if c.name in reasons and len(c.values) == c.labelled]
    ways = [*(f"say {say('id', name)} if it names the samples" for name in ids[:1])]
    wanted = _patterns(good, reasons) if good else ["*"]
    ways += [f"list the clusterings by {say('columns', wanted)}"]
    leave = say("except", [*reasons])
    ways += [f"leave columns out by {leave}"] if good and leave and not more else []
    return f"column {what}; {', or '.join(ways)}"


def are_measurements(columns: Sequence[JudgedColumn], reasons: Mapping[str, str]) -> bool:
    """Whether a table with doubtful columns is one of measurements: no others are clusterings.

    These agree, and their numbers have no gaps.
    """
    measured = {name for name, reason in reasons.items() if " values" in reason}
    if not measured:
        return False
    gaps = {
        c.name for c in columns if not c.is_text and c.values[-1] - c.values[0] >= len(c.values)
    }
    good = [c for c in columns if c.name not in {*reasons, *gaps}]
    if len(good) > 1 and _agree(good, 0.3):
        return False
    kin = {column.series for column in columns if column.name in measured}
    if len(good) == 1 and gaps <= measured and good[0].series not in kin:
        return False
    n_columns = len({*reasons, *(column.name for column in columns)})
    return 2 * len(measured | gaps) > n_columns


def _patterns(good: Sequence[str], bad: Mapping[str, str]) -> list[str]:
    """A pattern that only the names of clusterings fit, or these names."""
    prefix = os.path.commonprefix([*good])  # noqa: RUF071 — letters are wanted
    if len(good) > 1 and len(prefix) > 1 and not any(name.startswith(prefix) for name in bad):
        return [f"{prefix}*"]
    return [*good[:_NAMED], *(["…"] if len(good) > _NAMED else [])]


def counts_or_chance(columns: Sequence[JudgedColumn]) -> bool:
    """Whether a table is one of counts: each column like a Poisson variable, none like another.

    The number of samples of a value rises with the value up to the most frequent one and falls
    from there to a rare last one, and pairs of columns agree hardly better than by chance.
    """
    if len(columns) < 2 or not columns[0].has(ENOUGH_SAMPLES):
        return False
    if max(len(column.values) for column in columns) < 4:  # partitions into two are as these
        return False
    others = (column for column in columns if not _is_count(column))
    if sum(1 for _ in islice(others, len(columns) // 5 + 1)) > len(columns) / 5:
        return False
    pairs = np.random.default_rng(0).integers(len(columns), size=(_PAIRS, 2))
    agreement = [adjusted_rand(columns[i], columns[j]) for i, j in pairs if i != j]
    return bool(np.mean(agreement) < 0.1)


def ordered(columns: Sequence[JudgedColumn]) -> bool:
    """Whether most columns have numbers whose order tells something, as answers or counts have.

    Samples whose answers are 1 and 2 are more alike in other columns than those with 1 and 5. The
    number of a cluster is by chance, or that of its size. Where the columns agree well, they are
    clusterings whose clusters were numbered alike.
    """
    some = [c for c in columns if not c.is_text and 2 < len(c.values) <= 2 * _MANY_VALUES]
    if len(some) < 2:
        return False
    # Three values tell little of an order: ten such columns tell as much as five of four values.
    if sum(len(c.values) - 2 for c in some) < 10 or 2 * len(some) <= len(columns):
        return False
    some = some[: _PAIRS // 2]
    correlations: list[float] = []
    agreement: list[float] = []
    for place, column in enumerate(some):
        if place == _FIRST and correlations and np.mean(correlations) < 0.3:
            return False
        others = [some[(place + step) % len(some)] for step in range(1, min(5, len(some)))]
        tables = [_contingency(column, other) for other in others]
        agreement += map(_index, tables)
        together = np.hstack(tables)
        known = together[together.sum(axis=1) >= 5 * len(others)]
        if len(known) < 3:
            continue
        # Rows of roots have length 1, so that their products tell their distances.
        roots = np.sqrt(known / known.sum(axis=1, keepdims=True))
        i, j = np.nonzero(np.tri(len(known), k=-1, dtype=np.bool_))
        correlation = _correlation(-(roots @ roots.T)[i, j], i - j)
        if correlation is not None:
            correlations.append(correlation)
    enough = 2 * len(correlations) > len(some)
    return bool(enough and np.mean(correlations) > 0.7 and np.mean(agreement) < 0.3)


@lru_cache(maxsize=8)
def _drawn(n: int) -> NDArray[np.intp]:
    """Places of some of n samples at random: the first ones of a sorted table are all alike."""
    return np.random.default_rng(0).choice(n, min(n, 2 * LOOKED_AT), replace=False)


def _correlation(x: NDArray, y: NDArray) -> float | None:
    """Pearson's correlation; None where all x are the same but for rounding."""
    x, y = x - x.mean(), y - y.mean()
    square = float(x @ x)
    return float(x @ y / np.sqrt(square * (y @ y))) if square > 1e-18 * len(x) else None


def _is_count(column: JudgedColumn) -> bool:
    if column.is_text or len(column.values) < 2 or column.values[-1] > 10**6:
        return False
    frequency = np.zeros(int(column.values[-1]) + 1)
    sizes = column.sizes
    if column.times is None:  # some samples are enough
        head = column.clusters[_drawn(len(column.clusters))]
        sizes = np.bincount(head[head >= 0], minlength=len(column.values))
    frequency[np.array(column.values, dtype=np.intp)] = sizes
    steps, peak = np.diff(frequency), int(frequency.argmax())
    against = np.maximum(-steps[:peak], 0).sum() + np.maximum(steps[peak:], 0).sum()
    return bool(against <= 0.1 * sizes.sum() and frequency[-1] <= 0.1 * frequency[peak])


def _contingency(a: JudgedColumn, b: JudgedColumn) -> NDArray[np.int64]:
    """(k_a, k_b) numbers of samples, of some that both label."""
    drawn = _drawn(len(a.clusters))
    both = drawn[(a.clusters[drawn] >= 0) & (b.clusters[drawn] >= 0)]
    if len(both) < LOOKED_AT:  # mostly the drawn ones are enough
        both = np.flatnonzero((a.clusters >= 0) & (b.clusters >= 0))
        both = both[_drawn(len(both))]
    both = both[:LOOKED_AT]
    (rows, n_rows), (columns, n_columns) = (_seen(column, both) for column in (a, b))
    cells = rows.astype(np.intp) * n_columns + columns
    return np.bincount(cells, minlength=n_rows * n_columns).reshape(n_rows, n_columns)


def _seen(column: JudgedColumn, places: NDArray) -> tuple[NDArray, int]:
    """Clusters of some samples, and how many there may be; of very many only those seen."""
    clusters, k = column.clusters[places], len(column.values)
    if k > 10 * _MANY_VALUES:
        values, clusters = np.unique(clusters, return_inverse=True)
        k = len(values)
    return clusters, k


def adjusted_rand(a: JudgedColumn, b: JudgedColumn) -> float:
    """The adjusted Rand index of two columns, of some samples."""
    return _index(_contingency(a, b))


def _index(table: NDArray) -> float:
    """The adjusted Rand index of a contingency table."""
    table = table.astype(np.float64)

    def pairs(counts: NDArray) -> float:
        return float((counts * (counts - 1)).sum() / 2)

    both, rows, columns = pairs(table), pairs(table.sum(axis=1)), pairs(table.sum(axis=0))
    chance = rows * columns / max(pairs(table.sum()), 1.0)
    most = (rows + columns) / 2
    return (both - chance) / (most - chance) if most > chance else 0.0


def remarks_on_missing(
    columns: Sequence[JudgedColumn], say: Callable[[str, Any], str]
) -> list[str]:
    """Sentences on values that probably mean that a sample has no cluster.

    They are words such as "unassigned", the only word among numbers or number among words, codes
    such as 99, and 0 where its samples are together elsewhere hardly more often than by chance, as
    those of no other cluster are.
    """
    found = Counter(word for column in columns if column.is_text for word in _odd_words(column))
    found.update(str(column.values[-1]) for column in columns if _ends_in_a_code(column))
    zero = [c for c in columns if c.is_numbered and c.values[0] == 0 and len(c.values) > 2]
    known = any((column.clusters[_drawn(len(column.clusters))] < 0).any() for column in columns)
    if not known and (len(zero) > 2 or 2 * len(zero) <= len(columns)):
        # Of the first ones more than half, as one cluster may be scattered by chance.
        some = zero[: 2 * _FIRST + 1]
        others = (column for column in some if not _zero_is_noise(column, columns))
        allowed = (len(some) - 1) // 2
        if zero and sum(1 for _ in islice(others, allowed + 1)) <= allowed:
            found["0"] = len(zero)
    return [
        f"{value!r} is taken for a cluster in {times} column{'s' * (times > 1)}; say "
        f"{say('missing', value)} if it means that a sample has none"
        for value, times in found.items()
    ]


def _odd_words(column: JudgedColumn) -> list[str]:
    """The only word among numbers or number among words, or words that mean no cluster."""
    words = [value for value in column.values if not value.isdigit()]
    numbers = [value for value in column.values if value.isdigit()]
    if min(len(words), len(numbers)) == 1 and len(column.values) > 2:
        return min(words, numbers, key=len)
    return [word for word in words if _means_none(word)]


def _means_none(word: str) -> bool:
    return bool({word, _plain(word)} & _NO_CLUSTER)


def _ends_in_a_code(column: JudgedColumn) -> bool:
    """Whether the last value is far from the others, or is 99 or the like, as SPSS writes it."""
    if column.is_text or len(column.values) < 3 or column.values[-1] < 99:
        return False
    *_, before, last = column.values
    return bool(last > (2 if {*str(last)} == {"9"} else 20) * max(before, 1))


def _zero_is_noise(column: JudgedColumn, columns: Sequence[JudgedColumn]) -> bool:
    """Whether the samples with 0 in a column, unlike the others, are apart in the next two."""
    place = columns.index(column)
    others = [other for other in [*columns[place + 1 :], *columns[:place]] if len(other.values) > 2]
    together = (_together(column, other) for other in others[:2])
    return bool(others) and all(of_zero < 0.05 and rest > 0.15 for of_zero, rest in together)


def _together(column: JudgedColumn, other: JudgedColumn) -> tuple[float, float]:
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
