"""Preparation of a data set from the files of a source, and a check of the result."""

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from coassoc.bench.datasets.features import Parsed
from coassoc.bench.datasets.parsers import parse
from coassoc.bench.datasets.registry import DatasetEntry, DataSource, find_local
from coassoc.bench.datasets.sources import sha256_of
from coassoc.bench.storage.records import Dataset, encode_classes
from coassoc.errors import DataError
from coassoc.pools.preprocessing import preprocess

#: Largest size in bytes of a local file that is read before anything runs (a tenth of a second).
_SMALL = 2_000_000


def prepare(
    entry: DatasetEntry, source: DataSource, paths: Sequence[str | Path], origin: str = ""
) -> Dataset:
    """Parse the files of a source, preprocess, and check the result against the catalogue.

    The paths are in the order of the source's files. Their `origin` becomes an attribute. Classes
    are numbered 0 … c−1 in order of first appearance, so copies with different class names give the
    same data set. The names are stored as an attribute.

    Raises
    ------
    DataError
        If a file cannot be parsed or the data set is not the expected one; the message names what
        was expected and what was found.
    """
    files: dict[str, list[Path]] = {}
    for file, path in zip(source.files, paths, strict=True):
        path = Path(path)
        if file.sha256 is not None and path.is_file() and sha256_of(path) != file.sha256:
            raise DataError(
                f"{path}: the SHA-256 is {sha256_of(path)}, but the catalogue has {file.sha256}. "
                "Get the original file, or correct the catalogue."
            )
        files.setdefault(file.role, []).append(path)
    parsed = parse(source.parser, files, source.arguments)
    X = preprocess(parsed.X, source.preprocessing)
    if sp.issparse(X) and max(X.nnz, *X.shape) < 2**31:  # scikit-learn accepts no wider indices
        X.indices, X.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)
    truths, names = _encoded(parsed)
    y = truths[0] if truths else None
    attributes = _attributes(entry, source, origin, names)
    dataset = Dataset(X, y, attributes, parsed.samples)
    if len(truths) > 1 or (y is not None and y.min(initial=0) < 0):
        dataset.truths = np.array(truths)
        attributes |= {
            "truths": "reference labellings, the first of which is y; -1 for noise points",
            "noise_points": [int((truth < 0).sum()) for truth in truths],
        }
    check(entry, dataset)
    return dataset


def prepare_local(entry: DatasetEntry, project: str | Path = ".") -> Dataset:
    """Prepare a data set from local files, or from a library.

    Raises
    ------
    ConfigError, DataError
        If a file does not exist, and as for :func:`prepare`.
    """
    source = entry.sources[0]
    origin = ", ".join(str(file.file) for file in source.files) or source.parser
    return prepare(entry, source, [find_local(file, project) for file in source.files], origin)


def check_local(entry: DatasetEntry, project: str | Path) -> None:
    """Prepare a small data set from local files, so that errors are reported early."""
    paths = [find_local(file, project) for file in entry.sources[0].files]
    if sum(path.stat().st_size for path in paths) <= _SMALL:
        prepare_local(entry, project)


def _encoded(parsed: Parsed) -> tuple[list[NDArray[np.int64]], list[str]]:
    """Each reference labelling in codes, −1 for noise points, and the first's classes."""
    if parsed.y is None:
        return [], []
    labels = np.asarray(parsed.y)
    columns = labels.T if labels.ndim == 2 and min(labels.shape) > 1 else [labels.ravel()]
    truths = [np.full(len(column), -1, dtype=np.int64) for column in columns]
    names: list[list[str]] = []
    for codes, column in zip(truths, columns, strict=True):
        labelled = column != _of_type(column, parsed.noise)
        codes[labelled], classes = encode_classes(column[labelled])
        names.append(classes)
    return truths, names[0]


def _of_type(column: NDArray, noise: float | str | None) -> Any:
    """The label of noise points in the type of a column of labels: 0 and "0" are one label."""
    if noise is None or column.dtype.kind in "OU":
        return None if noise is None else str(noise)
    with suppress(ValueError):
        return float(noise)
    return noise


def check(entry: DatasetEntry, dataset: Dataset) -> None:
    """Compare n, d, classes, class sizes and the fingerprint with the catalogue.

    A DataError names the data set, what was expected and what was found.
    """

    def wrong(problem: str, advice: str) -> DataError:
        return DataError(f"{entry.name}: {problem}. {advice}.")

    X, y = dataset.X, dataset.y
    values = X.data if sp.issparse(X) else X
    if not np.isfinite(values).all():
        raise wrong("the features have a missing or infinite value", "Replace or remove it")
    if y is not None and len(y) != X.shape[0]:
        raise wrong(f"there are {X.shape[0]} samples but {len(y)} labels", "Label each sample")
    if dataset.samples is not None and len(set(dataset.samples)) < X.shape[0]:
        raise wrong("samples in two files have the same id", "Give each sample its own id")
    sizes = [] if y is None else np.bincount(y[y >= 0]).tolist()
    actual: dict[str, Any] = {"n": X.shape[0], "d": X.shape[1]}
    if len(sizes) == 1:
        raise wrong("all samples have the same class", "Choose other classes, or leave them out")
    if y is not None:
        actual |= {"classes": len(sizes), "class_sizes": sizes}
    for truth in () if dataset.truths is None else dataset.truths:
        if truth.max() + 1 != len(sizes):
            raise wrong(
                f"its reference labellings have {len(sizes)} and {truth.max() + 1} classes",
                "Make a data set of those with the same number",
            )
    actual["fingerprint"] = dataset.fingerprint if entry.fingerprint else None
    for key, value in actual.items():
        expected = getattr(entry, key)
        if expected not in (None, [], value):
            problem = f"{key} is {value}, but the catalogue has {expected}"
            raise wrong(problem, "Correct the file or the catalogue")


def _attributes(
    entry: DatasetEntry, source: DataSource, origin: str, names: list[str]
) -> dict[str, Any]:
    """Attributes of the file; see :mod:`coassoc.bench.storage.hdf5`."""
    attributes: dict[str, Any] = {
        "name": entry.name,
        "title": entry.title,
        "papers": ", ".join(entry.papers),
        "source": origin,
        "licence": entry.licence,
        "citation": entry.citation,
        "terms": entry.terms or "",
        "note": entry.note or "",
        "parser": source.parser,
        "preprocessing": ", ".join(map(str, source.preprocessing)) or "none",
        "class_names": names,
        "rows_of_X": "samples",
        "y": "class of each sample, numbered from 0 in order of first appearance",
    }
    if entry.classes is not None:
        attributes["n_clusters"] = entry.classes
    return attributes
