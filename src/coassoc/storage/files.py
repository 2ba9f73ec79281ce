"""HDF5 files that appear only when they are whole, and what every one of them holds."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from coassoc.errors import DataError
from coassoc.storage.whole import write_whole

__all__ = [
    "create",
    "new_file",
    "open_file",
    "read_attributes",
    "read_features",
    "write_attributes",
]


@contextmanager
def new_file(path: str | Path, kind: str) -> Iterator[h5py.File]:
    """A new HDF5 file that takes its name only when it is complete.

    It is made in memory: where a disk is full, the HDF5 library fails in ways that cannot be
    caught, and Python does not.
    """
    with h5py.File.in_memory(libver=("v108", "v110")) as file:
        file.attrs["coassoc_file"] = kind
        yield file
        file.flush()
        image = file.id.get_file_image()
    write_whole(path, image)


@contextmanager
def open_file(path: str | Path, kind: str | None) -> Iterator[h5py.File]:
    """An HDF5 file for reading, of one of our kinds or (None) of anybody's."""
    if not Path(path).exists():
        raise DataError(f"{path}: there is no such file.")
    try:
        file = h5py.File(path, "r")
    except OSError as error:
        raise DataError(
            f"{path}: not a whole HDF5 file ({_reason(error)}); delete it and make it again."
        ) from error
    with file:
        if kind is not None and file.attrs.get("coassoc_file") != kind:
            raise DataError(f"{path}: this HDF5 file is not a {kind} written by coassoc.")
        try:
            yield file
        except DataError:
            raise
        except (KeyError, OSError, RuntimeError, TypeError, ValueError) as error:
            raise DataError(
                f"{path}: the {kind or 'file'} is damaged ({_reason(error)}); "
                "delete it and make it again."
            ) from error


def _reason(error: Exception) -> str:
    strerror = getattr(error, "strerror", None)
    return (strerror or str(error)).strip().rstrip(".")


def create(group: Any, name: str, values: NDArray) -> None:
    """Store an array, compressed unless it is small."""
    compression = {"compression": "gzip", "compression_opts": 4} if values.size > 1000 else {}
    group.create_dataset(name, data=values, track_times=False, **compression)


def read_features(node: Any) -> Any:
    """Features from their node: a dense array, or a group that holds a sparse one."""
    if isinstance(node, h5py.Dataset):
        return node[()]
    parts = tuple(node[name][()] for name in ("data", "indices", "indptr"))
    return sp.csr_array(parts, shape=tuple(node.attrs["shape"]))


def write_attributes(file: h5py.File, attributes: Mapping[str, Any]) -> None:
    """Store attributes; those that HDF5 has no type for as JSON."""
    for name, value in attributes.items():
        plain = isinstance(value, (str, int, float, np.number, np.bool_, bool))
        file.attrs[name] = value if plain else json.dumps(value, sort_keys=True)


def read_attributes(file: h5py.File) -> dict[str, Any]:
    """Attributes of a file as they were given to :func:`write_attributes`."""
    attributes = {}
    for name, value in file.attrs.items():
        if name == "coassoc_file":
            continue
        attributes[name] = value.item() if isinstance(value, np.generic) else value
    return attributes
