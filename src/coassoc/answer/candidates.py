"""Candidates for the answer: all members, and consensus partitions of them."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from coassoc.ensemble import Ensemble
from coassoc.methods.eac import EAC

#: Kinds of members whose consensus is a candidate, by the name of the candidate.
_TOGETHER = {
    "all": ("centroid", "mixture", "linkage", "tree", "spectral"),
    "centroids": ("centroid",),
    "mixtures": ("mixture",),
    "trees": ("tree",),
    "spectral": ("spectral",),
    "centroids and mixtures": ("centroid", "mixture"),
    "trees and spectral": ("tree", "spectral"),
}


@dataclass(frozen=True)
class Candidate:
    """A partition that may be the answer.

    Attributes
    ----------
    name : str
        Of the member, or "consensus of …".
    view : str
        The view that it clusters; "" for a consensus over several views.
    kind : str
        Of the member; "consensus" for a consensus.
    labels : (n,) array of 0 … k−1
    on_all : (n_all,) array, optional
        Labels of all samples, of a member that was fitted to them.
    """

    name: str
    view: str
    kind: str
    labels: NDArray[np.intp]
    on_all: NDArray[np.intp] | None = None

    @property
    def title(self) -> str:
        """Name and view."""
        return self.name if self.kind == "consensus" else f"{self.name} ({self.view})"


def consensus_candidates(members: list[Candidate], k: int) -> Iterator[Candidate]:
    """Average linkage of the co-association of members: of all, of each view and of some kinds."""
    groups = {f"consensus of {name}": ("", kinds) for name, kinds in _TOGETHER.items()}
    for view in dict.fromkeys(member.view for member in members):
        groups[f"consensus of the {view} view"] = (view, _TOGETHER["all"])
    for name, (view, kinds) in groups.items():
        some = [x.labels for x in members if x.kind in kinds and view in ("", x.view)]
        if len(some) > 1:
            together = Ensemble.from_clusterings(np.column_stack(some))
            if together.microclusters.count < k:
                continue
            labels = EAC(n_clusters=k, linkage="average").fit(together).labels_
            if labels.max() > 0:
                yield Candidate(name, view, "consensus", labels)


def mean_agreement(A: NDArray[np.float64], is_member: NDArray[np.bool_]) -> NDArray[np.float64]:
    """(q,) mean adjusted Rand index of each candidate with the other members.

    The medoid has the largest. Consensus partitions resemble each other, and do not vote.
    """
    others = np.maximum(is_member.sum() - is_member, 1)
    return np.asarray((A[:, is_member].sum(axis=1) - is_member) / others)
