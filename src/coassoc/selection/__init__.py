"""Choice of the number of clusters, of parameters, or of a clustering, without classes.

The functions that compare candidates return pandas tables. They need
``pip install 'coassoc[tables]'``.
"""

from coassoc.partition.picking import disagreements, pick_clustering
from coassoc.selection.distribution import ConsensusDistribution, consensus_distribution
from coassoc.selection.null import (
    NullTest,
    agreement,
    agreement_test,
    gaussian_cloud,
    structure_test,
)
from coassoc.selection.numbers import (
    CRITERIA,
    DisagreementWarning,
    Selection,
    choices,
    select_n_clusters,
)
from coassoc.selection.parameters import ParameterChoice, choose_parameters, stability
from coassoc.selection.resampling import draw_partitions, partitions
from coassoc.selection.resolutions import Resolutions, compare_resolutions, resolutions_in
from coassoc.selection.tree import ConsensusTree, consensus_tree

__all__ = [
    "CRITERIA",
    "ConsensusDistribution",
    "ConsensusTree",
    "DisagreementWarning",
    "NullTest",
    "ParameterChoice",
    "Resolutions",
    "Selection",
    "agreement",
    "agreement_test",
    "choose_parameters",
    "choices",
    "compare_resolutions",
    "consensus_distribution",
    "consensus_tree",
    "disagreements",
    "draw_partitions",
    "gaussian_cloud",
    "partitions",
    "pick_clustering",
    "resolutions_in",
    "select_n_clusters",
    "stability",
    "structure_test",
]
