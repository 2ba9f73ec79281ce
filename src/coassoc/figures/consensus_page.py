"""A page on the consensus of a pool, with its pictures in it."""

from __future__ import annotations

import html
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from coassoc.confidence import agreement_with_base, diversity, pairwise_agreement
from coassoc.figures.consensus import plot_confidence, plot_consensus_matrix, plot_diversity
from coassoc.figures.web_page import as_table, picture, place, write_page
from coassoc.results.consensus import ConsensusLabels

__all__ = ["write_consensus_page"]

#: Columns of the table of methods.
_HEAD = ("method", "clusters", "mean confidence", "closer to another", "NMI with base", "sizes")
_EXPLANATION = (
    "Confidence is the mean share of base clusterings that put a sample together with the others "
    "of its cluster, less that of the nearest other cluster: 1 where all agree, negative where a "
    "sample is closer to another cluster. NMI with base is the mean over the base clusterings. "
    "Clusters of different methods are numbered each by itself."
)
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
    write_page(
        path, f"Consensus of {place(pool, dataset)}", [*_paragraphs(found), *_pictures(found)]
    )


def _paragraphs(found: ConsensusLabels) -> Iterator[str]:
    ensemble = found.ensemble
    sentence = f"{ensemble.n_samples} samples, {ensemble.n_clusterings} base clusterings."
    if ensemble.has_missing:
        share = float((ensemble.labels < 0).mean())
        sentence += f" {share:.1%} of the labels are missing"
        sentence += f", and {ensemble.n_never_met} pairs of samples never met."
    if found.unlabelled:
        sentence += f" Without any label, and so without a cluster: {len(found.unlabelled)} more."
    if found.matched:
        sentence += f" {found.matched}"
    yield f"<p>{html.escape(sentence)}</p>"
    yield _table(found)
    for method, reason in found.failures.items():
        yield f"<p>{html.escape(method)}: {html.escape(reason)}</p>"
    yield f"<p><small>{_EXPLANATION}</small></p>"


def _table(found: ConsensusLabels) -> str:
    rows = []
    for method, labels in found.partitions.items():
        sizes = np.unique(labels, return_counts=True)[1]
        confidence = found.confidence[method]
        agreement = agreement_with_base(found.ensemble, labels)
        cells = (
            method,
            str(len(sizes)),
            f"{confidence.mean():.3f}",
            str(int((confidence < 0).sum())),
            f"{np.nanmean(agreement):.3f}",
            " ".join(map(str, sizes)),
        )
        rows.append(cells)
    return as_table(_HEAD, rows)


def _table_of_base(found: ConsensusLabels, agreement: NDArray[np.float64]) -> str:
    """The base clusterings with their whole names, which a figure may cut or lack letters for."""
    ensemble = found.ensemble
    rows = []
    for j, name in enumerate(found.clusterings):
        others = np.delete(agreement[j], j)
        others = others[~np.isnan(others)]
        cells = (
            name,
            str(ensemble.n_clusters_per_clustering[j]),
            f"{(ensemble.labels[:, j] < 0).mean():.1%}",
            f"{others.mean():.3f}" if len(others) else "",
        )
        rows.append(cells)
    return as_table(("base clustering", "clusters", "missing", "NMI with the others"), rows)


def _pictures(found: ConsensusLabels) -> Iterator[str]:
    for method, labels in found.partitions.items():
        yield f"<h2>{html.escape(method)}</h2>"
        yield picture(
            plot_consensus_matrix(found.ensemble, labels), f"Consensus matrix of {method}"
        )
        yield picture(plot_confidence(found.ensemble, labels), f"Confidence, {method}")
    agreement = pairwise_agreement(found.ensemble)
    yield f"<h2>The base clusterings: diversity {diversity(agreement):.2f}</h2>"
    yield _table_of_base(found, agreement)
    # A dollar sign would begin a formula.
    names = [name[:_NAME].replace("$", r"\$") for name in found.clusterings]
    yield picture(plot_diversity(found.ensemble, names), "Agreement of the base clusterings")
