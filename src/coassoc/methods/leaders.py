"""Top-ranked methods: their consensus, and their agreement with another consensus.

The top-ranked methods have the largest mean ARI in ``choice.csv``, one for each kind of approach: a
learned doubly stochastic graph, learned topologies, a dense representation, a transfer cut, and a
spectral cut of the co-association matrix. If there are too many pairs of rows, methods whose memory
grows linearly with the rows are used.

LEADERS is a method of this project. Average linkage of the partitions of top-ranked methods first
joins samples that all methods co-cluster, and then samples that most of them co-cluster. If labels
are missing, each method treats them in its own way.
"""

from dataclasses import dataclass
from itertools import combinations
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from coassoc.ensemble import Ensemble
from coassoc.methods import METHODS
from coassoc.methods.auto import canonicalize, is_large
from coassoc.methods.base import ConsensusClusterer, Labels, RandomState
from coassoc.methods.parameters import Cost
from coassoc.metrics import adjusted_rand_index, cross_table, match_clusters
from coassoc.numerics.distinct import merge_equal_rows

#: Top-ranked methods, and top-ranked methods for large ensembles
#: (:func:`coassoc.methods.auto.is_large`).
FEW_ROWS = ("HCLCE", "AWEC", "DREC", "LWGP", "CA-SC")
MANY_ROWS = ("LWGP", "U-SENC", "MDEC-BG", "CVote", "GP-MGLA")
#: Methods that LEADERS combines. EC-CMS replaces CA-SC because it scores better if base clusterings
#: have more clusters than requested.
COMBINED = ("HCLCE", "AWEC", "DREC", "LWGP", "EC-CMS")
#: Mean ARI below which the methods disagree.
LOW = 0.5


class Leaders(ConsensusClusterer):
    """Average linkage of the partitions of five top-ranked methods with default parameters.

    The base classes describe further parameters and attributes.
    """

    title: ClassVar = "Average linkage of the partitions of HCLCE, AWEC, DREC, LWGP and EC-CMS"
    paper: ClassVar = "this project"
    names: ClassVar = {"LEADERS": {}}
    # The squares are the largest number that any of the methods needs.
    cost: ClassVar = Cost(seconds=24, power=2.6, squares=19)
    seeds = "the top-ranked methods"
    takes_missing: ClassVar = True
    #: A method of methods, which rankings leave out.
    combines: ClassVar = COMBINED

    def _consensus(self, ensemble: Ensemble, X: Any, random_state: RandomState) -> Labels:
        partitions = _partitions(COMBINED, ensemble, self.n_clusters, self.random_state)
        table = np.column_stack([*partitions.values()]).astype(np.int32)
        rows, sizes, place = merge_equal_rows(table, ensemble.microclusters.weights)
        # A few partitions make many ties, and the numbering of their clusters must not break these
        # ties. Remaining ties follow the order of the samples in auto, which is refined.
        joined = Ensemble.from_counts(rows, sizes, columns=range(rows.shape[1]))
        again = canonicalize(joined, refine=False)
        linked = METHODS["EAC-AL"](self.n_clusters).fit(again)
        return linked.labels_[place]


def _partitions(
    names: tuple[str, ...], ensemble: Ensemble, c: int, random_state: Any
) -> dict[str, NDArray[np.intp]]:
    return {
        name: METHODS[name](c, random_state=random_state).fit(ensemble).labels_ for name in names
    }


@dataclass(frozen=True)
class Agreement:
    """How well five top-ranked methods agree with a consensus, and with each other.

    Attributes
    ----------
    samples : (n,) array
        Fraction of the methods that assign each sample to the same cluster as the consensus. The
        clusters of each method are matched one to one with the clusters of the consensus so that as
        many samples as possible agree.
    ari : dict of str to float
        ARI of each method's partition with the consensus.
    among : float
        Mean ARI between two of the methods.
    core_share : float
        Fraction of the samples that all methods assign to the same cluster as the consensus.
    """

    samples: NDArray[np.float64]
    ari: dict[str, float]
    among: float
    core_share: float

    @property
    def verdict(self) -> str:
        """How well the top-ranked methods agree with the consensus, in words."""
        methods = ", ".join(f"{name} {ari:.2f}" for name, ari in self.ari.items())
        sentence = (
            f"Five top-ranked methods agree with this consensus on {100 * self.core_share:.0f} % "
            f"of the samples. ARI of each method with the consensus: {methods}."
        )
        if self.among < LOW:
            sentence += (
                f" The top-ranked methods disagree with each other (mean ARI {self.among:.2f}), so "
                "there may be no single answer."
            )
        return sentence


def agreement_of_leaders(ensemble: Ensemble, labels: ArrayLike, random_state: Any = 0) -> Agreement:
    """Fit the top-ranked methods with the same number of clusters, and compare them.

    Parameters
    ----------
    ensemble : Ensemble
        The base clusterings.
    labels : (n,) integer array
        The consensus, 0 … c−1.
    random_state : int, RandomState, Generator or None
        Seed of the methods.

    Raises
    ------
    DataError, MethodError, TooLargeError
        The errors of the methods.
    """
    labels, again = np.asarray(labels), canonicalize(ensemble)
    c = int(labels.max()) + 1
    names = MANY_ROWS if is_large(ensemble) else FEW_ROWS
    partitions = _partitions(names, again, c, random_state)
    sizes = ensemble.microclusters.weights.astype(np.int64)
    agrees = np.array([matched(labels, other, sizes) for other in partitions.values()])
    pairs = combinations(partitions.values(), 2)
    return Agreement(
        np.mean(agrees, axis=0),
        {
            name: adjusted_rand_index(cross_table(labels, other, sizes=sizes))
            for name, other in partitions.items()
        },
        float(np.mean([adjusted_rand_index(cross_table(a, b, sizes=sizes)) for a, b in pairs])),
        float(np.average(agrees.all(axis=0), weights=sizes)),
    )


def matched(labels: NDArray, others: NDArray, sizes: NDArray) -> NDArray[np.bool_]:
    """Whether each sample's cluster in one partition is matched with its cluster in the other."""
    return match_clusters(cross_table(labels, others, sizes=sizes))[labels] == others
