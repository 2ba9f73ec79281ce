"""Reports: a title and sections of text, table and figures in a self-contained HTML file."""

from __future__ import annotations

import base64
import io
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from markupsafe import Markup
from matplotlib.figure import Figure

from coassoc.atomic import write_text
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


class Section(NamedTuple):
    """A section of a report. Empty parts are left out.

    Attributes
    ----------
    text : str
        Plain text with one paragraph per line.
    table : DataFrame or dict of str to sequence
        Table. Fractions are shown with four digits, True as "yes", and False, None and NaN as empty
        cells. A long table is collapsed.
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


def _cells(table: pd.DataFrame | Columns) -> tuple[list[str], list[tuple[str, ...]]]:
    """Names of the columns, and the rows."""
    columns: Any = {str(name): map(_text, table[name]) for name in table}
    return [*columns], [*zip(*columns.values(), strict=True)]


def _text(value: Any) -> str:
    if isinstance(value, bool | np.bool_):
        return "yes" if value else ""
    if isinstance(value, float | np.floating):
        return "" if value != value else f"{value:.4g}".replace("-", "−")
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


def describe_ensemble(ensemble: Ensemble, unlabelled: int = 0) -> str:
    """A paragraph that describes the data; `unlabelled` further samples have no label."""
    if isinstance(ensemble, Evidence):
        return f"{ensemble.n_samples} samples with given similarities."
    sentences = [f"{ensemble.n_samples} samples, {ensemble.n_clusterings} base clusterings."]
    if unlabelled:
        more = "1 more sample has" if unlabelled == 1 else f"{unlabelled} more samples have"
        sentences.append(f"{more} no label, and therefore no cluster.")
    if ensemble.has_missing:
        sentences.append(f"{(ensemble.labels < 0).mean():.1%} of the labels are missing.")
    single = (ensemble.n_clusters_per_clustering == 1).nonzero()[0]
    if len(single):
        names = ", ".join(str(ensemble.clusterings[j]) for j in single[:_NAMED])
        rest = f" and {len(single) - _NAMED} more" if len(single) > _NAMED else ""
        sentences.append(
            "These base clusterings have a single cluster and so separate no samples: "
            f"{names}{rest}."
        )
    return " ".join(sentences)
