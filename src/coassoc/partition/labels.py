"""Label arrays: canonical names, splits to a requested number of clusters, memberships, votes."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from coassoc.ensemble import Ensemble, Microclusters
from coassoc.numerics.distinct import first_places, places_among_distinct

Array = NDArray[np.float64]

Labels = NDArray[np.intp]


def canonical_labels(labels: NDArray) -> Labels:
    """Rename clusters to 0 … c−1 in order of first appearance."""
    places = places_among_distinct(np.asarray(labels))
    rank = np.argsort(np.argsort(first_places(places)))
    return rank[places]


def labels_by_size(labels: NDArray) -> Labels:
    """Rename clusters to 0 … c−1, the largest first; −1 stays."""
    labelled = labels >= 0
    order = np.argsort(-np.bincount(labels[labelled]), kind="stable")
    return np.where(labelled, np.argsort(order)[labels], -1)


def split_to(labels: Labels, n_clusters: int) -> Labels:
    """Cut the last sample off the largest cluster until there are `n_clusters`.

    Returns
    -------
    (n,) integer array
        Clusters by their first samples.
    """
    labels = canonical_labels(labels)
    sizes = np.bincount(labels)
    while len(sizes) < n_clusters:
        labels[np.flatnonzero(labels == sizes.argmax())[-1]] = len(sizes)
        sizes = np.bincount(labels)
    return canonical_labels(labels)


def labels_of_samples(labels: Labels, micro: Microclusters, n_clusters: int) -> Labels:
    """Labels of the samples after (n',) labels, split until there are `n_clusters`.

    Microclusters are cut off, in their own order, which no order of the samples changes; samples
    only where there are fewer microclusters than clusters.
    """
    whole = split_to(labels, min(n_clusters, micro.count))
    return split_to(micro.expand(whole), n_clusters)


def membership_labels(U: Array) -> tuple[Labels, int]:
    """The column each row prefers, such that every column is preferred by some row.

    A column that is nowhere the largest takes over the row in which it comes nearest to the
    largest, in proportion, from a label with several rows.

    Parameters
    ----------
    U : (q, c) array
        Non-negative memberships, c ≤ q.

    Returns
    -------
    labels : (q,) integer array
        All of 0 … c−1.
    n_preferred : int
        How many columns are the largest of some row.
    """
    labels = U.argmax(axis=1)
    n_preferred = len(np.unique(labels))
    largest = U[np.arange(len(U)), labels]
    share = U / np.where(largest > 0, largest, 1.0)[:, None]
    take_over(labels, U.shape[1], U.shape[1], lambda k: share[:, k])
    return labels, n_preferred


def take_over(labels: Labels, n_labels: int, n_used: int, claim: Callable[[int], Array]) -> None:
    """Give labels without rows one row each, in place, until `n_used` are in use.

    Parameters
    ----------
    labels : (q,) integer array
        From 0 … n_labels − 1.
    n_labels, n_used : int
        n_used is at most q and n_labels, and at least the number of labels in use.
    claim : callable
        (q,) array of a label's claims on the rows. It takes over that of its largest claim, the
        first of equals, from a label with several rows.
    """
    count = np.bincount(labels, minlength=n_labels)
    for k in np.flatnonzero(count == 0)[: n_used - np.count_nonzero(count)]:
        taken = np.where(count[labels] > 1, claim(k), -np.inf).argmax()
        count[labels[taken]] -= 1
        labels[taken] = k
        count[k] = 1


def vote_labels(ensemble: Ensemble, meta: Labels, n_clusters: int) -> tuple[Labels, int]:
    """Let the clusters of each meta-cluster vote for the samples they contain.

    A sample joins the meta-cluster of whose clusters it is in the largest share, on ties the one
    whose clusters hold most samples in all. A meta-cluster that wins no sample takes over the
    microcluster it is closest to winning from a consensus cluster of several, so that `n_clusters`
    result.

    Parameters
    ----------
    ensemble : Ensemble
    meta : (L,) integer array
        Meta-cluster of each cluster, in 0 … c−1.
    n_clusters : int
        c, from 1 to n.

    Returns
    -------
    labels : (n,) integer array
        Exactly c consensus clusters.
    n_won : int
        How many meta-clusters won samples by their votes.
    """
    micro = ensemble.microclusters
    n_labels = min(n_clusters, micro.count)
    n_meta = max(n_labels, int(meta.max()) + 1)
    # Heaviest first, because argmax takes the first of equal entries.
    heaviest = np.argsort(-np.bincount(meta, ensemble.cluster_sizes, n_meta), kind="stable")
    members = (meta[:, None] == heaviest).astype(np.float64)
    votes = ensemble.microcluster_membership @ members / np.maximum(members.sum(axis=0), 1)
    labels = votes.argmax(axis=1)
    n_won = len(np.unique(labels))
    items = np.arange(len(labels))
    take_over(labels, n_meta, n_labels, lambda k: votes[:, k] - votes[items, labels])
    return labels_of_samples(labels, micro, n_clusters), n_won
