"""Reading and writing HDF5 files: data sets, pools and runs. No other module reads them.

All files can be read with ``h5ls``, h5py or MATLAB without this code; attributes describe the
columns. A file appears under its name only when it is complete, because it is written under another
name and then renamed. HDF5 stores checksums of names and shapes, and of the values of each array
(the filter Fletcher-32), and every reader of HDF5 checks them. The attribute ``checksum`` is a hash
of the other attributes.

==========  =====================================================================================
file        content
==========  =====================================================================================
data set    ``X`` (n × d dataset, or a group with ``data``, ``indices``, ``indptr`` and attribute
            ``shape``), ``y`` (n integers, optional), ``samples`` (n names, optional), ``truths``
            (t × n integers: reference labellings, −1 for noise; where there are several or noise),
            attributes: title, source, licence, citation, fingerprint
pool        ``labels`` (pool size × n, smallest integers, −1 if a label is missing),
            ``n_clusters``, ``y``, ``samples`` and ``truths`` as above, ``draws/m{m}`` (repeats × m:
            which base clusterings, all of them in ``draws/m0``; attribute ``distinct_rows``),
            attributes: how it was made
run         ``labels`` (points × repeats × n, −1 where a repeat failed); ``seconds``,
            ``cpu_seconds``, ``peak_mb``, ``n_iter``, ``converged``, ``n_clusters_found``,
            ``similarity_norm``, ``status`` and ``limit`` (points × repeats);
            ``history/point{p}/repeat{r}/{quantity}``; attributes: ``points`` (the parameters of
            each point), method, pool, seed, versions, hash of the source files
==========  =====================================================================================
"""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import h5py
import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from coassoc.bench.storage.records import Dataset, Pool, RepeatResult, Run, hash_of
from coassoc.errors import DataError, message_of
from coassoc.io.atomic import write_bytes
from coassoc.numerics.integers import smallest_integers, smallest_unsigned

#: Attribute with a hash of the other attributes, whose strings HDF5 does not check.
_CHECKSUM = "checksum"


def write_dataset(path: str | Path, dataset: Dataset) -> None:
    """Write a data set; its fingerprint is added to the attributes."""
    with new_file(path, "dataset") as file:
        if sp.issparse(dataset.X):
            X = sp.csr_array(dataset.X)
            group = file.create_group("X")
            group.attrs["shape"] = X.shape
            group.attrs["format"] = "csr"
            for name in ("data", "indices", "indptr"):
                _create(group, name, getattr(X, name))
        else:
            _create(file, "X", np.asarray(dataset.X))
        _write_samples(file, dataset)
        _write_attributes(file, {**dataset.attributes, "fingerprint": dataset.fingerprint})


def read_dataset(path: str | Path) -> Dataset:
    """Read a data set and check it against its fingerprint.

    Raises
    ------
    DataError
        If the file is not a complete data set, or was changed after it was written.
    """
    with open_file(path, "dataset") as file:
        X = read_matrix(file["X"])
        dataset = Dataset(X, attributes=read_attributes(file), **_read_samples(file))
    _check_fingerprint(path, "data set", dataset)
    return dataset


def write_pool(path: str | Path, pool: Pool) -> None:
    """Write a pool; the fingerprint of its labels and draws is added to the attributes."""
    with new_file(path, "pool") as file:
        labels = smallest_integers(np.asarray(pool.labels))
        _create(file, "labels", np.ascontiguousarray(labels.T))
        file["labels"].attrs["axes"] = "base clustering × sample"
        _create(file, "n_clusters", labels.max(axis=0).astype(np.int64) + 1)
        _write_samples(file, pool)
        for m, draw in pool.draws.items():
            _create(file, f"draws/m{m}", smallest_unsigned(np.asarray(draw)))
            rows = (len(np.unique(labels[:, members], axis=0)) for members in draw)
            file[f"draws/m{m}"].attrs["distinct_rows"] = max(rows, default=0)
        _write_attributes(file, {**pool.attributes, "fingerprint": pool.fingerprint})


def read_pool(path: str | Path) -> Pool:
    """Read a pool and check it against its fingerprint.

    Raises
    ------
    DataError
        If the file is not a complete pool, or was changed after it was written.
    """
    with open_file(path, "pool") as file:
        draws = {int(name[1:]): node[()].astype(np.intp) for name, node in file["draws"].items()}
        samples = _read_samples(file)
        pool = Pool(file["labels"][()].T, draws=draws, attributes=read_attributes(file), **samples)
    _check_fingerprint(path, "pool", pool)
    return pool


