"""The page and the table of ``coassoc cluster``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from coassoc.answer.clusterer import MOST
from coassoc.io.display import cluster_numbers, count_of
from coassoc.pages.pictures import plot_confidence
from coassoc.pages.rendering import write_lines
from coassoc.pages.report import Section, write_report
from coassoc.pages.style import canvas, cluster_colour, styled

if TYPE_CHECKING:
    from coassoc.answer.clusterer import EnsembleClusterer

#: Largest number of points in a picture.
_POINTS = 5000
#: Mean ARI of an answer on which the algorithms agree.
_AGREE = 0.95
#: Candidates in the table.
_SHOWN = 15


def files_of_cluster(folder: str | Path) -> list[Path]:
    """The page and the table."""
    return [Path(folder) / f"cluster{end}" for end in (".html", ".csv")]


def write_cluster(
    folder: str | Path,
    found: EnsembleClusterer,
    measured: Any,
    about: str,
    steps: Sequence[str] = (),
) -> list[Path]:
    """Write :func:`files_of_cluster`.

    Parameters
    ----------
    folder : path
    found : EnsembleClusterer
        Fitted to the measurements.
    measured : Measurements
    about : str
        Description of the samples, for the title.
    steps : sequence of str
        Descriptions of the preprocessing steps.
    """
    page, table = paths = files_of_cluster(folder)
    n = len(found.labels_)
    samples = np.arange(1, n + 1) if measured.samples is None else measured.samples
    columns = {"sample": samples, "cluster": _shown(found.labels_)}
    columns["confidence"] = pd.Series(found.confidence_).round(4)
    write_lines(table, pd.DataFrame(columns))
    write_report(page, f"Clusters: {about}", _sections(found, measured.X, steps))
    return paths


def _shown(labels: Any) -> pd.Series:
    """Clusters from 1; samples without a cluster are empty."""
    return pd.Series(cluster_numbers(labels), dtype="Int64").where(pd.Series(labels) >= 0)


def agrees(found: EnsembleClusterer) -> bool:
    """Whether the algorithms agree with the answer."""
    return len(found.candidates_) > 0 and found.candidates_[0].agreement >= _AGREE


def conclusion(found: EnsembleClusterer) -> str:
    """The answer in words."""
    sizes = np.bincount(found.labels_[found.labels_ >= 0])
    text = f"{count_of(len(sizes), 'cluster')} of {', '.join(map(str, sizes))} samples"
    if len(found.candidates_):
        best = found.candidates_[0]
        text += f": {best.candidate}, one of {len(found.candidates_)} candidates"
        text += f", whose mean ARI with the algorithms is {best.agreement:.2f}"
    text += "." + " The algorithms agree." * agrees(found)
    if len({candidate.k for candidate in found.candidates_}) > 1:
        text += (
            "\nThe number of clusters is the one on which the algorithms agree most. It was the "
            "number of classes in 7 of 22 other data sets. Pass -k if you know the number."
        )
    if MOST < len(found.labels_):
        text += f"\n{MOST:,} samples drawn at random were clustered. Others follow near ones."
    if found.n_compared_ < len(found.labels_):
        text += f"\nCandidates were compared on {found.n_compared_:,} samples drawn at random."
    for member, why in found.failed_.items():
        text += f"\n{member} gave no clustering: {why}"
    return text


def _sections(found: EnsembleClusterer, X: Any, steps: Sequence[str]) -> Iterator[Section]:
    figures = {"Clusters": plot_answer(X, found.labels_, "Answer")}
    yield Section(f"{conclusion(found)}\n{'; '.join(steps)}.", figures=figures)
    if len(found.candidates_):
        yield Section(
            table=pd.DataFrame(found.candidates_[:_SHOWN]),
            figures={
                "Agreement of the candidates": plot_agreement(
                    pd.DataFrame(found.agreement_, [*found.agreement_])
                )
            },
            heading="Candidates",
            caption="“agreement” is the mean adjusted Rand index (ARI) with the algorithms.",
        )
    yield Section(
        figures={"Confidence": plot_confidence(cluster_numbers(found.labels_), found.confidence_)},
        heading="Confidence",
        caption=(
            "The confidence of a sample is the fraction of algorithms that co-cluster it with its "
            "own cluster, minus that with the nearest other cluster."
        ),
    )


@styled
def plot_answer(X: Any, labels: Any, title: str) -> Figure:
    """The samples in the two leading principal components of the view, coloured by cluster."""
    from sklearn.decomposition import PCA

    from coassoc.answer.views import views_of

    some = slice(None, None, -(-len(labels) // _POINTS))
    view = views_of(X[some])["standardised"]
    flat = (
        view
        if view.shape[1] == 2
        else PCA(min(2, view.shape[1]), random_state=0).fit_transform(view)
    )
    flat = np.column_stack([flat, np.zeros(len(flat))])[:, :2]
    figure, axis = canvas(4.2, 3.6, None)
    for k in np.unique(labels[some]):
        own = labels[some] == k
        colour = "#BBBBBB" if k < 0 else cluster_colour(int(k))
        name = "noise" if k < 0 else str(cluster_numbers(k))
        axis.scatter(flat[own, 0], flat[own, 1], s=6, color=colour, label=name, linewidths=0)
    axis.set_xlabel("first component")
    axis.set_ylabel("second component")
    axis.set_title(title)
    if len(np.unique(labels)) <= 15:
        axis.legend(
            title="cluster", fontsize=6, markerscale=2, loc="center left", bbox_to_anchor=(1, 0.5)
        )
    return figure


@styled
def plot_agreement(agreement: pd.DataFrame) -> Figure:
    """Adjusted Rand index of each pair of candidates, similar ones side by side."""
    from scipy.cluster.hierarchy import leaves_list, linkage
    from scipy.spatial.distance import squareform

    distance = np.clip(1 - agreement.to_numpy(), 0, None)
    np.fill_diagonal(distance, 0)
    order = leaves_list(linkage(squareform(distance, checks=False), "average"))
    side = 2.0 + 0.13 * len(order)
    figure, axis = canvas(side + 1.2, side, None)
    image = axis.imshow(agreement.to_numpy()[np.ix_(order, order)], vmin=0, vmax=1, cmap="viridis")
    axis.grid(False)
    axis.set_yticks(range(len(order)), agreement.index[order], fontsize=6)
    axis.set_xticks([])
    figure.colorbar(image, ax=axis, label="adjusted Rand index", shrink=0.7)
    axis.set_title("agreement of the candidates")
    return figure
