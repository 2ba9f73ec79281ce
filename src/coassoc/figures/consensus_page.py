"""A page on the consensus of a pool, with its pictures in it."""

from __future__ import annotations

import base64
import html
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from coassoc.confidence import agreement_with_base, diversity, pairwise_agreement
from coassoc.figures.consensus import plot_confidence, plot_consensus_matrix, plot_diversity
from coassoc.figures.style import as_png
from coassoc.results.consensus import ConsensusLabels

__all__ = ["write_consensus_page"]

_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>{title}</title>
<style>
body {{ font: 15px/1.5 sans-serif; margin: 1.5em auto; max-width: 60em; color: #111; }}
table {{ border-collapse: collapse; font-variant-numeric: tabular-nums; }}
th, td {{ padding: .25em .8em; text-align: right; border-bottom: 1px solid #ddd; }}
tr > :first-child, tr > :last-child {{ text-align: left; }}
img {{ max-width: 100%; vertical-align: top; }}
</style>
</head>
<body>
{body}
</body>
</html>
"""

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
        Names, for the title; a pool of labels may be a data set by itself.
    """
    title = f"Consensus of {pool}" + (f" on {dataset}" if dataset != pool else "")
    safe = html.escape(title)
    body = "\n".join([f"<h1>{safe}</h1>", *_paragraphs(found), *_pictures(found)])
    Path(path).write_text(_PAGE.format(title=safe, body=body), encoding="utf-8")


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
    rows = [_cells("th", _HEAD)]
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
        rows.append(_cells("td", cells))
    return "<table>\n" + "\n".join(rows) + "\n</table>"


def _cells(tag: str, texts: tuple[str, ...]) -> str:
    return f"<tr>{''.join(f'<{tag}>{html.escape(text)}</{tag}>' for text in texts)}</tr>"


def _pictures(found: ConsensusLabels) -> Iterator[str]:
    for method, labels in found.partitions.items():
        yield f"<h2>{html.escape(method)}</h2>"
        yield _picture(
            plot_consensus_matrix(found.ensemble, labels), f"Consensus matrix of {method}"
        )
        yield _picture(plot_confidence(found.ensemble, labels), f"Confidence, {method}")
    agreement = pairwise_agreement(found.ensemble)
    yield f"<h2>The base clusterings: diversity {diversity(agreement):.2f}</h2>"
    # A dollar sign would begin a formula.
    names = [name[:_NAME].replace("$", r"\$") for name in found.clusterings]
    yield _picture(plot_diversity(found.ensemble, names), "Agreement of the base clusterings")


def _picture(figure: Figure, text: str) -> str:
    """An image that stands in the page itself."""
    data = base64.b64encode(as_png(figure)).decode()
    return f'<img src="data:image/png;base64,{data}" alt="{html.escape(text)}">'
