"""Reading and writing HDF5: data sets, pools and runs. Nothing else touches h5py.

Every file opens with ``h5ls``, h5py or MATLAB without this code; attributes say what a column is.
A file appears under its name only when it is whole: it is written beside it and renamed.

==========  =====================================================================================
file        content
==========  =====================================================================================
data set    ``X`` (n × d dataset, or a group with ``data``, ``indices``, ``indptr`` and attribute
            ``shape``), ``y`` (n integers, optional), attributes: title, source, licence,
            citation, fingerprint
pool        ``labels`` (pool size × n, smallest unsigned integers), ``n_clusters``, ``y``,
            ``draws/m{m}`` (repeats × m: which base clusterings; attribute ``distinct_rows``),
            attributes: how it was made
run         ``labels`` (points × repeats × n, −1 where a repeat failed); ``seconds``,
            ``cpu_seconds``, ``peak_mb``, ``n_iter``, ``converged``, ``n_clusters_found``,
            ``similarity_norm`` and ``status`` (points × repeats);
            ``history/point{p}/repeat{r}/{quantity}``; attributes: ``points`` (the parameters of
            each point), method, pool, seed, versions, hash of the source files
==========  =====================================================================================
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from coassoc.errors import DataError

__all__ = [
    "MEASURES",
    "Dataset",
    "DrawSizes",
    "Pool",
    "RepeatResult",
    "Run",
    "RunJournal",
    "draw_sizes",
    "fingerprint",
    "is_hdf5",
    "read_arrays",
    "read_dataset",
    "read_draws",
    "read_pool",
    "read_run",
    "smallest_unsigned",
    "write_dataset",
    "write_pool",
    "write_run",
]


@dataclass
class Dataset:
    """Features and classes of n samples.

    Attributes
    ----------
    X : (n, d) float array or CSR array
    y : (n,) integer array or None
        Classes 0 … c−1.
    attributes : dict
        title, source, licence, citation, …
    """

    X: Any
    y: NDArray | None
    attributes: dict[str, Any] = field(default_factory=dict)


@dataclass
class Pool:
    """Base clusterings of one data set and the draws that all methods share.

    Attributes
    ----------
    labels : (n, M) unsigned integer array
        One base clustering per column.
    y : (n,) integer array or None
        Classes, in the order of the pool's samples.
    draws : dict of int to (repeats, m) integer array
        For each ensemble size m, the base clusterings of each repeat.
    attributes : dict
        How the pool was made.
    """

    labels: NDArray
    y: NDArray | None
    draws: dict[int, NDArray] = field(default_factory=dict)
    attributes: dict[str, Any] = field(default_factory=dict)

    @property
    def n_classes(self) -> int:
        """Number of classes.

        Raises
        ------
        DataError
            If the classes are unknown.
        """
        if self.y is None:
            raise DataError(
                "The data set has no classes: give the number of clusters as its key 'classes' "
                "in config/datasets.yaml."
            )
        return len(np.unique(self.y))


@dataclass(frozen=True)
class DrawSizes:
    """How large the ensembles of a pool are, for one ensemble size.

    Attributes
    ----------
    n_samples : int
        n.
    distinct_rows : int
        n', the number of microclusters in the draw that has most.
    repeats : int
        Number of draws.
    """

    n_samples: int
    distinct_rows: int
    repeats: int


@dataclass
class RepeatResult:
    """Outcome of one repeat of a run; `status` is "ok" or "skipped: reason"."""

    labels: NDArray | None
    seconds: float = float("nan")
    cpu_seconds: float = float("nan")
    peak_mb: float = float("nan")
    n_iter: int = 0
    converged: bool = True
    n_clusters_found: int = 0
    similarity_norm: float = float("nan")
    status: str = "ok"
    history: dict[str, NDArray] = field(default_factory=dict)


@dataclass
class Run:
    """All repeats of one method on one pool, for one or more points of its parameters.

    Attributes
    ----------
    points : list of dict
        Parameters of each point.
    results : list of list of RepeatResult
        For each point its repeats.
    attributes : dict
        What made the run.
    """

    points: list[dict[str, Any]]
    results: list[list[RepeatResult]]
    attributes: dict[str, Any] = field(default_factory=dict)


def fingerprint(*arrays: Any) -> str:
    """Short hash of the values and shapes of arrays, independent of file format and integer width.

    Floating-point numbers count with six significant digits, so that neither a round trip through
    text nor the last bits of another machine's logarithm change the fingerprint; sparse and dense
    forms of a matrix give the same one.
    """
    digest = hashlib.sha256()
    for array in arrays:
        if array is None:
            digest.update(b"none")
            continue
        digest.update(repr(tuple(array.shape)).encode())
        for block in _dense_blocks(array):
            digest.update(_canonical_bytes(block))
    return digest.hexdigest()[:16]


def _dense_blocks(array: Any) -> Iterator[NDArray]:
    """Dense row blocks of a few megabytes."""
    rows = array.shape[0]
    width = int(np.prod(array.shape[1:])) or 1
    step = max(1, 1_000_000 // width)
    for start in range(0, rows, step):
        block = array[start : start + step]
        yield block.toarray() if sp.issparse(block) else np.asarray(block)


def _canonical_bytes(block: NDArray) -> bytes:
    if block.dtype.kind in "iub":
        return block.astype("<i8").tobytes()
    values = block.astype("<f8")
    mantissa, exponent = np.frexp(values)
    return np.rint(mantissa * 2**20).astype("<i8").tobytes() + exponent.astype("<i4").tobytes()


def smallest_unsigned(values: NDArray) -> NDArray:
    """The same non-negative integers in the smallest unsigned type that holds them."""
    return values.astype(np.min_scalar_type(int(values.max(initial=0))))


# -- data sets ----------------------------------------------------------------------------------


def write_dataset(path: str | Path, dataset: Dataset) -> None:
    """Write a data set; its fingerprint is added to the attributes."""
    with _new_file(path, "dataset") as file:
        if sp.issparse(dataset.X):
            X = sp.csr_array(dataset.X)
            group = file.create_group("X")
            group.attrs["shape"] = X.shape
            group.attrs["format"] = "csr"
            for name in ("data", "indices", "indptr"):
                _create(group, name, getattr(X, name))
        else:
            _create(file, "X", np.asarray(dataset.X))
        if dataset.y is not None:
            _create(file, "y", np.asarray(dataset.y))
        attributes = {**dataset.attributes, "fingerprint": fingerprint(dataset.X, dataset.y)}
        _write_attributes(file, attributes)


def read_dataset(path: str | Path, features: bool = True) -> Dataset:
    """Read a data set; with ``features=False`` X is left out (None)."""
    with _open(path, "dataset") as file:
        X = _read_features(file["X"]) if features else None
        y = file["y"][()] if "y" in file else None
        return Dataset(X, y, _read_attributes(file))


def _read_features(node: Any) -> Any:
    if isinstance(node, h5py.Dataset):
        return node[()]
    parts = tuple(node[name][()] for name in ("data", "indices", "indptr"))
    return sp.csr_array(parts, shape=tuple(node.attrs["shape"]))


# -- pools --------------------------------------------------------------------------------------


def write_pool(path: str | Path, pool: Pool) -> None:
    """Write a pool; the fingerprint of its labels and draws is added to the attributes."""
    with _new_file(path, "pool") as file:
        labels = smallest_unsigned(np.asarray(pool.labels))
        _create(file, "labels", np.ascontiguousarray(labels.T))
        file["labels"].attrs["axes"] = "base clustering × sample"
        file["n_clusters"] = labels.max(axis=0).astype(np.int64) + 1
        if pool.y is not None:
            _create(file, "y", np.asarray(pool.y))
        for m, draw in pool.draws.items():
            _create(file, f"draws/m{m}", smallest_unsigned(np.asarray(draw)))
            file[f"draws/m{m}"].attrs["distinct_rows"] = _distinct_rows(labels, draw)
        _write_attributes(file, {**pool.attributes, "fingerprint": _pool_fingerprint(pool)})


def read_pool(path: str | Path) -> Pool:
    """Read a pool and check it against its fingerprint.

    Raises
    ------
    DataError
        If the file is not a whole pool, or was changed after it was made.
    """
    with _open(path, "pool") as file:
        draws = {int(name[1:]): node[()].astype(np.intp) for name, node in file["draws"].items()}
        y = file["y"][()] if "y" in file else None
        pool = Pool(file["labels"][()].T, y, draws, _read_attributes(file))
    if pool.attributes.get("fingerprint") != _pool_fingerprint(pool):
        raise DataError(
            f"{path}: the labels or draws do not match the fingerprint written when the pool was "
            "made; delete the file and make it again."
        )
    return pool


def read_draws(pool: Pool, m: int) -> NDArray:
    """(repeats, m) which base clusterings make up the ensemble of each repeat."""
    if m not in pool.draws:
        known = ", ".join(map(str, sorted(pool.draws)))
        raise DataError(f"The pool has no draws of {m} base clusterings; it has m = {known}.")
    return pool.draws[m]


def draw_sizes(path: str | Path, m: int) -> DrawSizes | None:
    """How large the ensembles of m base clusterings in a pool are; None if there are none."""
    with _open(path, "pool") as file:
        node = file.get(f"draws/m{m}")
        if node is None:
            return None
        n_samples = file["labels"].shape[1]
        rows = int(node.attrs.get("distinct_rows", n_samples))
        return DrawSizes(n_samples, rows, node.shape[0])


def _distinct_rows(labels: NDArray, draw: NDArray) -> int:
    """n', the number of distinct rows of labels, in the draw that has most."""
    columns = [np.ascontiguousarray(labels[:, each]) for each in draw]
    return max((len(np.unique(each, axis=0)) for each in columns), default=0)


