"""Reports: a title and sections of text, table and figures in a self-contained HTML file."""

import base64
import io
from collections.abc import Iterable, Mapping
from numbers import Number
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from markupsafe import Markup
from matplotlib.figure import Figure
from numpy.typing import NDArray

from coassoc.io.atomic import write_text
from coassoc.pages.rendering import environment
from coassoc.pages.style import UNDATED, styled

#: Pixels per inch of a figure, a quarter more than a page shows. Twice as many take twice as long.
_RESOLUTION = 120
#: Largest number of decimals of a column.
_DECIMALS = 3


class Section(NamedTuple):
    """A section of a report. Empty parts are left out.

    Attributes
    ----------
    text : str
        Plain text with one paragraph per line.
    table : DataFrame, or mapping of str to arrays
        Table without an index. The fractions in a column are shown with the same number of
        decimals, True as "yes", and False, None and NaN as empty cells. Columns without values are
        left out, and a long table is collapsed.
    figures : dict of str to Figure
        Alternative text → figure.
    heading : str
    caption : str
        Explanation of the columns and the figures.
    """

    text: str = ""
    table: Mapping[str, Any] | None = None
    figures: Mapping[str, Figure] = MappingProxyType({})
    heading: str = ""
    caption: str = ""


def write_report(path: str | Path, title: str, sections: Iterable[Section]) -> None:
    """Write a report. The file appears when it is complete."""
    template = environment().get_template("report.html")
    page = template.render(title=title, sections=sections, cells=_cells, embedded=embedded_figure)
    write_text(path, page)


def file_name(about: str) -> str:
    """The name of the data for a title, from a description such as "folder/labels.csv: 150 …"."""
    return ", ".join(Path(file).name for file in about.partition(": ")[0].split(", "))


def _cells(
    table: Mapping[str, Any],
) -> tuple[list[tuple[str, str | None]], list[tuple[str, ...]]]:
    """Names and style classes of the columns with any value, and the rows."""
    columns, cells = [], []
    for name, values in table.items():
        column = np.asarray(values)
        texts = _texts(column)
        if any(texts) or column.dtype == np.bool_:
            is_number = all(isinstance(x, Number | np.bool_) for x in column if not _is_missing(x))
            columns.append((str(name), None if is_number else "words"))
            cells.append(texts)
    return columns, [*zip(*cells, strict=True)]


def _texts(column: NDArray) -> list[str]:
    """The values of a column as text."""
    if column.dtype == np.bool_:
        return ["yes" if x else "" for x in column]
    if column.dtype.kind != "f":
        return ["" if _is_missing(x) else str(x) for x in column]
    exact = (d for d in range(_DECIMALS) if np.allclose(column, column.round(d), equal_nan=True))
    decimals = next(exact, _DECIMALS)

    def text(x: float) -> str:
        # A small number, such as a p-value, does not become zero.
        return f"{x:.{decimals}f}" if round(x, decimals) or not x else f"{x:.1g}"

    return ["" if np.isnan(x) else text(x) for x in column]


def _is_missing(value: Any) -> bool:
    """Whether a value is None, NaN or the missing value of pandas."""
    return value is None or type(value).__name__ == "NAType" or value != value


@styled
def embedded_figure(figure: Figure) -> Markup:
    """HTML attributes of an embedded image that is at least as wide as the figure in inches.

    On a narrow screen, the letters therefore keep their size, and the frame scrolls.
    """
    content = io.BytesIO()
    figure.savefig(content, format="png", dpi=_RESOLUTION, metadata=UNDATED["png"])
    source = base64.b64encode(content.getvalue()).decode()
    width = figure.get_figwidth()
    return Markup('src="data:image/png;base64,{}" style="min-width: {:g}in"').format(source, width)
