"""What `coassoc consensus` says of clusterings, of which it is known how they were made."""

import warnings
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.cluster import KMeans

from coassoc import Ensemble, find_consensus
from verdicts import Kind, Product, kind

Rng = np.random.Generator
#: Labels, (n, m), and the number of clusters that is requested.
Made = tuple[NDArray[np.intp], int]


def said(made: Made) -> set[str]:
    """The conclusions in the terminal and on the page."""
    labels, c = made
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        ensemble = Ensemble(np.where(labels < 0, np.nan, labels))
        verdict = find_consensus(ensemble, c).support.verdict
    told = " ".join(str(warning.message) for warning in caught)
    texts = {"stable": "Stable:", "unstable": "Unstable:", "two": "Two answers:"}
    heard = {key for key, text in texts.items() if verdict.startswith(text)}
    return heard | {key for key, text in _OF_COLUMNS.items() if text.split(" (")[0] in told}


def _sizes(rng: Rng) -> tuple[int, int, int]:
    """Numbers of samples, clusters and clusterings."""
    return int(rng.integers(120, 500)), int(rng.integers(3, 8)), int(rng.integers(6, 21))


def _partition(rng: Rng, n: int, k: int) -> NDArray[np.intp]:
    """Clusters of unequal sizes, none smaller than a third of the mean."""
    share = np.maximum(rng.dirichlet(np.full(k, 3.0)), 1 / (3 * k))
    return np.append(np.arange(k), rng.choice(k, n - k, p=share / share.sum()))


def _copies(rng: Rng, y: NDArray, m: int, noise: float) -> NDArray[np.intp]:
    """Copies of a partition in which a fraction of the labels is drawn at random."""
    redrawn = rng.random((len(y), m)) < noise
    return np.where(redrawn, rng.integers(0, y.max() + 1, redrawn.shape), y[:, None])


def _missing(rng: Rng, labels: NDArray, share: float) -> NDArray[np.intp]:
    labels = np.where(rng.random(labels.shape) < share, -1, labels)
    return labels[(labels >= 0).any(axis=1)]


def _kmeans(rng: Rng, X: NDArray, ks: list[int], init: str = "random") -> NDArray[np.intp]:
    seeds = rng.integers(2**31, size=len(ks))
    fits = (KMeans(k, n_init=1, init=init, random_state=s) for k, s in zip(ks, seeds, strict=True))
    return np.column_stack([fit.fit_predict(X) for fit in fits])


def _groups(rng: Rng, n: int, k: int, distance: float) -> NDArray[np.float64]:
    """Gaussian groups in two to eight dimensions, with a smallest distance of their centres."""
    y, d = _partition(rng, n, k), int(rng.integers(2, 9))
    while True:
        centres = rng.normal(size=(k, d)) * distance
        apart = np.linalg.norm(centres[:, None] - centres, axis=2) + 2 * distance * np.eye(k)
        if apart.min() > distance:
            return centres[y] + rng.normal(size=(n, d))


def _noisy(rng: Rng, noise: float, missing: float = 0, other: int = 0) -> Made:
    n, k, m = _sizes(rng)
    return _missing(rng, _copies(rng, _partition(rng, n, k), m, noise), missing), k + other


def _starts(rng: Rng, points: Callable[[Rng, int, int], NDArray]) -> Made:
    n, k, m = _sizes(rng)
    return _kmeans(rng, points(rng, n, k), [k] * m), k


def _many_numbers(rng: Rng, distance: float, most: int) -> Made:
    n, k, m = _sizes(rng)
    numbers = rng.integers(2, most * k + 1, m).tolist()
    return _kmeans(rng, _groups(rng, n, k, distance), numbers, "k-means++"), k


def _subsampled(rng: Rng) -> Made:
    n, k, m = _sizes(rng)
    labels = _kmeans(rng, _groups(rng, n, k, 6), [k] * m, "k-means++")
    return _missing(rng, labels, 0.2), k


def _independent(rng: Rng) -> Made:
    n, k, m = _sizes(rng)
    return rng.integers(0, k, (n, m)), k


