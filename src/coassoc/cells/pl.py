"""Plots of the results of :mod:`coassoc.cells` in an AnnData object, in the style of scanpy.

All functions need ``pip install 'coassoc[tables]'`` and have these arguments of ``scanpy.pl``:

ax : Axes, optional
    Axes for the plot. Default: the axes of a new figure.
show : bool, optional
    Whether to show the figure instead of returning the Axes. Default: True without `ax`.
"""

from collections.abc import Callable
from typing import Any

from coassoc.ensemble import Ensemble
from coassoc.errors import DataError


def resolutions(
    adata: Any, key: str = "resolutions", *, ax: Any = None, show: bool | None = None
) -> Any:
    """Stability of each resolution (± two standard errors), compared with null data.

    Parameters
    ----------
    adata : AnnData
        The object with the results of :func:`coassoc.cells.resolutions`.
    key : str
        The `key_added` of these results.
    ax, show
        See :mod:`coassoc.cells.pl`.

    Raises
    ------
    DataError
        If ``uns`` has no such key.
    """
    from coassoc.pages.resolutions import plot_stability

    return _drawn(
        plot_stability, _require_result(adata, key, "resolutions")["table"], ax=ax, show=show
    )


def resolutions_tree(
    adata: Any, key: str = "resolutions", *, ax: Any = None, show: bool | None = None
) -> Any:
    """Clusters of each resolution by their stability, and the flow of cells between them.

    The darker a line, the larger the fraction of the lower cluster that comes from the upper
    cluster. A black ring marks a cluster that is more stable than expected by chance.

    Parameters
    ----------
    adata, key, ax, show
        As for :func:`resolutions`.

    Raises
    ------
    DataError
        If ``uns`` has no such key.
    """
    from coassoc.pages.resolutions import plot_clusters

    result = _require_result(adata, key, "resolutions")
    return _drawn(plot_clusters, result["clusters"], result["flows"], ax=ax, show=show)


def consensus(
    adata: Any, key: str = "consensus", *, ax: Any = None, show: bool | None = None
) -> Any:
    """Fraction of the clusterings that join two cells, in the order of the consensus.

    Parameters
    ----------
    adata : AnnData
        The object with the results of :func:`coassoc.cells.consensus`, and with the columns of
        ``obs`` that it combined.
    key : str
        The `key_added` of these results.
    ax, show
        See :mod:`coassoc.cells.pl`.

    Raises
    ------
    DataError
        If ``uns`` has no such key, or ``obs`` lacks one of these columns.
    """
    from coassoc.pages.pictures import plot_consensus_matrix

    columns = [*_require_result(adata, key, "consensus")["params"]["columns"]]
    labels, confidence = adata.obs[key].astype(str), adata.obs[f"{key}_confidence"].to_numpy()
    names = labels.astype(int) if labels.str.isdigit().all() else labels  # sorts 2 before 10
    ensemble = Ensemble(adata, columns=columns)
    return _drawn(plot_consensus_matrix, ensemble, names.to_numpy(), confidence, ax=ax, show=show)


def _require_result(adata: Any, key: str, by: str) -> Any:
    if key not in adata.uns:
        raise DataError(f"adata.uns has no {key!r}. Call coassoc.cells.{by} first.")
    return adata.uns[key]


def _drawn(plot: Callable[..., Any], *what: Any, ax: Any, show: bool | None) -> Any:
    from matplotlib import pyplot

    axis = pyplot.subplots(layout="constrained")[1] if ax is None else ax
    plot(*what, axis=axis)
    if not (ax is None if show is None else show):
        return axis
    pyplot.show()
    return None
