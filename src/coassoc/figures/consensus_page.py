"""A page on the consensus of a pool, with its pictures in it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from coassoc.confidence import agreement_with_base, diversity, pairwise_agreement
from coassoc.figures.consensus import plot_confidence, plot_consensus_matrix, plot_diversity
from coassoc.figures.web_page import embedded, place
from coassoc.results.consensus import ConsensusLabels
from coassoc.results.pages import write_page

__all__ = ["write_consensus_page"]

#: Longest name of a clustering in a figure.
_NAME = 24


def write_consensus_page(path: str | Path, found: ConsensusLabels, pool: str, dataset: str) -> None:
    """Write one HTML file without links to anything else.

    Parameters
    ----------
    path : path
    found : ConsensusLabels
    pool, dataset : str
        Names, for the title.
    """
    ensemble = found.ensemble
    agreement = pairwise_agreement(ensemble)
    # A dollar sign would begin a formula.
    names = [name[:_NAME].replace("$", r"\$") for name in found.clusterings]
    write_page(
        path,
        "consensus.html",
        title=f"Consensus of {place(pool, dataset)}",
        found=found,
        ensemble=ensemble,
        missing=(ensemble.labels < 0).mean(),
        methods=_methods(found),
        pictures={
            method: [
                embedded(plot(ensemble, labels))
                for plot in (plot_consensus_matrix, plot_confidence)
            ]
            for method, labels in found.partitions.items()
        },
        diversity=diversity(agreement),
        base=_base(found, agreement),
        agreement=embedded(plot_diversity(ensemble, names)),
    )


def _methods(found: ConsensusLabels) -> pd.DataFrame:
    """A line for each method that found a consensus."""
    lines = []
    for method, labels in found.partitions.items():
        sizes = np.unique(labels, return_counts=True)[1]
        confidence = found.confidence[method]
        lines.append(
            {
                "method": method,
                "clusters": len(sizes),
                "mean confidence": f"{confidence.mean():.3f}",
                "closer to another": (confidence < 0).sum(),
                "NMI with base": f"{np.nanmean(agreement_with_base(found.ensemble, labels)):.3f}",
                "sizes": " ".join(map(str, sizes)),
            }
        )
    return pd.DataFrame(lines)


def _base(found: ConsensusLabels, agreement: NDArray[np.float64]) -> pd.DataFrame:
    """The base clusterings with their whole names, which a figure may cut or lack letters for."""
    others = agreement.copy()
    np.fill_diagonal(others, np.nan)
    return pd.DataFrame(
        {
            "base clustering": found.clusterings,
            "clusters": found.ensemble.n_clusters_per_clustering,
            "missing": [f"{share:.1%}" for share in (found.ensemble.labels < 0).mean(axis=0)],
            "NMI with the others": pd.DataFrame(others).mean(axis=1).map("{:.3f}".format),
        }
    ).replace("nan", "")
