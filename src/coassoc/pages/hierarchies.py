"""The page of the consensus of hierarchies."""

from pathlib import Path

from matplotlib.figure import Figure
from scipy.cluster.hierarchy import dendrogram

from coassoc.hierarchies import ConsensusHierarchy
from coassoc.io.atomic import write_text
from coassoc.pages.rendering import write_lines
from coassoc.pages.report import Section, write_report
from coassoc.pages.style import canvas, short_name, styled

_CAPTION = (
    "The table lists the clusters that occur in more than half of the hierarchies. The dendrogram "
    "is the average linkage of the mean or median cophenetic distances. A cophenetic distance is "
    "the height at which two samples join."
)


def files_of_hierarchy(stem: str | Path) -> list[Path]:
    """The page, the clusters of the majority-rule tree, and the tree itself."""
    return [Path(f"{stem}{end}") for end in (".html", ".csv", ".nwk")]


def write_hierarchy(stem: str | Path, result: ConsensusHierarchy, about: str) -> list[Path]:
    """Write :func:`files_of_hierarchy`."""
    import pandas as pd

    page, clusters, newick = paths = files_of_hierarchy(stem)
    lines = [
        (len(members), share, " ".join(result.names[i] for i in members))
        for members, share in result.clusters
    ]
    table = pd.DataFrame(lines, columns=["samples", "fraction of hierarchies", "members"])
    write_lines(clusters, table)
    write_text(newick, f"{result.newick}\n")
    figures = {"Consensus of the hierarchies": plot_hierarchy(result)}
    write_report(page, f"Consensus of {about}", [Section("", table, figures, caption=_CAPTION)])
    return paths


@styled
def plot_hierarchy(result: ConsensusHierarchy) -> Figure:
    """Plot the dendrogram, with the samples from top to bottom."""
    figure, axis = canvas(6.2, 0.8 + 0.13 * min(len(result.names), 200))
    names = [short_name(name) for name in result.names]
    look = {"orientation": "left", "color_threshold": 0, "leaf_font_size": 6.5}
    dendrogram(result.linkage, labels=names, ax=axis, **look)
    axis.grid(False)
    axis.set_xlabel("cophenetic distance")
    return figure
