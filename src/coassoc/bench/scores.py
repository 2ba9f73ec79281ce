"""Scores of the runs, base clusterings and references that a table, figure or audit shows.

Two measures need no classes: the average NMI to the base clusterings of the repeat ("ANMI") and the
mean ARI to the other repeats ("stability"). Where the classes are unknown they take the place of
the metrics, with the mean silhouette of the samples ("silhouette") where the features are given.
"""

import json
from collections.abc import Sequence
from typing import Any

import numpy as np

from coassoc.confidence import agreement_with_base, diversity, pairwise_agreement
from coassoc.ensemble import Ensemble
from coassoc.errors import DataError
from coassoc.metrics import METRICS, adjusted_rand_index, contingency_table, score_against
from coassoc.partition.picking import pick_clustering
from coassoc.bench.columns import LABEL_FREE, MADE_BY
from coassoc.seeds import seed_sequence
from coassoc.storage.hdf5 import MEASURES
from coassoc.storage.records import Pool, Run

#: Scores where the classes are unknown.
_UNKNOWN = dict.fromkeys(LABEL_FREE, float("nan"))
#: Samples that the silhouette is estimated from; it compares all pairs.
_SILHOUETTE_SAMPLES = 2000


def score_run(run: Run, pool: Pool, features: Any = None) -> list[dict[str, Any]]:
    """One line for each point and repeat of a run on a pool.

    Where the classes are unknown, the features (X) serve for the silhouette.

    Raises
    ------
    DataError
        If the run belongs to another state of the pool.
    """
    made_on = run.attributes.get("pool_fingerprint")
    if made_on != pool.attributes.get("fingerprint"):
        raise DataError(
            f"The run of {run.attributes.get('method')} was made on another pool (fingerprint "
            f"{made_on}, the pool has {pool.attributes.get('fingerprint')}); run it again."
        )
    lines = []
    for point, (parameters, results) in enumerate(zip(run.points, run.results, strict=True)):
        partitions = [result.labels for result in results]
        for repeat, result in enumerate(results):
            line = {
                "point": point,
                "parameters": json.dumps(parameters, sort_keys=True),
                "repeat": repeat,
                "status": result.status,
                **{name: run.attributes.get(name, "") for name in MADE_BY},
            }
            line |= {name: getattr(result, name) for name in MEASURES}
            if result.labels is not None:
                n_clusters, wanted = len(np.unique(result.labels)), run.attributes["n_clusters"]
                if n_clusters != wanted:
                    clusters = "cluster" if n_clusters == 1 else "clusters"
                    line["note"] = f"{n_clusters} {clusters} in place of {wanted}"
                draw = pool.draws[run.attributes["m"]][repeat]
                line |= _scores(repeat, partitions, pool, draw, features)
            lines.append(line)
    return lines


def _scores(
    repeat: int, partitions: Sequence[Any], pool: Pool, draw: np.ndarray, features: Any
) -> dict[str, float]:
    """Scores of the partition of one repeat, among those of all repeats."""
    partition, labels = np.asarray(partitions[repeat]), pool.labels[:, draw]
    there = (labels >= 0).any(axis=1)
    to_others = [
        adjusted_rand_index(contingency_table(other, partition))
        for r, other in enumerate(partitions)
        if r != repeat and other is not None
    ]
    scores = {
        "ANMI": float(np.mean(agreement_with_base(labels[there], partition[there]))),
        "stability": float(np.mean(to_others)) if to_others else float("nan"),
    }
    if pool.references:
        return scores | score_against(pool.references, partition)
    return scores | {"silhouette": _silhouette(features, partition)}


def _silhouette(features: Any, labels: np.ndarray) -> float:
    """Mean silhouette of at most 2000 samples; undefined without features or contrast."""
    if features is None or not 1 < len(np.unique(labels)) < len(labels):
        return float("nan")
    from sklearn.metrics import silhouette_score

    sample_size = min(_SILHOUETTE_SAMPLES, len(labels))
    return float(silhouette_score(features, labels, sample_size=sample_size, random_state=0))


def score_pool(pool: Pool) -> list[dict[str, Any]]:
    """One line for each base clustering of a pool; without scores where classes are unknown."""
    names = json.loads(pool.attributes.get("clusterings", "[]"))
    lines = []
    for j, labels in enumerate(pool.labels.T):
        scores = score_against(pool.references, labels) if pool.references else _UNKNOWN
        name = {"name": names[j]} if names else {}
        lines.append({"clustering": j, **name, "n_clusters": int(labels.max()) + 1, **scores})
    return lines


def score_references(
    pool: Pool, m: int, *, n_clusters: int, seed: int, names: tuple[str, ...]
) -> list[dict[str, Any]]:
    """One line for each reference and repeat at ensemble size m.

    The references are "ensemble-mean" and "ensemble-best", mean and best of each score over the
    base clusterings of the repeat's ensemble; "ensemble-picked", the one of them that disagrees
    least with the others; "random", `n_clusters` labels drawn for each sample alike; and "truth",
    the classes. Where the classes are unknown only random labels have scores.
    The first three say of their ensemble how diverse it is ("diversity", 1 − mean NMI of two).
    With m and the repeat, `names` (pool and data set) name the seed of random labels.
    """
    draws = pool.draws_of(m)
    n = pool.labels.shape[0]
    seeds = (seed_sequence(seed, *names, f"m{m}", r, "random labels") for r in range(len(draws)))
    drawn = [np.random.default_rng(sequence).integers(0, n_clusters, size=n) for sequence in seeds]
    lines: list[dict[str, Any]] = []
    # An ensemble of the whole pool is the same in each repeat.
    of_ensembles: dict[bytes, dict[str, dict[str, float]]] = {}
    for repeat, draw in enumerate(draws):
        scores = {"random": _scores(repeat, drawn, pool, draw, None)}
        if pool.y is not None:
            if draw.tobytes() not in of_ensembles:
                of_ensembles[draw.tobytes()] = _ensemble_scores(pool, draw)
            scores |= of_ensembles[draw.tobytes()]
            scores["truth"] = score_against(pool.references, pool.y)
        for name in ("ensemble-mean", "ensemble-best", "ensemble-picked", "random", "truth"):
            status = "ok" if name in scores else "skipped: the classes are unknown"
            line = {"reference": name, "repeat": repeat, "status": status}
            lines.append(line | scores.get(name, _UNKNOWN))
    return lines


def _ensemble_scores(pool: Pool, draw: np.ndarray) -> dict[str, dict[str, float]]:
    """Scores of the references that are base clusterings of a repeat's ensemble, or means."""
    labels = pool.labels[:, draw]
    base = [score_against(pool.references, column) for column in labels.T]
    scores = {name: [clustering[name] for clustering in base] for name in METRICS}
    # Samples without any label tell no base clustering from another.
    ensemble = Ensemble(labels[(labels >= 0).any(axis=1)])
    references = {
        "ensemble-mean": {k: float(np.mean(v)) for k, v in scores.items()},
        "ensemble-best": {k: max(v) for k, v in scores.items()},
        "ensemble-picked": base[pick_clustering(ensemble)],
    }
    among = {"diversity": diversity(pairwise_agreement(ensemble))}
    return {name: {**values, **among} for name, values in references.items()}
