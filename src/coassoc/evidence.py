"""Similarities of samples instead of base clusterings.

Methods that need nothing but a co-association matrix accept any matrix of similarities between
samples, such as a soft co-association, a posterior similarity matrix, or the counts of a card sort.
"""

import warnings
from typing import Any, NoReturn

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from coassoc.ensemble import Ensemble, Microclusters
from coassoc.errors import DataError
from coassoc.io.table import frame_library
from coassoc.numerics.arrays import plain_array

#: Largest difference of two entries that count as equal.
_EQUAL = 1e-8


class Evidence(Ensemble):
    """Similarities of n samples, which some methods accept instead of an ensemble.

    Parameters
    ----------
    similarity : (n, n) array, data frame or Evidence
        Symmetric similarities from 0 (never together) to 1 (always together). The diagonal is
        ignored and set to 1. The rows of a data frame may have a different order from the columns.
    index : sequence, optional
        Names of the samples, by default the column names of the data frame. Rows of a polars or
        Arrow table have no names and must be in the order of the columns.

    Raises
    ------
    DataError
        If `similarity` does not have this form.

    Warns
    -----
    UserWarning
        If the whole diagonal is 0, because the values may be distances.

    Examples
    --------
    >>> from coassoc.methods import METHODS
    >>> METHODS["EAC-AL"](2).fit(Evidence([[1, 0.9, 0.2], [0.9, 1, 0.1], [0.2, 0.1, 1]])).labels_
    array([0, 0, 1])
    """

    has_missing = False  # type: ignore[assignment]
    n_clusterings = n_clusters_total = 0  # type: ignore[assignment]

    def __init__(self, similarity: Any, index: Any = None) -> None:
        if isinstance(similarity, Evidence):
            index = similarity.index if index is None else index
            similarity = np.asarray(similarity)
        self._library, self._index_name = frame_library(similarity), "sample"
        if self._library != "pandas":  # tables whose rows have no names
            index = list(getattr(similarity, "column_names", similarity.columns))
            similarity = np.column_stack([np.asarray(similarity[name]) for name in index])
        elif hasattr(similarity, "columns"):
            rows, index = similarity.index, similarity.columns
            if not rows.is_unique or not index.is_unique or {*rows} != {*index}:
                raise DataError(
                    "similarity: rows and columns must have the same unique names. Correct the "
                    "names, or pass an array without names."
                )
            similarity = similarity.loc[index]
        S = _checked(similarity)
        # Samples with equal rows are always together, as samples with equal labels are.
        first = (S == 1).argmax(axis=1)
        first = np.where((S[first] == S).all(axis=1), first, np.arange(len(S)))
        few, assignment = np.unique(first, return_inverse=True)
        #: (n', n') similarities of the distinct samples.
        self.S: NDArray[np.float64] = S if len(few) == len(S) else S[np.ix_(few, few)]
        self.index = index
        self.microclusters = Microclusters.from_assignment(assignment)
        self._sizes = None

    @property
    def n_samples(self) -> int:
        """n, the number of samples."""
        return self.microclusters.n_samples

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> NDArray:
        """The (n, n) similarities."""
        if copy is False:
            raise ValueError("Evidence has no array to share. Allow a copy with copy=None.")
        rows = self.microclusters.assignment
        return np.array(self.S[np.ix_(rows, rows)], dtype=dtype)

    def __repr__(self) -> str:
        return f"Evidence(n_samples={self.n_samples})"

    @property
    def _labels(self) -> NoReturn:  # type: ignore[override]
        raise DataError(
            "This computation needs clusterings, but only similarities were passed. Pass labels."
        )

    clusterings = values = n_clusters_per_clustering = _labels  # type: ignore[assignment]


def _checked(given: ArrayLike) -> NDArray[np.float64]:
    try:
        S = np.array(plain_array("similarity", given), dtype=np.float64)
    except DataError:
        raise
    except (TypeError, ValueError) as error:
        raise DataError("similarity: not an array of numbers. Pass an (n, n) array.") from error
    if S.ndim != 2 or S.shape[0] != S.shape[1] or not len(S):
        raise DataError(f"similarity: the shape is {S.shape}. Pass an (n, n) array.")
    if S.any() and not S.diagonal().any():
        warnings.warn(
            "similarity: the diagonal is 0, as in a matrix of distances. If the values are "
            "distances, convert them to similarities (--distance on the command line).",
            stacklevel=4,
        )
    np.fill_diagonal(S, 1.0)
    wrong = np.where((S >= -_EQUAL) & (S <= 1 + _EQUAL), abs(S - S.T), np.inf)
    i, j = np.unravel_index(wrong.argmax(), S.shape)
    if wrong[i, j] > _EQUAL:
        what = (
            f"and the entry {S[j, i]:g} across the diagonal differ (the largest such difference)"
            if np.isfinite(wrong[i, j])
            else "is not between 0 and 1"
        )
        raise DataError(
            f"similarity: the entry {S[i, j]:g} in row {i + 1}, column {j + 1} {what}. Pass a "
            "symmetric matrix of similarities from 0 to 1."
        )
    return np.clip(S, 0.0, 1.0, out=S)
