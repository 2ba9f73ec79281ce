"""Reports: a title and sections of text, table and figures in a self-contained HTML file."""

from __future__ import annotations

import base64
import io
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from markupsafe import Markup
from matplotlib.figure import Figure

from coassoc.atomic import write_text
from coassoc.display import count_of
from coassoc.ensemble import Ensemble
from coassoc.evidence import Evidence
from coassoc.pages.rendering import environment
from coassoc.pages.style import UNDATED, styled

if TYPE_CHECKING:
    import pandas as pd

#: Columns of a table by their names. Small reports avoid pandas, which takes longer to load than a
#: report takes to write.
Columns = Mapping[str, Sequence[Any]]
#: Largest number of constant base clusterings to name.
_NAMED = 10
#: Largest number of decimals of a column.
_DECIMALS = 3
#: A cell that is aligned as a number, possibly in percent or marked with a star.
_NUMBER = re.compile(r"([−+-]?[\d,]*\.?\d+(e[−+-]?\d+)?( %)?( \*)?)?")


class Section(NamedTuple):
    """A section of a report. Empty parts are left out.

    Attributes
    ----------
    text : str
        Plain text with one paragraph per line.
    table : DataFrame or dict of str to sequence
        Table. The fractions in a column are shown with the same number of decimals, True as "yes",
        and False, None and NaN as empty cells. A long table is collapsed.
    figures : dict of str to Figure
        Alternative text → figure.
    heading : str
    caption : str
        Explanation of the columns and the figures.
    """

    text: str = ""
    table: pd.DataFrame | Columns | None = None
    figures: Mapping[str, Figure] = MappingProxyType({})
    heading: str = ""
    caption: str = ""


def write_report(path: str | Path, title: str, sections: Iterable[Section]) -> None:
    """Write a report. The file appears when it is complete."""
    template = environment().get_template("report.html")
    page = template.render(title=title, sections=sections, cells=_cells, embedded=embedded_figure)
    write_text(path, page)


def _cells(
    table: pd.DataFrame | Columns,
) -> tuple[list[str], list[bool], list[tuple[str, ...]]]:
    """Names of the columns, whether they contain words, and the rows."""
    columns = {str(name): _texts([*table[name]]) for name in table}
    words = [not all(map(_NUMBER.fullmatch, texts)) for texts in columns.values()]
    return [*columns], words, [*zip(*columns.values(), strict=True)]


def _texts(values: Sequence[Any]) -> list[str]:
    """The values of a column as text."""
    numbers = np.abs([float(x) for x in values if isinstance(x, float | np.floating)])
    decimals = _decimals(numbers[np.isfinite(numbers)].tolist())
    return [_text(value, decimals) for value in values]


def _decimals(numbers: Sequence[float]) -> int:
    """Decimals that give the largest number four digits, or fewer if these are exact."""
    largest = max(numbers, default=0.0)
    most = 3 - math.floor(math.log10(largest)) if largest > 0 else 0
    most = min(max(most, 0), _DECIMALS)
    exact = (d for d in range(most) if all(math.isclose(x, round(x, d)) for x in numbers))
    return next(exact, most)


def _text(value: Any, decimals: int) -> str:
    if isinstance(value, bool | np.bool_):
        return "yes" if value else ""
    if isinstance(value, float | np.floating):
        if value != value:
            return ""
        text = f"{value:.{decimals}f}"
        # A small number, such as a p-value, does not become zero.
        return (f"{value:.1g}" if value and not float(text) else text).replace("-", "−")
    return "" if value is None or value != value else str(value)


@styled
def embedded_figure(figure: Figure) -> Markup:
    """HTML attributes of an embedded image that is at least as wide as the figure in inches.

    On a narrow screen, the letters therefore keep their size, and the frame scrolls.
    """
    content = io.BytesIO()
    figure.savefig(content, format="png", metadata=UNDATED["png"])
    source = base64.b64encode(content.getvalue()).decode()
    width = figure.get_figwidth()
    return Markup('src="data:image/png;base64,{}" style="min-width: {:g}in"').format(source, width)


def describe_input(about: str, ensemble: Ensemble, unlabelled: int = 0) -> tuple[str, str]:
    """A name of the data for a title, and a paragraph that describes the data.

    If `about` is a file and its description ("labels.csv: 150 samples"), the title has only the
    name of the file. `unlabelled` samples have no label and are not part of the ensemble.
    """
    path, colon, _ = about.partition(": ")
    title = (Path(path).name or path) if colon else about
    n_samples = count_of(ensemble.n_samples, "sample")
    if isinstance(ensemble, Evidence):
        return title, f"{about}." if colon else f"{n_samples} with given similarities."
    clusterings = count_of(ensemble.n_clusterings, "base clustering")
    sentences = [f"{about}." if colon else f"{n_samples}, {clusterings}."]
    if unlabelled:
        samples = count_of(unlabelled, "sample" if colon else "more sample")
        has = "has" if unlabelled == 1 else "have"
        sentences.append(f"{samples} {has} no label, and therefore no cluster.")
    if ensemble.has_missing and not colon:
        missing = 100 * (ensemble.labels < 0).mean()
        sentences.append(f"{missing:.1f} % of the labels are missing.")
    single = (ensemble.n_clusters_per_clustering == 1).nonzero()[0]
    if len(single):
        names = ", ".join(str(ensemble.clusterings[j]) for j in single[:_NAMED])
        rest = f" and {len(single) - _NAMED} more" if len(single) > _NAMED else ""
        sentences.append(
            "These base clusterings have a single cluster and so separate no samples: "
            f"{names}{rest}."
        )
    return title, " ".join(sentences)
