"""Pools published by authors."""

import warnings
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from coassoc.bench.datasets.registry import DataSource
from coassoc.bench.pools.settings import PoolSettings
from coassoc.bench.storage.records import Pool, encode_classes
from coassoc.ensemble import Ensemble
from coassoc.errors import DataError
from coassoc.io.arrays import read_matlab
from coassoc.numerics.integers import smallest_unsigned


def read_published(
    source: DataSource, paths: Sequence[str | Path]
) -> tuple[NDArray, NDArray | None]:
    """Base clusterings and classes of a published pool.

    The source's arguments ``labels`` and ``classes`` name MATLAB variables. The labels are an
    (n, M) matrix, or a cell array of M columns or of M 0/1 membership matrices. The classes come
    from the file with role "classes" if there is one.

    Returns
    -------
    labels : (n, M) array
        Each column relabelled to 0 … k−1.
    y : (n,) array or None
        Classes in order of first appearance.
    """
    by_role = dict(zip((file.role for file in source.files), map(Path, paths), strict=True))
    variable, classes = source.arguments.get("labels", "members"), source.arguments.get("classes")
    path = by_role["data"]
    members = read_matlab(path, [variable])[variable]
    try:
        with warnings.catch_warnings(action="ignore"):  # the catalogue knows the orientation
            labels = Ensemble(_as_matrix(members)).labels
    except ValueError as error:
        raise DataError(f"{path}: {variable}: {error}") from error
    if classes is None:
        return smallest_unsigned(labels), None
    where = by_role.get("classes", path)
    y, _ = encode_classes(read_matlab(where, [classes])[classes])
    if len(y) != len(labels):
        raise DataError(
            f"{path}: {variable} has {len(labels)} samples, but {classes} has {len(y)}. Choose "
            "variables with the same samples."
        )
    return smallest_unsigned(labels), y


def _as_matrix(members: NDArray) -> NDArray:
    """An (n, M) label matrix from a matrix or from a cell array of columns or memberships."""
    if members.dtype != object:
        return members
    columns = [np.asarray(cell) for cell in members.ravel()]
    if any(1 not in cell.shape for cell in columns):
        return np.column_stack([cell.argmax(axis=1) for cell in columns])
    return np.column_stack([cell.ravel() for cell in columns])


def import_pool(
    source: DataSource,
    paths: Sequence[str | Path],
    settings: PoolSettings,
    *,
    name: str,
    seed: int = 0,
    origin: str = "",
) -> Pool:
    """A published pool with new draws, because the authors' draws are not public.

    The name of the data set is part of the seeds of the draws. `origin` says where the file came
    from.
    """
    labels, y = read_published(source, paths)
    if settings.size not in (None, labels.shape[1]):
        raise DataError(
            f"{paths[0]}: there are {labels.shape[1]} base clusterings, but the pool "
            f"{settings.name} has the size {settings.size}. Correct the size in the catalogue."
        )
    made = f"published by others; base clusterings relabelled to 0 … k-1 ({origin})"
    return settings.complete(Pool(labels, y, {}, {"made": made, "source": origin}), name, seed)
