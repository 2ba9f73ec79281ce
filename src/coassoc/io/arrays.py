"""Arrays in untrusted files of NumPy, HDF5, MATLAB and Matrix Market, and tables of AnnData.

Only the content of the file itself is read, by compiled code in a child process. Sparse matrices
are checked before use, because compiled code does not check their pointers.
"""

import io
import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from coassoc.errors import DataError, message_of
from coassoc.io.text import kind_of, unpacked
from coassoc.io.untrusted import check_bytes, check_is_file, in_own_process

#: Largest number of arrays to list.
_MOST_LISTED = 100
#: Largest number of rows or columns of a sparse matrix.
_MOST_ROWS = 10**8


def read_arrays(path: Path, names: Sequence[str] | None, kind: str = "") -> dict[str, Any]:
    """The named arrays and CSR arrays that the file has; or the shapes of all arrays.

    "a/b" (in MATLAB files also "a.b") is b in the group or struct a. A cell array becomes an array
    of objects. The kind is ".npz", ".h5" and so on; by default it is the ending of the file name.
    """
    kind = kind or kind_of(path)
    if kind == ".npy":
        return {} if names is None else dict.fromkeys(names, _npy(path))
    if kind == ".npz":
        return _npz(path, names)
    if kind == ".mtx":
        return dict.fromkeys(names or (), in_own_process(_matrix_market, path))
    return in_own_process(_hdf5, path, names, kind == ".mat")


def read_matlab(path: Path, names: Sequence[str]) -> dict[str, Any]:
    """Like :func:`read_arrays`, for a MATLAB file that must have all of the variables."""
    check_is_file(path)
    arrays = read_arrays(path, names, ".mat")
    for name in names:
        if name not in arrays:
            raise DataError(f"{path}: variable {name!r} not found. Check the name of the variable.")
    return arrays


def choose_array(path: Path, requested: str | None, option: str, usual: str) -> tuple[str, Any]:
    """An array and its name: the requested, the usual, or the only array.

    `option` is the option for another array, for messages.
    """
    name = requested or usual
    array = read_arrays(path, [name]).get(name)
    if array is not None:
        return path.name if kind_of(path) in (".npy", ".mtx") else name, array
    shapes = read_arrays(path, None)
    if requested is None and len(shapes) == 1:
        return choose_array(path, next(iter(shapes)), option, usual)
    names = (name if name.isprintable() else repr(name) for name in shapes)
    listed = ", ".join(
        f"{name} ({' × '.join(map(str, shape))})" if len(shape) else name
        for name, shape in [*zip(names, shapes.values(), strict=True)][:20]
    )
    raise DataError(
        f"{path}: array {name!r} not found. Pass {option} with an array of the file: "
        f"{listed or 'there is none'}."
    )


def label_array(path: Path, name: str, array: Any) -> NDArray:
    """An array of labels with two axes. A cell of a cell array is a clustering or a label."""
    if isinstance(array, np.ndarray) and array.dtype.kind == "O":
        cells = [np.asarray(cell) for cell in array.flat]
        lengths = {cell.size for cell in cells}
        if lengths == {1}:
            array = np.array([cell.item() for cell in cells], dtype=object).reshape(array.shape)
            texts = all(isinstance(value, str | bytes) for value in array.flat)
            array = array.astype(str) if texts else array
        elif len(lengths) == 1 and all(max(cell.shape) == cell.size for cell in cells):
            array = np.column_stack([label_array(path, name, cell.ravel()) for cell in cells])
    shape = np.shape(array)
    if not isinstance(array, np.ndarray) or array.dtype.kind not in "iufbSU" or len(shape) > 2:
        raise DataError(
            f"{path}: labels are an array of samples × clusterings with numbers or strings, but "
            f"{name} has the shape {shape} and the type "
            f"{getattr(array, 'dtype', type(array).__name__)}. Save such an array, or combine maps "
            "of labels with --each-file=map."
        )
    if array.ndim < 2:
        return array.reshape(-1, 1)
    # MATLAB users store a clustering as a row vector as often as a column vector.
    is_row = path.suffix.lower() == ".mat" and array.shape[0] == 1
    return array.T if is_row else array


