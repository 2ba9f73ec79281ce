"""Choice of the number of clusters, of parameters, or of a clustering, without classes.

The functions that compare candidates return pandas tables. They need
``pip install 'coassoc[tables]'``.
"""

from coassoc.selection.distribution import ConsensusDistribution, consensus_distribution
from coassoc.selection.null import (
    NullTest,
    agreement,
    agreement_test,
    gaussian_cloud,
    structure_test,
)
from coassoc.selection.numbers import CRITERIA, Selection, select_n_clusters
from coassoc.selection.parameters import ParameterChoice, choose_parameters
from coassoc.selection.resolutions import Resolutions, compare_resolutions, resolutions_in
from coassoc.selection.tree import ConsensusTree, consensus_tree

__all__ = [
    "CRITERIA",
    "ConsensusDistribution",
    "ConsensusTree",
    "NullTest",
    "ParameterChoice",
    "Resolutions",
    "Selection",
    "agreement",
    "agreement_test",
    "choose_parameters",
    "compare_resolutions",
    "consensus_distribution",
    "consensus_tree",
    "gaussian_cloud",
    "resolutions_in",
    "select_n_clusters",
    "structure_test",
]
