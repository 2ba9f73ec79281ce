"""Consensus of clusterings of resampled measurements, for every number of clusters.

This is the protocol of S. Monti, P. Tamayo, J. Mesirov, T. Golub, "Consensus clustering: a
resampling-based method for class discovery and visualization of gene expression microarray data",
Machine Learning 52, 91–118, 2003. Random subsets of the samples, and optionally of the features,
are drawn many times, and each resample is clustered into k clusters, for each k of a range. M_ij(k)
is the fraction of the resamples with both samples i and j that co-cluster them. The clusters at k
are a consensus of these resamples.

A clean consensus matrix is not evidence of groups, because data without groups can give clean
matrices too (Y. Şenbabaoğlu, G. Michailidis, J. Z. Li, "Critical limitations of consensus
clustering in class discovery", Scientific Reports 4, 6207, 2014). :mod:`coassoc.subtyping.clouds`
tests for groups by comparison with null data sets.
"""

from coassoc.subtyping.algorithms import ALGORITHMS
from coassoc.subtyping.finding import subtypes
from coassoc.subtyping.measurements import Measurements
from coassoc.subtyping.results import Subtypes

__all__ = ["ALGORITHMS", "Measurements", "Subtypes", "subtypes"]
