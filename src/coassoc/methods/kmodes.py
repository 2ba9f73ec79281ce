"""K-modes of the table of labels.

Z. Huang, "Extensions to the k-means algorithm for clustering large data sets with categorical
values", Data Mining and Knowledge Discovery 2(3), 1998, with the base clusterings as categorical
features. The centre of a consensus cluster is its mode, which has, for each base clustering, the
most frequent label of the samples in the cluster. The distance of a sample from the centre is the
number of labels that differ. Neither step, the assignment to the nearest centre or the update of
the modes, increases the sum of these distances.

If labels are missing, modes and distances use only the present labels.

What the paper leaves open
--------------------------
- The best of ten starts by the sum of distances is used. As in KCC, each start draws c samples
  as in k-means++, and assigns each sample to the nearest of them. The paper starts from the most
  frequent values, or from the first c records of the file, but results of this library must not
  depend on the order of the file.
- If labels are equally frequent, the mode is the label with the larger cluster in the base
  clustering, and then the first label.
- If several modes are equally near, a sample stays where it is. A consensus cluster that loses
  all samples takes over the microcluster that adds most to the sum.
- The iteration stops when no sample moves, after two rounds at least.
- The order of the base clusterings and the numbering of their clusters act like a seed.
"""

from typing import ClassVar

import numpy as np

from coassoc.ensemble import Ensemble
from coassoc.methods.base import Array, Labels
from coassoc.methods.kcc import KMeansClusterer, label_counts
from coassoc.methods.parameters import Cost


class KModes(KMeansClusterer):
    """k-modes of the rows of labels (Huang 1998).

    The base classes describe further parameters and attributes.
    """

    title: ClassVar = "K-modes of the table of labels"
    paper: ClassVar = "Huang, Data Mining and Knowledge Discovery 1998"
    cost: ClassVar = Cost(seconds=0.2, power=1, squares=0)

    def _distances(self, ensemble: Ensemble, labels: Labels, n_clusters: int) -> Array:
        """Number of labels of a sample that differ from the mode of each consensus cluster."""
        Z, r = ensemble.microcluster_membership, ensemble.microclusters.r
        counts = label_counts(ensemble, labels, n_clusters)
        # Counts are integers, so the size of the cluster decides only ties.
        counts += (ensemble.cluster_sizes / (2 * r.sum() + 1))[:, None]
        mode = np.zeros_like(counts)
        for first, after in zip(ensemble.offsets[:-1], ensemble.offsets[1:], strict=True):
            mode[first + counts[first:after].argmax(axis=0), np.arange(n_clusters)] = 1
        return np.asarray(Z.sum(axis=1)[:, None] - Z @ mode)
