"""Similarities that methods learn from the first draw of a pool, as heat maps."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
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


def lines_of_links(fits: Iterable[FittedCell], panels: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Numbers of :func:`link_numbers` for each fit, and for LTA's coherent links if shown."""
    printed_names: set[str] = set()
    for fit in fits:
        shown = {fit.label: np.asarray(fit.estimator.affinity_)}
        if "coherent-link" in panels and fit.dataset not in printed_names:
            shown["coherent-link"] = _coherent(shown[fit.label])
        printed_names.add(fit.dataset)
        for row, matrix in shown.items():
            for metric, mean in link_numbers(matrix, fit.pool.classes).items():
                place = {"row": row, "dataset": fit.dataset, "metric": metric}
                yield {**place, "mean": mean, "repeats": 1}


def _coherent(co_association: NDArray) -> NDArray:
    """The pairs that all base clusterings join, up to rounding."""
    return np.isclose(co_association, 1.0)


#: Title, image and borders of the classes.
Picture = tuple[str, NDArray, NDArray]


@styled
def draw_matrices(fits: Iterable[FittedCell], spec: Mapping[str, Any]) -> Figure:
    """Similarities that methods learned from the first draw of a pool, with a common colour bar.

    Each row has at most four heat maps of a data set. The additional panels are "coherent-link"
    (LTA's matrix), "difference" and "truth". ``relative`` divides each similarity by twice its mean
    within classes.
    """
    extra, relative = spec.get("panels", []), spec.get("relative", False)
    learned: dict[str, list[tuple[str, NDArray, NDArray]]] = {}
    for fit in fits:
        similarity = np.asarray(fit.estimator.affinity_, dtype=np.float64)
        learned.setdefault(fit.dataset, []).append((fit.label, similarity, fit.pool.classes))
    number = len(next(iter(learned.values()))) + len(extra)
    columns = min(number, _MOST)
    rows = -(-number // columns) * len(learned)
    figure = Figure((1.65 * columns + 0.6, 1.9 * rows))
    blocks = figure.subplots(rows, columns, squeeze=False).reshape(len(learned), -1)
    label = "similarity ÷ (2 × mean within classes)" if relative else "similarity"
    for axes, (dataset, matrices) in zip(blocks, learned.items(), strict=True):
        pictures = _pictures(matrices, extra, relative)
        for axis, (title, image, borders) in zip(axes, pictures, strict=False):
            if title == "difference":
                _difference(axis, image, borders)
            else:
                similarities = axis.imshow(image, vmin=0, vmax=1, cmap="viridis")
                _finish(axis, title, borders, "white")
        for spare in axes[number:]:
            spare.set_visible(False)
        axes[0].set_ylabel(dataset)
        figure.colorbar(similarities, ax=list(axes[:number]), shrink=0.8, pad=0.01, label=label)
    return figure


def _pictures(
    matrices: Sequence[tuple[str, NDArray, NDArray]], extra: Sequence[str], relative: bool
) -> list[Picture]:
    """The panels of one data set, from left to right."""
    _, first, classes = matrices[0]
    if "coherent-link" in extra:
        matrices = [("coherent link", _coherent(first), classes), *matrices]
    pictures = []
    for label, matrix, y in matrices:
        unit = 2 * within_classes(matrix, y) if relative else 1.0
        image = by_class(matrix / unit, y, 0.5 if relative else 1.0)
        name, _, settings = label.partition(" (")
        title = f"{name}\n({settings}" if "samples" in settings else name
        pictures.append((title, *image))
    pair = pictures[-2:] if "difference" in extra else pictures[:1] * 2
    (_, before, borders), (_, after, _) = pair
    further = {
        "difference": ("difference", after - before, borders),
        "truth": ("ground truth", *by_class(classes[:, None] == classes, classes)),
    }
    return pictures + [further[panel] for panel in extra if panel in further]


def _difference(axis: Axes, change: NDArray, borders: NDArray) -> None:
    """The change. The title gives its size, which may be too small to see in the matrices."""
    largest = max(float(np.abs(change).max()), 1e-12)
    image = axis.imshow(change, vmin=-largest, vmax=largest, cmap="RdBu_r")
    _finish(axis, "", borders, "black")
    classes = np.searchsorted(borders, np.arange(len(change)) + 0.5)
    same = classes[:, None] == classes
    means = [f"{change[pairs].mean():+.3f}" if pairs.any() else "none" for pairs in (same, ~same)]
    axis.set_title(
        f"mean difference:\n{means[0]} within classes, {means[1]} between classes", fontsize=7
    )
    axis.figure.colorbar(image, ax=axis, shrink=0.8, location="bottom", pad=0.02)


def _finish(axis: Axes, title: str, borders: NDArray, colour: str) -> None:
    axis.set_title(title)
    if len(borders) < _FEW_CLASSES:
        divide(axis, borders, colour, 0.4)
    blank(axis)


if __name__ == "__main__":
    with job(snakemake.log[0]):
        evidence = read_evidence(snakemake)
        spec, fits = evidence.spec, list(fit_cells(evidence, snakemake.params.fits))
        lines = pd.DataFrame(lines_of_links(fits, spec.get("panels", [])))
        write_figure(snakemake.output, draw_matrices(fits, spec), lines)