def checked_sparse(path: Any, name: str, parts: Sequence[Any], shape: Any, by: str) -> sp.csr_array:
    """A CSR array from checked data, indices and pointers in the format "csr" or "csc"."""
    data, *places = map(np.asarray, parts)
    sizes = np.asarray(shape).ravel().tolist()
    try:
        if data.dtype.kind not in "iufb" or any(part.dtype.kind not in "iu" for part in places):
            raise ValueError("values must be numbers, and indices integers")
        if len(sizes) != 2 or max(sizes) > _MOST_ROWS:
            raise ValueError(f"its shape is {sizes}")
        kind = {"csr": sp.csr_array, "csc": sp.csc_array}[by]
        matrix = kind((data, *(part.astype(np.int64) for part in places)), shape=(*sizes,))
        matrix.check_format()
        matrix.sum_duplicates()
    except (ValueError, TypeError, KeyError) as error:
        raise DataError(
            f"{path}: the sparse matrix {name} is damaged ({message_of(error)}). Write the file "
            "again."
        ) from error
    return sp.csr_array(matrix)


# -- NumPy ----------------------------------------------------------------------------------------


def _npy(path: Path) -> NDArray:
    """The array of a .npy file, whose values are read only when needed."""
    array: NDArray = np.load(path, mmap_mode="r", allow_pickle=False)
    if not isinstance(array, np.ndarray) or not array.dtype.itemsize:
        raise DataError(f"{path}: this NumPy array has no values. Write the file with numpy.save.")
    return array


def _npz(path: Path, names: Sequence[str] | None) -> dict[str, Any]:
    with np.load(path, allow_pickle=False) as archive:
        if names is None:
            return dict.fromkeys(archive.files, ())
        for member in archive.zip.infolist():
            check_bytes(path, member.filename, member.file_size)
        if {"format", "shape", "data"} <= {*archive.files}:  # a sparse matrix of SciPy
            kind = archive["format"].item()
            kind = kind.decode() if isinstance(kind, bytes) else str(kind)
            parts = [archive[key] for key in ("data", "indices", "indptr") if key in archive]
            parts += [np.empty(0, int)] * (3 - len(parts))
            matrix = checked_sparse(path, "in this file", parts, archive["shape"], kind)
            return dict.fromkeys(names, matrix)
        return {name: archive[name] for name in names if name in archive}


# -- Matrix Market --------------------------------------------------------------------------------


