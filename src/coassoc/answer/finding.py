"""The members and candidates of a table of measurements, for one number of clusters or several."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from coassoc.answer.candidates import Candidate, consensus_candidates, mean_agreement
from coassoc.answer.members import Member, Trees, available_members, fit_member
from coassoc.answer.views import Array
from coassoc.errors import ConfigError
from coassoc.metrics import pairwise_ari
from coassoc.numerics.distinct import places_among_distinct

#: Candidates are compared on at most this many samples.
COMPARED = 1200
#: Trees are fitted to more samples than this in few dimensions only, where they are fast.
_MANY, _FEW_DIMENSIONS = 10_000, 4
#: With fewer samples, in this many dimensions at most.
_TREE_DIMENSIONS = 20


@dataclass(frozen=True)
class Candidates:
    """Candidates with one requested number of clusters, on the compared samples.

    Attributes
    ----------
    k : int
        The requested number of clusters.
    each : list of Candidate
    agreement : (q, q) array
        Adjusted Rand index of each pair.
    mean_agreement : (q,) array
        Mean adjusted Rand index with the members; the medoid has the largest.
    failed : dict of str to str
        Why a member has no labels, by its title.
    """

    k: int
    each: list[Candidate]
    agreement: Array
    mean_agreement: Array
    failed: Mapping[str, str]


def find_candidates(
    views: Mapping[str, Array],
    rows: NDArray[np.intp],
    k: int,
    seed: int,
    trees: Mapping[str, Trees],
    tick: Callable[[], None] = lambda: None,
) -> Candidates:
    """Fit all members in all views, and combine them.

    Parameters
    ----------
    views : mapping of str to (n, d') array
    rows : (n_compared,) array
        The samples on which candidates are compared. Members that scale are fitted to all n, the
        others to these.
    k : int
        Number of clusters.
    seed : int
    trees : mapping of str to dict
        For each view, the trees of calls with other k; empty at first.
    tick : callable
        Called after each fit.
    """
    members: list[Candidate] = []
    failed: dict[str, str] = {}
    for view, X in views.items():
        for member in available_members():
            whole = len(rows) == len(X) or _fits_all(member, X)
            found = fit_member(member, X if whole else X[rows], k, seed, trees[view])
            tick()
            title = f"{member.name} ({view})"
            if isinstance(found, str):
                failed[title] = found
                continue
            labels = places_among_distinct(found[rows]) if whole else found
            if labels.max() == 0:
                failed[title] = "It finds a single cluster among the compared samples."
                continue
            on_all = found if whole else None
            members.append(Candidate(member.name, view, member.kind, labels, on_all))
    if not members:
        raise ConfigError(f"n_clusters is {k}, but no algorithm finds clusters in X. Check X.")
    each = [*members, *consensus_candidates(members, k)]
    agreement = pairwise_ari([x.labels for x in each], np.ones(len(rows)))
    is_member = np.array([x.kind != "consensus" for x in each])
    return Candidates(k, each, agreement, mean_agreement(agreement, is_member), failed)


def _fits_all(member: Member, X: Array) -> bool:
    """Whether a member is fast enough for more samples than are compared."""
    most = _TREE_DIMENSIONS if len(X) <= _MANY else _FEW_DIMENSIONS
    return member.scales and (member.kind != "tree" or X.shape[1] <= most)
