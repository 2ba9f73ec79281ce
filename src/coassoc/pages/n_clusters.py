"""Criteria for numbers of clusters as a table, a report and a figure."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

import numpy as np
import pandas as pd
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Normalize
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from coassoc.atomic import write_text
from coassoc.pages.report import Section, describe_input, write_report
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
    unlabelled: Mapping[int, str] = MappingProxyType({}),
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
        Description of the data, for the title. See :func:`coassoc.pages.report.describe_input`.
    unlabelled : mapping of int to str
        Positions and names of the samples without any label, which are not part of the ensemble.
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
    ensemble = next(iter(next(iter(selections.values())).ensembles.values()))
    title, described = describe_input(about, ensemble, len(unlabelled))
    sentences = [described, *([choice] if choice else [])]
    sentences += [f"{method}: {reason}" for method, reason in failures.items()]
    sections = [Section("\n".join(sentences))]
    for method, selection in selections.items():
        shown = selection.table[[*CRITERIA]].rename_axis("c").reset_index()
        figures = {f"Criteria for the number of clusters, {method}": plot_selection(selection)}
        sections.append(Section(selection.verdict, shown, figures, method))
    explained = "; ".join(f"{name}: {what}" for name, what in CRITERIA.items())
    sections.append(
        Section(f"Stars mark the number that a criterion chooses. {explained}.\n{_NO_ANSWER}")
    )
    write_report(page, f"How many clusters? {title}", sections)
    return [table, page]


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
        frame = selection.criteria.map("{:.6g}".format).rename_axis("n_clusters").reset_index()
        frame.insert(0, "method", method)
        frames.append(frame.assign(**{"chosen by": choosing}))
    return pd.concat(frames).to_csv(index=False, lineterminator="\n")


@styled
def plot_selection(selection: Selection) -> Figure:
    """Plot the CDF of the consensus index at each c, and each criterion with its choice."""
    figure, axes = panels(1 + len(CRITERIA), height=1.7)
    plot_criteria(axes, selection.distributions, selection.criteria, selection.chosen)
    return figure


def plot_criteria(
    axes: Sequence[Axes],
    distributions: Mapping[int, ConsensusDistribution],
    criteria: pd.DataFrame,
    chosen: Mapping[Criterion, int],
) -> None:
    """Plot CDF curves on the first axis, and a criterion on each other axis."""
    _cumulative(axes[0], distributions)
    for axis, (name, c) in zip(axes[1:], chosen.items(), strict=True):
        values = criteria[name]
        axis.plot(criteria.index, values, marker="o", color=COLOURS["blue"])
        axis.plot(c, values[c], marker="o", markersize=8, color=COLOURS["red"], fillstyle="none")
        axis.set(title=f"{name}: {c}", xlabel="number of clusters")
        axis.xaxis.set_major_locator(MaxNLocator(5, integer=True))


def _cumulative(axis: Axes, distributions: Mapping[int, ConsensusDistribution]) -> None:
    """The CDF curves, darker with more clusters."""
    numbers = list(distributions)
    colours = colormaps["viridis_r"]
    for place, c in zip(np.linspace(0.05, 1, len(numbers)), numbers, strict=True):
        distribution = distributions[c]
        x = np.concatenate(([0.0], distribution.values, [1.0]))
        y = np.concatenate(([0.0], distribution.cumulative, [1.0]))
        axis.step(x, y, where="post", color=colours(place), linewidth=0.8)
    scale = ScalarMappable(Normalize(numbers[0], numbers[-1]), colours)
    bar = axis.figure.colorbar(scale, ax=axis, fraction=0.06, pad=0.03)
    bar.ax.set_title("c", fontsize=7)
    bar.ax.yaxis.set_major_locator(MaxNLocator(5, integer=True))
    axis.set(title="CDF", xlabel="consensus index", ylim=(0, 1.02))
