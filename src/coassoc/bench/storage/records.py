"""Stored records: data sets, pools, repeats, runs and their fingerprints; columns and cells."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from coassoc.errors import DataError

#: Scores that need no classes. The silhouette is computed only if the classes are unknown.
LABEL_FREE = ("ANMI", "stability", "silhouette")

#: Origin of a run: the version of the software, and the revision of the code behind the run.
#: Versions whose changes do not concern the run have the same revision.
ORIGIN = ("commit", "code")

#: Columns of the measured times of a run.
TIMES = ("seconds", "cpu_seconds", "peak_mb", "n_iter")


class Outcome(Enum):
    """Outcome of a repeat. Its status, a sentence in files, begins with the value."""

    OK = "ok"
    TOO_SLOW = "skipped: took longer than "
    TOO_LARGE = "skipped: needed more than "
    #: Another process used the memory.
    OUT_OF_MEMORY = "skipped: not enough memory"
    #: A signal ended the process, perhaps because somebody cancelled the job.
    KILLED = "failed: the process was ended by "
    #: The method refused the data.
    REFUSED = "skipped: "
    #: The method raised an error, or its labels or other attributes have a wrong form.
    FAILED = "failed: "
    #: Skipped by successive halving.
    LEFT_THE_RACE = "not run: the point left the race"

    @classmethod
    def of(cls, status: str) -> Outcome:
        """The most specific outcome that matches a status; any other sentence tells a failure."""
        return next((outcome for outcome in cls if status.startswith(outcome.value)), cls.FAILED)

    @property
    def may_be_mended(self) -> bool:
        """Whether another machine or a later version of a method may avoid the failure."""
        return self in (self.TOO_SLOW, self.TOO_LARGE, self.OUT_OF_MEMORY, self.REFUSED)


@dataclass
class Dataset:
    """Features and classes of n samples."""

    #: (n, d) float array or CSR array.
    X: Any
    #: (n,) classes 0 … c−1.
    y: NDArray | None
    #: Title, source, licence, citation, …
    attributes: dict[str, Any] = field(default_factory=dict)
    #: (n,) names of the samples, if they have names.
    samples: NDArray | None = None
    #: (t, n) reference labellings, if there are several or if they have noise (−1). The first is
    #: `y`.
    truths: NDArray | None = None

    @property
    def fingerprint(self) -> str:
        """Fingerprint of the features and of the classes or all reference labellings."""
        return fingerprint(self.X, *([self.y] if self.truths is None else self.truths))


@dataclass
class Pool:
    """Base clusterings of one data set and the draws that all methods share."""

    #: (n, M) integers, one base clustering per column, with −1 for a missing label.
    labels: NDArray
    #: (n,) classes, in the order of the pool's samples.
    y: NDArray | None
    #: Ensemble size m → (repeats, m) base clusterings of each repeat.
    draws: dict[int, NDArray] = field(default_factory=dict)
    #: How the pool was made.
    attributes: dict[str, Any] = field(default_factory=dict)
    #: (n,) names and (t, n) reference labellings as in :class:`Dataset`.
    samples: NDArray | None = None
    truths: NDArray | None = None

    @property
    def fingerprint(self) -> str:
        """Fingerprint of the labels, classes, draws and reference labellings."""
        draws = [self.draws[m] for m in sorted(self.draws)]
        truths = [] if self.truths is None else [self.truths]
        return fingerprint(np.asarray(self.labels), self.y, *draws, *truths)

    def draws_of(self, m: int) -> NDArray:
        """(repeats, m) base clusterings that form the ensemble of each repeat."""
        if m not in self.draws:
            sizes = ", ".join(map(str, sorted(self.draws)))
            raise DataError(
                f"The pool has no draws of {m} base clusterings. Choose m from {sizes}."
            )
        return self.draws[m]

    def for_each_k(self, columns: NDArray) -> dict[int, NDArray]:
        """Number of clusters → (n, m) base clusterings at some positions, if each k has its own.

        Empty if the pool has one ensemble for all numbers of clusters.
        """
        last = self.attributes.get("for_each_k", 1)
        size = self.labels.shape[1] // max(last - 1, 1)
        return {k: self.labels[:, (k - 2) * size + columns] for k in range(2, last + 1)}

    @property
    def references(self) -> list[NDArray]:
        """Labellings for scoring partitions, with −1 for noise points; may be empty."""
        if self.truths is not None:
            return list(self.truths)
        return [] if self.y is None else [self.y]

    @property
    def classes(self) -> NDArray:
        """y; raises a DataError if there are no, several or incomplete class labellings."""
        if self.y is None or self.truths is not None:
            raise DataError(
                "This figure needs one class for each sample, but the data set has no classes, "
                "noise points or several reference labellings. Choose another data set."
            )
        return self.y

    @property
    def n_classes(self) -> int:
        """Number of classes; raises a DataError if they are unknown."""
        if self.y is None:
            raise DataError(
                "The data set has no classes. Set its key 'classes' in config/datasets.yaml to the "
                "number of clusters."
            )
        return len(np.unique(self.y[self.y >= 0]))


@dataclass
class RepeatResult:
    """A repeat of a run; its status is "ok" or the reason why there are no labels."""

    labels: NDArray | None
    seconds: float = float("nan")
    cpu_seconds: float = float("nan")
    peak_mb: float = float("nan")
    n_iter: int = 0
    converged: bool = True
    n_clusters_found: int = 0
    similarity_norm: float = float("nan")
    status: str = Outcome.OK.value
    #: Limit that ended the repeat, in minutes or megabytes; NaN if none did.
    limit: float = float("nan")
    history: dict[str, NDArray] = field(default_factory=dict)

    @classmethod
    def without_labels(
        cls, outcome: Outcome, reason: str = "", limit: float = float("nan")
    ) -> RepeatResult:
        """A repeat without labels, whose status ends with the reason."""
        return cls(None, status=outcome.value + reason, limit=limit)

    @property
    def outcome(self) -> Outcome:
        """Outcome of the repeat."""
        return Outcome.of(self.status)

    @property
    def reason(self) -> str:
        """Reason why there are no labels."""
        return self.status.partition(": ")[2]


@dataclass
class Run:
    """All repeats of one method on one pool, for one or more points of its parameters."""

    #: Parameters of each point.
    points: list[dict[str, Any]]
    #: Repeats of each point.
    results: list[list[RepeatResult]]
    #: Origin of the run.
    attributes: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Cell:
    """Numbers of a row on a data set at one ensemble size, and their sources."""

    label: str
    dataset: str
    pool: str
    m: int
    #: Abscissa of the point in figures.
    x: Any = None
    #: Sources of the lines of scores that the cell needs, by their names, such as a run or the
    #: candidates of a tuned row. Empty for cells that are left out.
    sources: Sequence[str] = ()
    #: In place of a method: "mean" or "best" of the base clusterings in the pool, "ensemble-mean",
    #: "ensemble-best" or "ensemble-picked" of those in each repeat's ensemble, or a control,
    #: "random" or "truth".
    reference: str | None = None
    #: Score by which the best candidate is chosen, or None for a single candidate.
    tune: str | None = None
    #: Grid point of the runs to use, or None for all points.
    point: Mapping[str, Any] | None = None
    #: Variant of the row, if the row has several.
    variant: str = ""
    #: Metrics whose scores are in a column with a different name.
    columns: Mapping[str, str] = field(default_factory=dict)
    #: Reason why the cell is left out. Empty for cells that are included.
    not_run: str = ""


def fingerprint(*arrays: Any) -> str:
    """Short hash of the values and shapes of arrays, independent of file format and integer width.

    Floating-point numbers count with six significant digits, so that neither a round trip through
    text nor rounding on another machine changes the fingerprint. Sparse and dense forms of a matrix
    have the same fingerprint.
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


def hash_of(settings: Any) -> str:
    """Short hash of some settings; values that JSON cannot represent are converted to strings."""
    text = json.dumps(settings, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


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


def encode_classes(labels: NDArray) -> tuple[NDArray[np.int64], list[str]]:
    """Classes 0 … c−1 in order of first appearance, and their names in the file."""
    import pandas as pd

    codes, names = pd.factorize(np.asarray(labels).ravel())
    return codes.astype(np.int64), [str(name) for name in names]
