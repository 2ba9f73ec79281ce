"""Heat maps of similarities, samples ordered by class."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from numpy.typing import NDArray

__all__ = ["by_class", "plot_matrices", "within_classes"]

#: Pixels along a side; larger matrices are averaged down to about this.
_RESOLUTION = 400
#: Heat maps in a row as wide as a page of text, and classes up to which lines divide them: a grid
#: of more would hide the blocks.
_MOST, _FEW_CLASSES = 4, 12


def by_class(matrix: Any, classes: NDArray, diagonal: float = 1.0) -> tuple[NDArray, NDArray]:
    """Order samples by class and average blocks of samples down to the printed resolution.

    Parameters
    ----------
    matrix : (n, n) array or anything NumPy turns into one
    classes : (n,) integer array
    diagonal : float
        What is drawn in place of the similarity of a sample with itself.

    Returns
    -------
    image : (p, p) array
        p ≤ 2 × 400.
    borders : array
        Places of the borders between classes, in pixels.
    """
    order = np.argsort(classes, kind="stable")
    dense = np.asarray(matrix, dtype=np.float64)[np.ix_(order, order)]
    # No method reads the diagonal, and learned ones differ there most: it would hide the rest.
    np.fill_diagonal(dense, diagonal)
    step = max(1, len(order) // _RESOLUTION)
    starts = np.arange(0, len(order), step)
    sums = np.add.reduceat(np.add.reduceat(dense, starts, axis=0), starts, axis=1)
    sizes = np.diff(np.append(starts, len(order)))
    borders = np.flatnonzero(np.diff(np.sort(classes))) + 1
    return sums / np.outer(sizes, sizes), borders / step


def within_classes(matrix: Any, classes: NDArray) -> float:
    """Mean similarity of two different samples of one class; 1 where it vanishes."""
    dense = np.asarray(matrix, dtype=np.float64)
    same = classes[:, None] == classes
    np.fill_diagonal(same, False)
    mean = float(dense[same].mean()) if same.any() else 0.0
    return mean if mean > 0 else 1.0


def plot_matrices(
    panels: Mapping[str, Mapping[str, tuple[Any, NDArray]]],
    extra: Sequence[str],
    *,
    relative: bool = False,
) -> Figure:
    """Heat maps of each data set, at most four in a row; similarities share a colour bar.

    Parameters
    ----------
    panels : mapping
        Data set → name of the method → its (n, n) similarity and the classes of its samples.
    extra : sequence of {"coherent-link", "difference", "truth"}
        Further panels. Before the others: the pairs of samples whose first similarity is 1, for the
        co-association matrix LTA's coherent-link matrix. After them: the last similarity minus the
        one before it, with a frame around the two classes between which most is lost; the ideal
        matrix.
    relative : bool
        Whether each similarity is divided by twice its mean inside the classes. Matrices whose
        entries have different sizes can be compared only in this way.
    """
    number = len(next(iter(panels.values()))) + len(extra)
    columns = min(number, _MOST)
    rows = -(-number // columns)
    figure, grid = plt.subplots(
        rows * len(panels),
        columns,
        figsize=(1.65 * columns + 0.6, 1.9 * rows * len(panels)),
        squeeze=False,
    )
    blocks = grid.reshape(len(panels), -1)
    for axis in blocks[:, number:].flat:
        axis.set_visible(False)
    for axes, (dataset, matrices) in zip(blocks[:, :number], panels.items(), strict=True):
        if "coherent-link" in extra:
            matrices = {"coherent link": _coherent_link(*next(iter(matrices.values()))), **matrices}
        images = {}
        titles = {"ideal": "ground truth"}
        for name, (matrix, y) in matrices.items():
            unit = 2 * within_classes(matrix, y) if relative else 1.0
            images[name] = by_class(np.asarray(matrix) / unit, y, 0.5 if relative else 1.0)
            titles[name] = _title(name)
        shown = list(images)
        if "truth" in extra:
            y = next(iter(matrices.values()))[1]
            images["ideal"] = by_class(y[:, None] == y, y)
        similarity: Any = None
        behind = [panel for panel in extra if panel != "coherent-link"]
        for axis, name in zip(axes, [*shown, *behind], strict=True):
            if name == "difference":
                (before, borders), (after, _) = images[shown[-2]], images[shown[-1]]
                _difference(figure, axis, after - before, borders)
            else:
                key = "ideal" if name == "truth" else name
                image, borders = images[key]
                similarity = axis.imshow(image, vmin=0, vmax=1, cmap="viridis")
                axis.set_title(titles[key])
                _finish(axis, borders, "white")
        axes[0].set_ylabel(dataset)
        label = "similarity ÷ (2 × its mean in classes)" if relative else "similarity"
        figure.colorbar(similarity, ax=list(axes), shrink=0.8, pad=0.01, label=label)
    return figure


def _title(label: str) -> str:
    """A method's name without its settings; what was done to its samples on a second line."""
    name, _, settings = label.partition(" (")
    return f"{name}\n({settings}" if "samples" in settings else name


def _coherent_link(similarity: Any, classes: NDArray) -> tuple[NDArray, NDArray]:
    """1 for the pairs that all base clusterings join, up to rounding, and 0 for the others."""
    return np.isclose(similarity, 1.0).astype(np.float64), classes


def _difference(figure: Figure, axis: Axes, change: NDArray, borders: NDArray) -> None:
    largest = max(float(np.abs(change).max()), 1e-12)
    image = axis.imshow(change, vmin=-largest, vmax=largest, cmap="RdBu_r")
    axis.set_title("difference")
    _finish(axis, borders, "black")
    for x, y, width, height in _largest_loss(change, borders):
        axis.add_patch(Rectangle((x, y), width, height, fill=False, color="#0072B2", linewidth=1.2))
    figure.colorbar(image, ax=axis, shrink=0.8, location="bottom", pad=0.02)


def _largest_loss(change: NDArray, borders: NDArray) -> list[tuple[float, float, float, float]]:
    """Rectangles (x, y, width, height), one on each side, where most is lost between classes."""
    ends = np.concatenate(([0.0], borders, [len(change)])) - 0.5
    starts = np.round(np.concatenate(([0.0], borders))).astype(np.intp)
    loss = np.minimum(change, 0.0)
    between = np.add.reduceat(np.add.reduceat(loss, starts, axis=0), starts, axis=1)
    np.fill_diagonal(between, 0.0)
    i, j = np.unravel_index(between.argmin(), between.shape)
    if between[i, j] == 0:
        return []
    sizes = np.diff(ends)
    return [(ends[a], ends[b], sizes[a], sizes[b]) for a, b in ((i, j), (j, i))]


def _finish(axis: Axes, borders: NDArray, colour: str) -> None:
    for border in borders if len(borders) < _FEW_CLASSES else ():
        axis.axhline(border - 0.5, color=colour, linewidth=0.4)
        axis.axvline(border - 0.5, color=colour, linewidth=0.4)
    axis.set_xticks([])
    axis.set_yticks([])
    axis.grid(False)