def _matrix_market(path: Path) -> Any:
    """An array, or a CSR array from coordinates."""
    import scipy.io

    content = unpacked(path)
    n, _, entries, form, field, symmetry = scipy.io.mminfo(io.BytesIO(content))
    if field == "complex":
        raise DataError(f"{path}: the numbers are complex. Write real numbers.")
    check_bytes(path, "the matrix", 8 * entries)
    if form == "array" and symmetry != "general":  # SciPy does not notice the end of such a file
        given = sum(1 for line in io.BytesIO(content) if line.strip() and line[:1] != b"%") - 1
        if given != (expected := n * (n + 1 if symmetry == "symmetric" else n - 1) // 2):
            raise DataError(
                f"{path}: the file has {given} of {expected} numbers. Copy or write it again."
            )
    matrix = scipy.io.mmread(io.BytesIO(content), spmatrix=False)
    return matrix if form == "array" else sp.csr_array(matrix)


# -- HDF5 -----------------------------------------------------------------------------------------


@contextmanager
def open_hdf5(path: Path) -> Iterator[Any]:
    """An HDF5 file, all of whose content is in the file itself."""
    import h5py

    def leads_out(name: str, link: Any) -> str | None:
        node: Any = file.get(name) if isinstance(link, h5py.HardLink) else None
        is_array = isinstance(node, h5py.Dataset)
        parts = node.virtual_sources() if is_array and node.is_virtual else ()
        outside = isinstance(link, h5py.ExternalLink) or any(p.file_name != "." for p in parts)
        return name if outside or (is_array and node.external) else None

    with h5py.File(path) as file:
        if name := file.visititems_links(leads_out):
            raise DataError(
                f"{path}: {name} is in another file, which is not read. Copy it into this file."
            )
        yield file


def _hdf5(path: Path, names: Sequence[str] | None, matlab: bool) -> dict[str, Any]:
    import h5py

    if matlab and not h5py.is_hdf5(path):
        return _mat(path, names)
    with open_hdf5(path) as file:
        if names is None:
            return _shapes_below(file)
        arrays = {}
        for name in names:
            node = file.get(name)
            if node is None and matlab:
                node = file.get(name.replace(".", "/"))
            if node is not None:
                arrays[name] = _hdf5_array(path, node, name, matlab)
        return arrays


def _shapes_below(node: Any) -> dict[str, Sequence[int]]:
    import h5py

    shapes: dict[str, Sequence[int]] = {}

    def note(name: str, part: Any) -> Any:
        if isinstance(part, h5py.Dataset) and not name.startswith("#"):  # MATLAB's own
            shapes[name] = part.shape or ()
        return len(shapes) > _MOST_LISTED or None

    node.visititems(note)
    return shapes


def _hdf5_array(path: Path, node: Any, name: str, matlab: bool) -> Any:
    import h5py

    if isinstance(node, h5py.Dataset):
        values = _values(path, node, name)
        return values.T if matlab else values
    keys = {*node} if isinstance(node, h5py.Group) else set()
    if "MATLAB_sparse" in node.attrs and keys >= {"jc"}:
        pointers = _values(path, node["jc"], name)
        parts = [_values(path, node[key], name) if key in keys else [] for key in ("data", "ir")]
        parts = [part if len(part) else np.empty(0, np.int64) for part in parts]
        shape = (int(node.attrs["MATLAB_sparse"]), len(pointers) - 1)
        return checked_sparse(path, name, [*parts, pointers], shape, "csc")
    if keys >= {"data", "indices", "indptr"} and all(
        isinstance(node[k], h5py.Dataset) for k in keys
    ):
        parts = [_values(path, node[key], name) for key in ("data", "indices", "indptr")]
        by = "csc" if str(node.attrs.get("encoding-type", "")).startswith("csc") else "csr"
        return checked_sparse(path, name, parts, node.attrs.get("shape", ()), by)
    members = [f"{name}/{key}" for key in _shapes_below(node)] if keys else []
    raise DataError(
        f"{path}: {name} is neither an array nor a sparse matrix. Choose one of its arrays "
        f"({', '.join(members) or 'there is none'})."
    )


def _values(path: Path, node: Any, name: str) -> Any:
    """Content of a dataset, with references replaced by the datasets that they name."""
    import h5py

    if not isinstance(node, h5py.Dataset):
        raise DataError(f"{path}: {name} is not an array. Choose an array of the file.")
    check_bytes(path, name, node.nbytes or 0)
    values = node[()]
    if isinstance(values, h5py.Empty):
        return np.empty(0)
    if h5py.check_ref_dtype(node.dtype) is None:
        return values
    cells = np.empty(values.shape, dtype=object)
    for at, reference in np.ndenumerate(values):
        cell = node.file[reference] if reference else None
        if not isinstance(cell, h5py.Dataset):
            raise DataError(f"{path}: {name} has a cell that is not an array.")
        check_bytes(path, name, (cell.nbytes or 0) * values.size)
        content = cell[()]
        text = cell.attrs.get("MATLAB_class") == b"char"
        cells[at] = "".join(map(chr, np.ravel(content))) if text else content
    return cells


# -- AnnData --------------------------------------------------------------------------------------


def observations(path: Path, names: Sequence[str] | None = None, axis: str = "obs") -> list[Any]:
    """Names of the columns of a table, its index first; or the named columns.

    A column consists of values and codes, with −1 for a missing value. anndata is not used, because
    its versions for pandas 3 conflict with other pinned versions.
    """
    return in_own_process(_observations, path, names, axis)


def read_cells(path: Path, name: str = "X") -> tuple[Any, NDArray, NDArray | None]:
    """X, a layer ("layers/…") or an array of obsm ("obsm/…"); names of the cells and the genes."""
    X = read_arrays(path, [name], ".h5").get(name)
    if X is None:
        known = [each for each in read_arrays(path, None, ".h5") if each.count("/") < 2]
        known = [each for each in known if each.startswith(("X", "layers/", "obsm/"))]
        raise DataError(f"{path}: no array {name}. The file has {', '.join(known) or 'none'}.")
    names: list[Any] = []
    is_obsm = name.startswith("obsm/")
    for axis in ("obs",) if is_obsm else ("obs", "var"):
        ((codes, values),) = observations(path, observations(path, None, axis)[:1], axis)
        texts = [v.decode() if isinstance(v, bytes) else str(v) for v in values]
        names.append(np.array([*texts, ""], dtype=object)[codes])
    names += [np.array([f"{name[5:]} {j + 1}" for j in range(X.shape[1])], object)] * is_obsm
    if X.shape != (len(names[0]), len(names[1])):
        raise DataError(f"{path}: {name} does not have as many rows and columns as obs and var.")
    return (X, *names)


def _observations(path: Path, names: Sequence[str] | None, axis: str) -> list[Any]:
    import h5py

    with open_hdf5(path) as file:
        table = file.get(axis)
        if not isinstance(table, h5py.Group) or not {"_index", "column-order"} <= {*table.attrs}:
            raise DataError(f"{path}: no table {axis} of AnnData 0.7 or later. Write it again.")
        if names is None:
            given = [table.attrs["_index"], *table.attrs["column-order"]]
            return [name.decode() if isinstance(name, bytes) else str(name) for name in given]
        return [_observation(path, table, name) for name in names]


def _observation(path: Path, table: Any, name: str) -> tuple[NDArray, Any]:
    """Codes and values; categories are in the column, or next to all columns (AnnData 0.7)."""
    import h5py

    node = table.get(name)
    if isinstance(node, h5py.Group):
        parts = {key: _values(path, node[key], name) for key in node}
        if {"codes", "categories"} <= {*parts}:
            return _codes(path, name, parts["codes"], parts["categories"])
        if {"values", "mask"} <= {*parts} and len(parts["values"]) == len(parts["mask"]):
            values, codes = np.unique(parts["values"], return_inverse=True)
            return np.where(parts["mask"], -1, codes), values
        raise DataError(f"{path}: column {name!r} has no strings, numbers or categories.")
    if node is None:
        raise DataError(f"{path}: {table.name} has no column {name!r}. Check its name.")
    found, categories = _values(path, node, name), table.get(f"__categories/{name}")
    if categories is not None:
        return _codes(path, name, found, _values(path, categories, name))
    values, codes = np.unique(found, return_inverse=True)
    return codes, values


def _codes(path: Path, name: str, codes: NDArray, values: NDArray) -> tuple[NDArray, Any]:
    if (
        codes.dtype.kind not in "iu"
        or codes.min(initial=0) < -1
        or codes.max(initial=-1) >= len(values)
    ):
        raise DataError(f"{path}: column {name!r} has codes that belong to no category.")
    return codes.astype(np.int64), values


# -- MATLAB before version 7.3 --------------------------------------------------------------------


def _mat(path: Path, names: Sequence[str] | None) -> dict[str, Any]:
    import scipy.io

    variables = scipy.io.whosmat(path)
    if names is None:
        return {name: shape for name, shape, _ in variables}
    for name, shape, kind in variables:
        if kind != "sparse":
            check_bytes(path, name, 8 * math.prod(shape))
    roots = [name.replace("/", ".").split(".")[0] for name in names]
    arrays = scipy.io.loadmat(path, variable_names=roots)
    fields = {name: _field(path, arrays, name) for name in names}
    for name, array in fields.items():
        if sp.issparse(array):
            parts = (array.data, array.indices, array.indptr)
            fields[name] = checked_sparse(path, name, parts, array.shape, array.format)
    return {name: array for name, array in fields.items() if array is not None}


def _field(path: Path, arrays: dict[str, Any], name: str) -> Any:
    """A variable, or a field of a struct; of several structs, the cells of their fields."""
    root, *fields = name.replace("/", ".").split(".")
    array = arrays.get(root)
    for field in fields:
        if array is None or field not in (array.dtype.names or ()):
            return None
        array = array[field]
        array = array.flat[0] if array.size == 1 else array
    if array is not None and array.dtype.names:
        held = ", ".join(f"{name}.{field}" for field in array.dtype.names)
        raise DataError(
            f"{path}: {name} is a struct. Choose one of the struct's fields as the variable "
            f"({held})."
        )
    return array
