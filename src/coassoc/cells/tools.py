"""Clusterings of cells and their consensus, read from and written to an AnnData object."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

from coassoc.alignment import Alignment, aligned_to
from coassoc.confidence import memberships, sample_confidence
from coassoc.consensus import find_consensus
from coassoc.ensemble import Ensemble
from coassoc.errors import ConfigError, DataError
from coassoc.graphs import adjacency, checked_resolutions, igraph_of, rewired
from coassoc.graphs import leiden as leiden_of_graph
from coassoc.methods.leaders import agreement_of_leaders
from coassoc.methods.names import MethodName
from coassoc.numerics.seeds import seed_from_names, seed_sequence
from coassoc.pools.leiden import neighbor_graph
from coassoc.selection.null import gaussian_cloud, seed_of_data
from coassoc.selection.resolutions import Resolutions, compare_resolutions
from coassoc.selection.tree import consensus_tree


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
        graph that ``scanpy.pp.neighbors`` has stored in ``obsp``.
    n_neighbors : int
        Number of neighbours of each cell in a graph of `use_rep`.
    key_added : str
        Prefix of the column names.

    Returns
    -------
    list of str
        Names of the columns, for :func:`consensus`.

    Raises
    ------
    ConfigError, DataError
        If an argument is out of range, or the representation or the graph is missing.
    ModuleNotFoundError
        Without igraph: ``pip install 'coassoc[cells]'``.
    """
    import pandas as pd

    resolutions = checked_resolutions(resolutions)
    if n_seeds < 1:
        raise ConfigError(f"n_seeds is {n_seeds}. It must be at least 1.")
    graph = igraph_of(adjacency(_graph(adata, use_rep, n_neighbors)))
    names = []
    for resolution in resolutions:
        for seed in range(n_seeds):
            names.append(f"{key_added}_{resolution:g}_{seed}")
            labels = leiden_of_graph(graph, resolution, seed)
            adata.obs[names[-1]] = pd.Categorical(labels.astype(str))
    return names


def resolutions(
    adata: Any,
    resolutions: Sequence[float] = (0.1, 0.2, 0.3, 0.5, 0.7, 1.0, 1.4, 2.0, 2.8),
    n_seeds: int = 10,
    *,
    use_rep: str | None = None,
    n_neighbors: int = 15,
    share: float = 1.0,
    null: Literal["cloud", "degrees"] | None = "cloud",
    n_draws: int = 19,
    key_added: str = "resolutions",
    random_state: int = 0,
) -> Resolutions:
    """Find the Leiden resolutions at which runs agree more than expected by chance.

    Parameters
    ----------
    adata : AnnData
    resolutions : sequence of float
    n_seeds : int
        Number of runs at each resolution, with different seeds.
    use_rep : str, optional
        The representation in ``obsm`` whose nearest neighbours are linked, or "X". By default the
        graph that ``scanpy.pp.neighbors`` has stored in ``obsp``.
    n_neighbors : int
        Number of neighbours of each cell in a graph of `use_rep`.
    share : float
        Fraction of the cells in the random sample of each run.
    null : {"cloud", "degrees"} or None
        The null model: "cloud" draws cells from one Gaussian with the mean and the covariance of
        `use_rep` and clusters them in the same way; "degrees" draws graphs with the same degrees.
        Do not use "degrees" for nearest-neighbour graphs, which are always more stable than such
        graphs, even without clusters.
    n_draws : int
        Number of null draws, each of which takes as long as the runs themselves. The smallest p is
        1 / (n_draws + 1).
    key_added : str
        Key of the results.
    random_state : int

    Returns
    -------
    Resolutions
        See :func:`coassoc.selection.compare_resolutions`. `adata` gets

        ``obs[f"{key_added}_{resolution}"]``
            the clusters of the most typical run at each resolution, a categorical;
        ``obsm[f"{key_added}_consistency"]``
            (n, R) mean similarity of each cell over the pairs of runs;
        ``uns[key_added]``
            ``"verdict"``, ``"params"`` and the DataFrames ``"table"``, ``"clusters"`` and
            ``"flows"``.

    Raises
    ------
    ConfigError, DataError
        If an argument is out of range, the representation or the graph is missing, or `null` is
        "cloud" without `use_rep`.
    ModuleNotFoundError
        Without igraph: ``pip install 'coassoc[cells]'``.
    """
    import pandas as pd

    resolutions = checked_resolutions(resolutions)
    if null not in ("cloud", "degrees", None) or (null == "cloud" and use_rep is None):
        raise ConfigError(
            f"null is {null!r} and use_rep is {use_rep!r}. For null='cloud', pass the name of a "
            "representation in obsm, such as use_rep='X_pca'. For a network that is not a graph of "
            "nearest neighbours, pass null='degrees' or null=None."
        )
    run = partial(_runs, resolutions=resolutions, n_seeds=n_seeds, share=share, seed=random_state)
    graph = adjacency(_graph(adata, use_rep, n_neighbors))
    labels = run(graph)
    without = np.count_nonzero((labels < 0).all(axis=1))
    if without:
        raise ConfigError(
            f"share is {share} and n_seeds is {n_seeds}, so {without} of {len(labels)} cells are "
            "in no run. Raise share or n_seeds."
        )
    drawn: Iterator[Any] = iter(())
    if null == "degrees":
        whole_graph = igraph_of(graph)
        seeds = (seed_from_names(random_state, "degrees", b) for b in range(n_draws))
        drawn = (adjacency(rewired(whole_graph, seed)) for seed in seeds)
    elif null == "cloud":
        X = _representation(adata, use_rep)
        cloud = gaussian_cloud(X, random_state=seed_of_data(random_state, X))
        drawn = (neighbor_graph(cloud(b), n_neighbors) for b in range(n_draws))
    names = [f"{value:g}_{s}" for value in resolutions for s in range(n_seeds)]
    runs = pd.DataFrame(labels, index=adata.obs_names, columns=names)
    of_runs = np.repeat(resolutions, n_seeds).tolist()
    result = compare_resolutions(
        Ensemble(runs, columns=names),
        of_runs,
        null=(Ensemble.from_clusterings(run(graph)) for graph in drawn),
    )
    for k, value in enumerate(result.table.index):
        categories = [*map(str, result.names[k])]
        column = pd.Categorical.from_codes(result.labels[:, k], categories)
        adata.obs[f"{key_added}_{value:g}"] = column
    adata.obsm[f"{key_added}_consistency"] = result.consistency
    params = {"n_seeds": n_seeds, "use_rep": use_rep or "", "n_neighbors": n_neighbors}
    params |= {"share": share, "null": null or "", "n_draws": n_draws, "random_state": random_state}
    # A column in an AnnData file has one type, and clusters in obs are strings as well.
    clusters = result.clusters.fillna({"parent": ""}).astype({"cluster": str, "parent": str})
    flows = result.flows.astype({"cluster": str, "next_cluster": str})
    tables = {"table": result.table, "clusters": clusters, "flows": flows}
    adata.uns[key_added] = {"params": params, "verdict": result.verdict, **tables}
    return result


