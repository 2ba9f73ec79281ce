"""Checks of the columns of a table: whether they are clusterings, and agree with each other.

Each clustering of the same samples agrees at least with some other clustering. A batch, a count of
molecules or a genotype agrees with no clustering more than expected by chance. A single column does
not show its meaning, but a comparison with the other columns does.

The agreement of two columns is a sum over the pairs of samples that are co-clustered in both. A
pair has the weight 1/(s₁ s₂), where s₁ and s₂ are the sizes of its clusters. The agreement is
measured in standard deviations above its mean, both exact for a random permutation of the samples.
It also counts as zero if it is small, however significant: if the excess above the mean is below
0.05 times the excess of the column with fewer clusters when compared with itself. This fraction is
the square of Cramér's V, corrected for chance.
"""

import re
import warnings
from collections import Counter
from collections.abc import Collection, Sequence
from itertools import chain, combinations
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from coassoc.io.table import Table, listed

#: Smallest number of samples to judge a column, smallest number to compare columns, and largest
#: number of samples to use.
FEW, ENOUGH, _MANY = 5, 20, 20_000
#: Smallest squared Cramér's V of two clusterings of the same samples.
_LEAST = 0.05
#: Agreement of two columns that agree, and that agree beyond doubt, in standard deviations.
_AGREE, _SURELY = 3, 4
#: Number of columns that agree with each other, and so are another answer.
_SEVERAL = 3
#: Usual agreement of clusterings that casts doubt on a column that does not agree, and that leaves
#: no doubt about it.
_DOUBT, _CLEAR = 7, 14
#: Mean agreement of all pairs below which no columns of a table agree. It is about 0.3 if the
#: columns are independent, because agreement below chance counts as zero.
_CHANCE = 0.7
#: Number that often marks a missing value, and words for noise.
_CODE = re.compile("99+|255|32767|65535|2147483647|4294967295")
_NOISE = re.compile(
    r"[-–?.*_]+|noise|outliers?|background|nodata|(un|not |non|no[ _-])(assigned|classified|known"
    r"|labell?ed|clustered|determined|label|cluster|data|class)|other|none|missing|doublets?",
    re.IGNORECASE,
)
#: Excess of equal neighbours over distant columns from which a table is a map; rows to look at.
_SMOOTH, _ROWS = 0.5, 300
#: Each column is compared with at most this many other columns.
_OTHERS = 40


class Column(NamedTuple):
    """A column as a clustering, or what it has that no clustering has."""

    name: str
    #: (n,) clusters 0 … k−1, −1 where one is missing, and their k labels.
    clusters: NDArray
    labels: list[Any]
    wrong: str = ""
    #: Values that were read as missing.
    missing: Collection[str] = ()


def check_long(
    table: Table, columns: Sequence[Column], names: tuple[NDArray, Any] | None, counts: Any
) -> None:
    """Reject a table whose rows have a sample, a clustering and a label each.

    Then no pair of a sample and a clustering occurs twice, as if two clusterings agreed on no pair
    of samples. `names` is the encoded column that names the samples. An object without it only
    causes a warning. If each row has a name of its own, or if two columns have the same values, as
    in pairs of samples, the rows are something else.
    """
    n, counted = len(columns[0].clusters), counts is not None and counts.max() > 1
    if n < ENOUGH or len(columns) > 6 or table.numbers or table.roles.columns or counted:
        return
    named, _, at = table.choose()
    if names is not None and named is not None:
        at, columns = [named, *at], [Column("", *names), *columns]
    k = [int(column.clusters.max()) + 1 for column in columns]
    unique = (column for column, size in zip(columns, k, strict=True) if size == n)
    has_names = any(not column.wrong and not str(column.labels[0]).isdigit() for column in unique)
    # The names of the samples come first, or else the column with the most values.
    some = [j for j in range(len(columns)) if 1 < k[j] < n]
    some.sort(key=lambda j: (names is None or j > 0, -k[j]))
    if len(some) != 3 or has_names:
        return
    # If labels differ between clusterings, they also occur once in each sample, but are more.
    for sample, clustering in sorted(
        combinations(some, 2), key=lambda pair: k[pair[0]] * k[pair[1]]
    ):
        (label,) = {*some} - {sample, clustering}
        # Independent clusterings would agree on at least five pairs of samples.
        if columns[label].wrong or not n <= k[sample] * k[clustering] <= n * n / 10:
            continue
        first, second = columns[sample], columns[clustering]
        pairs = first.clusters.astype(np.int64) * k[clustering] + second.clusters
        # A triangle of pairs lacks one sample in each column.
        others = {*map(str, first.labels)} ^ {*map(str, second.labels)}
        same = k[sample] == k[clustering] and len(others) <= 2
        if same or len(np.unique(pairs)) < n:
            continue
        what = "each row has one label of one sample"
        index, runs, values = (repr(table.names[at[j]]) for j in (sample, clustering, label))
        roles = f"index={index}, columns={runs}, values={values}"
        way = f"Reshape the table to a column for each clustering, as pandas' table.pivot({roles})"
        way += f" if {index} names the samples and {runs} the clusterings"
        every = table.say("columns", "'*'")
        way += f", or pass {every} if each column is a clustering"
        if table.first_row is not None or table.roles.id is not None:
            raise table.error(what, way)
        warnings.warn(f"{table.place}: {what}. {way}.", stacklevel=5)
        return


