"""Similarities that methods learn from the first draw of a pool, as heat maps."""

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from numpy.typing import NDArray
from scipy.stats import rankdata

from coassoc.pages.style import blank, divide, styled
from reproduction.figures.inputs import FittedCell, fit_cells
from reproduction.figures.layout import write_figure
from reproduction.running.scripting import job
from reproduction.scores.evidence import read_evidence

#: Pixels along a side. Larger matrices are averaged to about this size.
_RESOLUTION = 400
#: Number of heat maps in a row as wide as a page of text, and largest number of classes with
#: dividing lines (more lines would hide the blocks).
_MOST, _FEW_CLASSES = 4, 12
#: Row of the coherent links.
COHERENT = "coherent-link"
#: Smallest fraction of the largest similarity that makes a link strong, as in EC-CMS.
_STRONG = 0.8


def by_class(matrix: Any, classes: NDArray, diagonal: float = 1.0) -> tuple[NDArray, NDArray]:
    """Order samples by class, and average blocks of samples to the resolution of the figure.

    `diagonal` replaces the similarity of each sample with itself.

    Returns
    -------
    image : (p, p) array
        p ≤ 2 × 400.
    borders : array
        Places of the borders between classes, in pixels.
    """
    order = np.argsort(classes, kind="stable")
    dense = np.asarray(matrix, dtype=np.float64)[np.ix_(order, order)]
    # No method uses the diagonal, but learned similarities differ most there, which would hide the
    # rest.
    np.fill_diagonal(dense, diagonal)
    step = max(1, len(order) // _RESOLUTION)
    starts = np.arange(0, len(order), step)
    sizes = np.diff(np.append(starts, len(order)))
    borders = np.flatnonzero(np.diff(np.sort(classes))) + 1
    sums = np.add.reduceat(np.add.reduceat(dense, starts, axis=0), starts, axis=1)
    return sums / np.outer(sizes, sizes), borders / step


def within_classes(matrix: Any, classes: NDArray) -> float:
    """Mean similarity of two different samples of one class; 1 if the mean is not positive."""
    dense = np.asarray(matrix, dtype=np.float64)
    same = classes[:, None] == classes
    np.fill_diagonal(same, False)
    mean = float(dense[same].mean()) if same.any() else 0.0
    return mean if mean > 0 else 1.0


def link_numbers(matrix: Any, classes: NDArray) -> dict[str, float]:
    """How well a similarity separates pairs of one class from other pairs, on any scale.

    Returns
    -------
    dict
        strong : fraction of pairs whose similarity is at least 0.8 of the largest similarity.
        recall of strong, precision of strong : fraction of the pairs within classes that are
        strong, and fraction of the strong pairs that are within classes (NaN without such pairs).
        between : mean similarity of pairs between classes, divided by the largest similarity.
        AUC : how often a pair within a class is more similar than a pair between classes (ties
        count half).
    """
    upper = np.triu_indices(len(classes), 1)
    values = np.asarray(matrix, dtype=np.float64)[upper]
    same = classes[upper[0]] == classes[upper[1]]
    values = values / max(float(values.max(initial=0.0)), np.finfo(float).tiny)
    strong, n_same = values >= _STRONG - 1e-9, int(same.sum())
    n_between, both = len(same) - n_same, (strong & same).sum()
    n_larger = rankdata(values)[same].sum() - n_same * (n_same + 1) / 2
    counts = {
        "recall of strong": (both, n_same),
        "precision of strong": (both, strong.sum()),
        "between": (values[~same].sum(), n_between),
        "AUC": (n_larger, n_same * n_between),
    }
    with np.errstate(invalid="ignore"):
        numbers = {name: float(np.divide(*pair)) for name, pair in counts.items()}
    return {"strong": float(strong.mean()), **numbers}


def matrices_of(
    fits: Iterable[FittedCell], coherent: bool
) -> Iterator[tuple[str, str, NDArray, NDArray]]:
    """Data set, name, similarity and classes of each fit.

    If `coherent`, the first similarity of a data set is a co-association, and LTA's coherent links,
    the pairs that all base clusterings join, follow it.
    """
    done: set[str] = set()
    for fit in fits:
        similarity = np.asarray(fit.estimator.affinity_, dtype=np.float64)
        yield fit.dataset, fit.label, similarity, fit.pool.classes
        if coherent and fit.dataset not in done:
            yield fit.dataset, COHERENT, np.isclose(similarity, 1.0), fit.pool.classes
        done.add(fit.dataset)


def lines_of_links(fits: Iterable[FittedCell], coherent: bool = False) -> Iterator[dict[str, Any]]:
    """Numbers of :func:`link_numbers` for each matrix of :func:`matrices_of`."""
    for dataset, row, matrix, classes in matrices_of(fits, coherent):
        for metric, mean in link_numbers(matrix, classes).items():
            yield {"row": row, "dataset": dataset, "metric": metric, "mean": mean, "repeats": 1}


@styled
def draw_matrices(
    fits: Iterable[FittedCell], coherent: bool = False, relative: bool = False
) -> Figure:
    """Similarities that methods learned from the first draw of a pool, with a common colour bar.

    Each row has at most four heat maps of a data set, the last of which shows the classes. If
    `relative`, each similarity is divided by twice its mean within classes.
    """
    pictures: dict[str, list[tuple[str, NDArray, NDArray]]] = {}
    truths = {}
    for dataset, label, matrix, y in matrices_of(fits, coherent):
        unit = 2 * within_classes(matrix, y) if relative else 1.0
        name, _, settings = label.partition(" (")
        title = f"{name}\n({settings}" if "samples" in settings else name
        picture = title, *by_class(matrix / unit, y, 0.5 if relative else 1.0)
        pictures.setdefault(dataset, []).append(picture)
        truths[dataset] = "ground truth", *by_class(y[:, None] == y, y)
    number = len(next(iter(pictures.values()))) + 1
    columns = min(number, _MOST)
    rows = -(-number // columns) * len(pictures)
    figure = Figure((1.65 * columns + 0.6, 1.9 * rows))
    blocks = figure.subplots(rows, columns, squeeze=False).reshape(len(pictures), -1)
    bar = "similarity ÷ (2 × mean within classes)" if relative else "similarity"
    for axes, (dataset, learned) in zip(blocks, pictures.items(), strict=True):
        learned.sort(key=lambda picture: picture[0] != COHERENT)  # the links come first
        for axis, (title, image, borders) in zip(axes, [*learned, truths[dataset]], strict=False):
            similarities = axis.imshow(image, vmin=0, vmax=1, cmap="viridis")
            axis.set_title(title)
            if len(borders) < _FEW_CLASSES:
                divide(axis, borders, "white", 0.4)
            blank(axis)
        for spare in axes[number:]:
            spare.set_visible(False)
        axes[0].set_ylabel(dataset)
        figure.colorbar(similarities, ax=list(axes[:number]), shrink=0.8, pad=0.01, label=bar)
    return figure


if __name__ == "__main__":
    with job(snakemake.log[0]):
        evidence = read_evidence(snakemake)
        spec, fits = evidence.spec, list(fit_cells(evidence, snakemake.params.fits))
        coherent = spec.get("coherent", False)
        lines = pd.DataFrame(lines_of_links(fits, coherent))
        figure = draw_matrices(fits, coherent, spec.get("relative", False))
        write_figure(snakemake.output, figure, lines)
