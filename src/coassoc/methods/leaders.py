"""Five methods of different kinds: their consensus, and their agreement with another consensus.

Their mean ARIs are in ``choice.csv``. Each method stands for one approach: a learned doubly
stochastic graph, learned topologies, a dense representation, a transfer cut, and a spectral cut of
the co-association matrix. If there are too many pairs of rows, methods whose memory grows linearly
with the rows are used.

LEADERS is a method of this project. Average linkage of the partitions of five methods first
joins samples that all methods co-cluster, and then samples that most of them co-cluster. If labels
are missing, each method treats them in its own way.
"""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from coassoc.ensemble import Ensemble
from coassoc.methods.auto import canonicalize, is_large
from coassoc.methods.base import ConsensusClusterer, Labels, RandomState
from coassoc.methods.parameters import Cost
from coassoc.methods.registry import METHODS
from coassoc.metrics import cross_table, match_clusters, pairwise_ari
from coassoc.numerics.distinct import merge_equal_rows

#: Methods of different kinds, and those for large ensembles
#: (:func:`coassoc.methods.auto.is_large`).
FEW_ROWS = ("HCLCE", "AWEC", "DREC", "LWGP", "CA-SC")
MANY_ROWS = ("LWGP", "U-SENC", "MDEC-BG", "CVote", "GP-MGLA")
#: Methods that LEADERS combines, the fastest first. EC-CMS replaces CA-SC because it scores better
#: if base clusterings have more clusters than requested.
COMBINED = ("LWGP", "DREC", "EC-CMS", "HCLCE", "AWEC")


class Leaders(ConsensusClusterer):
    """Average linkage of the partitions of five methods of different kinds with default parameters.

    `random_state` is the seed of the combined methods.

    The base classes describe further parameters and attributes.
    """

    title: ClassVar = "Average linkage of the partitions of HCLCE, AWEC, DREC, LWGP and EC-CMS"
    paper: ClassVar = "this project"
    # The squares are the largest number that any of the methods needs.
    cost: ClassVar = Cost(seconds=24, power=2.6, squares=19)
    takes_missing: ClassVar = True
    #: A method of methods, which rankings leave out.
    combines: ClassVar = COMBINED

    def _consensus(self, ensemble: Ensemble, X: Any, random_state: RandomState) -> Labels:
        partitions: list[Labels] = []
        for name in COMBINED:
            method = METHODS[name](self.n_clusters, random_state=self.random_state)
            partitions.append(method.fit(ensemble).labels_)
            # The linkage of five partitions joins what three of them join before it joins anything
            # else, so three equal partitions with c clusters are its result.
            for labels in partitions:
                if 2 * sum(np.array_equal(labels, other) for other in partitions) > len(COMBINED):
                    return labels
        table = np.column_stack(partitions).astype(np.int32)
        rows, sizes, place = merge_equal_rows(table, ensemble.microclusters.weights)
        # A few partitions make many ties, and the numbering of their clusters must not break these
        # ties. Remaining ties follow the order of the samples in auto, which is refined.
        joined = Ensemble.from_counts(rows, sizes, columns=range(rows.shape[1]))
        again = canonicalize(joined, refine=False)
        linked = METHODS["EAC-AL"](self.n_clusters).fit(again)
        return linked.labels_[place]


@dataclass(frozen=True)
class Agreement:
    """How well five methods of different kinds agree with a consensus, and with each other.

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
    """

    samples: NDArray[np.float64]
    ari: dict[str, float]
    among: float

    @property
    def verdict(self) -> str:
        """How well the five methods agree with the consensus, in words."""
        methods = ", ".join(f"{name} {ari:.2f}" for name, ari in self.ari.items())
        return (
            f"ARI of five methods of different kinds with this consensus: {methods}. Mean ARI with "
            f"each other: {self.among:.2f}."
        )


def agreement_of_leaders(ensemble: Ensemble, labels: ArrayLike, random_state: Any = 0) -> Agreement:
    """Fit five methods of different kinds with the same number of clusters, and compare them.

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
    partitions = {
        name: METHODS[name](c, random_state=random_state).fit(again).labels_ for name in names
    }
    sizes = ensemble.microclusters.weights.astype(np.int64)
    agrees = [matched(labels, other, sizes) for other in partitions.values()]
    ari = pairwise_ari((labels, *partitions.values()), sizes)
    others = ari[1:, 1:]
    return Agreement(
        np.mean(agrees, axis=0),
        dict(zip(partitions, ari[0, 1:].tolist(), strict=True)),
        float(others[np.triu_indices(len(others), 1)].mean()),
    )


def matched(labels: NDArray, others: NDArray, sizes: NDArray) -> NDArray[np.bool_]:
    """Whether each sample's cluster in one partition is matched with its cluster in the other."""
    return match_clusters(cross_table(labels, others, sizes=sizes))[labels] == others