def check_shape(table: Table, n: int, m: int) -> None:
    """Reject a file with fewer samples (n) than columns (m), or as many; warn if it is an object.

    Its rows may be clusterings, or its values similarities.
    """
    if m < n or m == n < FEW or table.roles.columns or table.roles.in_:
        return
    if table.first_row is None:
        warnings.warn(
            f"{table.place}: there are {m} clusterings of {n} samples. If the clusterings are the "
            "rows, pass the transpose of the table. Pass similarities as `similarity`.",
            stacklevel=5,
        )
        return
    raise table.error(
        f"there are {m} columns and {n} rows",
        f"Pass {table.say('in', 'rows')} if a row is a clustering, or {table.say('in', 'columns')} "
        "if a column is a clustering. To cluster by similarities, use coassoc consensus "
        "--similarity",
    )


def check_map(table: Table, columns: Sequence[Column]) -> None:
    """Reject a file with one map of labels, whose neighbours in both directions are alike.

    An object only causes a warning. Only tables without column names are checked.
    """
    m, n = len(columns), len(columns[0].clusters)
    numbered = [str(name) for name in table.names] in ([*map(str, range(i, m + i))] for i in (0, 1))
    chosen = table.roles.columns or table.roles.in_ or any(c.wrong for c in columns)
    if min(n, m) < 2 * FEW or not numbered or chosen:
        return
    some = slice(_ROWS)
    labels = np.column_stack([np.array([*c.labels, -1], object)[c.clusters[some]] for c in columns])
    for L in (labels, labels.T):
        distant = (L == np.roll(L, L.shape[1] // 2, axis=1)).mean()
        if (L[:, 1:] == L[:, :-1]).mean() <= distant + _SMOOTH * (1 - distant):
            return
    what = "neighbouring rows and neighbouring columns have the same labels, as in one map"
    if table.first_row is not None:
        way = f"Pass {table.say('in', 'columns')} if each column is a clustering of the rows"
        raise table.error(what, f"{way}, or {table.say('each-file', 'map')} for files of maps")
    way = "Pass numpy.column_stack of the flattened maps to combine several maps"
    warnings.warn(f"{table.place}: {what}. {way}.", stacklevel=5)


def check_columns(table: Table, columns: Sequence[Column], counts: NDArray | None) -> str:
    """Reject columns that are not labels and, unless the user chose them, not clusterings.

    The comparison of the columns of an object only warns. Return an addition to the line that says
    what was read: the columns of a file in doubt.
    """
    is_file = table.first_row is not None
    refused = {column.name: column.wrong for column in columns if column.wrong}
    clusterings = [column for column in columns if not column.wrong]
    doubts: dict[str, str] = {}
    if not table.roles.columns and not table.numbers:
        refused |= _broken_rules(clusterings, counts)
        clusterings = [column for column in clusterings if column.name not in refused]
    if counts is not None:
        clusterings = drawn(clusterings, counts)
    one_hot = not table.roles.columns and _is_one_hot(clusterings)
    if one_hot and is_file:
        every = table.say("columns", "'*'")
        raise table.error(
            _ONE_HOT,
            "Write the clusters of each clustering as the labels of one column, or pass "
            f"{every} if each column is a clustering",
        )
    enough = len(clusterings) > 1 and len(clusterings[0].clusters) >= ENOUGH
    if enough and not table.roles.columns:
        apart = columns_apart(clusterings)
        of_what = " with the largest group of columns" if len(apart) < len(clusterings) else ""
        for j, is_clear in apart.items():
            told = refused if is_clear and is_file else doubts
            told[clusterings[j].name] = _APART + of_what
    if refused:
        columns_way, id_way = table.say("columns", "…"), table.say("id", "…")
        if is_file:
            columns_way += f" or {table.say('except', '…')}"
        gap_way = f"pass {table.say('missing', '…')} for missing labels"
        raise table.error(
            f"these columns do not look like clusterings: {_reasons(refused)}",
            f"Choose the clusterings with {columns_way} and the samples' names with {id_way}, and "
            f"{gap_way if is_file else 'replace missing labels by NaN'}. For measurements use "
            "coassoc subtypes, and for soft memberships coassoc memberships",
        )
    doubt = f"columns that may not be clusterings: {_reasons(doubts)}" if doubts else ""
    remarks = [_ONE_HOT] if one_hot else [doubt] if doubt and not is_file else []
    chosen = bool(table.roles.columns)
    gaps = {} if one_hot or (table.numbers and chosen) else missing_values(clusterings)
    for value, reason in gaps.items():
        way = f"Pass {table.say('missing', repr(value))}" if is_file else "Replace it by NaN"
        what, way = f"{value!r} is read as a cluster, but {reason}", f"{way} if it means none"
        if is_file and not chosen and reason in (_FAR, _FIXED):
            every = table.say("columns", "'*'")
            raise table.error(what, f"{way}, or {every} if it is a cluster")
        remarks += [f"{what}. {way}"]
    for remark in remarks:
        warnings.warn(f"{table.place}: {remark}.", stacklevel=5)
    return f"; {doubt}" if doubt and is_file else ""


_ONE_HOT = "each row has the same number of ones and otherwise zeros, as if a column were a cluster"
_FAR = "it is far above all other labels of a column"
_FIXED = "it marks the same samples in all columns, unlike other labels"
_APART = "hardly any agreement beyond chance"


def _reasons(columns: dict[str, str]) -> str:
    """Names and reasons of some columns, each reason once."""
    names: dict[str, list[str]] = {}
    for name, reason in columns.items():
        names.setdefault(reason, []).append(repr(name))
    return "; ".join(f"{listed(some)} ({reason})" for reason, some in [*names.items()][:8])


def drawn(columns: list[Column], counts: NDArray) -> list[Column]:
    """The columns with a row for each sample, or for some at random where there are many."""
    n = int(counts.sum())
    rows = np.repeat(np.arange(len(counts)), counts) if n <= _MANY else None
    if rows is None:
        rows = np.random.default_rng(0).choice(len(counts), _MANY, p=counts / n)
    return [column._replace(clusters=column.clusters[rows]) for column in columns]


def _broken_rules(columns: list[Column], counts: NDArray | None) -> dict[str, str]:
    """The second or third rule that a column breaks: name of the column → reason."""
    broken = {}
    for column in columns:
        labelled = column.clusters >= 0
        n = np.count_nonzero(labelled) if counts is None else int(counts[labelled].sum())
        k = len(column.labels)
        if _UNNAMED.fullmatch(column.name):
            broken[column.name] = "no name, so it may name the rows"
        elif n >= FEW and 4 * k > 3 * n:
            broken[column.name] = f"{k} different values for {n} samples, as names have"
        elif n >= FEW and k == 1 and len(columns) > 1:
            broken[column.name] = f"one value, {column.labels[0]!r}"
    return broken


#: Name of a column without a name, also as pandas calls it.
_UNNAMED = re.compile(r"(Unnamed: \d+)?")


def _is_one_hot(columns: list[Column]) -> bool:
    """Whether all columns have zeros and ones, and each row has the same number of ones."""
    texts = ({str(label).casefold() for label in column.labels} for column in columns)
    if len(columns) < 3 or not all(each in ({"0", "1"}, {"false", "true"}) for each in texts):
        return False
    ones = np.sum([column.clusters == 1 for column in columns], axis=0)
    # Two clusters of equal size would make half of the labels ones under either numbering.
    return bool(len(ones) >= ENOUGH and (ones == ones[0]).all() and 2 * ones[0] != len(columns))


# -- agreement ------------------------------------------------------------------------------------


def columns_apart(columns: Sequence[Column]) -> dict[int, bool]:
    """Positions of the columns that agree with no other, and whether this is clear.

    Columns that agree by 4 standard deviations or more form groups. A column outside the largest
    group is returned if it agrees with no column of the group by 3, unless it is in another group
    of three columns. A column that is unrelated to the others passes in about 3 % of tables.

    Agreement is undefined where one cluster has all samples with both labels, which is no evidence.
    Clusterings of few samples may also agree too little. The result is therefore empty unless three
    quarters of the group agree by more than 7 standard deviations. It is clear from 14 on,
    except for a column with four fifths of its samples in one cluster. If the group does not agree
    so well, and the mean agreement of all columns is as small as chance, all columns are returned.
    """
    m, n = len(columns), len(columns[0].clusters)
    others = np.arange(0, m, -(-m // _OTHERS))
    some = _some(n, max(1000, 100_000 // m))
    starts = np.cumsum([0, *(len(c.labels) + 1 for c in columns)])
    codes = np.stack([c.clusters[some] for c in columns]) + (starts[:-1, None] + 1)
    group, agreement = np.arange(m), np.zeros((len(others), m))
    for row, i in enumerate(others.tolist()):
        agreement[row] = _agreement(codes, starts, i)
        joined = np.zeros(m, dtype=bool)
        joined[group[agreement[row] >= _SURELY]] = True
        group[joined[group]] = group[i]
        if (group == group[0]).all():
            return {}
    inside = group == np.bincount(group).argmax()
    inside_rows = agreement[inside[others]]
    highest = np.nan_to_num(inside_rows).max(axis=0, initial=0)
    usual = np.quantile(highest[inside], 0.25)
    if usual <= _CLEAR and np.nansum(agreement) < _CHANCE * len(others) * (m - 1):
        # Some of five clusterings would agree, and so would fewer if the samples were many.
        usual = np.inf if m > 4 else n / 5
        return dict.fromkeys(range(m) if usual > _DOUBT else (), bool(usual > _CLEAR))
    unlike = ~inside & (highest < _AGREE) & ~np.isnan(inside_rows).all(axis=0)
    unlike &= np.bincount(group)[group] < _SEVERAL
    apart = np.flatnonzero(unlike & (usual > _DOUBT)).tolist()
    sizes = {j: np.bincount(columns[j].clusters[columns[j].clusters >= 0]) for j in apart}
    return {j: bool(usual > _CLEAR and n.max() < 0.8 * n.sum()) for j, n in sizes.items()}


def _some(n: int, most: int) -> NDArray | slice:
    """Positions of some of n samples at random: the first ones of a sorted table are all alike."""
    return slice(n) if n <= most else np.random.default_rng(0).choice(n, most, replace=False)


def _agreement(codes: NDArray, starts: NDArray, i: int) -> NDArray:
    """(m,) agreement of column i with each column, NaN if undefined.

    The (m, n) clusters are numbered through all columns. The number of a missing label is the start
    of the column.
    """
    (m, n), k, first = codes.shape, starts[-1], starts[i]
    column_of = np.repeat(np.arange(m), np.diff(starts))
    cells = (codes + (codes[i] - first) * k).ravel()
    cells, counts = np.unique(cells, return_counts=True)
    a, b = np.divmod(cells, k)
    labelled = (a > 0) & (b > starts[column_of[b]])
    b, counts = b[labelled], counts[labelled]
    column = column_of[b]
    a = a[labelled] * m + column
    of_a, of_b = np.bincount(a, counts), np.bincount(b, counts)
    together = np.bincount(column, counts * (counts - 1) / (of_a[a] * of_b[b]), m)
    # Only samples with both labels are permuted.
    n, *x = _sums(of_a, np.arange(len(of_a)) % m, m)
    _, *y = _sums(of_b, column_of[: len(of_b)], m)
    few, n = n < 4, np.maximum(n, 4)
    weight, square, path, disjoint = np.multiply(x, y)
    chance = weight / (n * (n - 1))
    moment = (2 * square + (4 * path + disjoint / (n - 3)) / (n - 2)) / (n * (n - 1))
    room, variance = np.minimum(x[1], y[1]) - chance, moment - chance**2
    undefined = few | (room < 1e-9) | (variance < 1e-9 * (1 + chance**2)) | (np.arange(m) == i)
    excess, deviation = together - chance, np.sqrt(np.where(undefined, np.inf, variance))
    return np.where(undefined, np.nan, np.where(excess < _LEAST * room, 0, excess / deviation))


def _sums(sizes: NDArray, column: NDArray, m: int) -> tuple[NDArray, ...]:
    """Samples and sums over their pairs in each column, from the sizes of its clusters.

    The sums are over the weights, their squares, and the products of the weights of two pairs with
    one sample in common, and with none.
    """
    column, sizes = column[sizes > 0], sizes[sizes > 0]
    n, k, inverse = (np.bincount(column, values, m) for values in (sizes, None, 1 / sizes))
    weight, square = n - k, k - inverse
    path = weight - 2 * square
    return n, weight, square, path, weight**2 - 4 * path - 2 * square


def missing_values(columns: Sequence[Column]) -> dict[str, str]:
    """Labels that probably mean that a sample has no cluster, and why.

    Such a label is the only string among numbers, a code such as 99, a word such as "noise", or it
    occurs in most columns.
    Unlike the samples of other labels, its samples are then scattered over the clusters of the
    other columns, or they are the same samples in all columns.
    """
    columns = columns[:100]
    m, n = len(columns), len(columns[0].clusters) if columns else 0
    names = [{str(label): k for k, label in enumerate(c.labels)} for c in columns]
    reasons = {}
    for group in names:
        words = [name for name in group if not name.isdigit()]
        if len(words) == 1 < len(group) - 1:
            reasons[words[0]] = "it is the only string among numbers"
    for column in columns:
        *_, second, last = 0, 0, *sorted(x for x in column.labels if isinstance(x, int))
        if _CODE.fullmatch(str(last)) and last > 5 * second > 0:
            reasons[str(last)] = _FAR
    counts = Counter(chain.from_iterable(names))
    usual = [name for name, times in counts.items() if 2 * times > m or _NOISE.fullmatch(name)]
    if m < 2 or n < 20 or len(usual) > 100:
        return reasons
    labels = np.column_stack([c.clusters[_some(n, 20_000)] for c in columns])
    i, j = np.random.default_rng(0).integers(len(labels), size=(2, min(20_000, 4_000_000 // m)))
    first = labels[i[i != j]]
    same = (first == labels[j[i != j]]) & (first >= 0)
    chance, others = same.mean(axis=0), (same.sum(axis=1) - 1) / (m - 1)
    expected, fixed = (chance.sum() - chance) / (m - 1), []
    # Number of pairs in each cluster of a column, and how often other columns join them.
    pairs: list[tuple[NDArray, NDArray]] = []
    for c, group in enumerate(names):
        inside, k = same[:, c], len(group)
        cluster = first[inside, c]
        pairs += [(np.bincount(cluster, None, k), np.bincount(cluster, others[inside], k))]
    for name in usual:
        scattered = [
            _is_scattered(*pairs[c], group[name], expected[c])
            for c, group in enumerate(names)
            if name in group
        ]
        if 2 * sum(scattered) > len(scattered) > (not _NOISE.fullmatch(name)):
            reasons[name] = "its samples are scattered over the clusters of other columns"
        where = labels == [group.get(name, -2) for group in names]
        fixed += [name] if m > 2 and where.any() and (where == where[:, :1]).all() else []
    if len(fixed) == 1 and len(usual) > 1:
        reasons.setdefault(fixed[0], _FIXED)
    return reasons


def _is_scattered(times: NDArray, joined: NDArray, label: int, chance: float) -> bool:
    """Whether pairs of a cluster with a label are co-clustered in other columns only by chance.

    `times` and `joined` have the number of pairs in each cluster, and the sum of the shares of
    other columns that join them.
    """
    inside, rest = times[label], times.sum() - times[label]
    if min(inside, rest) < 30 or chance >= 1:
        return False
    means = joined[label] / inside, (joined.sum() - joined[label]) / rest
    cohesion, of_rest = ((mean - chance) / (1 - chance) for mean in means)
    return bool(of_rest > 0.1 and cohesion < of_rest / 4)
