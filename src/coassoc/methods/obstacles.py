"""Methods that accept given base clusterings, and the memory that they need."""

from typing import Any

from numpy.typing import ArrayLike

from coassoc.ensemble import Ensemble
from coassoc.errors import TooLargeError
from coassoc.methods.registry import METHODS, name_of
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


def needed_memory(estimator: Any, ensemble: Ensemble) -> float:
    """Gigabytes at the peak of a fit of an ensemble, in addition to the ensemble.

    0 if the class of the method declares no cost.
    """
    cost = estimator.cost
    if cost is None:
        return 0.0
    on_samples = estimator.uses_features or estimator.depends_on_sample_order
    q = ensemble.n_samples if on_samples else ensemble.microclusters.count
    links = cost.links_labels == "any" or (cost.links_labels and not ensemble.has_missing)
    links = links and links_rows(ensemble, getattr(estimator, "linkage", "average"))
    sizes = q, ensemble.n_clusterings, ensemble.n_clusters_total
    return 1e-3 * float(cost.megabytes(*sizes, links_rows=bool(links)))


def check_memory(estimator: Any, ensemble: Ensemble) -> None:
    """Raise a TooLargeError if there is not enough memory for a fit."""
    needed, most = needed_memory(estimator, ensemble), memory_of_machine() / 1e3
    if needed > most:
        raise TooLargeError(
            f"{name_of(estimator)} needs at least {needed:,.1f} GB for this ensemble, but the "
            f"machine has {most:,.1f} GB. Choose another method; `coassoc methods --for FILE` "
            "lists those that fit."
        )
