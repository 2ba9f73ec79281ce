"""VOTE: plurality voting of aligned base clusterings.

B. Fischer, J. M. Buhmann, "Bagging for path-based clustering", IEEE TPAMI 25(11), 2003, and S.
Dudoit, J. Fridlyand, "Bagging to improve the accuracy of a clustering procedure", Bioinformatics
19(9), 2003: the clusters of each base clustering are matched one to one with the clusters of a
reference and get their names, and each sample gets the name that most base clusterings give it. E.
Dimitriadou, A. Weingessel, K. Hornik, "A combination scheme for fuzzy clustering", IJPRAI 16(7),
2002, look for the consensus with the smallest

    Σ_j min_{Π_j} ‖U − M_j Π_j‖²,

where U is the consensus, M_j has the memberships of base clustering j, and Π_j is its alignment.
They match each base clustering to the mean of the previous ones, in one pass. The method "SE" of
the R package clue (K. Hornik, "A CLUE for CLUster Ensembles", Journal of Statistical Software
14(12), 2005) instead uses the consensus itself as the reference and repeats both steps, each of
which lowers the sum. This method does the same, with one cluster for each sample in U. The sum is
then smallest if as many votes as possible agree with U.

If labels are missing, a base clustering has no vote on the samples that it does not label.

What the paper leaves open
--------------------------
- The papers align base clusterings with c clusters. A base clustering with fewer clusters is
  also aligned one to one, so some consensus clusters have no matching cluster in it. If it has
  more than c clusters, each cluster is matched to the consensus cluster with which it shares
  most samples.
- The first reference is a k-means clustering of the rows of Z, the best of ten k-means++ starts.
- The order of the base clusterings acts like a seed, because it determines the samples from
  which k-means starts.
- If a vote is tied, a sample stays where it is.
- The iteration stops when no sample moves, after at least two rounds. It always ends, because no
  step lowers the number of votes that agree with the consensus.
- A consensus cluster that wins no sample takes over the microcluster that it is closest to
  winning. ``n_clusters_found_`` counts the clusters that won a sample.
"""

from typing import Any, ClassVar

import numpy as np

from coassoc.ensemble import Ensemble
from coassoc.methods.base import Array, ConsensusClusterer, Labels, RandomState
from coassoc.methods.kcc import label_counts
from coassoc.methods.parameters import Cost, integer
from coassoc.metrics import match_clusters
from coassoc.partition.spectral import k_means


class PluralityVote(ConsensusClusterer):
    """Plurality voting after alignment with the consensus.

    `random_state` is the seed of the k-means that gives the first reference.

    The base classes describe further parameters and attributes.

    Parameters
    ----------
    max_iter : int
        Maximum number of rounds of alignment and voting.
    """

    title: ClassVar = "Plurality voting of aligned base clusterings"
    paper: ClassVar = (
        "Fischer & Buhmann, IEEE TPAMI 2003; Dudoit & Fridlyand, Bioinformatics 2003; "
        "Dimitriadou, Weingessel & Hornik, IJPRAI 2002; "
        "Hornik, J. Statistical Software 2005"
    )
    cost: ClassVar = Cost(seconds=0.5, power=2, squares=0)
    takes_missing: ClassVar = True
    max_iter: int = integer(100, minimum=1)

    def _consensus(self, ensemble: Ensemble, X: Any, random_state: RandomState) -> Labels:
        micro = ensemble.microclusters
        n_labels = min(self.n_clusters, micro.count)
        points = ensemble.microcluster_membership
        labels = k_means(points, n_labels, random_state, weights=micro.r)
        items = np.arange(micro.count)
        for t in self._rounds():
            cast = votes(ensemble, aligned(ensemble, labels, n_labels), n_labels)
            # Votes are integers, so an extra half decides only ties.
            cast[items, labels] += 0.5
            moved = cast.argmax(axis=1)
            self.converged_ = t > 1 and bool((moved == labels).all())
            labels = moved
        return self._labels_of_membership(cast)


def aligned(ensemble: Ensemble, labels: Labels, n_labels: int) -> Labels:
    """Consensus cluster of each cluster.

    Parameters
    ----------
    ensemble : Ensemble
    labels : (n',) integer array
        Consensus cluster of each microcluster.
    n_labels : int
        c.

    Returns
    -------
    (L,) integer array
        Consensus clusters that most samples share with their cluster. They are different for the
        clusters of a base clustering with at most c clusters.
    """
    shared = label_counts(ensemble, labels, n_labels)
    name = shared.argmax(axis=1)
    for first, count in zip(ensemble.offsets, ensemble.n_clusters_per_clustering, strict=False):
        if count <= n_labels:
            block = slice(first, first + count)
            name[block] = match_clusters(shared[block])
    return name


def votes(ensemble: Ensemble, name: Labels, n_labels: int) -> Array:
    """Votes of each microcluster for each consensus cluster.

    Parameters
    ----------
    ensemble : Ensemble
    name : (L,) integer array
        Consensus cluster of each cluster.
    n_labels : int
        c.

    Returns
    -------
    (n', c) array
    """
    return np.asarray(ensemble.microcluster_membership @ np.eye(n_labels)[name])
