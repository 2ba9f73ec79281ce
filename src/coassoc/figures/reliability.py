"""How reliable co-association values are (EC-CMS Fig. 1)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from numpy.typing import NDArray

from coassoc.ensemble import Ensemble
from coassoc.figures.style import panels, shared_legend

__all__ = ["Reliability", "co_association_reliability", "plot_reliability"]


class Reliability(NamedTuple):
    """Pairs of different samples by the number of base clusterings that put them together.

    Attributes
    ----------
    value : (m + 1,) array
        Co-association 0, 1/m, …, 1.
    share : (m + 1,) array
        Share of all pairs at each value.
    precision : (m + 1,) array
        Share of same-class pairs among the pairs with at least this value.
    recall : (m + 1,) array
        Share of the same-class pairs that have at least this value.
    """

    value: NDArray
    share: NDArray
    precision: NDArray
    recall: NDArray


def co_association_reliability(ensemble: Ensemble, classes: NDArray) -> Reliability:
    """Count pairs by co-association value, in blocks of microclusters.

    Parameters
    ----------
    ensemble : Ensemble
    classes : (n,) integer array
        Classes of the samples.
    """
    micro, m = ensemble.microclusters, ensemble.n_clusterings
    by_class = pd.crosstab(micro.assignment, classes).to_numpy().astype(np.float64)
    Z = ensemble.microcluster_membership
    pairs, same = np.zeros(m + 1), np.zeros(m + 1)
    for start in range(0, micro.count, 512):
        rows = slice(start, start + 512)
        together = np.rint((Z[rows] @ Z.T).toarray()).astype(np.intp)
        weights = np.outer(micro.r[rows], micro.r)
        matches = by_class[rows] @ by_class.T
        pairs += np.bincount(together.ravel(), weights.ravel(), m + 1)
        same += np.bincount(together.ravel(), matches.ravel(), m + 1)
    # A sample with itself is no pair; it has value 1 and its own class.
    pairs[m] -= ensemble.n_samples
    same[m] -= ensemble.n_samples
    at_least = np.cumsum(pairs[::-1])[::-1]
    same_at_least = np.cumsum(same[::-1])[::-1]
    precision = np.divide(same_at_least, at_least, where=at_least > 0, out=np.full(m + 1, np.nan))
    recall = same_at_least / max(same_at_least[0], 1.0)
    return Reliability(np.arange(m + 1) / m, pairs / max(pairs.sum(), 1.0), precision, recall)


def plot_reliability(curves: dict[str, Reliability]) -> Figure:
    """Share, precision and recall of pairs against the co-association value, one panel per set."""
    figure, axes = panels(len(curves), width=8.4, height=2.6)
    for axis, (dataset, curve) in zip(axes, curves.items(), strict=True):
        width = 0.8 * (curve.value[1] - curve.value[0])
        axis.bar(curve.value, curve.share, width, color="#BBBBBB", label="share of pairs")
        axis.plot(curve.value, curve.precision, "o-", color="#D55E00", label="precision")
        axis.plot(curve.value, curve.recall, "s--", color="#0072B2", label="recall")
        axis.set_title(dataset)
        axis.set_xlabel("co-association at least")
        axis.set_ylim(0, 1.02)
    axes[0].set_ylabel("share")
    shared_legend(figure, axes)
    return figure
