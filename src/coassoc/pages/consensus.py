"""The consensus of base clusterings by several methods: a table, and a page with its pictures."""

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from coassoc.atomic import write_text
from coassoc.confidence import agreement_with_base, diversity, pairwise_agreement
from coassoc.ensemble import Ensemble
from coassoc.pages.pictures import plot_confidence, plot_consensus_matrix, plot_diversity
from coassoc.pages.rendering import write_page
from coassoc.pages.style import embedded, short_name

if TYPE_CHECKING:
    from coassoc.alignment import Alignment


class Found(Protocol):
    """What a page shows of a :class:`coassoc.consensus.Consensus`."""

    @property
    def ensemble(self) -> Ensemble:
        """The base clusterings."""

    @property
    def labels(self) -> NDArray[np.intp]:
        """(n,) clusters."""

    @property
    def confidence(self) -> NDArray[np.float64]:
        """(n,) confidence of each sample."""

    @property
    def names(self) -> NDArray:
        """(n,) what the clusters are called."""

    @property
    def alignment(self) -> "Alignment | None":
        """What the clusters have of an earlier clustering, if they were aligned to one."""


_NONE: Mapping[Any, str] = MappingProxyType({})


def write_consensus(
    stem: str | Path,
    found: Mapping[str, Found],
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
    ensemble, methods = _ensemble(found), summary(found).drop(columns="sizes")
    agreement = pairwise_agreement(ensemble)
    names = list(map(short_name, map(str, ensemble.clusterings)))
    write_page(
        page,
        "consensus.html",
        title=f"Consensus of {about}",
        ensemble=ensemble,
        missing=(ensemble.labels < 0).mean(),
        unlabelled=unlabelled,
        methods=methods,
        sizes={method: _sizes(consensus) for method, consensus in found.items()},
        alignments={method: consensus.alignment for method, consensus in found.items()},
        failures=failures,
        pictures={
            method: [
                embedded(plot(ensemble, consensus.labels))
                for plot in (plot_consensus_matrix, plot_confidence)
            ]
            for method, consensus in found.items()
        },
        diversity=diversity(agreement),
        base=_clusterings(ensemble, agreement),
        agreement=embedded(plot_diversity(ensemble, names)),
    )
    return [table, page]


def consensus_csv(found: Mapping[str, Found], unlabelled: Mapping[int, str] = _NONE) -> str:
    """A line for each sample, two columns for each method: cluster and confidence.

    They are empty for samples without any label, which are none of the ensemble's: their places in
    the table of labels, and their names.
    """
    columns: dict[str, Any] = {"sample": sample_names(_ensemble(found))}
    for method, consensus in found.items():
        columns[method] = consensus.names
        columns[f"{method} confidence"] = [f"{value:.4f}" for value in consensus.confidence]
    table = pd.DataFrame(columns, dtype=object)
    others = pd.DataFrame({"sample": pd.Series(dict(unlabelled), dtype=object)})
    labelled = np.setdiff1d(np.arange(len(table) + len(others)), others.index)
    table = pd.concat([table.set_axis(labelled), others]).sort_index()
    return table.to_csv(index=False, lineterminator="\n")


def summary(found: Mapping[str, Found]) -> pd.DataFrame:
    """A line for each method."""
    lines = []
    for method, consensus in found.items():
        sizes = np.unique(consensus.labels, return_counts=True)[1]
        agreement = np.nanmean(agreement_with_base(consensus.ensemble, consensus.labels))
        lines.append(
            {
                "method": method,
                "clusters": len(sizes),
                "mean confidence": f"{consensus.confidence.mean():.3f}",
                "closer to another": (consensus.confidence < 0).sum(),
                "NMI with base": f"{agreement:.3f}",
                "sizes": " ".join(map(str, sizes)),
            }
        )
    return pd.DataFrame(lines)


def sample_names(ensemble: Ensemble) -> Any:
    """(n,) names of the samples; their numbers from 1 where they have none."""
    return np.arange(1, ensemble.n_samples + 1) if ensemble.index is None else ensemble.index


def _sizes(consensus: Found) -> str:
    """Each cluster by its name, in the order of the pictures, with the number of its samples."""
    _, first, sizes = np.unique(consensus.labels, return_index=True, return_counts=True)
    names = consensus.names[first]
    return ", ".join(f"{name} ({size})" for name, size in zip(names, sizes, strict=True))


def _ensemble(found: Mapping[str, Found]) -> Ensemble:
    return next(iter(found.values())).ensemble


def _clusterings(ensemble: Ensemble, agreement: NDArray[np.float64]) -> pd.DataFrame:
    """The base clusterings with their whole names, which a figure may cut or lack letters for."""
    others = agreement.copy()
    np.fill_diagonal(others, np.nan)
    return pd.DataFrame(
        {
            "base clustering": ensemble.clusterings,
            "clusters": ensemble.n_clusters_per_clustering,
            "missing": [f"{share:.1%}" for share in (ensemble.labels < 0).mean(axis=0)],
            "NMI with the others": pd.DataFrame(others).mean(axis=1).map("{:.3f}".format),
        }
    ).replace("nan", "")
