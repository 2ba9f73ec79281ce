"""Majority votes of meta-clusters."""

import numpy as np

from coassoc.ensemble import Ensemble
from coassoc.partition.labels import Labels, split_to, take_over


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
    # Heaviest first: argmax takes the first of equals.
    heaviest = np.argsort(-np.bincount(meta, ensemble.cluster_sizes, n_meta), kind="stable")
    members = (meta[:, None] == heaviest).astype(np.float64)
    votes = ensemble.microcluster_membership @ members / np.maximum(members.sum(axis=0), 1)
    labels = votes.argmax(axis=1)
    n_won = len(np.unique(labels))
    items = np.arange(len(labels))
    take_over(labels, n_meta, n_labels, lambda k: votes[:, k] - votes[items, labels])
    return split_to(micro.expand(labels), n_clusters), n_won
