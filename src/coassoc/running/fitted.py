"""What a fitted estimator shows, checked: a user's own class may hold anything."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from scipy.sparse.linalg import norm

from coassoc.errors import MethodError
from coassoc.invariant import InvariantMatrix
from coassoc.running.fits import partition
from coassoc.storage.records import RepeatResult

__all__ = ["result_of"]


def result_of(estimator: Any, n_samples: int) -> RepeatResult:
    """The outcome of a repeat, from the attributes of its fitted estimator.

    Only ``labels_`` is required; a class that says nothing of ``n_iter_``, ``converged_`` and
    ``n_clusters_found_`` did one iteration, converged, and found as many clusters as it gave.

    Raises
    ------
    MethodError
        If an attribute is not of the right form; the message names class, attribute and value.
    """
    labels = _labels(estimator, n_samples)
    return RepeatResult(
        labels,
        n_iter=_whole_number(estimator, "n_iter_", 1),
        converged=bool(getattr(estimator, "converged_", True)),
        n_clusters_found=_whole_number(estimator, "n_clusters_found_", int(labels.max()) + 1),
        similarity_norm=_similarity_norm(getattr(estimator, "affinity_", None)),
        history=_history(estimator),
    )


def _labels(estimator: Any, n_samples: int) -> NDArray[np.intp]:
    """The partition of the samples."""
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
    return partition(labels)


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
