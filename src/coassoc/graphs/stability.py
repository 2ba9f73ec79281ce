"""Whether a graph has communities that are found again with other seeds and fewer edges."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from coassoc.ensemble import Ensemble
from coassoc.errors import ConfigError
from coassoc.graphs.adjacency import (
    adjacency,
    checked_resolutions,
    igraph_of,
    leiden,
    node_names,
    rewired,
)
from coassoc.graphs.consensus import (
    ITERATIONS,
    GraphConsensus,
    description_length,
    graph_consensus,
)
from coassoc.io.display import count_of, notebook_progress
from coassoc.metrics import adjusted_rand_index, contingency_table
from coassoc.numerics.integers import integer_arguments
from coassoc.numerics.seeds import seed_from_names
from coassoc.selection.resolutions import STABLE, Resolutions, compare_resolutions

#: Fraction of the edges that each run leaves out. Runs on the same graph agree on trees and small
#: worlds, too, because they find the same arbitrary cuts.
LEFT_OUT = 0.1
#: Called with the name of a step, the amount done and the total amount.
Report = Callable[[str, int, int], object]
#: Communities beside the largest one hold more than this fraction of the nodes.
_OUTSIDE = 0.1


@dataclass(frozen=True, eq=False)
class Communities:
    """The result of :func:`communities`.

    Attributes
    ----------
    levels : dict of float to GraphConsensus
        The consensus at each resolution with stable communities, the finest first; empty if there
        are none. Of nearly equal ones, it is the one that describes the graph most shortly
        (:func:`coassoc.graphs.description_length`).
    resolutions : Resolutions
        How well the runs agree at each resolution.
    nodes : list or None
        Names of the nodes, if the graph has names.
    """

    levels: dict[float, GraphConsensus]
    resolutions: Resolutions
    nodes: list[Any] | None

    @property
    def labels(self) -> NDArray[np.intp]:
        """(n,) communities of the first level; −1 for unassigned nodes."""
        none = np.full(self.resolutions.ensemble.n_samples, -1)
        return next((level.labels for level in self.levels.values()), none)

    @property
    def certainty(self) -> NDArray[np.float64]:
        """(n,) certainty of the nodes at the first level."""
        none = np.full(self.resolutions.ensemble.n_samples, np.nan)
        return next((level.certainty for level in self.levels.values()), none)

    @property
    def verdict(self) -> str:
        """The stable communities, or that there are none, in words."""
        table = self.resolutions.table
        if self.levels:
            parts = [
                f"{value:g} ({_in_words(level.labels)}; stability {table['stability'][value]:.2f})"
                for value, level in self.levels.items()
            ]
            where = "resolution" if len(parts) == 1 else "resolutions"
            return (
                f"Stable communities at {where} {' and '.join(parts)}. Runs with other seeds and "
                "without a tenth of the edges find them again, and agree more than on random "
                f"graphs with the same degrees ({self.resolutions.p_in_words}). Communities may "
                "consist of smaller ones that are not found again."
            )
        table = table[_divided(self.resolutions)]
        largest = table["stability"].max()
        if self.resolutions.tested:
            p, possible = table.loc[table["stability"] >= STABLE, ["p", "smallest_p"]].min()
            return (
                "No stable communities: the runs agree no better than on random graphs with the "
                f"same degrees (largest mean similarity {largest:.2f}, p = {p:.2f}, smallest "
                f"possible {possible:.2f})."
            )
        return (
            "No stable communities: runs with other seeds and without a tenth of the edges differ "
            f"(largest mean similarity {np.nan_to_num(largest):.2f}; that of stable communities is "
            f"at least {STABLE:g})."
        )

    def __repr__(self) -> str:
        return f"{self.verdict}\n{self.resolutions.table.to_string(float_format='{:.3f}'.format)}"


@integer_arguments("n_runs", "n_draws", "random_state")
def communities(
    graph: Any,
    *,
    resolutions: Sequence[float] = (0.3, 0.5, 1.0, 1.5, 2.0, 3.0, 5.0, 8.0),
    n_runs: int = 10,
    n_draws: int = 19,
    random_state: int = 0,
    report: Report = notebook_progress,
) -> Communities:
    """Find communities of a graph, and whether they are stable.

    At each resolution, several Leiden runs have different seeds, and each leaves out another tenth
    of the edges. Communities are stable if the runs agree (mean similarity of at least 0.9), and
    agree more than on random graphs with the same degrees
    (:func:`coassoc.selection.compare_resolutions`). The consensus of the runs then gives the
    communities (:func:`graph_consensus`). The random graphs are only drawn if the runs agree.

    Parameters
    ----------
    graph : (n, n) array or sparse matrix, igraph.Graph, networkx.Graph, or (edges, 2 or 3) array
        See :func:`adjacency`. In a graph of nearest neighbours or correlations, neighbours of
        neighbours are linked even without communities, so use :func:`coassoc.cells.resolutions`.
    resolutions : sequence of float
        Resolutions of modularity.
    n_runs : int
        Number of runs at each resolution.
    n_draws : int
        Number of random graphs. The smallest p is 1 / (n_draws + 1).
    random_state : int
    report : callable
        Function that receives the name of a step, the amount done and the total.

    Raises
    ------
    ConfigError, DataError
        If an argument is out of range, or `graph` is not an undirected graph.
    ModuleNotFoundError
        Without igraph: ``pip install 'coassoc[cells]'``.

    References
    ----------
    B. Karrer, E. Levina, M. E. J. Newman, "Robustness of community structure in networks",
    Physical Review E 77, 046119, 2008.

    Examples
    --------
    >>> ring_of_cliques = np.kron(np.eye(8), np.ones((6, 6)))
    >>> for k in range(8):
    ...     ring_of_cliques[6 * k, 6 * k - 1] = ring_of_cliques[6 * k - 1, 6 * k] = 1
    >>> found = communities(ring_of_cliques - np.eye(48))
    >>> found.labels.reshape(8, 6)[:, [0, 5]].tolist()
    [[0, 0], [1, 1], [2, 2], [3, 3], [4, 4], [5, 5], [6, 6], [7, 7]]
    """
    for name, number, least in (("n_runs", n_runs, 2), ("n_draws", n_draws, 1)):
        if number < least:
            raise ConfigError(f"{name} is {number}. It must be at least {least}.")
    values = checked_resolutions(resolutions)
    weights, nodes = adjacency(graph), node_names(graph)
    of_runs = np.repeat(values, n_runs).tolist()

    def null_runs() -> Iterator[Ensemble]:
        """The same runs on random graphs with the same degrees."""
        whole = igraph_of(weights)
        for b in range(n_draws):
            drawn = adjacency(rewired(whole, seed_from_names(random_state, "degrees", b)))
            done = lambda _, run, of, b=b: report("random graphs", b * of + run, n_draws * of)
            yield _runs(drawn, values, n_runs, seed_from_names(random_state, "runs", b), done)

    runs = _runs(weights, values, n_runs, random_state, report)
    result = compare_resolutions(runs, of_runs, peaks=False)
    if _stable(result):
        result = compare_resolutions(runs, of_runs, null=null_runs(), peaks=False)
    levels: dict[float, GraphConsensus] = {}
    for value in _stable(result) if result.tested else ():
        one = Ensemble.from_clusterings(runs.labels[:, np.equal(of_runs, value)])
        found = graph_consensus(weights, one, resolution=value, random_state=random_state)
        levels[value] = replace(found, nodes=nodes)
    order = sorted(levels, key=lambda value: description_length(weights, levels[value].labels))
    different: dict[float, GraphConsensus] = {}
    for value in order:
        pairs = ((levels[value].labels, kept.labels) for kept in different.values())
        if all(adjusted_rand_index(contingency_table(*pair)) < STABLE for pair in pairs):
            different[value] = levels[value]
    return Communities(dict(sorted(different.items(), reverse=True)), result, nodes)


def _runs(
    weights: sp.csr_array, values: Sequence[float], n_runs: int, seed: int, report: Report
) -> Ensemble:
    """Communities at each resolution and seed, each run without other edges."""
    whole, labels = igraph_of(weights), []
    m = whole.ecount()
    for run in range(n_runs):
        seed_of_run = seed_from_names(seed, "communities", run)
        drawn = np.random.default_rng(seed_of_run).permutation(m)[round(LEFT_OUT * m) :]
        part = whole.subgraph_edges(np.sort(drawn).tolist(), delete_vertices=False)
        labels.append([leiden(part, value, seed_of_run, ITERATIONS) for value in values])
        report("runs", run + 1, n_runs)
    table = np.array(labels).transpose(2, 1, 0).reshape(weights.shape[0], -1)
    return Ensemble.from_clusterings(table)


def _divided(result: Resolutions) -> NDArray[np.bool_]:
    """Resolutions with communities that hold most nodes, and not nearly all of them in one.

    A node alone is no community, and a pair that is cut off from the others is found every time.
    """
    sizes = [np.bincount(labels) for labels in result.labels.T]
    held = np.array([each[each > 1].sum() for each in sizes])
    outside = held - np.array([each.max() for each in sizes])
    n = len(result.labels)
    return np.asarray((held > n / 2) & (outside > _OUTSIDE * n))


def _stable(result: Resolutions) -> list[float]:
    """Stable resolutions with such communities."""
    return result.table.index[result.table["level"] & _divided(result)].tolist()


def _in_words(labels: NDArray[np.intp]) -> str:
    sizes = np.bincount(labels[labels >= 0])
    alone = int((labels < 0).sum())
    span = " to ".join(dict.fromkeys(f"{size:,}" for size in (sizes.min(), sizes.max())))
    left = f", {count_of(alone, 'node')} unassigned" if alone else ""
    return f"{len(sizes):,} communities of {span} nodes{left}"