def _pool_fingerprint(pool: Pool) -> str:
    return fingerprint(
        np.asarray(pool.labels), pool.y, *(pool.draws[m] for m in sorted(pool.draws))
    )


# -- runs ---------------------------------------------------------------------------------------

#: What is measured of a repeat besides its partition: fields of :class:`RepeatResult`.
MEASURES = (
    "seconds",
    "cpu_seconds",
    "peak_mb",
    "n_iter",
    "converged",
    "n_clusters_found",
    "similarity_norm",
)


def write_run(path: str | Path, run: Run) -> None:
    """Write all points and repeats of a run."""
    n_repeats = len(run.results[0])
    found = [r.labels for results in run.results for r in results if r.labels is not None]
    n_samples = len(found[0]) if found else 0
    labels = np.full((len(run.points), n_repeats, n_samples), -1, dtype=np.int32)
    with _new_file(path, "run") as file:
        for p, results in enumerate(run.results):
            for r, result in enumerate(results):
                if result.labels is not None:
                    labels[p, r] = result.labels
                for name, values in result.history.items():
                    _create(file, f"history/point{p}/repeat{r}/{name}", np.asarray(values))
        _create(file, "labels", labels)
        for name in MEASURES:
            file[name] = np.array([[getattr(r, name) for r in results] for results in run.results])
        status = [[result.status for result in results] for results in run.results]
        file["status"] = np.array(status, dtype=object)
        _write_attributes(file, {**run.attributes, "points": run.points})


