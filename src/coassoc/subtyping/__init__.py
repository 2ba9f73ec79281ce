"""From measurements to a consensus: clusterings of resampled data, for every number of clusters.

The protocol of S. Monti, P. Tamayo, J. Mesirov, T. Golub, "Consensus clustering: a resampling-based
method for class discovery and visualization of gene expression microarray data", Machine Learning
52, 91–118, 2003: a share of the samples is drawn many times, perhaps with a share of the features,
and each draw is clustered into k clusters, for each k of a range. M_ij(k) is the share of the draws
with both samples i and j that put them together, and the clusters at k are a consensus of these
draws.

A clean matrix is no evidence of groups: clouds without any give them too (Y. Şenbabaoğlu,
G. Michailidis, J. Z. Li, "Critical limitations of consensus clustering in class discovery",
Scientific Reports 4, 6207, 2014). Whether there is one group is asked by the same protocol on
Gaussian clouds; see :mod:`coassoc.subtyping.clouds`.
"""

from coassoc.subtyping.algorithms import ALGORITHMS
from coassoc.subtyping.finding import subtypes
from coassoc.subtyping.measurements import Measurements
from coassoc.subtyping.results import Subtypes

__all__ = ["ALGORITHMS", "Measurements", "Subtypes", "subtypes"]
