"""Methods that accept given base clusterings, and the memory that they need."""

from typing import Any

from numpy.typing import ArrayLike

from coassoc.ensemble import Ensemble
from coassoc.errors import TooLargeError
from coassoc.methods import METHODS
from coassoc.methods.registry import name_of
from coassoc.numerics.memory import memory_of_machine
from coassoc.partition.linkage import links_rows


def obstacles(labels: ArrayLike | Ensemble, features: bool = False) -> dict[str, str]:
    """Reasons why methods cannot be applied to some base clusterings.

    Parameters
    ----------
    labels : (n, m) table of labels, or Ensemble
        See :class:`coassoc.Ensemble`.
    features : bool
        Whether the features of the samples are available.

    Returns
    -------
    dict of str to str
        Method in :data:`coassoc.methods.METHODS` → reason why it cannot be applied; an empty string
        if it can be applied.

    Raises
    ------
    DataError
        If `labels` is not a table of labels.

    Examples
    --------
    >>> found = obstacles([[0, 0], [0, None], [1, 1]])
    >>> found["LWEA"], found["SEC"], found["ACMK-KM"]
    ('', 'needs complete labels', "needs the samples' features and complete labels")
    """
    ensemble = Ensemble.of(labels)
    return {name: _obstacle(name, ensemble, features) for name in METHODS}


def _obstacle(name: str, ensemble: Ensemble, features: bool) -> str:
    estimator = METHODS[name](2)
    counted = ensemble.microclusters.counted
    lacking = {
        "the samples' features": estimator.uses_features and not features,
        "the samples themselves": counted and estimator.depends_on_sample_order,
        "complete labels": ensemble.has_missing and not estimator.takes_missing,
    }
    needed = " and ".join(what for what, lacks in lacking.items() if lacks)
    if needed:
        return f"needs {needed}"
    try:
        check_memory(estimator, ensemble)
    except TooLargeError:
        return "needs more memory than is available"
    return ""


def needs_squares(estimator: Any, ensemble: Ensemble) -> bool:
    """Whether a fit of an ensemble needs q × q arrays, which linkage of many rows may not."""
    cost = estimator.cost
    return bool(cost.squares or cost.squares_each) and not _links_rows(estimator, ensemble)


def _links_rows(estimator: Any, ensemble: Ensemble) -> bool:
    kind, linkage = estimator.cost.links_labels, getattr(estimator, "linkage", "average")
    if not kind or (kind == "complete" and ensemble.has_missing):
        return False
    return links_rows(ensemble, linkage)


def needed_memory(estimator: Any, ensemble: Ensemble) -> float:
    """Gigabytes at the peak of a fit of an ensemble, in addition to the ensemble.

    0 if the class of the method declares no cost.
    """
    if estimator.cost is None:
        return 0.0
    q, m, L = _objects(estimator, ensemble), ensemble.n_clusterings, ensemble.n_clusters_total
    return 1e-3 * estimator.cost.megabytes(q, m, L, _links_rows(estimator, ensemble))


def _objects(estimator: Any, ensemble: Ensemble) -> int:
    return ensemble.n_samples if _takes_samples(estimator) else ensemble.microclusters.count


def _takes_samples(estimator: Any) -> bool:
    """Whether a fit works on the samples, and not on distinct rows of labels."""
    return bool(estimator.uses_features or estimator.depends_on_sample_order)


def check_memory(estimator: Any, ensemble: Ensemble) -> None:
    """Raise an error if there is not enough memory for a fit.

    Raises
    ------
    TooLargeError
        The message gives the required memory and methods for which the memory is enough.
    """
    needed, most = needed_memory(estimator, ensemble), memory_of_machine() / 1e3
    if needed > most:
        objects = "samples" if _takes_samples(estimator) else "distinct rows of labels"
        others = ", ".join(_methods_that_fit(most, ensemble)) or "none of the methods"
        raise TooLargeError(
            f"{name_of(estimator)} needs at least {needed:,.1f} GB for "
            f"{_objects(estimator, ensemble):,} {objects} and {ensemble.n_clusters_total:,} base "
            f"clusters, but the machine has {most:,.1f} GB. This memory is enough for {others}."
        )


def _methods_that_fit(most: float, ensemble: Ensemble) -> list[str]:
    """Methods that use only labels and need at most these gigabytes.

    They need no matrix of the rows, unless there are fewer rows than base clusters.
    """
    methods = {name: make(2) for name, make in METHODS.items()}
    few = ensemble.microclusters.count < ensemble.n_clusters_total
    return [
        name
        for name, method in methods.items()
        if (few or not needs_squares(method, ensemble)) and not _takes_samples(method)
        if needed_memory(method, ensemble) <= most
        if method.takes_missing or not ensemble.has_missing
    ]