def _runs(
    graph: Any, resolutions: Sequence[float], n_seeds: int, share: float, seed: int
) -> NDArray[np.int32]:
    """(n, R · n_seeds) communities at each resolution and seed; −1 for cells that a run lacks."""
    n = graph.shape[0]
    labels = np.full((n, len(resolutions), n_seeds), -1, dtype=np.int32)
    whole = igraph_of(graph) if share == 1 else None
    for s in range(n_seeds):
        generator = np.random.default_rng(seed_sequence(seed, "cells", s))
        cells = np.sort(generator.choice(n, round(share * n), replace=False))
        subgraph = whole if whole is not None else igraph_of(graph[cells][:, cells])
        for k, value in enumerate(resolutions):
            labels[cells, k, s] = leiden_of_graph(
                subgraph, value, seed_from_names(seed, "leiden", s)
            )
    return labels.reshape(n, -1)


def _graph(adata: Any, use_rep: str | None, n_neighbors: int) -> Any:
    if use_rep is None:
        if "connectivities" not in adata.obsp:
            raise DataError(
                "adata.obsp has no 'connectivities'. Call scanpy.pp.neighbors, or pass the name "
                "of a representation in obsm as use_rep."
            )
        return adata.obsp["connectivities"]
    return neighbor_graph(_representation(adata, use_rep), n_neighbors)


def _representation(adata: Any, use_rep: str | None) -> Any:
    if use_rep != "X" and use_rep not in adata.obsm:
        names = ", ".join(["X", *adata.obsm.keys()])
        raise DataError(f"use_rep is {use_rep!r}. It must be one of {names}.")
    X = adata.X if use_rep == "X" else adata.obsm[use_rep]
    if X is None or 0 in X.shape:
        raise DataError(f"use_rep is {use_rep!r}, which is empty. Choose another representation.")
    if not np.isfinite(X.data if issparse(X) else np.asarray(X)).all():
        raise DataError(
            f"use_rep is {use_rep!r}, which has missing or infinite values. Replace these values, "
            "or leave out the cells that have them."
        )
    return X


