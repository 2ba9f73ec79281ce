"""Data sets in MATLAB files."""

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from coassoc.bench.datasets.features import Files, Parsed
from coassoc.errors import DataError
from coassoc.io.arrays import read_matlab
from coassoc.io.features import as_matrix

Labelled = tuple[Any, NDArray]


def parse_matlab(
    files: Files, *, X: str = "X", y: str | None = "Y", sequence: str | None = None
) -> Parsed:
    """MATLAB files, of version 5 to 7 or 7.3.

    Parameters
    ----------
    files : role "data": one or more files, joined by rows; role "sequence": see below
    X, y : str
        Variables of the features and the classes.
    sequence : str, optional
        Variable of the file with role "sequence" that contains the classes of all samples in the
        requested order, under any names. Inside each data file, the k-th sample of a class moves to
        the k-th position of this class. The names correspond by rank: the k-th name to appear in
        the sequence is the k-th smallest label of the data.
    """
    parts: list[Labelled] = []
    for path in files["data"]:
        arrays = read_matlab(path, [X] if y is None else [X, y])
        labels = np.zeros(arrays[X].shape[0]) if y is None else arrays[y].ravel()
        parts.append((as_matrix(path, arrays[X]), labels))
    if sequence is not None:
        path = files["sequence"][0]
        parts = _reorder(path, parts, read_matlab(path, [sequence])[sequence].ravel())
    stack = partial(sp.vstack, format="csr") if sp.issparse(parts[0][0]) else np.vstack
    features = stack([part[0] for part in parts])
    return Parsed(features, None if y is None else np.concatenate([part[1] for part in parts]))


def _reorder(path: Path, parts: list[Labelled], sequence: NDArray) -> list[Labelled]:
    """Rows of each part in the order that the sequence of classes prescribes."""
    n = sum(len(y) for _, y in parts)
    if len(sequence) != n:
        raise DataError(
            f"{path}: the sequence has {len(sequence)} samples, but the data have {n}. Choose a "
            "sequence of the same samples."
        )
    _, first, codes = np.unique(sequence, return_index=True, return_inverse=True)
    ranks = np.argsort(np.argsort(first))[codes]  # by first appearance
    ordered, start = [], 0
    for X, y in parts:
        order = ranks[start : start + len(y)]
        start += len(y)
        given = np.unique(y, return_inverse=True)[1]
        if not np.array_equal(np.bincount(given), np.bincount(order)):
            raise DataError(
                f"{path}: the sequence and the data have different class sizes. Choose a sequence "
                "of the same samples."
            )
        rows = np.empty(len(y), dtype=np.intp)
        rows[np.argsort(order, kind="stable")] = np.argsort(given, kind="stable")
        ordered.append((X[rows], y[rows]))
    return ordered
