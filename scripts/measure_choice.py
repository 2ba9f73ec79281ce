"""ARI of methods on an ensemble of each kind: the measurements behind ``method="auto"``."""

import logging
import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from coassoc.bench.fits import ensemble_of
from coassoc.bench.pools.settings import PoolSettings
from coassoc.bench.storage.hdf5 import read_dataset
from coassoc.bench.storage.records import Dataset
from coassoc.confidence import diversity, pairwise_agreement
from coassoc.ensemble import Ensemble
from coassoc.errors import CoassocError
from coassoc.methods import resolve_method
from coassoc.methods.auto import MOST_ROWS, is_large
from coassoc.metrics import score_against
from coassoc.numerics.seeds import seed_sequence
from coassoc.pools.generation import generate_pool
from reproduction.running.scripting import job
from reproduction.scores.files import write_scores
from reproduction.study.choice import CHOOSING, COMPARED_METHODS, SCALING
from reproduction.survey.choice import AUTO, LARGE, WITHOUT

logger = logging.getLogger(__name__)

#: Largest number of samples of a data set. Larger data sets are subsampled at random.
MOST_SAMPLES = 500
#: The same limit for the evidence on large ensembles, from clusterers that store no pairs of
#: samples.
MANY_SAMPLES = 4000


def measure(dataset: Dataset, name: str, pool: PoolSettings, seed: int) -> dict[str, Any]:
    """Features of an ensemble of a data set, and the ARI of each method on it.

    Parameters
    ----------
    dataset : Dataset
        With features and classes.
    name : str
        Name of the data set, for the seeds.
    pool : PoolSettings
        Settings of the pool. All of its base clusterings form the ensemble.
    seed : int
        Seed of the pool, of the choice of its samples, and of the methods.

    Returns
    -------
    dict
        The status ("ok", or the reason why there is no such ensemble) and the columns of
        :mod:`reproduction.survey.choice`. A method that rejects the ensemble is missing.
    """
    try:
        ensemble, truths = _ensemble(dataset, name, pool, seed, MOST_SAMPLES)
    except CoassocError as error:
        return {"status": str(error)}
    c = int(truths[0].max()) + 1
    fits: dict[str, tuple[str, int | None]] = {x: (x, c) for x in (*COMPARED_METHODS, AUTO)}
    fits |= {called + WITHOUT: (called, None) for called in CHOOSING}
    line = {"status": "ok", **facts_of(ensemble, c), **_scores(ensemble, truths, fits, seed)}
    return line | measure_large(dataset, name, pool, seed)


def measure_large(dataset: Dataset, name: str, pool: PoolSettings, seed: int) -> dict[str, float]:
    """The ARI of methods on a large ensemble, in columns whose names end with LARGE.

    There are no columns if the pool's clusterers store pairs of samples, or if the ensemble of the
    data set is not large. The parameters are those of :func:`measure`.
    """
    if dataset.X.shape[0] <= MOST_ROWS or any(each.compares_pairs for each in pool.recipes):
        return {}
    ensemble, truths = _ensemble(dataset, name, pool, seed, MANY_SAMPLES)
    if not is_large(ensemble):
        return {}
    c = int(truths[0].max()) + 1
    return _scores(ensemble, truths, {called + LARGE: (called, c) for called in SCALING}, seed)


def _ensemble(
    dataset: Dataset, name: str, pool: PoolSettings, seed: int, most: int
) -> tuple[Ensemble, NDArray[np.intp]]:
    """Base clusterings of at most `most` samples, and the classes of the samples with labels."""
    generator = np.random.default_rng(seed_sequence(seed, name, "samples"))
    part = np.sort(generator.permutation(dataset.X.shape[0])[:most])
    truths = np.array([dataset.y] if dataset.truths is None else dataset.truths, dtype=int)[:, part]
    labels = generate_pool(
        dataset.X[part],
        pool.recipes,
        size=pool.size or 20,
        n_classes=len(np.unique(truths[0][truths[0] >= 0])),
        random_state=seed,
        names=(pool.name, name),
    )
    labelled = (labels >= 0).any(axis=1)
    return ensemble_of(labels[labelled]), truths[:, labelled]


def _scores(
    ensemble: Ensemble, truths: NDArray, fits: Mapping[str, tuple[str, int | None]], seed: int
) -> dict[str, float]:
    """ARI of each method with its number of clusters, unless it rejects the ensemble."""
    scores = {}
    for called, (method, number) in fits.items():
        try:
            with warnings.catch_warnings(action="ignore"):
                estimator = resolve_method(method)(number, random_state=seed)
                labels = estimator.fit(ensemble).labels_
            scores[called] = round(score_against(list(truths), labels)["ARI"], 4)
        except CoassocError as error:
            logger.info("%s: %s", called, error)
    return scores


def facts_of(ensemble: Ensemble, n_clusters: int) -> dict[str, Any]:
    """Kind of the ensemble, and features of its labels."""
    finer = float(np.median(ensemble.n_clusters_per_clustering)) / n_clusters
    return {
        "kind": "finer" if finer > 1 else "others",
        "n_clusters": n_clusters,
        "finer": round(finer, 4),
        "rows": round(ensemble.microclusters.count / ensemble.n_samples, 4),
        "missing": round(float((ensemble.labels < 0).mean()), 4),
        "diversity": round(diversity(pairwise_agreement(ensemble)), 4),
    }


if __name__ == "__main__":
    with job(snakemake.log[0]):
        dataset, pool = read_dataset(snakemake.input[0]), snakemake.params.pool
        line = measure(dataset, snakemake.wildcards.dataset, pool, snakemake.params.seed)
        write_scores(snakemake.output[0], pd.DataFrame([line]))
