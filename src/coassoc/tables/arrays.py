"""Named arrays in files of NumPy, HDF5 and MATLAB, whatever the version."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coassoc.errors import DataError, message_of
from coassoc.tables.untrusted import NotAnArray, check_bytes, check_size, in_own_process

__all__ = ["as_columns", "find_array", "hdf5_arrays", "npz_arrays", "read_matlab"]


def npy_array(path: Path) -> NDArray:
    """The array of a .npy file, of which nothing is read yet; a DataError if it is none."""
    try:
        array: NDArray = np.load(path, mmap_mode="r", allow_pickle=False)
    except Exception as error:  # a damaged head is parsed as Python, and fails in many ways
        raise DataError(f"{path}: not an array of NumPy ({message_of(error)}).") from error
    if not isinstance(array, np.ndarray) or not array.dtype.itemsize:
        raise DataError(f"{path}: not an array of NumPy with values.")
    return array


def _npy_array(path: Path, names: Sequence[str]) -> dict[str, NDArray]:
    """The one array of a file, under every name."""
    return dict.fromkeys(names, npy_array(path))


def npz_arrays(path: Path, names: Sequence[str]) -> dict[str, NDArray]:
    """Arrays of a NumPy archive by name, without those that it lacks.

    A DataError is raised for a file that is no such archive, or holds objects or too large arrays.
    """
    try:
        with np.load(path, allow_pickle=False) as archive:
            for member in archive.zip.infolist():
                check_bytes(path, member.filename, member.file_size)
            if {"format", "shape", "data"} <= {*archive.files}:  # a sparse matrix of SciPy
                from scipy.sparse import csr_array, load_npz

                return dict.fromkeys(names, csr_array(load_npz(path)))
            return {name: archive[name] for name in names if name in archive}
    except DataError:
        raise
    except Exception as error:  # an array alone (.npy) is no archive, and damaged ones are many
        raise DataError(
            f"{path}: not a NumPy archive of plain arrays ({message_of(error)})."
        ) from error


def hdf5_arrays(path: Path, names: Sequence[str]) -> dict[str, Any]:
    """Arrays of an HDF5 file by name, without those that it lacks."""
    from coassoc.tables.hdf5 import read_arrays

    return in_own_process(read_arrays, path, names)


def read_matlab(path: Path, variables: Sequence[str]) -> dict[str, Any]:
    """Variables of a MATLAB file as arrays or CSR arrays; a cell array is an array of objects.

    A DataError is raised if the file is damaged or lacks one of them.
    """
    arrays = matlab_variables(path, variables)
    missing = [name for name in variables if name not in arrays]
    if missing:
        raise DataError(f"{path}: there is no variable {missing[0]!r}.")
    return arrays


def matlab_variables(path: Path, variables: Sequence[str]) -> dict[str, Any]:
    """As :func:`read_matlab`, without those that the file lacks; "a.b" is the field b of a."""
    if not path.is_file():
        raise DataError(f"{path}: there is no such file.")
    from coassoc.tables.hdf5 import is_hdf5, read_arrays

    if is_hdf5(path):
        return in_own_process(read_arrays, path, variables, True)
    return in_own_process(_load_matlab, path, variables)


def _load_matlab(path: Path, variables: Sequence[str]) -> dict[str, Any]:
    """Variables of a MATLAB file before version 7.3."""
    import scipy.io

    try:
        for name, shape, kind in scipy.io.whosmat(path):
            if kind != "sparse":
                check_size(path, name, shape)
        roots = [name.replace("/", ".").split(".")[0] for name in variables]
        arrays = scipy.io.loadmat(path, variable_names=roots)
        fields = (_field(path, arrays, name) for name in variables)
        return {
            name: array for name, array in zip(variables, fields, strict=True) if array is not None
        }
    except DataError:
        raise
    except Exception as error:  # loadmat raises many kinds for a file that is not its own
        raise DataError(f"{path}: not a whole MATLAB file ({message_of(error)}).") from error


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
        raise NotAnArray(path, name, [f"{name}.{field}" for field in array.dtype.names])
    return array


def _held_by_npz(path: Path) -> dict[str, Sequence[int]]:
    try:
        with np.load(path, allow_pickle=False) as archive:
            return dict.fromkeys(archive.files, ())
    except Exception as error:
        raise DataError(f"{path}: not an archive of NumPy ({message_of(error)}).") from error


def _held_by_hdf5(path: Path) -> dict[str, Sequence[int]]:
    from coassoc.tables.hdf5 import array_shapes

    return in_own_process(array_shapes, path)


def _held_by_matlab(path: Path) -> dict[str, Sequence[int]]:
    from coassoc.tables.hdf5 import is_hdf5

    return _held_by_hdf5(path) if is_hdf5(path) else in_own_process(_matlab_shapes, path)


def _matlab_shapes(path: Path) -> dict[str, Sequence[int]]:
    import scipy.io

    return {name: shape for name, shape, _ in scipy.io.whosmat(path)}


#: By what the name of a file ends in, what reads arrays of some names, and what tells all names
#: and the sizes, where these are known.
ARRAYS: dict[str, tuple[Callable[..., dict[str, Any]], Callable[..., dict[str, Sequence[int]]]]] = {
    ".npy": (_npy_array, lambda path: {}),
    ".npz": (npz_arrays, _held_by_npz),
    ".h5": (hdf5_arrays, _held_by_hdf5),
    ".hdf5": (hdf5_arrays, _held_by_hdf5),
    ".mat": (matlab_variables, _held_by_matlab),
}


def find_array(path: Path, wanted: str | None, said: str, usual: str = "labels") -> tuple[str, Any]:
    """An array and its name: the one that is wanted, the usual one, or the only one.

    Parameters
    ----------
    path : path
    wanted : str or None
    said : str
        How a user names another one, for messages.
    usual : str

    Raises
    ------
    DataError
        If there is no such array, with those that are there.
    """
    read, held = ARRAYS[path.suffix.lower()]
    name = path.name if path.suffix.lower() == ".npy" else wanted or usual
    try:
        array = read(path, [name]).get(name)
        if array is not None:
            return name, array
        shapes = held(path)
        if wanted is None and len(shapes) == 1:
            (name,) = shapes
            return name, read(path, [name])[name]
    except NotAnArray as error:
        raise DataError(f"{error} Say {said} with one of these.") from error
    listed = ", ".join(
        f"{name} ({' × '.join(map(str, shape))})" if len(shape) else name
        for name, shape in [*shapes.items()][:20]
    )
    raise DataError(
        f"{path}: there is no array {name!r}; say {said} with one of these: {listed or 'none'}."
    )


def as_columns(path: Path, name: str, array: Any) -> Any:
    """An array of labels with two axes; of cells, each is a clustering or a label.

    Raises
    ------
    DataError
        If it is none.
    """
    if isinstance(array, np.ndarray) and array.dtype.kind == "O":
        cells = [np.asarray(cell) for cell in array.flat]
        lengths = {cell.size for cell in cells}
        if lengths == {1}:
            array = np.array([cell.item() for cell in cells], dtype=object).reshape(array.shape)
            texts = all(isinstance(value, str | bytes) for value in array.flat)
            array = array.astype(str) if texts else array
        elif len(lengths) == 1 and all(max(cell.shape) == cell.size for cell in cells):
            array = np.column_stack([as_columns(path, name, cell.ravel()) for cell in cells])
        else:
            sizes = ", ".join(" × ".join(map(str, cell.shape)) for cell in cells[:5])
            raise DataError(
                f"{path}: {name} has cells of {sizes}, …; they are clusterings if all have one "
                "label for each sample."
            )
    if not isinstance(array, np.ndarray) or array.dtype.kind not in "iufbSU":
        kind = getattr(array, "format", None) or getattr(array, "dtype", type(array).__name__)
        raise DataError(f"{path}: {name} is of type {kind}, not labels.")
    if array.ndim == 1:
        return array[:, None]
    # A clustering is a row vector in MATLAB as often as a column.
    if array.ndim == 2 and path.suffix.lower() == ".mat" and array.shape[0] == 1:
        return array.T
    if array.ndim != 2:
        raise DataError(f"{path}: {name} has {array.ndim} axes; it must have rows and columns.")
    return array
