"""Arrays in HDF5 files from untrusted sources: nothing is read that is not in the file itself."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from coassoc.errors import DataError
from coassoc.storage.hdf5 import open_file
from coassoc.tables.untrusted import NotAnArray, check_bytes

#: So many links lead on from one another.
_MOST_LINKS = 20
#: So many arrays are listed.
_MOST_LISTED = 100


def is_hdf5(path: str | Path) -> bool:
    """Whether a file is HDF5, such as a MATLAB file of version 7.3."""
    return bool(h5py.is_hdf5(path))


def read_arrays(
    path: str | Path, names: Sequence[str], matlab: bool = False
) -> dict[str, NDArray | sp.csr_array]:
    """Read named arrays of an HDF5 file that somebody else wrote; those it lacks are left out.

    They are datasets, or groups that hold a sparse matrix; "a/b", of MATLAB also "a.b", is b in the
    group a. MATLAB stores them with axes reversed; its cells become an array of arrays.
    """
    with open_file(path, None) as file:
        found = {}
        for name in names:
            node = _node(path, file, name)
            if node is None and matlab:
                node = _node(path, file, name.replace(".", "/"))
            if node is not None:
                found[name] = _foreign_array(path, node, name, matlab)
        return found


def array_shapes(path: str | Path) -> dict[str, Sequence[int]]:
    """Names of the arrays in a file, and their shapes."""
    with open_file(path, None) as file:
        return _arrays_below(file)


def _arrays_below(node: Any) -> dict[str, Sequence[int]]:
    shapes: dict[str, Sequence[int]] = {}

    def note(name: str, part: Any) -> Any:
        if isinstance(part, h5py.Dataset) and not name.startswith("#"):  # MATLAB's own
            shapes[name] = part.shape or ()
        return len(shapes) > _MOST_LISTED or None

    if isinstance(node, h5py.Group):
        node.visititems(note)  # follows no link out of the file
    return shapes


def _node(path: str | Path, parent: Any, name: str, links: int = 0) -> Any:
    """A dataset or group by its name below another one, or None.

    Links to other files, arrays whose values are in other files, and endless links are refused.
    """
    for part in filter(None, name.split("/")):
        link = parent.get(part, getlink=True) if isinstance(parent, h5py.Group) else None
        if link is None:
            return None
        if isinstance(link, h5py.ExternalLink) or links > _MOST_LINKS:
            raise DataError(f"{path}: {name} is a link that leads out of the file, or nowhere.")
        if isinstance(link, h5py.SoftLink):
            root = parent.file if link.path.startswith("/") else parent
            parent = _node(path, root, link.path, links + 1)
        else:
            parent = parent[part]
    if isinstance(parent, h5py.Dataset) and (parent.external or parent.is_virtual):
        raise DataError(f"{path}: the values of {name} are in another file; only this one is read.")
    return parent


def _parts(path: str | Path, node: Any, name: str) -> dict[str, Any]:
    """The datasets of a group."""
    parts = {key: _node(path, node, key) for key in node}
    if not all(isinstance(part, h5py.Dataset) for part in parts.values()):
        raise NotAnArray(path, name)
    return {key: _values(path, part, f"{name}/{key}") for key, part in parts.items()}


def _values(path: str | Path, node: Any, name: str) -> Any:
    """What a dataset holds; references to others become these."""
    check_bytes(path, name, node.nbytes or 0)
    values = node[()]
    if isinstance(values, h5py.Empty):
        raise DataError(f"{path}: {name} is empty.")
    if h5py.check_ref_dtype(node.dtype) is None:
        return values
    cells = np.empty(values.shape, dtype=object)
    for place, reference in np.ndenumerate(values):
        cell = node.file[reference] if reference else None
        if not isinstance(cell, h5py.Dataset) or cell.external or cell.is_virtual:
            raise DataError(f"{path}: {name} has a cell that is no array.")
        check_bytes(path, name, (cell.nbytes or 0) * values.size)
        content = cell[()]
        if cell.attrs.get("MATLAB_class") == b"char":
            content = "".join(map(chr, np.ravel(content)))
        cells[place] = content
    return cells


def _foreign_array(path: str | Path, node: Any, name: str, matlab: bool) -> NDArray | sp.csr_array:
    if isinstance(node, h5py.Dataset):
        values = _values(path, node, name)
        return values.T if matlab else values
    if "MATLAB_sparse" in node.attrs:
        parts = _parts(path, node, name)
        pointers = parts["jc"]
        shape = (int(node.attrs["MATLAB_sparse"]), len(pointers) - 1)
        if "data" not in parts:
            return sp.csr_array(shape)
        return sp.csr_array(sp.csc_array((parts["data"], parts["ir"], pointers), shape=shape))
    if isinstance(node, h5py.Group) and {*node} >= {"data", "indices", "indptr"}:
        parts = _parts(path, node, name)
        sparse = parts["data"], parts["indices"], parts["indptr"]
        by_columns = str(node.attrs.get("encoding-type", "")).startswith("csc")
        kind = sp.csc_array if by_columns else sp.csr_array
        return sp.csr_array(kind(sparse, shape=tuple(node.attrs["shape"])))
    raise NotAnArray(path, name, [f"{name}/{key}" for key in _arrays_below(node)])


def observation_columns(path: str | Path) -> list[str]:
    """Names of the columns of ``obs`` in an AnnData file, the names of the samples first."""
    with open_file(path, None) as file:
        return _columns(path, file, "obs")


def axis_names(path: str | Path) -> tuple[NDArray, NDArray]:
    """Names of the observations and the variables in an AnnData file."""

    def names(file: Any, axis: str) -> NDArray:
        codes, values = _column(path, file, axis, _columns(path, file, axis)[0])
        return np.array([*map(_text, values)], dtype=object)[codes]

    with open_file(path, None) as file:
        return names(file, "obs"), names(file, "var")


def read_observations(path: str | Path, names: Sequence[str]) -> list[tuple[NDArray, NDArray]]:
    """Columns of ``obs`` in an AnnData file, whether numbers, texts or categories.

    For each of them, as :func:`observation_columns` names it, there are (n,) codes, the place of
    every sample's value among the distinct values, −1 where there is none, and these values; texts
    are bytes.
    """
    with open_file(path, None) as file:
        return [_column(path, file, "obs", name) for name in names]


def _columns(path: str | Path, file: Any, axis: str) -> list[str]:
    """Names of the columns of a table, its index first; before anndata 0.7 it is one dataset."""
    table = _node(path, file, axis)
    if isinstance(table, h5py.Dataset) and table.dtype.names:
        return list(table.dtype.names)
    if not isinstance(table, h5py.Group) or not {"_index", "column-order"} <= {*table.attrs}:
        raise DataError(f"{path}: there is no table {axis}, as AnnData writes it.")
    return [_text(table.attrs["_index"]), *map(_text, table.attrs["column-order"])]


def _column(path: str | Path, file: Any, axis: str, name: str) -> tuple[NDArray, NDArray]:
    """Codes and values; categories are in the column, beside all columns (0.7), or in ``uns``."""
    table = _node(path, file, axis)
    node = _node(path, file, f"{axis}/{name}")
    if isinstance(node, h5py.Group):
        parts = _parts(path, node, name)
        if "codes" in parts:
            return parts["codes"].astype(np.int64), parts["categories"]
        values, codes = np.unique(parts["values"], return_inverse=True)
        # A masked value may stand among the values without being any sample's.
        return np.where(parts["mask"], -1, codes), values
    whole = isinstance(table, h5py.Dataset)
    if not whole and node is None:
        raise DataError(f"{path}: {axis} has no column {name!r}.")
    found = _values(path, table, axis)[name] if whole else _values(path, node, name)
    place = f"uns/{name}_categories" if whole else f"{axis}/__categories/{name}"
    categories = _node(path, file, place)
    if categories is not None:
        return found.astype(np.int64), _values(path, categories, place)
    values, codes = np.unique(found, return_inverse=True)
    return codes, values


def _text(value: Any) -> str:
    return value.decode() if isinstance(value, bytes) else str(value)
