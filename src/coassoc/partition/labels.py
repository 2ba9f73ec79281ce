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
    """Rename clusters to 0 … c−1, the largest first; −1 is unchanged."""
    labelled = labels >= 0
    order = np.argsort(-np.bincount(labels[labelled]), kind="stable")
    return np.append(np.argsort(order), -1)[labels]


def split_to(labels: Labels, n_clusters: int) -> Labels:
    """Split the last sample off the largest cluster until there are `n_clusters` clusters.

    Returns
    -------
    (n,) integer array
        Clusters numbered in order of their first samples.
    """
    labels = canonical_labels(labels)
    sizes = np.bincount(labels)
    while len(sizes) < n_clusters:
        labels[np.flatnonzero(labels == sizes.argmax())[-1]] = len(sizes)
        sizes = np.bincount(labels)
    return canonical_labels(labels)


def labels_of_samples(labels: Labels, micro: Microclusters, n_clusters: int) -> Labels:
    """Labels of the samples from (n',) labels, split until there are `n_clusters` clusters.

    Microclusters are split off in an order that does not depend on the order of the samples.
    Samples are split off only if there are fewer microclusters than clusters.
    """
    whole = split_to(labels, min(n_clusters, micro.count))
    return split_to(micro.expand(whole), n_clusters)


def membership_labels(U: Array) -> tuple[Labels, int]:
    """The largest column of each row, modified so that every column is used by some row.

    A column that is not the largest in any row takes over a row from a label with several rows: the
    one where its ratio to the largest value is highest.

    Parameters
    ----------
    U : (q, c) array
        Non-negative memberships, c ≤ q.

    Returns
    -------
    labels : (q,) integer array
        All of 0 … c−1.
    n_preferred : int
        Number of columns that are the largest of some row.
    """
    labels = U.argmax(axis=1)
    n_preferred = len(np.unique(labels))
    largest = U[np.arange(len(U)), labels]
    share = U / np.where(largest > 0, largest, 1.0)[:, None]
    take_over(labels, U.shape[1], U.shape[1], lambda k: share[:, k])
    return labels, n_preferred


def take_over(labels: Labels, n_labels: int, n_used: int, claim: Callable[[int], Array]) -> None:
    """Give labels without rows one row each, in place, until `n_used` labels are in use.

    Parameters
    ----------
    labels : (q,) integer array
        From 0 … n_labels − 1.
    n_labels, n_used : int
        n_used is at most q and n_labels, and at least the number of labels in use.
    claim : callable
        Function that returns a (q,) array of a label's claims on the rows. The label takes over the
        row with its largest claim (the first of equal claims) from a label with several rows.
    """
    count = np.bincount(labels, minlength=n_labels)
    for k in np.flatnonzero(count == 0)[: n_used - np.count_nonzero(count)]:
        taken = np.where(count[labels] > 1, claim(k), -np.inf).argmax()
        count[labels[taken]] -= 1
        labels[taken] = k
        count[k] = 1


def vote_labels(ensemble: Ensemble, meta: Labels, n_clusters: int) -> tuple[Labels, int]:
    """Let the clusters of each meta-cluster vote for the samples they contain.

    A sample joins the meta-cluster with the largest fraction of clusters that contain the sample.
    If several are equal, it joins the one whose clusters contain the most samples in total. A
    meta-cluster that wins no sample takes over the microcluster that it is closest to winning, from
    a consensus cluster with several microclusters, so that there are `n_clusters` clusters.

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
        Number of meta-clusters that won samples by their votes.
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
