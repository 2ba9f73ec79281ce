"""Panels of a figure, and what their axes have in common."""

from collections.abc import Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray


def panels(
    number: int,
    width: float = 7.2,
    height: float = 1.75,
    most: int = 4,
    size: tuple[float, float] | None = None,
    **options: Any,
) -> tuple[Figure, list[Axes]]:
    """A number of axes, at most `most` in a row, with options of :meth:`Figure.subplots`.

    Sizes are inches: the width of a full row and the height of a panel, or in place of both
    the size of the whole figure.
    """
    columns = min(number, most)
    rows = -(-number // columns)
    narrow = max(width * columns / most, 3.6)
    figure = Figure(size or (narrow if columns < 3 else width, height * rows + 0.35))
    axes = list(figure.subplots(rows, columns, squeeze=False, **options).flat)
    for spare in axes[number:]:
        spare.set_visible(False)
    return figure, axes[:number]


def blank(axis: Axes) -> None:
    """Remove ticks and grid, for matrices and maps."""
    axis.set(xticks=[], yticks=[])
    axis.grid(False)


def divide(axis: Axes, borders: NDArray, colour: str, width: float) -> None:
    """Lines across a picture of a matrix in front of the rows and columns at the borders."""
    for border in borders - 0.5:
        axis.axhline(border, color=colour, linewidth=width)
        axis.axvline(border, color=colour, linewidth=width)


def name_rows(axis: Axes, names: Sequence[Any], room: float = 0.5) -> None:
    """Rows 0, 1, … from top to bottom with their names, and room over the first and last."""
    axis.set_yticks(range(len(names)), names)
    axis.set_ylim(len(names) - 1 + room, -room)