def _check_fingerprint(path: str | Path, kind: str, content: Dataset | Pool) -> None:
    """Raise a DataError if the content differs from the content that was written."""
    if content.attributes.get("fingerprint") != content.fingerprint:
        raise DataError(
            f"{path}: the content does not match the fingerprint of this {kind}. Delete the file "
            "and rerun Snakemake."
        )


def _write_samples(file: h5py.File, known: Dataset | Pool) -> None:
    """Information on the samples: classes, names, reference labellings."""
    for name, dtype in (("y", None), ("samples", object), ("truths", None)):
        values = getattr(known, name)
        if values is not None:
            _create(file, name, np.asarray(values, dtype))


def _read_samples(file: h5py.File) -> dict[str, Any]:
    return {
        "y": file["y"][()] if "y" in file else None,
        "samples": file["samples"].asstr()[()] if "samples" in file else None,
        "truths": file["truths"][()] if "truths" in file else None,
    }


class DrawSizes(NamedTuple):
    """Sizes of the ensembles in a pool."""

    n_samples: int
    #: n', the largest number of microclusters in a draw.
    distinct_rows: int
    n_clusterings: int
    #: Largest number of clusters of all base clusterings in a draw.
    n_clusters: int
    #: Number of draws.
    repeats: int


def draw_sizes(path: str | Path, m: int) -> DrawSizes | None:
    """Sizes of the ensembles of m base clusterings in a pool; None if there are none."""
    with open_file(path, "pool") as file:
        node = file.get(f"draws/m{m}")
        if node is None:
            return None
        n_samples = file["labels"].shape[1]
        rows = int(node.attrs.get("distinct_rows", n_samples))
        n_clusters = int(file["n_clusters"][:][node[:]].sum(axis=1).max())
        return DrawSizes(n_samples, rows, node.shape[1], n_clusters, len(node))


#: Measurements of a repeat in addition to its partition, which are fields of :class:`RepeatResult`.
_NOT_MEASURED = ("labels", "status", "limit", "history")
MEASURES = tuple(name for name in RepeatResult.__annotations__ if name not in _NOT_MEASURED)
#: Numbers of a repeat in the file of its run.
_NUMBERS = (*MEASURES, "limit")


def write_runs(path: str | Path, runs: Mapping[str, Run]) -> None:
    """Write all points and repeats of runs, each as a group named after its method."""
    with new_file(path, "run") as file:
        for method, run in runs.items():
            _put_run(file.create_group(method), run)


def _put_run(group: h5py.Group, run: Run) -> None:
    n_repeats = len(run.results[0])
    partitions = [r.labels for results in run.results for r in results if r.labels is not None]
    n_samples = len(partitions[0]) if partitions else 0
    labels = np.full((len(run.points), n_repeats, n_samples), -1, dtype=np.int32)
    for p, results in enumerate(run.results):
        for r, result in enumerate(results):
            if result.labels is not None:
                labels[p, r] = result.labels
            for name, values in result.history.items():
                _create(group, f"history/point{p}/repeat{r}/{name}", np.asarray(values))
    _create(group, "labels", labels)
    for name in _NUMBERS:
        numbers = [[getattr(r, name) for r in results] for results in run.results]
        _create(group, name, np.array(numbers))
    status = [[result.status for result in results] for results in run.results]
    _create(group, "status", np.array(status, dtype=object))
    _write_attributes(group, {**run.attributes, "points": run.points})


def read_run(path: str | Path, method: str | None = None, *, history: bool = False) -> Run:
    """Read the run of a method, or the only run of a file; histories are read on request."""
    with open_file(path, "run") as file:
        name = next(iter(file)) if method is None and len(file) == 1 else method
        if name not in file:
            raise DataError(
                f"{path}: the file has no run of {method}. Choose from {', '.join(file)}."
            )
        return _find_run(file[name], history)


