"""The style of all figures, which are readable at print size, and shared parts of panels."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from matplotlib import colormaps, rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

#: Okabe & Ito's palette, whose colours colour-blind readers can distinguish.
COLOURS = {
    "black": "#000000",
    "orange": "#E69F00",
    "sky": "#56B4E9",
    "green": "#009E73",
    "yellow": "#C9B800",
    "blue": "#0072B2",
    "red": "#D55E00",
    "pink": "#CC79A7",
    "grey": "#777777",
}

#: Decorator of all functions that draw: Matplotlib has this project's look during the call, and the
#: user's settings after it.
styled = rc_context(
    {
        "font.size": 8,
        "axes.titlesize": 8,
        "axes.labelsize": 8,
        "legend.fontsize": 7.5,
        "xtick.labelsize": 7,
        "ytick.labelsize": 7,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.grid": True,
        "grid.color": "#DDDDDD",
        "grid.linewidth": 0.5,
        "axes.axisbelow": True,
        "lines.linewidth": 1.2,
        "lines.markersize": 3.5,
        "figure.constrained_layout.use": True,
        "savefig.dpi": 200,
        "svg.hashsalt": "coassoc",
        "pdf.fonttype": 42,
    }
)


#: Largest number of characters of a name in a figure.
_NAME = 24

#: Metadata without the entries that change from run to run.
UNDATED: dict[str, dict[str, None]] = {
    "png": {"Software": None},
    "pdf": {"CreationDate": None},
    "svg": {"Date": None},
}


@styled
def save(figure: Figure, paths: Mapping[str, str | Path]) -> None:
    """Write a figure to the path of each format ("pdf", "png"), identical in each run."""
    for end, path in paths.items():
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        figure.savefig(path, format=end, metadata=UNDATED.get(end))


def canvas(width: float, height: float, axis: Axes | None = None) -> tuple[Any, Axes]:
    """A new figure of a given size in inches and its axis, or the given axis and its figure."""
    axis = axis or Figure(figsize=(width, height)).subplots()
    return axis.figure, axis


def short_name(clustering: str) -> str:
    """Name of a base clustering, shortened to fit into a figure.

    The end remains, because names often differ only there.
    """
    fits = len(clustering) <= _NAME
    short = clustering if fits else f"{clustering[: _NAME // 2]}…{clustering[1 - _NAME // 2 :]}"
    return short.replace("$", r"\$")  # a dollar sign would begin a formula


def panels(
    number: int,
    width: float = 7.2,
    height: float = 1.75,
    most: int = 4,
    size: tuple[float, float] | None = None,
    **options: Any,
) -> tuple[Figure, list[Axes]]:
    """A grid of axes with at most `most` in a row, and with options of :meth:`Figure.subplots`.

    Sizes are in inches: the width of a full row and the height of a panel, or instead the size of
    the whole figure.
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


def cluster_colour(number: int) -> Any:
    """Colour of a cluster: ten strong colours, then ten pale colours, and so on."""
    return colormaps["tab20"](2 * number % 20 + number // 10 % 2)


def divide(axis: Axes, borders: NDArray, colour: str, width: float) -> None:
    """Draw lines across the image of a matrix in front of the rows and columns at the borders."""
    for border in borders - 0.5:
        axis.axhline(border, color=colour, linewidth=width)
        axis.axvline(border, color=colour, linewidth=width)


def name_rows(axis: Axes, names: Sequence[Any], room: float = 0.5) -> None:
    """Name the rows 0, 1, … from top to bottom, with space above the first and below the last."""
    axis.set_yticks(range(len(names)), names)
    axis.set_ylim(len(names) - 1 + room, -room)
