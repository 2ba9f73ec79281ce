"""Named arrays in files of NumPy, HDF5 and MATLAB, whatever the version."""

import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coassoc.errors import DataError, message_of
from coassoc.tables.untrusted import MAX_BYTES, check_size, in_own_process


def _npy_array(path: Path, names: Sequence[str]) -> dict[str, NDArray]:
    """The one array of a file, under every name."""
    try:
        return dict.fromkeys(names, np.load(path, mmap_mode="r", allow_pickle=False))
    except (OSError, ValueError, EOFError) as error:
        raise DataError(f"{path}: not an array of NumPy ({message_of(error)}).") from error


def npz_arrays(path: Path, names: Sequence[str]) -> dict[str, NDArray]:
    """Arrays of a NumPy archive by name, without those that it lacks.

    A DataError is raised for a file that is no such archive, or holds objects or too large arrays.
    """
    try:
        with np.load(path, allow_pickle=False) as archive:
            for member in archive.zip.infolist():
                if member.file_size > MAX_BYTES:
                    raise DataError(f"{path}: {member.filename} is larger than {MAX_BYTES} bytes")
            return {name: archive[name] for name in names if name in archive}
    except DataError:
        raise
    except (AttributeError, OSError, ValueError, EOFError, zipfile.BadZipFile) as error:
        # An array alone (.npy) is no archive with names.
        raise DataError(
            f"{path}: not a NumPy archive of plain arrays ({message_of(error)})"
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
        raise DataError(f"{path}: there is no variable {missing[0]!r}")
    return arrays


def matlab_variables(path: Path, variables: Sequence[str]) -> dict[str, Any]:
    """As :func:`read_matlab`, without those that the file lacks."""
    if not path.is_file():
        raise DataError(f"{path}: there is no such file")
    from coassoc.tables.hdf5 import is_hdf5, read_arrays

    if is_hdf5(path):
        return in_own_process(read_arrays, path, variables, True)
    return in_own_process(_load_matlab, path, variables)


def _load_matlab(path: Path, variables: Sequence[str]) -> dict[str, Any]:
    """Variables of a MATLAB file before version 7.3."""
    import scipy.io

    try:
        for name, shape, kind in scipy.io.whosmat(path):
            if name in variables and kind != "sparse":
                check_size(path, name, shape)
        arrays = scipy.io.loadmat(path, variable_names=list(variables))
        return {name: arrays[name] for name in variables if name in arrays}
    except DataError:
        raise
    except Exception as error:  # loadmat raises many kinds for a file that is not its own
        raise DataError(f"{path}: not a whole MATLAB file ({message_of(error)})") from error


#: Readers of the arrays that a file has of some names, by what its name ends in.
ARRAYS: dict[str, Callable[[Path, Sequence[str]], dict[str, Any]]] = {
    ".npy": _npy_array,
    ".npz": npz_arrays,
    ".h5": hdf5_arrays,
    ".hdf5": hdf5_arrays,
    ".mat": matlab_variables,
}
