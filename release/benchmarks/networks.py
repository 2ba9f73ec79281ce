"""Planted networks: the numbers of docs/results/networks.md and docs/tutorials/cells.md.

    cd release && python -m benchmarks.networks levels | communities | random | cells
    cd release && python -m benchmarks.networks lfr FOLDER PAIRS
    cd release && python -m benchmarks.networks scice FOLDER
    cd release && python -m benchmarks.networks program FOLDER

The folder of `lfr` has a folder for each network, named MIXING-SEED, in which the program of
Lancichinetti and Fortunato (github.com/andrealancichinetti/LFRbenchmarks, unweighted_undirected)
has written network.dat and community.dat, with SEED + 1 in time_seed.dat:

    benchmark -N 10000 -k 20 -maxk 50 -mu MIXING -t1 2 -t2 3 -minc 10 -maxc 50

Without it, networks come from :func:`lfr`. That of `scice` is github.com/Mathbiomed/scICE, and that
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

from coassoc import Ensemble, cells, graph_consensus
from coassoc.graphs import adjacency, edge_co_association, igraph_of, leiden
from coassoc.graphs.consensus import _thresholded
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


def of_the_program(folder: Path):
    """A network of the program named above."""
    edges, truth = (np.loadtxt(folder / f"{name}.dat", int) for name in ("network", "community"))
    edges -= 1
    return edges[edges[:, 0] < edges[:, 1]], truth[np.argsort(truth[:, 0]), 1]


def all_same(runs: Ensemble) -> bool:
    return bool((runs.n_clusters_per_clustering == runs.microclusters.count).all())


def all_pairs(runs: Ensemble, threshold: float = 0.5, most: int = 30):
    """Lancichinetti & Fortunato (2012): a matrix of all pairs, clustered again and again."""
    m = runs.n_clusterings
    for _ in range(most):
        if all_same(runs):
            break
        start = np.cumsum(runs.n_clusters_per_clustering)[:-1]
        columns = (runs.labels + np.append(0, start)).ravel()
        rows = np.repeat(np.arange(runs.n_samples), m)
        members = sp.csr_array((np.full(len(rows), 1 / m), (rows, columns)))
        together = sp.csr_array(members @ members.T * m)
        together.setdiag(0)
        made = igraph_of(_thresholded(together, threshold))
        runs = Ensemble(np.column_stack([leiden(made, 1.0, 100 + j) for j in range(m)]))
    return runs.labels[:, 0]


ANSWERS = {
    "majority": lambda graph, runs: components(edge_co_association(graph, runs) > 0.5),
    "all pairs": lambda graph, runs: all_pairs(runs),
    "consensus": lambda graph, runs: graph_consensus(graph, runs).labels,
    "unanimous": lambda graph, runs: graph_consensus(graph, runs, threshold=1).labels,
}


def components(links):
    return sp.csgraph.connected_components(links)[1]


def study_lfr(folder: str = "", pairs: str = "0") -> None:
    """All pairs, which take minutes, on so many networks of each mixing."""
    lines = []
    for seed, mixing in product(range(10), (0.1, 0.2, 0.3, 0.4, 0.5, 0.6)):
        path = Path(folder, f"{mixing}-{seed}")
        edges, truth = of_the_program(path) if folder else lfr(10_000, mixing, seed)
        graph = adjacency(edges)
        made = igraph_of(graph)
        runs = Ensemble(np.column_stack([leiden(made, 1.0, j) for j in range(10)]))
        single = [score_partition(truth, run)["NMI"] for run in runs.labels.T]
        line = {"mixing": mixing, "real": np.mean(truth[edges[:, 0]] != truth[edges[:, 1]])}
        line |= {"communities": len({*truth}), "Leiden": np.mean(single)}
        for name, answer in ANSWERS.items():
            start = time.process_time()
            found = answer(graph, runs) if seed < int(pairs) or name != "all pairs" else None
            line[f"{name} s"] = time.process_time() - start
            line[name] = np.nan if found is None else score_partition(truth, found)["NMI"]
        lines.append(line)
        print(seed, line, flush=True)
    table = pd.DataFrame(lines)
    print(table.groupby("mixing").mean().round(3).T.to_string())
    others = table[["Leiden", *ANSWERS]]
    print(others.rsub(table["consensus"], axis=0).describe().round(4).to_string())


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
            "FastEnsemble": [found[node] for node in graph],
            "consensus": graph_consensus(graph).labels,
            "unanimous": graph_consensus(graph, threshold=1).labels,
        }
        for name, labels in answers.items():
            scores = score_partition(truth, pd.factorize(np.array(labels))[0])
            lines.append({"mixing": mixing, "answer": name, "n": len({*labels}), **scores})
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
