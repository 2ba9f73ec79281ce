"""Named steps from the features in a file to the features that a paper clustered.

A step maps X, an (n, d) array or CSR array, to another array; sparse arrays remain sparse. The
catalogue lists a step by its name, or by its name and its argument: ``[sparse, {top_columns:
1000}]``.
"""

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import scipy.sparse as sp

from coassoc.errors import ConfigError


def preprocess(X: Any, steps: Iterable[Any]) -> Any:
    """Apply steps to X, an (n, d) array or CSR array, in order.

    Steps are names in :data:`PREPROCESSING`, or ``{name: argument}`` for steps with an argument.
    """
    for step in steps:
        name, *argument = next(iter(step.items())) if isinstance(step, dict) else (step,)
        X = PREPROCESSING[name](X, *argument)
    return X


def drop_empty_columns(X: Any) -> Any:
    """Remove the columns that are zero in all samples."""
    used = np.asarray(abs(X).sum(axis=0)).ravel() > 0
    return X[:, np.flatnonzero(used)]


def top_columns(X: Any, count: int) -> Any:
    """The `count` columns with the largest sums (the first of equal ones), in the same order."""
    sums = np.asarray(X.sum(axis=0)).ravel()
    return X[:, np.sort(np.argsort(-sums, kind="stable")[:count])]


def log_tfidf(X: Any) -> sp.csr_array:
    """Term weights (1 + ln tf)·ln(N / df) of word counts tf, and 0 where tf = 0.

    N is the number of documents (rows) and df the number of documents that contain the word.
    Numbers below 1 other than 0 are rejected, because they are not counts.
    """
    counts = sp.csr_array(X, dtype=np.float64, copy=True)
    counts.eliminate_zeros()
    if counts.data.min(initial=1) < 1:
        raise ConfigError(
            "tf-idf needs word counts, but this data set has numbers between 0 and 1. Choose "
            "another preprocessing step."
        )
    documents = np.bincount(counts.indices, minlength=counts.shape[1])
    weights = np.log(counts.shape[0] / np.maximum(documents, 1))
    counts.data = (1 + np.log(counts.data)) * weights[counts.indices]
    return counts


def unit_samples(X: Any) -> Any:
    """Divide every row by its L2 norm; zero rows remain zero."""
    if sp.issparse(X):
        norms = np.sqrt(np.asarray(X.multiply(X).sum(axis=1)).ravel())
        scale = np.divide(1.0, norms, out=np.zeros_like(norms), where=norms > 0)
        return sp.csr_array(X.multiply(scale[:, None]))
    norms = np.linalg.norm(X, axis=1, keepdims=True)
    return np.divide(X, norms, out=np.zeros_like(X), where=norms > 0)


def standardise(X: Any) -> Any:
    """Scale every feature to mean 0 and standard deviation 1; constant features become 0."""
    if sp.issparse(X):
        raise ConfigError(
            "this data set is sparse, and standardising would make it dense. Choose another "
            "preprocessing step."
        )
    from sklearn.preprocessing import scale

    return scale(X)


def min_max(X: Any) -> Any:
    """Scale every feature to values from 0 to 1; constant features become 0.

    Sparse arrays must have no negative numbers, because their zeros would become positive.
    """
    from sklearn.preprocessing import maxabs_scale, minmax_scale

    if not sp.issparse(X):
        return minmax_scale(X)
    least = X.min(axis=0).toarray().ravel()
    if (least < 0).any():
        raise ConfigError(
            "the features are sparse and have negative values, so scaling to [0, 1] would make "
            "them dense. Choose another preprocessing step."
        )
    shifted = sp.csr_array(X, copy=True)
    # Features without a zero have a stored value in every sample.
    shifted.data = shifted.data - least[shifted.indices]
    return maxabs_scale(shifted)


#: Steps by their names in the catalogue.
PREPROCESSING: dict[str, Callable[..., Any]] = {
    "sparse": sp.csr_array,
    "drop_empty_columns": drop_empty_columns,
    "top_columns": top_columns,
    "log_tfidf": log_tfidf,
    "unit_rows": unit_samples,
    "standardise": standardise,
    "min_max": min_max,
}
