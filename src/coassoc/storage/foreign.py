"""Arrays in HDF5 files of strangers."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from coassoc.errors import DataError
from coassoc.storage.files import open_file, read_features

__all__ = ["is_hdf5", "observation_columns", "read_arrays", "read_observations", "shape_of"]

#: No array of somebody else's file may be larger: a few bytes can promise any size.
MAX_ARRAY_BYTES = 4 * 1024**3


def is_hdf5(path: str | Path) -> bool:
    """Whether a file is HDF5, such as a MATLAB file of version 7.3."""
    return bool(h5py.is_hdf5(path))


def read_arrays(
    path: str | Path, names: Sequence[str], matlab: bool = False
) -> dict[str, NDArray | sp.csr_array]:
    """Read named arrays of an HDF5 file that somebody else wrote; those it lacks are left out.

    Parameters
    ----------
    path : path
    names : sequence of str
        Datasets, or groups that hold a sparse matrix.
    matlab : bool
        Whether MATLAB wrote the file: its arrays are stored with their axes reversed.
    """
    with open_file(path, None) as file:
        present = [name for name in names if name in file]
        for name in present:
            _check_foreign(path, file, name)
        return {name: _foreign_array(file[name], matlab) for name in present}


def _check_foreign(path: str | Path, file: Any, name: str) -> None:
    """Refuse what is no array, leads out of the file, or would fill the memory."""
    node = file[name]
    if node.file.filename != file.filename:
        raise DataError(f"{path}: {name} is a link to another file.")
    for part in node.values() if isinstance(node, h5py.Group) else [node]:
        if not isinstance(part, h5py.Dataset):
            raise DataError(f"{path}: {name} is neither an array nor a group of arrays.")
        if part.file.filename != file.filename:
            raise DataError(f"{path}: {name} is a link to another file.")
        if part.external or part.is_virtual:
            raise DataError(f"{path}: {name} takes its numbers from other files.")
        if part.nbytes > MAX_ARRAY_BYTES:
            raise DataError(f"{path}: {name} is larger than {MAX_ARRAY_BYTES} bytes.")


def _foreign_array(node: Any, matlab: bool) -> NDArray | sp.csr_array:
    if isinstance(node, h5py.Dataset):
        return node[()].T if matlab else node[()]
    if "MATLAB_sparse" in node.attrs:
        pointers = node["jc"][()]
        shape = (int(node.attrs["MATLAB_sparse"]), len(pointers) - 1)
        if "data" not in node:
            return sp.csr_array(shape)
        return sp.csr_array(sp.csc_array((node["data"][()], node["ir"][()], pointers), shape=shape))
    return read_features(node)


def shape_of(path: str | Path, name: str, matlab: bool = False) -> tuple[int, ...] | None:
    """Shape of an array of an HDF5 file, as :func:`read_arrays` gives it; None if there is none."""
    with open_file(path, None) as file:
        node = file.get(name)
        if not isinstance(node, h5py.Dataset):
            return None
        return tuple(node.shape[::-1] if matlab else node.shape)


def observation_columns(path: str | Path) -> list[str]:
    """Names of the columns of ``obs`` in an AnnData file.

    Raises
    ------
    DataError
        If the file has no such table.
    """
    with open_file(path, None) as file:
        return [_text(name) for name in _observations(path, file).attrs["column-order"]]


def read_observations(
    path: str | Path, names: Sequence[str]
) -> tuple[NDArray, list[tuple[NDArray, list[Any]]]]:
    """Columns of ``obs`` in an AnnData file, whether numbers, texts or categories.

    Parameters
    ----------
    path : path
    names : sequence of str
        Of :func:`observation_columns`.

    Returns
    -------
    samples : (n,) array of str
        Names of the samples.
    columns : list of (codes, values)
        For each column the place of every sample's value among the distinct values; None is the
        value where there is none.
    """
    with open_file(path, None) as file:
        table = _observations(path, file)
        index = _text(table.attrs["_index"])
        for name in (index, *names):
            _check_foreign(path, file, f"obs/{name}")
        samples = np.array([_text(each) for each in table[index][()]])
        return samples, [_observed(table, name) for name in names]


def _observations(path: str | Path, file: Any) -> Any:
    table = file.get("obs")
    if not isinstance(table, h5py.Group) or "column-order" not in table.attrs:
        raise DataError(f"{path}: there is no table obs, as AnnData writes it.")
    return table


def _observed(table: Any, name: str) -> tuple[NDArray, list[Any]]:
    node = table[name]
    if isinstance(node, h5py.Group) and "codes" in node:
        codes, values = node["codes"][()].astype(np.int64), node["categories"][()]
        # Samples without a category have the code −1.
        return np.where(codes < 0, len(values), codes), [*map(_plain, values), None]
    if isinstance(node, h5py.Group):
        values, codes = np.unique(node["values"][()], return_inverse=True)
        return np.where(node["mask"][()], len(values), codes), [*map(_plain, values), None]
    values, codes = np.unique(node[()], return_inverse=True)
    return codes, [_plain(value) for value in values]


def _plain(value: Any) -> Any:
    return _text(value) if isinstance(value, bytes) else value


def _text(value: Any) -> str:
    return value.decode() if isinstance(value, bytes) else str(value)