def _with_random_columns(rng: Rng) -> Made:
    n, k, m = _sizes(rng)
    bad = max(1, m // 5)
    labels = _copies(rng, _partition(rng, n, k), m, 0.1)
    return np.column_stack((labels, rng.integers(0, k, (n, bad)))), k


def _with_column(rng: Rng, column: Callable[[Rng, NDArray], NDArray], noise: float = 0.1) -> Made:
    """Copies of a partition, and a column that is unrelated to it."""
    n, k, m = _sizes(rng)
    y = _partition(rng, n, k)
    return np.column_stack((_copies(rng, y, m, noise), column(rng, y))), k


def _with_value(
    rng: Rng, value: int, same: bool, share: float = 0.15, noise: float = 0.1, first: int = 1
) -> Made:
    """Copies of a partition with a value for no cluster, at random or for the same samples."""
    n, k, m = _sizes(rng)
    without = rng.random((n, 1 if same else m)) < share
    return np.where(without, value, first + _copies(rng, _partition(rng, n, k), m, noise)), k


def _one_hot(rng: Rng, numbers: tuple[int, ...], n: int = 200, share: float = 0) -> Made:
    """A column for each cluster of some clusterings; a share of the samples is in the first one."""
    columns = []
    for k in numbers:
        y = np.where(rng.random(n) < share, 0, rng.integers(0, k, n))
        columns.append(np.eye(k, dtype=np.intp)[y])
    return np.hstack(columns), numbers[0]


def _each(rng: Rng, clustering: Callable[[Rng, int, int], NDArray]) -> Made:
    """Independent clusterings."""
    n, k, m = _sizes(rng)
    return np.column_stack([clustering(rng, n, k) for _ in range(m)]), k


def _of_points(
    rng: Rng,
    points: Callable[[Rng, int, int], NDArray],
    cut: Callable[[Rng, NDArray, int], NDArray],
) -> Made:
    """Different cuts of the same points."""
    n, k, m = _sizes(rng)
    X = points(rng, n, k)
    return np.column_stack([cut(rng, X, k) for _ in range(m)]), k


def _cells_of(rng: Rng, X: NDArray, k: int) -> NDArray[np.intp]:
    """The nearest of k random directions."""
    return (X @ rng.normal(size=(X.shape[1], k))).argmax(axis=1)


def _slices(rng: Rng, X: NDArray, k: int) -> NDArray[np.intp]:
    """Equally large slices in a random direction."""
    return X.dot(rng.normal(size=X.shape[1])).argsort().argsort() * k // len(X)


def _of_half(rng: Rng, X: NDArray, k: int) -> NDArray[np.intp]:
    """k-means of half of the features."""
    some = rng.permutation(X.shape[1])[: -(-X.shape[1] // 2)]
    return _kmeans(rng, X[:, some], [k], "k-means++")[:, 0]


def _nested(rng: Rng, fine: bool) -> Made:
    n, k, m = _sizes(rng)
    y = rng.integers(0, 2 * k, n)
    halves = [_copies(rng, part, m // 2 + 1, 0.05) for part in (y, y // 2)]
    return np.column_stack(halves), k * (1 + fine)


def _merging(rng: Rng) -> Made:
    """Clusterings that merge clusters of one partition at random."""
    n, k, m = _sizes(rng)
    y = _partition(rng, n, k)
    return np.column_stack([rng.integers(0, k, k)[y] for _ in range(m)]), k


def _quantiles(rng: Rng) -> Made:
    """A quantity with errors, cut into different numbers of classes."""
    n, k, m = _sizes(rng)
    t = rng.normal(size=n)
    cuts = [np.quantile(t, np.linspace(0, 1, q + 1)[1:-1]) for q in rng.integers(2, 8, m)]
    return np.column_stack([np.digitize(t + 0.3 * rng.normal(size=n), cut) for cut in cuts]), k


def _two(
    rng: Rng, noise: float = 0.1, share: float = 0.5, missing: float = 0, number: bool = True
) -> Made:
    n, k, m = _sizes(rng)
    first = max(3, round(share * m))
    counts, ks = (first, max(3, m - first)), (k, k if number else k + 2)
    halves = [
        _copies(rng, rng.permutation(_partition(rng, n, x)), count, noise)
        for x, count in zip(ks, counts, strict=True)
    ]
    return _missing(rng, np.column_stack(halves), missing), k


def _views(rng: Rng, finer: bool) -> Made:
    """k-means of two tables with different groups of the same samples."""
    n, k, m = _sizes(rng)
    numbers = [k + finer * int(rng.integers(0, k)) for _ in range(m // 2 + 1)]
    views = [
        _kmeans(rng, rng.permutation(_groups(rng, n, k, 6)), numbers, "k-means++") for _ in (1, 2)
    ]
    return np.column_stack(views), k


def _uniform(rng: Rng, n: int, k: int) -> NDArray[np.float64]:
    return rng.random((n, 2))


def _gaussian(rng: Rng, n: int, k: int) -> NDArray[np.float64]:
    return rng.normal(size=(n, 20))


def _curve(rng: Rng, n: int, k: int) -> NDArray[np.float64]:
    t = 3 * rng.random(n)
    return np.column_stack((t, np.sin(t))) + 0.05 * rng.normal(size=(n, 2))


def _separated(rng: Rng, n: int, k: int) -> NDArray[np.float64]:
    return _groups(rng, n, k, 6)


def _cube(rng: Rng, n: int, k: int) -> NDArray[np.float64]:
    return rng.random((n, 30))


def _distant(rng: Rng, n: int, k: int) -> NDArray[np.float64]:
    """Groups in twenty dimensions, which ten of them separate, too."""
    return rng.normal(size=(k, 20))[_partition(rng, n, k)] * 4 + rng.normal(size=(n, 20))


_OF_COLUMNS = {
    "column": "columns that may not be clusterings (hardly any agreement beyond chance)",
    "onehot": "each row has the same number of ones and otherwise zeros",
    "far": "it is far above all other labels of a column",
    "fixed": "it marks the same samples in all columns, unlike other labels",
    "scattered": "its samples are scattered over the clusters of other columns",
}
_BOTH = "stable unstable"
#: Options of a value for no cluster.
_VALUES: dict[str, dict[str, Any]] = {
    "": {},
    " (5 %)": {"share": 0.05},
    " (30 %)": {"share": 0.3},
    ", 5 % random": {"noise": 0.05},
    ", 20 % random": {"noise": 0.2},
}
_CODES = (99, 255, 999, 9999, 32767, 65535)
_ONE_HOT: dict[str, dict[str, Any]] = {
    "": {"numbers": (5,)},
    ", 3 clusters": {"numbers": (3,)},
    ", 12 clusters": {"numbers": (12,)},
    ", half in one": {"numbers": (5,), "share": 0.5},
    ", 40 samples": {"numbers": (4,), "n": 40},
    ", 2,000 samples": {"numbers": (6,), "n": 2000},
    " of two clusterings": {"numbers": (4, 5)},
    " of three clusterings": {"numbers": (3, 4, 5)},
}
_two_answers = partial(kind, true="unstable", plain="two", open="stable")
_unstable = partial(kind, plain="unstable", open="column")
_odd_column = partial(kind, plain="stable column")
_KINDS: dict[str, Kind] = {
    "independent random labels": kind(_independent, plain="unstable column"),
    "k-means, random starts, a Gaussian": kind(partial(_starts, points=_gaussian), "unstable"),
    "independent, unequal sizes": _unstable(
        partial(_each, clustering=lambda rng, n, k: rng.permutation(_partition(rng, n, k)))
    ),
    "independent, 20 % missing": _unstable(
        lambda rng: (lambda made: (_missing(rng, made[0], 0.2), made[1]))(_independent(rng))
    ),
    "copies, 85 % random": _unstable(partial(_noisy, noise=0.85)),
    "k-means, random starts, a cube": _unstable(partial(_starts, points=_cube)),
    "k-means of half of the features, a Gaussian": _unstable(
        partial(_of_points, points=_gaussian, cut=_of_half)
    ),
    "random cells, a Gaussian": _unstable(partial(_of_points, points=_gaussian, cut=_cells_of)),
    "random cells, a cube": _unstable(
        partial(_of_points, points=lambda *a: _cube(*a) - 0.5, cut=_cells_of)
    ),
    "random slices, a Gaussian": _unstable(partial(_of_points, points=_gaussian, cut=_slices)),
    "random slices, a cube": _unstable(partial(_of_points, points=_cube, cut=_slices)),
    "k-means, random starts, a square": kind(partial(_starts, points=_uniform), open=_BOTH),
    "k-means, random starts, a curve": kind(partial(_starts, points=_curve), open=_BOTH),
    "a quantity cut into 2 to 7 classes": kind(_quantiles, open=_BOTH),
    "copies, 50 % random": kind(partial(_noisy, noise=0.5), open=f"{_BOTH} column"),
    "copies, 30 % random": kind(partial(_noisy, noise=0.3), open=_BOTH),
    "copies, one cluster too many": kind(partial(_noisy, noise=0.1, other=1), open=_BOTH),
    "copies, one cluster too few": kind(partial(_noisy, noise=0.1, other=-1), open=_BOTH),
    "clusters merged at random": kind(_merging, open=_BOTH),
    "k-means, overlapping groups": kind(partial(_many_numbers, distance=2, most=2), open=_BOTH),
    "copies, 10 % random": kind(partial(_noisy, noise=0.1), plain="stable"),
    "copies, 5 % random": kind(partial(_noisy, noise=0.05), plain="stable"),
    "copies, 15 % random": kind(partial(_noisy, noise=0.15), plain="stable"),
    "copies, 10 % random, 10 % missing": kind(
        partial(_noisy, noise=0.1, missing=0.1), plain="stable"
    ),
    "k-means of half of the features, groups": kind(
        partial(_of_points, points=_distant, cut=_of_half), plain="stable"
    ),
    "copies, 30 % missing": kind(partial(_noisy, noise=0.1, missing=0.3), "stable"),
    "copies and random columns": kind(_with_random_columns, plain="stable column"),
    "copies and a shuffled copy": _odd_column(
        partial(_with_column, column=lambda rng, y: rng.permutation(y))
    ),
    "copies and a batch": _odd_column(
        partial(_with_column, column=lambda rng, y: rng.integers(0, 2, len(y)))
    ),
    "copies and an age": _odd_column(
        partial(_with_column, column=lambda rng, y: rng.integers(20, 60, len(y)))
    ),
    "copies and a count": _odd_column(
        partial(_with_column, column=lambda rng, y: rng.poisson(2.0, len(y)))
    ),
    "copies and a rare flag": _odd_column(
        partial(_with_column, column=lambda rng, y: rng.random(len(y)) < 0.1)
    ),
    "copies and a genotype": _odd_column(
        partial(_with_column, column=lambda rng, y: rng.binomial(2, 0.4, len(y)))
    ),
    "copies and five classes of a rank": _odd_column(
        partial(_with_column, column=lambda rng, y: rng.permutation(len(y)) * 5 // len(y))
    ),
    **{
        f"copies, {value} for no cluster{what}": kind(
            partial(_with_value, value=value, same=False, **options),
            plain="scattered",
            open=f"{_BOTH} far",
        )
        for value, what, options in [
            *((0, *each) for each in _VALUES.items()),
            *((value, "", {}) for value in _CODES[:3]),
        ]
    },
    **{
        f"copies, {value} outside{what}": kind(
            partial(_with_value, value=value, same=True, **options),
            plain="far" if value else "fixed",
            open=_BOTH,  # there is one cluster more than requested
        )
        for value, what, options in [
            *((0, *each) for each in _VALUES.items()),
            *((value, "", {}) for value in _CODES),
            *((255, *each) for each in [*_VALUES.items()][-2:]),
        ]
    },
    **{
        f"copies, {value} outside{what}": kind(
            partial(_with_value, value=value, same=True, first=0, **options),
            plain="fixed",
            open=_BOTH,
        )
        for value, what, options in [(9, *each) for each in [*_VALUES.items()][:3]]
    },
    **{
        f"a column for each cluster{what}": kind(
            partial(_one_hot, **options), plain="onehot", open=f"{_BOTH} two column"
        )
        for what, options in _ONE_HOT.items()
    },
    "copies, 20 % random, and a batch": kind(
        partial(_with_column, column=lambda rng, y: rng.integers(0, 4, len(y)), noise=0.2),
        "stable",
        plain="column",
    ),
    "k-means, random starts, groups": kind(partial(_starts, points=_separated), plain="stable"),
    "k-means, 2 to 2k clusters, groups": kind(
        partial(_many_numbers, distance=6, most=2), plain="stable"
    ),
    "k-means, groups, 20 % missing": kind(_subsampled, plain="stable"),
    "fine and coarse, coarse number": kind(partial(_nested, fine=False), plain="stable"),
    "fine and coarse, fine number": kind(partial(_nested, fine=True), plain="stable"),
    "two partitions": _two_answers(partial(_two, noise=0)),
    "two partitions, 10 % random": _two_answers(_two),
    "two partitions, 20 % random": kind(partial(_two, noise=0.2), "unstable two"),
    "two partitions, 20 % missing": _two_answers(partial(_two, missing=0.2)),
    "two partitions, 60 : 40": _two_answers(partial(_two, share=0.6)),
    "two partitions, 75 : 25": _two_answers(partial(_two, share=0.75)),
    "two partitions, k and k + 2": _two_answers(partial(_two, number=False)),
    "k-means of two tables": _two_answers(partial(_views, finer=False)),
    "k-means of two tables, k to 2k": _two_answers(partial(_views, finer=True)),
}
#: Remarks on values state what was counted, and ask what the value means.
_STATED = frozenset({"far", "fixed", "scattered"})

PRODUCT = Product(
    "Consensus of labels",
    {
        "stable": "Stable: two halves of the clusterings give nearly the same clusters",
        "unstable": "Unstable: two halves of the clusterings give different clusters",
        "two": "Two answers",
        **_OF_COLUMNS,
    },
    {name: replace(each, open=each.open | _STATED) for name, each in _KINDS.items()},
    said,
    first=30_000,
)
