"""Choosing the number of clusters, parameters, or a clustering, where no classes are known.

The functions that choose return tables of pandas, which `pip install coassoc` alone does not bring.
"""

from coassoc.partition.picking import disagreements, pick_clustering
from coassoc.selection.distribution import ConsensusDistribution, consensus_distribution
from coassoc.selection.numbers import (
    CRITERIA,
    DisagreementWarning,
    Selection,
    choices,
    select_n_clusters,
)
from coassoc.selection.parameters import ParameterChoice, choose_parameters, stability
from coassoc.selection.resampling import draw_partitions, partitions

__all__ = [
    "CRITERIA",
    "ConsensusDistribution",
    "DisagreementWarning",
    "ParameterChoice",
    "Selection",
    "choose_parameters",
    "choices",
    "consensus_distribution",
    "disagreements",
    "draw_partitions",
    "partitions",
    "pick_clustering",
    "select_n_clusters",
    "stability",
]
