"""Reliability of co-association values: precision and recall of pairs of samples."""

from collections.abc import Mapping

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from numpy.typing import NDArray

from coassoc.bench.fits import ensemble_of
from coassoc.ensemble import Ensemble
from coassoc.metrics import contingency_table
from coassoc.pages.style import COLOURS, panels, styled
from reproduction.figures.inputs import pool_of
from reproduction.figures.layout import shared_legend, write_figure
from reproduction.running.scripting import job
from reproduction.scores.evidence import read_evidence


def co_association_reliability(ensemble: Ensemble, classes: NDArray) -> pd.DataFrame:
    """Count pairs by co-association value, in blocks of microclusters.

    Returns
    -------
    DataFrame
        One line per number of base clusterings that join a pair, 0 to m. Columns: value
        (co-association 0, 1/m, …, 1), share (of all pairs), precision (share of same-class pairs
        among the pairs with at least this value), recall (share of the same-class pairs that have
        at least this value).
    """
    micro, m = ensemble.microclusters, ensemble.n_clusterings
    by_class = contingency_table(micro.assignment, classes).astype(np.float64)
    Z = ensemble.microcluster_membership
    pairs, same = np.zeros(m + 1), np.zeros(m + 1)
    for start in range(0, micro.count, 512):
        rows = slice(start, start + 512)
        together = np.rint((Z[rows] @ Z.T).toarray()).astype(np.intp)
        weights = np.outer(micro.r[rows], micro.r)
        matches = by_class[rows] @ by_class.T
        pairs += np.bincount(together.ravel(), weights.ravel(), m + 1)
        same += np.bincount(together.ravel(), matches.ravel(), m + 1)
    # Remove the pairs of a sample with itself, which have the value 1 and one class.
    pairs[m] -= ensemble.n_samples
    same[m] -= ensemble.n_samples
    at_least = np.cumsum(pairs[::-1])[::-1]
    same_at_least = np.cumsum(same[::-1])[::-1]
    precision = np.divide(same_at_least, at_least, where=at_least > 0, out=np.full(m + 1, np.nan))
    recall = same_at_least / max(same_at_least[0], 1.0)
    value, share = np.arange(m + 1) / m, pairs / max(pairs.sum(), 1.0)
    columns = {"value": value, "share": share, "precision": precision, "recall": recall}
    return pd.DataFrame(columns)


def lines_of_pairs(curves: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """The curves as lines of row (share, precision, recall), dataset, metric, x and mean."""
    long = pd.concat(curves, names=["dataset"]).reset_index("dataset")
    lines = long.melt(["dataset", "value"], var_name="row", value_name="mean")
    return lines.rename(columns={"value": "x"}).assign(metric="pairs", repeats=1)


@styled
def draw_reliability(curves: Mapping[str, pd.DataFrame]) -> Figure:
    """Fraction, precision and recall of pairs by co-association, with a panel per data set."""
    figure, axes = panels(len(curves), width=8.4, height=2.6)
    for axis, (dataset, curve) in zip(axes, curves.items(), strict=True):
        value, width = curve["value"], 0.8 * curve["value"][1]
        axis.bar(value, curve["share"], width, color="#BBBBBB", label="fraction of pairs")
        axis.plot(value, curve["precision"], "o-", color=COLOURS["red"], label="precision")
        axis.plot(value, curve["recall"], "s--", color=COLOURS["blue"], label="recall")
        axis.set_title(dataset)
        axis.set(xlabel="co-association (precision, recall: at least)", ylim=(0, 1.02))
    axes[0].set_ylabel("fraction")
    shared_legend(figure)
    return figure


if __name__ == "__main__":
    with job(snakemake.log[0]):
        curves = {}
        for cell in read_evidence(snakemake).cells:
            pool = pool_of(cell)
            ensemble = ensemble_of(pool.labels[:, pool.draws_of(cell.m)[0]])  # of the first draw
            curves[cell.dataset] = co_association_reliability(ensemble, pool.classes)
        write_figure(snakemake.output, draw_reliability(curves), lines_of_pairs(curves))
