"""Planted networks: the numbers of docs/results/networks.md and docs/tutorials/cells.md.

    cd release && python -m benchmarks.networks levels | communities | random | cells | large
    cd release && python -m benchmarks.networks scice FOLDER
    cd release && python -m benchmarks.networks program FOLDER

The folder of `scice` is github.com/Mathbiomed/scICE, and that
of `program` has fast_ensemble.py of github.com/ytabatabaee/fast-ensemble, which needs networkx,
leidenalg and python-louvain.
"""

import sys
import time
from itertools import product
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import scipy.sparse as sp

from coassoc import cells, graph_consensus
from coassoc.graphs import adjacency, igraph_of, leiden
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


def alone_by_themselves(labels):
    """Labels in which each unassigned node is a community by itself."""
    return np.where(labels < 0, labels.max() + 1 + np.arange(len(labels)), labels)


def study_large() -> None:
    """A thousand groups of 100 nodes, with a million edges of which 60 % are inside."""
    rng, truth = np.random.default_rng(0), np.arange(10**5) // 100
    edges = rng.integers(10**5, size=(10**6, 2))
    inside = np.flatnonzero(rng.random(10**6) < 0.6)
    edges[inside, 1] = edges[inside, 0] // 100 * 100 + rng.integers(100, size=len(inside))
    graph = adjacency(edges)
    for name, answer in (
        ("run", lambda: leiden(igraph_of(graph), 1.0, 0)),
        ("consensus", lambda: graph_consensus(graph).labels),
    ):
        start = time.process_time()
        labels = answer()
        seconds = time.process_time() - start
        print(name, seconds, score_partition(truth, alone_by_themselves(labels)), flush=True)


def study_program(folder: str) -> None:
    """The program of Tabatabaee et al. (2024), on LFR networks of networkx with 2,000 nodes."""
    import networkx as nx

    sys.path.append(folder)
    from fast_ensemble import fast_ensemble

    settings = {"tr": 0.8, "final_alg": "leiden-mod", "algorithm": "leiden-mod", "n_p": 10}
    sizes = {"average_degree": 20, "max_degree": 50, "min_community": 20, "max_community": 100}
    lines = []
    for mixing, seed in product((0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7), range(3)):
        graph = nx.LFR_benchmark_graph(2000, 2.5, 1.5, mixing, **sizes, seed=seed, max_iters=2000)
        graph.remove_edges_from(list(nx.selfloop_edges(graph)))
        named = np.array([min(graph.nodes[node]["community"]) for node in graph])
        truth = pd.factorize(named)[0]
        found = fast_ensemble(nx.Graph(graph.edges), **settings)
        answers = {
            "FastEnsemble": np.array([found[node] for node in graph]),
            "run": leiden(igraph_of(adjacency(graph)), 1.0, seed),
            "consensus": graph_consensus(graph, random_state=seed).labels,
        }
        for name, labels in answers.items():
            scores = score_partition(truth, alone_by_themselves(labels))
            several = np.count_nonzero(np.unique(labels, return_counts=True)[1] > 1)
            lines.append({"mixing": mixing, "answer": name, "n": several, **scores})
    table = pd.DataFrame(lines).groupby(["mixing", "answer"])[["n", "NMI", "ARI"]].mean()
    print(table.round(3).to_string())


def study_scice(folder: str) -> None:
    """Its embedding of 3,959 cells of eight sorted types, three of which are mixed in it."""
    table = pd.read_csv(Path(folder, "out/pca.csv"))
    adata = SimpleNamespace(X=table.drop(columns="cell").to_numpy(), obsm={}, uns={})
    adata.obs = pd.DataFrame(index=table.index.astype(str))
    adata.obs_names = adata.obs.index
    found = cells.resolutions(adata, (0.05, 0.1, 0.2, 0.4, 0.7, 1, 1.5), 5, use_rep="X")
    mixed = dict.fromkeys(["cd.t.helper", "naive.t", "regulatory.t"], "T")
    for name, kinds in (("types", table["cell"]), ("mixed", table["cell"].replace(mixed))):
        found.table[name] = [
            score_partition(kinds.factorize()[0], c)["ARI"] for c in found.labels.T
        ]
    significant = found.clusters.groupby("resolution")["p"].agg(lambda p: (p <= 0.05).sum())
    print(found.verdict, found.table.assign(significant=significant).to_string(), sep="\n")


def study_levels() -> None:
    for seed in range(20):
        graph, fine = blocks(seed)
        found = resolutions_of(graph, (0.2, 0.4, 0.7, 1, 1.5, 2.2, 3.2, 4.5), seed)
        columns = found.labels[:, found.table["level"]].T
        best = [
            max(score_partition(truth, c)["ARI"] for c in columns) for truth in (fine // 4, fine)
        ]
        print(seed, found.levels, best, called(found), flush=True)


def study_communities() -> None:
    """Networks of one planted level, 1,000 nodes; whether it is found at each mixing."""
    for seed, mixing in product(range(10), (0.1, 0.2, 0.3, 0.4, 0.5, 0.6)):
        edges, truth = lfr(1000, mixing, seed)
        found = resolutions_of(adjacency(edges), (0.3, 0.6, 1, 1.5, 2.5, 4, 7), seed)
        columns = found.labels[:, found.table["level"]].T
        best = max([score_partition(truth, c)["NMI"] for c in columns], default=np.nan)
        print(mixing, seed, found.levels, best, called(found), flush=True)


def called(found) -> str:
    """How many clusters are more stable than chance."""
    return f"{(found.clusters['p'] <= 0.05).sum()} of {len(found.clusters)}"


def study_random() -> None:
    for seed in range(200):
        drawn = np.random.default_rng(seed).random((200, 200)) < 0.05
        upper = sp.csr_array(np.triu(drawn, 1).astype(float))
        found = resolutions_of(upper + upper.T, (0.3, 0.6, 1, 1.5, 2, 3, 5), seed)
        print(seed, found.table["p"].min(), found.clusters["p"].min(), found.levels, flush=True)


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
    globals()[f"study_{sys.argv[1]}"](*sys.argv[2:])
