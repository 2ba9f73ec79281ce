"""The consensus of base clusterings by several methods: a table, and a page with its pictures."""

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coassoc.atomic import write_text
from coassoc.confidence import agreement_with_base, diversity, pairwise_agreement
from coassoc.ensemble import Ensemble
from coassoc.pages.consensus_csv import FoundConsensus, consensus_csv
from coassoc.pages.pictures import (
    plot_agreement,
    plot_confidence,
    plot_consensus_matrix,
    plot_diversity,
)
from coassoc.pages.rendering import Columns, write_page
from coassoc.pages.style import embedded, short_name

#: Base clusterings of which every two are compared; of more, so many are drawn.
_COMPARED = 100
_NONE: Mapping[Any, str] = MappingProxyType({})


def write_consensus(
    stem: str | Path,
    found: Mapping[str, FoundConsensus],
    about: str,
    unlabelled: Mapping[int, str] = _NONE,
    failures: Mapping[str, str] = _NONE,
) -> list[Path]:
    """Write a CSV file, and an HTML file without links to anything else.

    Parameters
    ----------
    stem : path
        The files without what their names end in.
    found : mapping of str to Consensus
        Method → what it found, as :func:`coassoc.find_consensus` returns it, all of one ensemble.
    about : str
        What the base clusterings are of, for the title.
    unlabelled : mapping of int to str
        As for :func:`consensus_csv`.
    failures : mapping of str to str
        Method → why it found none.

    Returns
    -------
    list of Path
    """
    table, page = Path(f"{stem}.csv"), Path(f"{stem}.html")
    write_text(table, consensus_csv(found, unlabelled))
    ensemble, methods = next(iter(found.values())).ensemble, summary(found)
    del methods["sizes"]
    drawn = _drawn(ensemble)
    agreement = pairwise_agreement(drawn)
    names = list(map(short_name, map(str, drawn.clusterings)))
    write_page(
        page,
        "consensus.html",
        title=f"Consensus of {about}",
        ensemble=ensemble,
        unlabelled=len(unlabelled),
        methods=methods,
        sizes={method: _sizes(consensus) for method, consensus in found.items()},
        alignments={method: consensus.alignment for method, consensus in found.items()},
        choices={method: consensus.choice for method, consensus in found.items()},
        agreements={method: consensus.agreement for method, consensus in found.items()},
        aggregated=_aggregated(found),
        failures=failures,
        pictures={
            method: [
                embedded(plot(ensemble, consensus.labels, consensus.confidence))
                for plot in (plot_consensus_matrix, plot_confidence)
            ]
            for method, consensus in found.items()
        },
        shares={
            method: embedded(plot_agreement(consensus.names, consensus.agreement))
            for method, consensus in found.items()
            if consensus.agreement is not None
        },
        diversity=diversity(agreement),
        drawn=drawn,
        base=_clusterings(drawn, agreement),
        agreement=embedded(plot_diversity(drawn, names)),
    )
    return [table, page]


def summary(found: Mapping[str, FoundConsensus]) -> dict[str, list[Any]]:
    """Columns with an entry for each method."""
    each = [*found.values()]
    sizes = [np.unique(one.labels, return_counts=True)[1] for one in each]
    agreement = [np.nanmean(agreement_with_base(one.ensemble, one.labels)) for one in each]
    return {
        "method": [*found],
        "clusters": [*map(len, sizes)],
        "mean confidence": [f"{one.confidence.mean():.3f}" for one in each],
        "closer to another": [int((one.confidence < 0).sum()) for one in each],
        "NMI with base": [f"{mean:.3f}" for mean in agreement],
        "sizes": [" ".join(map(str, counts)) for counts in sizes],
    }


def _sizes(consensus: FoundConsensus) -> str:
    """Each cluster by its name, in the order of the pictures, with the number of its samples."""
    _, first, sizes = np.unique(consensus.labels, return_index=True, return_counts=True)
    names = consensus.names[first]
    return ", ".join(f"{name} ({size})" for name, size in zip(names, sizes, strict=True))


def _aggregated(found: Mapping[str, FoundConsensus]) -> dict[str, str]:
    """The disagreements of methods that minimise these."""
    counts = {
        method: float(consensus.estimator.disagreements_)
        for method, consensus in found.items()
        if hasattr(consensus.estimator, "disagreements_")
    }
    return {method: f"{count:,.10g}" for method, count in counts.items()}


def _drawn(ensemble: Ensemble) -> Ensemble:
    if ensemble.n_clusterings <= _COMPARED:
        return ensemble
    generator = np.random.default_rng(0)
    columns = generator.choice(ensemble.n_clusterings, _COMPARED, replace=False)
    return ensemble.of_columns(np.sort(columns).tolist())


def _clusterings(ensemble: Ensemble, agreement: NDArray[np.float64]) -> Columns:
    """The base clusterings with their whole names, which a figure may cut or lack letters for."""
    others = np.ma.masked_invalid(agreement)
    others[np.diag_indices(len(others))] = np.ma.masked
    missing = ensemble.microclusters.r @ (ensemble.distinct_labels < 0) / ensemble.n_samples
    means = others.mean(axis=1).filled(np.nan).tolist()
    return {
        "base clustering": ensemble.clusterings,
        "clusters": ensemble.n_clusters_per_clustering.tolist(),
        "missing": [f"{share:.1%}" for share in missing],
        "NMI with the others": ["" if mean != mean else f"{mean:.3f}" for mean in means],
    }
