"""Arrays in HDF5 files from untrusted sources."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from coassoc.errors import DataError
from coassoc.storage.hdf5 import open_file, read_features
from coassoc.tables.untrusted import MAX_BYTES


def is_hdf5(path: str | Path) -> bool:
    """Whether a file is HDF5, such as a MATLAB file of version 7.3."""
    return bool(h5py.is_hdf5(path))


def read_arrays(
    path: str | Path, names: Sequence[str], matlab: bool = False
) -> dict[str, NDArray | sp.csr_array]:
    """Read named arrays of an HDF5 file that somebody else wrote; those it lacks are left out.

    They are datasets, or groups that hold a sparse matrix. MATLAB stores them with axes reversed.
    """
    with open_file(path, None) as file:
        present = [name for name in names if name in file]
        for name in present:
            _check_foreign(path, file, name)
        return {name: _foreign_array(file[name], matlab) for name in present}


def _check_foreign(path: str | Path, file: Any, name: str) -> None:
    """Refuse what is no array, or would fill the memory."""
    node = file[name]
    for part in node.values() if isinstance(node, h5py.Group) else [node]:
        if not isinstance(part, h5py.Dataset):
            raise DataError(f"{path}: {name} is neither an array nor a group of arrays.")
        if part.nbytes > MAX_BYTES:
            raise DataError(f"{path}: {name} is larger than {MAX_BYTES} bytes.")


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


def observation_columns(path: str | Path) -> list[str]:
    """Names of the columns of ``obs`` in an AnnData file, the names of the samples first."""
    with open_file(path, None) as file:
        return _columns(path, file, "obs")


def axis_names(path: str | Path) -> tuple[NDArray, NDArray]:
    """Names of the observations and the variables in an AnnData file."""

    def names(file: Any, axis: str) -> NDArray:
        index = _columns(path, file, axis)[0]
        return np.array([*map(_text, file[axis][index][()])], dtype=object)

    with open_file(path, None) as file:
        return names(file, "obs"), names(file, "var")


def _columns(path: str | Path, file: Any, axis: str) -> list[str]:
    """Names of the columns of a table, its index first; before anndata 0.7 it is one dataset."""
    table = file.get(axis)
    if isinstance(table, h5py.Dataset) and table.dtype.names:
        return list(table.dtype.names)
    if not isinstance(table, h5py.Group) or "column-order" not in table.attrs:
        raise DataError(f"{path}: there is no table {axis}, as AnnData writes it.")
    return [_text(table.attrs["_index"]), *map(_text, table.attrs["column-order"])]


def read_observations(path: str | Path, names: Sequence[str]) -> list[tuple[NDArray, NDArray]]:
    """Columns of ``obs`` in an AnnData file, whether numbers, texts or categories.

    For each of them, as :func:`observation_columns` names it, there are (n,) codes, the place of
    every sample's value among the distinct values, −1 where there is none, and these values; texts
    are bytes.
    """
    with open_file(path, None) as file:
        whole = isinstance(file["obs"], h5py.Dataset)
        for name in ["obs"] if whole else [f"obs/{name}" for name in names]:
            _check_foreign(path, file, name)
        return [_observed(file, name) for name in names]


def _observed(file: Any, name: str) -> tuple[NDArray, NDArray]:
    """Categories are in the column; in anndata 0.7 beside all columns, and before in ``uns``."""
    node = file["obs"][name]
    if isinstance(node, h5py.Group) and "codes" in node:
        return node["codes"][()].astype(np.int64), node["categories"][()]
    if isinstance(node, h5py.Group):
        values, codes = np.unique(node["values"][()], return_inverse=True)
        # A masked value may stand among the values without being any sample's.
        return np.where(node["mask"][()], -1, codes), values
    whole = isinstance(file["obs"], h5py.Dataset)
    categories = file.get(f"uns/{name}_categories" if whole else f"obs/__categories/{name}")
    if categories is not None:
        return node[()].astype(np.int64), categories[()]
    values, codes = np.unique(node[()], return_inverse=True)
    return codes, values


def _text(value: Any) -> str:
    return value.decode() if isinstance(value, bytes) else str(value)
