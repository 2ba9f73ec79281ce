"""Criteria for numbers of clusters as a table, a report and a figure."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

import numpy as np
import pandas as pd
from matplotlib import colormaps
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from coassoc.io.atomic import write_text
from coassoc.pages.report import Section, file_name, write_report
from coassoc.pages.style import COLOURS, panels, styled
from coassoc.selection import CRITERIA, ConsensusDistribution, Selection
from coassoc.selection.numbers import Criterion

_NO_ANSWER = (
    "On data sets with known classes, none of the criteria on this page recovers the number of "
    "classes in more than one case in ten. Use them only to explore the base clusterings, and "
    "choose the number of clusters yourself."
)


def write_n_clusters(
    stem: str | Path,
    selections: Mapping[str, Selection],
    about: str,
    failures: Mapping[str, str] = MappingProxyType({}),
    choice: str = "",
) -> list[Path]:
    """Write a CSV file and a self-contained HTML file.

    Parameters
    ----------
    stem : path
        Path of the files without their endings.
    selections : mapping of str to Selection
        Method → criteria for its partitions, all for the same ensemble.
    about : str
        Description of the data, such as "labels.csv: 150 samples × 9 clusterings".
    failures : mapping of str to str
        Method → reason why it has no criteria.
    choice : str
        Sentence that says why a method was chosen, if the user did not name it.

    Returns
    -------
    list of Path
    """
    table, page = Path(f"{stem}.csv"), Path(f"{stem}.html")
    write_text(table, n_clusters_csv(selections))
    lines = [f"{about}.", choice, *(f"{name}: {reason}" for name, reason in failures.items())]
    sections = [Section("\n".join(filter(None, lines)))]
    for method, selection in selections.items():
        shown = selection.table[[*CRITERIA]].rename_axis("c").reset_index()
        figures = {f"Criteria for the number of clusters, {method}": plot_selection(selection)}
        sections.append(Section(selection.verdict, shown, figures, method))
    sections.append(Section(f"{stars_mean([*CRITERIA])}\n{_NO_ANSWER}"))
    write_report(page, f"How many clusters? {file_name(about)}", sections)
    return [table, page]


def stars_mean(criteria: Sequence[Criterion]) -> str:
    """Explanation of the stars in a table of criteria."""
    rules = "; ".join(f"{name}: {CRITERIA[name]}" for name in criteria)
    return f"Stars mark the number of clusters that a criterion chooses. {rules}."


def n_clusters_csv(selections: Mapping[str, Selection]) -> str:
    """CSV with a row for each method and number of clusters, and a column for each criterion.

    The last column names the criteria that choose this number.
    """
    frames = []
    for method, selection in selections.items():
        choosing = [
            ", ".join(name for name, chosen in selection.chosen.items() if chosen == c)
            for c in selection.criteria.index
        ]
        frame = selection.criteria.rename_axis("n_clusters").reset_index()
        frame.insert(0, "method", method)
        frames.append(frame.assign(**{"chosen by": choosing}))
    return pd.concat(frames).to_csv(index=False, lineterminator="\n", float_format="%.6g")


def plot_selection(selection: Selection) -> Figure:
    """Plot the CDF of the consensus index at each c, and each criterion with its choice."""
    return plot_criteria(selection.distributions, selection.criteria, selection.chosen)


@styled
def plot_criteria(
    distributions: Mapping[int, ConsensusDistribution],
    criteria: pd.DataFrame,
    chosen: Mapping[Criterion, int],
) -> Figure:
    """Plot CDF curves, darker with more clusters, and each criterion with its choice."""
    figure, (first, *axes) = panels(1 + len(chosen), height=1.7)
    colours = colormaps["viridis_r"](np.linspace(0.05, 1, len(distributions)))
    for colour, distribution in zip(colours, distributions.values(), strict=True):
        x = np.concatenate(([0.0], distribution.values, [1.0]))
        y = np.concatenate(([0.0], distribution.cumulative, [1.0]))
        first.step(x, y, where="post", color=colour, linewidth=0.8)
    first.set(title="CDF (darker: more clusters)", xlabel="consensus index", ylim=(0, 1.02))
    for axis, (name, c) in zip(axes, chosen.items(), strict=True):
        values = criteria[name]
        axis.plot(criteria.index, values, marker="o", color=COLOURS["blue"])
        axis.plot(c, values[c], marker="o", markersize=8, color=COLOURS["red"], fillstyle="none")
        axis.set(title=f"{name}: {c}", xlabel="number of clusters")
        axis.xaxis.set_major_locator(MaxNLocator(5, integer=True))
    return figure