def consensus(
    adata: Any,
    columns: Sequence[str],
    n_clusters: int | Literal["splits"] | None,
    method: MethodName | Callable[..., Any] = "auto",
    *,
    key_added: str = "consensus",
    random_state: int = 0,
    align_to: Any = None,
    agreement: bool = False,
    copy: bool = False,
    **parameters: Any,
) -> Any:
    """Combine clusterings of cells.

    Parameters
    ----------
    adata : AnnData
    columns : sequence of str
        Columns of ``obs`` that are clusterings, or patterns of their names, such as "leiden_*".
    n_clusters : int, "splits" or None
        The number of clusters, or None for a method that chooses it, as in
        :func:`coassoc.find_consensus`. "splits" cuts the consensus tree at its significant and
        stable splits, without a method (:func:`coassoc.selection.consensus_tree`).
    method : str or callable
        As for :func:`coassoc.find_consensus`.
    key_added : str
        Key of the results.
    random_state : int
        Seed of the method and of the tree.
    align_to : str or Series, optional
        An earlier clustering whose cluster names are kept (:func:`coassoc.align`): a column of
        ``obs``, or a Series with cell names as its index. `adata` need not contain all of these
        cells.
    agreement : bool
        Whether to also fit five methods of different kinds and report their agreement with the
        result.
    copy : bool
        Whether to return a modified copy and leave `adata` unchanged.
    **parameters
        Parameters of the method.

    Returns
    -------
    AnnData or None
        The copy, if `copy` is set. The result has

        ``obs[key_added]``
            the cluster of each cell, a categorical of strings: "0", "1", … or the names from
            `align_to`, with earlier names first;
        ``obs[f"{key_added}_confidence"]``
            the confidence of each cell, see :func:`coassoc.confidence.sample_confidence`;
        ``obs[f"{key_added}_agreement"]``
            with `agreement`, the fraction of five methods that agree
            (:class:`coassoc.methods.leaders.Agreement`);
        ``obsm[f"{key_added}_memberships"]``
            (n, c) memberships of each cell in the clusters, in the order of the categories;
        ``uns[key_added]``
            ``"params"``, including the reason for the choice if no method was named; ``"splits"``,
            a DataFrame of the splits of the consensus tree with their p-values and stability, for
            every method; with `align_to`, ``"alignment"``, a DataFrame of the cells that each
            cluster shares with each earlier cluster, and ``"summary"``; with `agreement`,
            ``"verdict"``.

    Raises
    ------
    ConfigError, DataError, MethodError, TooLargeError
        The errors of :func:`coassoc.find_consensus` and :func:`coassoc.align`. ConfigError also if
        `key_added` is one of the combined columns.
    """
    import pandas as pd

    ensemble = Ensemble(adata, columns=columns)
    if ensemble.n_clusterings < 2:
        raise DataError(
            f"columns is {columns!r}, which is only one clustering. Pass at least two columns."
        )
    if key_added in ensemble.clusterings:
        raise ConfigError(
            f"key_added is {key_added!r}, which is one of the combined columns. Choose another "
            "key, so that the column is not overwritten."
        )
    tree = consensus_tree(ensemble, random_state=random_state)
    if n_clusters == "splits":
        labels, used = tree.labels, {"method": "consensus_tree"}
    else:
        result = find_consensus(
            ensemble, n_clusters, method, random_state=random_state, **parameters
        )
        labels, used = result.labels, {"method": str(method), **parameters}
        if result.choice is not None:
            used = {"method": result.choice.method, "choice": str(result.choice)}
    entries: dict[str, Any] = {"splits": tree.splits}
    agreed = agreement_of_leaders(ensemble, labels, random_state) if agreement else None
    names = [str(k) for k in range(labels.max() + 1)]
    if align_to is not None:
        alignment = aligned_to(_earlier(adata, align_to), labels, ensemble.index)
        labels, names = _align_by_name(alignment, labels)
        table = alignment.table.astype({"cluster": str, "earlier": str})
        entries |= {"alignment": table, "summary": alignment.summary}
    adata = adata.copy() if copy else adata
    adata.obs[key_added] = pd.Categorical.from_codes(labels, names)
    adata.obs[f"{key_added}_confidence"] = sample_confidence(ensemble, labels)
    if agreed is not None:
        adata.obs[f"{key_added}_agreement"] = agreed.samples
        entries["verdict"] = agreed.verdict
    adata.obsm[f"{key_added}_memberships"] = memberships(ensemble, labels)
    params = {"columns": ensemble.clusterings, "n_clusters": len(names)}
    params |= {"random_state": random_state, **used}
    adata.uns[key_added] = {"params": params, **entries}
    return adata if copy else None


def _earlier(adata: Any, align_to: Any) -> Any:
    if not isinstance(align_to, str):
        return align_to
    if align_to not in adata.obs:
        raise DataError(
            f"align_to is {align_to!r}. It must be one of {', '.join(adata.obs)}, or a Series with "
            "cell names as its index."
        )
    return np.asarray(adata.obs[align_to])


def _align_by_name(
    alignment: Alignment, labels: NDArray[np.intp]
) -> tuple[NDArray[np.intp], list[str]]:
    """Clusters numbered in the order of the earlier names, new ones last; and their names."""
    names = [*alignment.names.values()]
    place = {name: a for a, name in enumerate(alignment.earlier)}
    order = sorted(range(len(names)), key=lambda k: place.get(names[k], len(place)))
    return np.argsort(order)[labels], [str(names[k]) for k in order]
