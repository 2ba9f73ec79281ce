"""Scores of base clusterings, and of the references with which methods are compared."""

import json
from typing import Any

import numpy as np

from coassoc.bench.fits import ensemble_of
from coassoc.bench.scores import partition_scores
from coassoc.bench.storage.records import LABEL_FREE, Pool
from coassoc.confidence import diversity, pairwise_agreement
from coassoc.metrics import METRICS, score_against
from coassoc.numerics.seeds import seed_sequence
from coassoc.partition.picking import pick_clustering

#: Scores for data sets with unknown classes.
_UNKNOWN = dict.fromkeys(LABEL_FREE, float("nan"))


def score_pool(pool: Pool) -> list[dict[str, Any]]:
    """One line for each base clustering of a pool, without scores if the classes are unknown."""
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

    The references are "ensemble-mean" and "ensemble-best" (the mean and the best of each score over
    the base clusterings in the ensemble of the repeat), "ensemble-picked" (the base clustering that
    disagrees least with the others), "random" (labels drawn uniformly from `n_clusters` labels) and
    "truth" (the classes). If the classes are unknown, only random labels have scores. The first
    three references also give the diversity of the ensemble (1 − mean NMI of two base clusterings).
    The seed of the random labels depends on `names` (pool and data set), m and the repeat.
    """
    draws = pool.draws_of(m)
    n = pool.labels.shape[0]
    seeds = (seed_sequence(seed, *names, f"m{m}", r, "random labels") for r in range(len(draws)))
    drawn = [np.random.default_rng(sequence).integers(0, n_clusters, size=n) for sequence in seeds]
    lines: list[dict[str, Any]] = []
    # An ensemble of the whole pool is the same in each repeat.
    of_ensembles: dict[bytes, dict[str, dict[str, float]]] = {}
    for repeat, draw in enumerate(draws):
        scores = {"random": partition_scores(repeat, drawn, pool, draw, None)}
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
    """Scores of the references that depend on the ensemble of a repeat."""
    labels = pool.labels[:, draw]
    base = [score_against(pool.references, column) for column in labels.T]
    scores = {name: [clustering[name] for clustering in base] for name in METRICS}
    # Samples without any label cannot distinguish base clusterings.
    ensemble = ensemble_of(labels[(labels >= 0).any(axis=1)])
    references = {
        "ensemble-mean": {k: float(np.mean(v)) for k, v in scores.items()},
        "ensemble-best": {k: max(v) for k, v in scores.items()},
        "ensemble-picked": base[pick_clustering(ensemble)],
    }
    among = {"diversity": diversity(pairwise_agreement(ensemble))}
    return {name: {**values, **among} for name, values in references.items()}
