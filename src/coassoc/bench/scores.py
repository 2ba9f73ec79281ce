"""Scores of a run.

Two measures need no classes: the average NMI with the base clusterings of the repeat ("ANMI") and
the mean ARI with the other repeats ("stability"). If the classes are unknown, these two measures
replace the metrics, together with the mean silhouette of the samples ("silhouette") if the features
are given.
"""

import json
from collections.abc import Sequence
from typing import Any

import numpy as np

from coassoc.bench.storage.hdf5 import MEASURES
from coassoc.bench.storage.records import ORIGIN, Pool, Run
from coassoc.errors import DataError
from coassoc.metrics import (
    adjusted_rand_index,
    contingency_table,
    contingency_tables,
    normalized_mutual_information,
    score_against,
)

#: Number of samples from which the silhouette is estimated, because it compares all pairs.
_SILHOUETTE_SAMPLES = 2000


def score_run(run: Run, pool: Pool, features: Any = None) -> list[dict[str, Any]]:
    """A row of scores for each point and repeat of a run on a pool.

    If the classes are unknown, the features (X) are used for the silhouette.

    Raises
    ------
    DataError
        If the run belongs to another version of the pool.
    """
    made_on = run.attributes.get("pool_fingerprint")
    if made_on != pool.attributes.get("fingerprint"):
        raise DataError(
            f"The run of {run.attributes.get('method')} belongs to a different pool (fingerprints "
            f"{made_on} and {pool.attributes.get('fingerprint')}). Run the method again."
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
                **{name: run.attributes.get(name, "") for name in ORIGIN},
            }
            line |= {name: getattr(result, name) for name in MEASURES}
            if result.labels is not None:
                n_clusters, n_requested = (
                    len(np.unique(result.labels)),
                    run.attributes["n_clusters"],
                )
                if n_clusters != n_requested:
                    clusters = "cluster" if n_clusters == 1 else "clusters"
                    line["note"] = f"{n_clusters} {clusters} in place of {n_requested}"
                draw = pool.draws[run.attributes["m"]][repeat]
                line |= partition_scores(repeat, partitions, pool, draw, features)
            lines.append(line)
    return lines


def partition_scores(
    repeat: int, partitions: Sequence[Any], pool: Pool, draw: np.ndarray, features: Any
) -> dict[str, float]:
    """Scores of the partition of one repeat, given the partitions of all repeats."""
    partition = np.asarray(partitions[repeat])
    to_base = contingency_tables([*pool.labels[:, draw].T], partition)
    to_others = [
        adjusted_rand_index(contingency_table(other, partition))
        for r, other in enumerate(partitions)
        if r != repeat and other is not None
    ]
    scores = {
        "ANMI": float(np.mean(list(map(normalized_mutual_information, to_base)))),
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
