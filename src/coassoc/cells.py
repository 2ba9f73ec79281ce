"""Consensus of cell clusterings, read from and written to an AnnData object as scanpy does.

Objects are duck-typed: nothing here imports anndata.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from coassoc.alignment import Alignment, aligned_to
from coassoc.confidence import memberships, sample_confidence
from coassoc.consensus import find_consensus
from coassoc.ensemble import Ensemble
from coassoc.errors import DataError
from coassoc.pools.leiden import communities, neighbor_graph
from coassoc.selection.tree import consensus_tree

__all__ = ["consensus", "leiden"]


def leiden(
    adata: Any,
    resolutions: Sequence[float] = (0.5, 1.0, 1.5, 2.0),
    n_seeds: int = 5,
    *,
    use_rep: str | None = None,
    n_neighbors: int = 15,
    key_added: str = "leiden",
) -> list[str]:
    """Cluster cells by Leiden at several resolutions and seeds.

    Parameters
    ----------
    adata : AnnData
        Gets a column of ``obs`` for each clustering, ``{key_added}_{resolution}_{seed}``.
    resolutions : sequence of float
    n_seeds : int
        Seeds 0, 1, … at each resolution.
    use_rep : str, optional
        The representation in ``obsm`` whose nearest neighbours are linked, or "X". By default the
        graph that ``scanpy.pp.neighbors`` has left in ``obsp``.
    n_neighbors : int
        Neighbours of each cell in a graph of `use_rep`.
    key_added : str
        Prefix of the column names.

    Returns
    -------
    list of str
        Names of the columns, for :func:`consensus`.

    Raises
    ------
    DataError
        If the representation or the graph is not there.
    ModuleNotFoundError
        Without igraph and leidenalg: ``pip install 'coassoc[cells]'``.
    """
    import pandas as pd

    graph = _graph(adata, use_rep, n_neighbors)
    names = []
    for resolution in resolutions:
        for seed in range(n_seeds):
            names.append(f"{key_added}_{resolution:g}_{seed}")
            labels = communities(graph, resolution, seed)
            adata.obs[names[-1]] = pd.Categorical(labels.astype(str))
    return names


def _graph(adata: Any, use_rep: str | None, n_neighbors: int) -> Any:
    if use_rep is None:
        if "connectivities" not in adata.obsp:
            raise DataError(
                "adata.obsp has no 'connectivities'; call scanpy.pp.neighbors, or say by use_rep "
                "which representation in obsm has the neighbours."
            )
        return adata.obsp["connectivities"]
    if use_rep != "X" and use_rep not in adata.obsm:
        known = ", ".join(["X", *adata.obsm.keys()])
        raise DataError(f"use_rep is {use_rep!r}; it must be one of {known}.")
    return neighbor_graph(adata.X if use_rep == "X" else adata.obsm[use_rep], n_neighbors)


def consensus(
    adata: Any,
    columns: Sequence[str],
    n_clusters: int | Literal["splits"] | None,
    method: str | Callable[..., Any] = "LWEA",
    *,
    key_added: str = "consensus",
    random_state: int = 0,
    align_to: Any = None,
    copy: bool = False,
    **parameters: Any,
) -> Any:
    """Combine clusterings of cells.

    Parameters
    ----------
    adata : AnnData
    columns : sequence of str
        Columns of ``obs`` that are clusterings.
    n_clusters : int, "splits" or None
        "splits" cuts the consensus tree at its significant and stable splits, without any method
        (:func:`coassoc.selection.consensus_tree`). Otherwise c, or None for a method that chooses
        it, as in :func:`coassoc.find_consensus`.
    method : str or callable
        As for :func:`coassoc.find_consensus`.
    key_added : str
        Key of the results.
    random_state : int
        Seed of the method and of the tree.
    align_to : str or Series, optional
        An earlier clustering whose names clusters keep (:func:`coassoc.align`): a column of
        ``obs``, or a Series whose index has names of cells, not all of which `adata` need have.
    copy : bool
        Whether to return a modified copy and leave `adata` alone.
    **parameters
        Parameters of the method.

    Returns
    -------
    AnnData or None
        The copy, if `copy` is set. The result has

        ``obs[key_added]``
            the cluster of each cell, a categorical of texts: "0", "1", … or the names that
            `align_to` gives, the earlier ones first;
        ``obs[f"{key_added}_confidence"]``
            how sure it is, see :func:`coassoc.confidence.sample_confidence`;
        ``obsm[f"{key_added}_memberships"]``
            (n, c) shares of each cell in the clusters, in the order of the categories;
        ``uns[key_added]``
            ``"params"``, and ``"splits"``, a DataFrame of the splits of the consensus tree with
            their p and stability, whatever the method; with `align_to` also ``"alignment"``, a
            DataFrame of what each cluster shares with each earlier one, and ``"summary"``.

    Raises
    ------
    ConfigError, DataError, MethodError, TooLargeError
        As :func:`coassoc.find_consensus` and :func:`coassoc.align` do.
    """
    import pandas as pd

    ensemble = Ensemble(adata, columns=columns)
    tree = consensus_tree(ensemble, seed=random_state)
    if n_clusters == "splits":
        labels, used = tree.labels, {"method": "consensus_tree"}
    else:
        result = find_consensus(
            ensemble, n_clusters, method, random_state=random_state, **parameters
        )
        labels, used = result.labels, {"method": str(method), **parameters}
    made: dict[str, Any] = {"splits": tree.splits}
    names = [str(k) for k in range(labels.max() + 1)]
    if align_to is not None:
        alignment = aligned_to(_earlier(adata, align_to), labels, ensemble.index)
        labels, names = _by_name(alignment, labels)
        table = alignment.table.astype({"cluster": str, "earlier": str})
        made |= {"alignment": table, "summary": alignment.summary}
    adata = adata.copy() if copy else adata
    adata.obs[key_added] = pd.Categorical.from_codes(labels, names)
    adata.obs[f"{key_added}_confidence"] = sample_confidence(ensemble, labels)
    adata.obsm[f"{key_added}_memberships"] = memberships(ensemble, labels)
    params = {"columns": list(columns), "n_clusters": len(names), "random_state": random_state}
    params |= used
    adata.uns[key_added] = {"params": params, **made}
    return adata if copy else None


def _earlier(adata: Any, align_to: Any) -> Any:
    if not isinstance(align_to, str):
        return align_to
    if align_to not in adata.obs:
        raise DataError(f"align_to is {align_to!r}; it must be one of {', '.join(adata.obs)}.")
    return np.asarray(adata.obs[align_to])


def _by_name(alignment: Alignment, labels: NDArray[np.intp]) -> tuple[NDArray[np.intp], list[str]]:
    """Clusters numbered in the order of the earlier names, new ones last; and their names."""
    names = [*alignment.names.values()]
    place = {name: a for a, name in enumerate(alignment.earlier)}
    order = sorted(range(len(names)), key=lambda k: place.get(names[k], len(place)))
    return np.argsort(order)[labels], [str(names[k]) for k in order]