def _find_run(group: h5py.Group, history: bool) -> Run:
    columns = {name: group[name][()] for name in _NUMBERS if name in group}
    labels, status = group["labels"][()], group["status"].asstr()[()]

    def repeat_result(p: int, r: int) -> RepeatResult:
        place = f"history/point{p}/repeat{r}"
        recorded = group[place] if history and place in group else {}
        return RepeatResult(
            labels[p, r] if status[p, r] == "ok" else None,
            **{name: values[p, r].item() for name, values in columns.items()},
            status=str(status[p, r]),
            history={name: node[()] for name, node in recorded.items()},
        )

    n_points, n_repeats = status.shape
    results = [[repeat_result(p, r) for r in range(n_repeats)] for p in range(n_points)]
    attributes = read_attributes(group)
    return Run(json.loads(attributes.pop("points")), results, attributes)


# -- what every file has ---------------------------------------------------------------------------


@contextmanager
def new_file(path: str | Path, kind: str) -> Iterator[h5py.File]:
    """A new HDF5 file that takes its name only when it is complete.

    The file is built in memory, because the HDF5 library fails on a full disk in ways that cannot
    be caught, unlike Python.
    """
    with h5py.File.in_memory(libver=("v110", "v110")) as file:
        file.attrs["coassoc_file"] = kind
        yield file
        file.flush()
        image = file.id.get_file_image()
    write_bytes(path, image)


@contextmanager
def open_file(path: str | Path, kind: str) -> Iterator[h5py.File]:
    """Open an HDF5 file for reading, if it has the given kind."""
    if not Path(path).exists():
        raise DataError(f"{path}: file not found.")
    try:
        with h5py.File(path) as file:
            if file.attrs.get("coassoc_file") != kind:
                raise DataError(
                    f"{path}: this HDF5 file is not a {kind} written by coassoc. Check the path."
                )
            yield file
    except DataError:
        raise
    except (KeyError, OSError, RuntimeError, TypeError, ValueError) as error:
        raise DataError(
            f"{path}: this HDF5 file is truncated or damaged ({message_of(error)}). Delete the "
            "file and rerun Snakemake."
        ) from error


def _create(group: Any, name: str, values: NDArray) -> None:
    """Store an array with its checksum, compressed unless it is small.

    Strings have a fixed length, because the checksum does not cover those of variable length.
    """
    filters: dict[str, Any] = {"fletcher32": True, "chunks": values.shape} if values.size else {}
    if values.size > 1000:
        filters |= {"chunks": True, "compression": "gzip", "compression_opts": 4}
    if values.dtype == object:
        encoded = np.char.encode(values.astype(str), "utf-8")
        values = encoded.astype(h5py.string_dtype("utf-8", encoded.dtype.itemsize))
    group.create_dataset(name, data=values, track_times=False, **filters)


def read_matrix(node: Any) -> Any:
    """Features from their node: a dense array, or a group that holds a sparse array."""
    if isinstance(node, h5py.Dataset):
        return node[()]
    parts = tuple(node[name][()] for name in ("data", "indices", "indptr"))
    return sp.csr_array(parts, shape=tuple(node.attrs["shape"]))


def _write_attributes(file: h5py.Group, attributes: Mapping[str, Any]) -> None:
    stored = as_attributes(attributes)
    for name, value in {**stored, _CHECKSUM: hash_of(stored)}.items():
        file.attrs[name] = value


def as_attributes(values: Mapping[str, Any]) -> dict[str, Any]:
    """Values as attributes are stored, as JSON if HDF5 has no type for them."""
    return {
        name: value.item()
        if isinstance(value, np.generic)
        else value
        if isinstance(value, (str, int, float))
        else json.dumps(value, sort_keys=True)
        for name, value in values.items()
    }


def read_attributes(file: h5py.Group) -> dict[str, Any]:
    """Attributes of a file as stored; values stored as JSON remain strings."""
    values = {
        name: value.item() if isinstance(value, np.generic) else value
        for name, value in file.attrs.items()
        if name != "coassoc_file"
    }
    # Files of earlier versions have no checksum.
    if values.pop(_CHECKSUM, None) not in (None, hash_of(values)):
        raise ValueError("attributes differ from their checksum")
    return values


def read_inputs(pool_file: str | Path, features_file: str | Path = "") -> tuple[Pool, Any]:
    """A pool, and the features of its data set, or None if no file of features is named."""
    return read_pool(pool_file), read_dataset(features_file).X if features_file else None
