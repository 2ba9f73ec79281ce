"""One repeat: a fit that is measured, and whose failure is a status instead of an exception."""

from __future__ import annotations

import contextlib
import logging
import resource
import time
import traceback
import warnings
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from scipy.sparse.linalg import norm

from coassoc.errors import CoassocError, MethodError
from coassoc.invariant import InvariantMatrix
from coassoc.methods.base import NotConvergedWarning
from coassoc.methods.refinement import Refinement
from coassoc.running import fits
from coassoc.running.limits import OUT_OF_MEMORY
from coassoc.storage.records import RepeatResult

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Spent:
    """What a step took; the fields are those of a RepeatResult."""

    seconds: float
    cpu_seconds: float
    peak_mb: float

    def and_then(self, other: Spent) -> Spent:
        """What two steps took, one after the other."""
        return Spent(
            self.seconds + other.seconds,
            self.cpu_seconds + other.cpu_seconds,
            max(self.peak_mb, other.peak_mb),
        )


class Meter:
    """Measures a step from when it is made."""

    def __init__(self, in_use: float | None = None) -> None:
        now = reset_peak_memory()
        self.in_use = now if in_use is None else in_use
        self._wall, self._cpu = time.perf_counter(), time.process_time()

    def spent(self) -> Spent:
        """What the step has taken so far."""
        seconds, cpu_seconds = time.perf_counter() - self._wall, time.process_time() - self._cpu
        return Spent(seconds, cpu_seconds, max(peak_memory() - self.in_use, 0.0))


def run_repeat(
    make_estimator: Callable[[], Any], labels: np.ndarray, features: Any
) -> RepeatResult:
    """Fit an estimator once, measured; a failure becomes a status instead of an exception."""

    def fit() -> RepeatResult:
        meter = Meter()
        estimator = make_estimator()
        fits.fit(estimator, labels, features)
        spent = meter.spent()
        return replace(result_of(estimator, len(labels)), **asdict(spent))

    return _attempt(fit)


class SharedRefinement:
    """The part of a repeat that several endings of a method share."""

    def __init__(self, labels: np.ndarray, features: Any) -> None:
        self._labels = labels
        self._features = features
        self._refinement: Refinement
        self._spent: Spent
        self._in_use: float

    def refine(self, make_estimator: Callable[[], Any]) -> RepeatResult:
        """Refine; the result has no labels, and its status is "ok" if endings can follow."""

        def refine() -> RepeatResult:
            meter = Meter()
            self._refinement = fits.refine(make_estimator(), self._labels, self._features)
            self._spent, self._in_use = meter.spent(), meter.in_use
            return RepeatResult(None, **asdict(self._spent))

        return _attempt(refine)

    def end(self, make_estimator: Callable[[], Any]) -> RepeatResult:
        """A repeat that ends what was refined; it counts as taking what both take together."""

        def end() -> RepeatResult:
            meter = Meter(self._in_use)
            estimator = make_estimator()
            fits.end(estimator, self._refinement)
            spent = self._spent.and_then(meter.spent())
            return replace(result_of(estimator, len(self._labels)), **asdict(spent))

        return _attempt(end)


def _attempt(step: Callable[[], RepeatResult]) -> RepeatResult:
    """The result of a step, or why there is none."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            result = step()
        except MemoryError as error:
            logger.warning("%s", error)
            return RepeatResult(None, status=OUT_OF_MEMORY)
        except (CoassocError, ArithmeticError, np.linalg.LinAlgError) as error:
            logger.warning("%s", traceback.format_exc())
            reason = str(error) or type(error).__name__
            return RepeatResult(None, status=f"skipped: {reason}")
        except Exception as error:
            # The rest of a table must not depend on one method's bug; the cell shows it.
            logger.error("%s", traceback.format_exc())
            return RepeatResult(None, status=f"failed: {type(error).__name__}: {error}")
    for warning in caught:
        if issubclass(warning.category, NotConvergedWarning):
            continue  # the line about the repeat says it
        logger.info("%s: %s", warning.category.__name__, warning.message)
    return result


def reset_peak_memory() -> float:
    """Start measuring the peak anew where the system allows it; megabytes in use now."""
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")
    return peak_memory()


def peak_memory() -> float:
    """Largest resident size so far, in megabytes."""
    try:
        status = Path("/proc/self/status").read_text()
        return float(status.split("VmHWM:")[1].split()[0]) / 1024
    except (OSError, IndexError):
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


# -- what a fitted estimator shows, checked: a user's own class may hold anything ------------------


def result_of(estimator: Any, n_samples: int) -> RepeatResult:
    """The outcome of a repeat, from the attributes of its fitted estimator.

    Only ``labels_`` is required; a class that says nothing of ``n_iter_``, ``converged_`` and
    ``n_clusters_found_`` did one iteration, converged, and found as many clusters as it gave. An
    attribute of another form is a MethodError that names class, attribute and value.
    """
    labels = labels_of(estimator, n_samples)
    return RepeatResult(
        labels,
        n_iter=_whole_number(estimator, "n_iter_", 1),
        converged=bool(getattr(estimator, "converged_", True)),
        n_clusters_found=_whole_number(estimator, "n_clusters_found_", int(labels.max()) + 1),
        similarity_norm=_similarity_norm(getattr(estimator, "affinity_", None)),
        history=_history(estimator),
    )


def labels_of(estimator: Any, n_samples: int) -> NDArray[np.intp]:
    """The partition of the samples; a MethodError as of :func:`result_of`."""
    name = f"{type(estimator).__name__}.labels_"
    if not hasattr(estimator, "labels_"):
        raise MethodError(f"{name} is missing after fit; it must have a label for each sample.")
    labels = np.asarray(estimator.labels_)
    if labels.shape != (n_samples,):
        raise MethodError(
            f"{name} has the shape {labels.shape}, and there are {n_samples} samples."
        )
    if labels.dtype.kind not in "iuf":
        raise MethodError(f"{name} has values of type {labels.dtype}; labels must be integers.")
    wrong = (labels != np.floor(labels)) | ~np.isfinite(labels) | (labels < 0)
    if wrong.any():
        raise MethodError(
            f"{name} has {labels[wrong][0]}; every label must be a non-negative integer."
        )
    return fits.partition(labels)


def _whole_number(estimator: Any, name: str, default: int) -> int:
    value = getattr(estimator, name, default)
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)):
        raise MethodError(f"{type(estimator).__name__}.{name} is {value!r}; it must be an integer.")
    return int(value)


def _history(estimator: Any) -> dict[str, NDArray]:
    found = getattr(estimator, "history_", {})
    try:
        history = {str(name): np.asarray(values) for name, values in found.items()}
    except (AttributeError, ValueError):  # no dict, or lists of lists of different lengths
        history = {"": np.array(None)}
    if any(values.dtype.kind not in "biuf" for values in history.values()):
        raise MethodError(
            f"{type(estimator).__name__}.history_ must be a dict of names to arrays of numbers."
        )
    return history


def _similarity_norm(similarity: Any) -> float:
    """Frobenius norm of the similarity that a method learned; not a number if it learned none."""
    if similarity is None:
        return float("nan")
    if isinstance(similarity, InvariantMatrix):
        return similarity.norm()
    return float(norm(similarity) if issparse(similarity) else np.linalg.norm(similarity))
