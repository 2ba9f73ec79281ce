"""Clusters of features for every number of clusters: :func:`coassoc.subtypes`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from coassoc.alignment import aligned_to
from coassoc.errors import ConfigError
from coassoc.io.display import notebook_progress
from coassoc.methods import resolve_method
from coassoc.numerics.integers import as_integer, is_integer
from coassoc.partition.labels import canonical_labels
from coassoc.selection.distribution import criteria_of_cdf
from coassoc.selection.null import agreement
from coassoc.selection.numbers import choices
from coassoc.subtyping.algorithms import algorithm_of
from coassoc.subtyping.blocks import ClusteredBlocks
from coassoc.subtyping.checks import different_halves
from coassoc.subtyping.clouds import LEAST, LEVEL
from coassoc.subtyping.item_consensus import ItemConsensus, pairs_with_clusters, silhouette
from coassoc.subtyping.protocol import Protocol, check_drawn, draw_labels, remove_kept
from coassoc.subtyping.results import Subtypes, ensemble_of_draws
from coassoc.subtyping.structure import structure_of

if TYPE_CHECKING:
    import pandas as pd

    from coassoc.methods.names import MethodName

#: Largest number of resamples whose pairs give the stability. If there are more, evenly spaced
#: resamples are used.
_COMPARED = 200

#: Called with the name of a step, the amount done and the total amount.
Report = Callable[[str, int, int], object]


def subtypes(
    X: Any,
    n_clusters: Sequence[int] = range(2, 7),
    n_draws: int = 1000,
    items: float = 0.8,
    features: float = 1.0,
    algorithm: str = "kmeans",
    *,
    method: MethodName | Callable[..., Any] = "EAC-AL",
    n_clouds: int = LEAST,
    groups: Any = None,
    align_to: Subtypes | None = None,
    random_state: int = 0,
    kept: str | Path | None = None,
    report: Report | None = None,
    **parameters: Any,
) -> Subtypes:
    """Find groups of samples by resampling, for every number of clusters (Monti et al. 2003).

    For each k, random subsets of the samples, and optionally of the features, are clustered into k
    clusters, and the results are combined. All k use the same subsets (resamples).

    Parameters
    ----------
    X : (n, d) array, sparse matrix, data frame or AnnData; or a mapping of them
        The features, with samples in rows. Preprocess them first
        (:meth:`coassoc.subtyping.Measurements.preprocess`). A mapping has named *blocks* of
        features of the same samples. Each block is clustered separately, and all resamples are
        combined (as in the cluster-of-clusters analysis of Hoadley et al. 2014). Samples are
        matched by row names and may be missing in some blocks.
    n_clusters : sequence of int
        Increasing numbers of clusters k, from 2.
    n_draws : int
        B, number of resamples.
    items, features : float
        Fractions of the samples and of the features in a resample, in (0, 1].
    algorithm : {"kmeans", "hierarchical", "pam"}
        "kmeans" moves single samples as in R; "hierarchical" cuts one dendrogram at every k; "pam"
        uses medoids.
    method : str or callable
        The consensus method for the resamples: a name in :data:`coassoc.methods.METHODS`, or a
        callable that returns an estimator. The default is average linkage of the consensus matrix
        ("EAC-AL"), as in Monti et al.
    n_clouds : int
        Number of null data sets with which the data are compared, at least 49; 0 means no
        comparison.
    groups : (n,) sequence or Series, optional
        Patients, or other sets of replicates. Replicates are drawn together, and their means are
        compared with null data and searched for gaps. A pandas Series is matched by the names of
        the samples.
    align_to : Subtypes, optional
        An earlier result whose cluster names are kept; see :func:`coassoc.align`. Samples are
        matched by their names, or must be in the same order.
    random_state : int
        Seed of all random numbers.
    kept : path, optional
        Folder that keeps finished resamples, so that the same call resumes after an interruption.
    report : callable, optional
        Function that receives the name of the step, the amount done and the total. By default
        notebooks show a progress line and scripts show nothing.
    **parameters
        Parameters of the algorithm: ``n_init``, the starts of each "kmeans" fit, by default 20 for
        up to 256 samples and 5 for more;
        ``linkage`` ("average", "complete", "single", "weighted", "ward", "centroid", "median") and
        ``distance`` ("euclidean", "pearson", "spearman", or any other of SciPy's ``pdist``) of
        "hierarchical"; ``distance`` of "pam".

    Returns
    -------
    Subtypes
        ``labels[k]`` are the clusters, ``matrix(k)`` is the consensus matrix.

    Raises
    ------
    ConfigError
        For a value that is not allowed.
    DataError
        If X is not a table of finite numbers, or has too few samples for the numbers of clusters.

    Notes
    -----
    The criteria are those of :func:`coassoc.selection.select_n_clusters`, applied to the resamples
    instead of halves of base clusterings. The stability is the mean ARI of two resamples, over at
    most 200 resamples, and the silhouette uses the distance 1 − M.

    Random samples stand for the others if there are many, which keeps the time proportional to the
    number of samples:

    - If a resample has more than 8,192 samples, k-means clusters 2,048 random ones of them. From
      their means, it takes at most five of Lloyd's steps with all samples of the resample (Bradley
      & Fayyad 1998). If k-means has several optima of nearly equal quality, the resamples agree
      less than without the selection.
    - If there are more than 8,192 samples in total, the method combines the resamples for 2,048
      random samples. The others join the cluster with which they have the largest mean consensus.
      The item consensus is then a ratio of sums over pairs instead of a mean of ratios. The
      distribution of M is estimated from the pairs inside random blocks of 512 samples, with a
      standard error of at most 0.0005 (an incomplete U-statistic, Blom 1976).

    References
    ----------
    S. Monti, P. Tamayo, J. Mesirov, T. Golub, "Consensus clustering", Machine Learning 52, 91–118,
    2003.
    P. S. Bradley, U. M. Fayyad, "Refining initial points for k-means clustering", Proc. 15th
    International Conference on Machine Learning, 91–99, 1998.
    G. Blom, "Some properties of incomplete U-statistics", Biometrika 63(3), 573–580, 1976.
    K. A. Hoadley et al., "Multiplatform analysis of 12 cancer types reveals molecular
    classification within and across tissues of origin", Cell 158(4), 929–944, 2014.

    Examples
    --------
    >>> X = np.repeat(np.eye(3) * 9, 10, axis=0)  # three groups of ten samples
    >>> X += np.random.default_rng(0).normal(size=X.shape)
    >>> found = subtypes(X, range(2, 5), n_draws=20, algorithm="hierarchical", n_clouds=0)
    >>> np.bincount(found.labels[3])
    array([10, 10, 10])
    """
    resolve_method(method)
    numbers = tuple(map(as_integer, n_clusters)) if isinstance(n_clusters, Iterable) else ()
    n_draws, n_clouds, seed = map(as_integer, (n_draws, n_clouds, random_state))
    for name, value, least in (
        ("n_draws", n_draws, 2),
        ("n_clouds", n_clouds, 0),
        ("random_state", seed, 0),
    ):
        if not is_integer(value, least):
            raise ConfigError(f"{name} is {value!r}. It must be an integer of at least {least}.")
    if 0 < n_clouds < LEAST:
        raise ConfigError(
            f"n_clouds is {n_clouds}, which is too few to reach p = {LEVEL:g}. Choose at least "
            f"{LEAST}, or 0 for no comparison with null data."
        )
    used = algorithm_of(algorithm, parameters)
    protocol = Protocol(numbers, n_draws, items, features, used, seed)
    protocol.check()
    model = ClusteredBlocks.of(X, protocol, method, groups)
    say = notebook_progress if report is None else report
    drawn = _drawn(model, kept, say)
    draws = dict(zip(numbers, drawn, strict=True))

    def cluster(drawn: NDArray, k: int) -> NDArray[np.intp]:
        ensemble = ensemble_of_draws(drawn, None)
        return resolve_method(model.method)(n_clusters=k, random_state=seed).fit(ensemble).labels_

    check_drawn(drawn[0])
    labels = {}
    for place, k in enumerate(numbers):
        labels[k] = _joined(
            draws[k], model.representatives, cluster(draws[k][model.representatives], k)
        )
        say("consensus", place + 1, len(numbers))
    alignments = {}
    for k in numbers:
        if align_to is not None and k in align_to.labels:
            alignments[k] = aligned_to(align_to.named_labels(k), labels[k], model.samples)
            labels[k] = np.asarray(alignments[k].labels)
    consensus = {k: ItemConsensus.of(draws[k], labels[k]) for k in numbers}
    criteria = _criteria(draws, labels, consensus)
    chosen = choices(criteria)
    some = {k: drawn[model.representatives] for k, drawn in draws.items()}
    warnings = [*different_halves(some, cluster)]
    structure = structure_of(model, labels, n_clouds, say)
    if kept is not None:
        remove_kept(kept)
    return Subtypes(
        labels, draws, consensus, criteria, chosen, model, structure, warnings, alignments
    )


def _drawn(model: ClusteredBlocks, kept: str | Path | None, say: Report) -> NDArray[np.int16]:
    """(K, n, B) labels of the resamples of all blocks, side by side."""
    numbers = model.protocol.numbers
    n_draws = sum(block.protocol.n_draws for block in model.blocks)
    labels = np.full((len(numbers), model.n_samples, n_draws), -1, dtype=np.int16)
    for block, columns in model.columns():
        done = lambda *count, name=block.name: say(f"draws {name}".strip(), *count)
        labels[:, block.places, columns] = draw_labels(block.data.X, block.protocol, kept, done)
    return labels


def _joined(draws: NDArray, rows: NDArray[np.intp], labels: NDArray[np.intp]) -> NDArray[np.intp]:
    """Clusters of all samples: the others join the one with the largest mean consensus."""
    if len(rows) == len(draws):
        return labels
    clusters = np.full(len(draws), -1)
    clusters[rows] = labels
    together, common = pairs_with_clusters(draws, clusters, draws)
    joined = (together / np.maximum(common, 1)).argmax(axis=1)
    joined[rows] = labels
    return canonical_labels(joined)


def _criteria(
    draws: dict[int, NDArray],
    labels: dict[int, NDArray[np.intp]],
    consensus: dict[int, ItemConsensus],
) -> pd.DataFrame:
    """A row for each number of clusters."""
    import pandas as pd

    step = -(-next(iter(draws.values())).shape[1] // _COMPARED)
    columns = {
        **criteria_of_cdf(each.distribution for each in consensus.values()),
        "stability": [agreement(drawn[:, ::step]) for drawn in draws.values()],
        "silhouette": [silhouette(consensus[k], labels[k]) for k in labels],
    }
    return pd.DataFrame(columns, index=pd.Index([*draws], name="n_clusters"))
