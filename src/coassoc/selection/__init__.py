"""Choice of the number of clusters, of parameters, or of a clustering, without classes.

The functions that compare candidates return pandas tables. They need
``pip install 'coassoc[tables]'``.
"""

from coassoc.selection.distribution import ConsensusDistribution as ConsensusDistribution
from coassoc.selection.distribution import consensus_distribution as consensus_distribution
from coassoc.selection.null import NullTest as NullTest
from coassoc.selection.null import agreement as agreement
from coassoc.selection.null import agreement_test as agreement_test
from coassoc.selection.null import gaussian_cloud as gaussian_cloud
from coassoc.selection.null import structure_test as structure_test
from coassoc.selection.numbers import CRITERIA as CRITERIA
from coassoc.selection.numbers import Selection as Selection
from coassoc.selection.numbers import select_n_clusters as select_n_clusters
from coassoc.selection.parameters import ParameterChoice as ParameterChoice
from coassoc.selection.parameters import choose_parameters as choose_parameters
from coassoc.selection.resolutions import Resolutions as Resolutions
from coassoc.selection.resolutions import compare_resolutions as compare_resolutions
from coassoc.selection.resolutions import resolutions_in as resolutions_in
from coassoc.selection.tree import ConsensusTree as ConsensusTree
from coassoc.selection.tree import consensus_tree as consensus_tree
