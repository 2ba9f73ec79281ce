"""Files on a consensus or on numbers of clusters: CSV, and a page with its pictures in it."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from coassoc.confidence import diversity, pairwise_agreement
from coassoc.pages.combining import Base, ComparedNumbers, ConsensusLabels
from coassoc.pages.consensus import plot_confidence, plot_consensus_matrix, plot_diversity
from coassoc.pages.pages import write_page
from coassoc.pages.selection import plot_selection
from coassoc.pages.style import embedded, short_name
from coassoc.selection import CRITERIA
from coassoc.storage.whole import write_text


def write_files(
    stem: str | Path, found: ConsensusLabels | ComparedNumbers, about: str
) -> list[Path]:
    """Write a CSV file, and an HTML file without links to anything else, entitled by `about`."""
    table, page = Path(f"{stem}.csv"), Path(f"{stem}.html")
    write_text(table, found.as_csv())
    if isinstance(found, ConsensusLabels):
        write_page(page, "consensus.html", title=f"Consensus of {about}", **_consensus(found))
    else:
        title = f"How many clusters? {about}"
        write_page(page, "n_clusters.html", title=title, **_comparison(found))
    return [table, page]


def _consensus(consensus: ConsensusLabels) -> dict[str, Any]:
    ensemble = consensus.base.ensemble
    agreement = pairwise_agreement(ensemble)
    names = list(map(short_name, consensus.base.clusterings))
    return {
        "found": consensus,
        "methods": consensus.summary.drop(columns="sizes"),
        "sizes": dict(zip(consensus.partitions, consensus.summary["sizes"], strict=True)),
        "ensemble": ensemble,
        "missing": (ensemble.labels < 0).mean(),
        "pictures": {
            method: [
                embedded(plot(ensemble, labels))
                for plot in (plot_consensus_matrix, plot_confidence)
            ]
            for method, labels in consensus.partitions.items()
        },
        "diversity": diversity(agreement),
        "base": _clusterings(consensus.base, agreement),
        "agreement": embedded(plot_diversity(ensemble, names)),
    }


def _comparison(comparison: ComparedNumbers) -> dict[str, Any]:
    return {
        "failures": comparison.failures,
        "selections": {
            method: (
                selection.verdict,
                selection.table[[*CRITERIA]].rename_axis("c").reset_index(),
                embedded(plot_selection(selection)),
            )
            for method, selection in comparison.selections.items()
        },
        "criteria": CRITERIA,
    }


def _clusterings(base: Base, agreement: NDArray[np.float64]) -> pd.DataFrame:
    """The base clusterings with their whole names, which a figure may cut or lack letters for."""
    others = agreement.copy()
    np.fill_diagonal(others, np.nan)
    ensemble = base.ensemble
    return pd.DataFrame(
        {
            "base clustering": base.clusterings,
            "clusters": ensemble.n_clusters_per_clustering,
            "missing": [f"{share:.1%}" for share in (ensemble.labels < 0).mean(axis=0)],
            "NMI with the others": pd.DataFrame(others).mean(axis=1).map("{:.3f}".format),
        }
    ).replace("nan", "")
