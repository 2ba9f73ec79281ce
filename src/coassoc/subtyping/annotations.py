"""Clusters compared with annotations of the samples, and the features that mark clusters."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from scipy.stats import false_discovery_control, rankdata

from coassoc.errors import DataError
from coassoc.io.display import cluster_numbers
from coassoc.io.table import listed
from coassoc.numerics.seeds import seed_sequence
from coassoc.subtyping.results import Subtypes

if TYPE_CHECKING:
    import pandas as pd

#: Numbers of permutations, and of markers of a cluster.
_PERMUTATIONS, _MARKERS = 999, 20
#: Largest number of different whole numbers that are categories, such as batches.
_CATEGORIES = 10


def match_annotations(annotations: pd.DataFrame, names: NDArray, what: str) -> pd.DataFrame:
    """Annotations in the order of the samples; a DataError if samples have none."""
    by_name = annotations.set_axis(annotations.index.astype(str))
    rows = by_name.index.get_indexer([*map(str, names)])
    if (rows < 0).any():
        raise DataError(
            f"{what}: there is no row for {np.count_nonzero(rows < 0)} of {len(names)} samples: "
            f"{listed(names[rows < 0])}. Add a row for each sample, with its name in the first "
            "column."
        )
    return annotations.iloc[rows].set_axis(names)


def associations(
    labels: Mapping[int, NDArray[np.intp]], annotations: pd.DataFrame, seed: int = 0
) -> pd.DataFrame:
    """Association of clusters with annotations of the samples.

    Columns of text, and of at most ten different whole numbers, are categories. Their effect is
    Cramér's V, and that of numbers is the correlation ratio η of their ranks (as in the test of
    Kruskal and Wallis). p is from 999 permutations of the samples. Samples without a value are
    left out, and so are columns with one value, or with a different text in each sample.

    Parameters
    ----------
    labels : dict of int to (n,) integer array
        Number of clusters → clusters.
    annotations : DataFrame
        A row for each sample.
    seed : int

    Returns
    -------
    DataFrame
        A row for each number of clusters and column, with the effect (0 to 1), p, p adjusted over
        all rows (Benjamini & Hochberg 1995), and the smallest p that is possible.
    """
    import pandas as pd

    rows = []
    for name, column in annotations.items():
        known = column.notna().to_numpy()
        numbers = pd.api.types.is_numeric_dtype(column)
        values, codes = np.unique(
            column[known].astype(float if numbers else str), return_inverse=True
        )
        if numbers and (len(values) > _CATEGORIES or (values % 1).any()):
            kind, ranks = "numbers", rankdata(codes)
            Z = ((ranks - ranks.mean()) / (ranks.std() or 1.0))[:, None]
        else:
            kind, share = "categories", np.bincount(codes) / len(codes)
            Z = (np.eye(len(values))[codes] - share) / np.sqrt(share)
        if len(values) < 2 or (not numbers and len(values) == len(codes)):
            continue
        for k, of in labels.items():
            names, clusters = np.unique(of[known], return_inverse=True)
            members = np.eye(len(names))[:, clusters] / np.sqrt(np.bincount(clusters))[:, None]
            generator = np.random.default_rng(seed_sequence(seed, "permutations", str(name), k))
            orders = [
                np.arange(len(Z)),
                *(generator.permutation(len(Z)) for _ in range(_PERMUTATIONS)),
            ]
            statistics = np.array([np.square(members @ Z[order]).sum() for order in orders])
            degrees = min(len(names), len(values)) - 1 if kind == "categories" else 1
            effect = np.sqrt(statistics[0] / (len(Z) * max(degrees, 1)))
            p = np.mean(statistics >= statistics[0] * (1 - 1e-9))
            rows.append((k, name, kind, len(Z), effect, p))
    found = pd.DataFrame(rows, columns=["k", "annotation", "kind", "samples", "effect", "p"])
    found["adjusted p"] = false_discovery_control(found["p"]) if len(found) else found["p"]
    return found.assign(**{"smallest p": 1 / (_PERMUTATIONS + 1)})


def markers(result: Subtypes) -> pd.DataFrame:
    """Features with the largest differences between each cluster and the other samples.

    The difference is in standard deviations within the clusters. There is no p, because the
    clusters were formed with the same features.
    """
    import pandas as pd

    rows = []
    for block in result.model.blocks:
        X, features = block.data.X, block.data.features
        features = np.arange(1, X.shape[1] + 1) if features is None else features
        for k in result.labels:
            names, codes = np.unique(result.labels[k][block.places], return_inverse=True)
            members = np.eye(len(names))[:, codes]
            sizes = members.sum(axis=1)[:, None]
            sums, squares = members @ X, np.asarray(members @ (X * X)).sum(axis=0)
            means = sums / sizes
            variance = (squares - (sizes * means**2).sum(axis=0)) / max(len(codes) - len(names), 1)
            others = (sums.sum(axis=0) - sums) / np.maximum(len(codes) - sizes, 1)
            spread = np.sqrt(np.maximum(variance, 0))
            difference = (means - others) / np.where(spread > 0, spread, np.inf)
            for c, name in enumerate(cluster_numbers(names)):
                top = np.argsort(-np.abs(difference[c]), kind="stable")[:_MARKERS]
                values = (features, means[c], others[c], difference[c])
                rows += [
                    (k, name, block.name, *of) for of in zip(*(x[top] for x in values), strict=True)
                ]
    columns = ["k", "cluster", "block", "feature", "mean", "mean of others", "difference"]
    return pd.DataFrame(rows, columns=columns)
