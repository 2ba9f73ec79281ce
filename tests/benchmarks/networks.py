"""Planted networks: the numbers of docs/networks.md and docs/cells.md.

cd tests && python -m benchmarks.networks lfr | levels | random | cells
"""

import sys
import time
from types import SimpleNamespace

import numpy as np
import pandas as pd
import scipy.sparse as sp

from coassoc import Ensemble, cells, graph_consensus
from coassoc.graphs import adjacency, edge_co_association, igraph_of, leiden
from coassoc.metrics import score_partition
from coassoc.selection import compare_resolutions


def power_law(rng, n: int, exponent: float, low: int, high: int):
    a = 1 - exponent
    return np.floor((low**a + rng.random(n) * ((high + 1) ** a - low**a)) ** (1 / a)).astype(int)


def lfr(n: int, mixing: float, seed: int):
    """Edges and communities as in the benchmark of Lancichinetti, Fortunato & Radicchi (2008).

    Degrees have the exponent 2.5, a mean of about 20 and at most 50; communities the exponent 1.5
    and 20 to 100 nodes. Stubs are joined at random inside and between communities.
    """
    rng = np.random.default_rng(seed)
    degree = power_law(rng, n, 2.5, 10, 50)
    sizes = power_law(rng, n // 20, 1.5, 20, 100)
    truth = np.repeat(np.arange(len(sizes)), sizes)[:n]
    truth = rng.permutation(truth)
    inside = np.minimum(np.round((1 - mixing) * degree), np.bincount(truth)[truth] - 1).astype(int)
    edges: set[tuple[int, int]] = set()

    def join(stubs, within: bool) -> None:
        for _ in range(30):
            left = []
            for a, b in rng.permutation(stubs)[: len(stubs) // 2 * 2].reshape(-1, 2).tolist():
                edge = min(a, b), max(a, b)
                if a != b and within == (truth[a] == truth[b]) and edge not in edges:
                    edges.add(edge)
                else:
                    left += [a, b]
            stubs = np.array(left, dtype=int)

    for k in range(truth.max() + 1):
        nodes = np.flatnonzero(truth == k)
        join(np.repeat(nodes, inside[nodes]), True)
    join(np.repeat(np.arange(n), degree - inside), False)
    return np.array(sorted(edges)), truth


def blocks(seed: int, chances=(0.01, 0.12, 0.6)):
    """Four groups of four groups of twenty nodes."""
    rng, fine = np.random.default_rng(seed), np.arange(320) // 20
    level = (fine[:, None] // 4 == fine // 4).astype(int) + (fine[:, None] == fine)
    drawn = rng.random((320, 320)) < np.array(chances)[level]
    upper = sp.csr_array(np.triu(drawn, 1).astype(float))
    return upper + upper.T, fine


def resolutions_of(graph, values, seed: int):
    obs = pd.DataFrame(index=np.arange(graph.shape[0]).astype(str))
    adata = SimpleNamespace(obs=obs, obs_names=obs.index, obsm={}, uns={})
    adata.obsp = {"connectivities": graph}
    return cells.resolutions(adata, values, 5, null="degrees", random_state=seed)


def study_lfr() -> None:
    for mixing in (0.1, 0.2, 0.3, 0.4, 0.5, 0.6):
        for seed in range(10):
            edges, truth = lfr(10_000, mixing, seed)
            graph = adjacency(edges)
            made = igraph_of(graph)
            runs = Ensemble(np.column_stack([leiden(made, 1.0, j) for j in range(10)]))
            together = edge_co_association(graph, runs) > 0.5
            found = {"majority": sp.csgraph.connected_components(together)[1]}
            found["consensus"] = graph_consensus(graph, runs).labels
            scores = {name: score_partition(truth, each)["NMI"] for name, each in found.items()}
            single = [score_partition(truth, run)["NMI"] for run in runs.labels.T]
            print(mixing, seed, {"Leiden": np.mean(single), **scores}, flush=True)


def study_levels() -> None:
    for seed in range(20):
        graph, fine = blocks(seed)
        found = resolutions_of(graph, (0.2, 0.4, 0.7, 1, 1.5, 2.2, 3.2, 4.5), seed)
        columns = found.labels[:, found.table["level"]].T
        for truth in (fine // 4, fine):
            print(seed, found.levels, max(score_partition(truth, c)["ARI"] for c in columns))


def study_random() -> None:
    for seed in range(200):
        drawn = np.random.default_rng(seed).random((200, 200)) < 0.05
        upper = sp.csr_array(np.triu(drawn, 1).astype(float))
        found = resolutions_of(upper + upper.T, (0.3, 0.6, 1, 1.5, 2, 3, 5), seed)
        print(seed, found.table["p"].min(), found.levels, flush=True)


def study_cells() -> None:
    """A million cells with ten runs at each of ten resolutions."""
    rng = np.random.default_rng(0)
    fine, runs = rng.integers(40, size=10**6), {}
    for value, c in zip(range(1, 11), (2, 5, 5, 10, 10, 20, 20, 40, 40, 40), strict=True):
        for seed in range(10):
            wrong = rng.random(len(fine)) < 0.05
            other = rng.integers(c, size=len(fine))
            runs[f"r{value}_{seed}"] = np.where(wrong, other, fine * c // 40).astype(np.int16)
    table, start = pd.DataFrame(runs), time.process_time()
    print(compare_resolutions(table).verdict, time.process_time() - start)


if __name__ == "__main__":
    globals()[f"study_{sys.argv[1]}"]()
