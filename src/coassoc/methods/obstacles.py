"""Which methods can be applied to given base clusterings."""

from numpy.typing import ArrayLike

from coassoc.ensemble import Ensemble
from coassoc.errors import TooLargeError
from coassoc.methods import METHODS
from coassoc.methods.memory import check_memory


def obstacles(labels: ArrayLike | Ensemble, features: bool = False) -> dict[str, str]:
    """What stands between each method and some base clusterings.

    Parameters
    ----------
    labels : (n, m) table of labels, or Ensemble
        See :class:`coassoc.Ensemble`.
    features : bool
        Whether the samples' features are to be had.

    Returns
    -------
    dict of str to str
        Each of :data:`coassoc.methods.METHODS` → why it cannot be applied; an empty text if it can.

    Raises
    ------
    DataError
        If `labels` is no table of labels.

    Examples
    --------
    >>> found = obstacles([[0, 0], [0, None], [1, 1]])
    >>> found["LWEA"], found["DREC"], found["ACMK-KM"]
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
        return "needs more memory than the machine has"
    return ""