def read_run(path: str | Path, history: bool = False) -> Run:
    """Read a run; the histories only if asked for."""
    with _open(path, "run") as file:
        columns = {name: file[name][()] for name in MEASURES if name in file}
        labels, status = file["labels"][()], file["status"].asstr()[()]

        def repeat_result(p: int, r: int) -> RepeatResult:
            group = file.get(f"history/point{p}/repeat{r}") if history else None
            return RepeatResult(
                labels[p, r] if status[p, r] == "ok" else None,
                **{name: values[p, r].item() for name, values in columns.items()},
                status=str(status[p, r]),
                history={name: node[()] for name, node in (group or {}).items()},
            )

        n_points, n_repeats = status.shape
        results = [[repeat_result(p, r) for r in range(n_repeats)] for p in range(n_points)]
        attributes = _read_attributes(file)
        return Run(json.loads(attributes.pop("points")), results, attributes)


class RunJournal:
    """Finished repeats of a run that is still going on, one small whole file each.

    A process may be killed at any time: what is finished stays, and nothing half-written counts.
    Repeats of another run (other parameters, data or seeds) are told by `identity` and dropped.

    Parameters
    ----------
    path : path
        The run's final file; the journal is the folder beside it with suffix ``.partial``.
    identity : mapping
        What makes two runs the same.
    """

    def __init__(self, path: str | Path, identity: Mapping[str, Any]) -> None:
        self.folder = Path(f"{path}.partial")
        stamp = json.dumps(identity, sort_keys=True, default=str)
        note = self.folder / "identity.json"
        if self.folder.exists() and (not note.exists() or note.read_text() != stamp):
            shutil.rmtree(self.folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        if not note.exists():
            beside = note.with_suffix(".new")
            beside.write_text(stamp)
            os.replace(beside, note)

    def _file(self, point: int, repeat: int) -> Path:
        return self.folder / f"point{point:04d}-repeat{repeat:04d}.h5"

    def load(self, point: int, repeat: int) -> RepeatResult | None:
        """The stored result of a repeat, or None if it has not finished."""
        if not self._file(point, repeat).exists():
            return None
        try:
            return read_run(self._file(point, repeat), history=True).results[0][0]
        except DataError:
            return None

    def save(self, point: int, repeat: int, result: RepeatResult) -> None:
        """Store a finished repeat."""
        write_run(self._file(point, repeat), Run([{}], [[result]]))

    def remove(self) -> None:
        """Delete the journal, once the run's file is whole."""
        shutil.rmtree(self.folder)


# -- files of others ------------------------------------------------------------------------------

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
    with _open(path, None) as file:
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
    return _read_features(node)


# -- files --------------------------------------------------------------------------------------


@contextmanager
def _new_file(path: str | Path, kind: str) -> Iterator[h5py.File]:
    """A new HDF5 file that takes its name only when it is complete.

    It is made in memory: where a disk is full, the HDF5 library fails in ways that cannot be
    caught, and Python does not.
    """
    path = Path(path)
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    with h5py.File.in_memory(libver=("v108", "v110")) as file:
        file.attrs["coassoc_file"] = kind
        yield file
        file.flush()
        image = file.id.get_file_image()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with beside.open("wb") as target:
            target.write(image)
            target.flush()
            os.fsync(target.fileno())
        os.replace(beside, path)
    except OSError as error:
        raise DataError(f"{path}: cannot write this file: {_reason(error)}.") from error
    finally:
        with suppress(OSError):
            beside.unlink()


@contextmanager
def _open(path: str | Path, kind: str | None) -> Iterator[h5py.File]:
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


def _create(group: Any, name: str, values: NDArray) -> None:
    compression = {"compression": "gzip", "compression_opts": 4} if values.size > 1000 else {}
    group.create_dataset(name, data=values, track_times=False, **compression)


def _write_attributes(file: h5py.File, attributes: Mapping[str, Any]) -> None:
    for name, value in attributes.items():
        plain = isinstance(value, (str, int, float, np.number, np.bool_, bool))
        file.attrs[name] = value if plain else json.dumps(value, sort_keys=True)


def _read_attributes(file: h5py.File) -> dict[str, Any]:
    attributes = {}
    for name, value in file.attrs.items():
        if name == "coassoc_file":
            continue
        attributes[name] = value.item() if isinstance(value, np.generic) else value
    return attributes
