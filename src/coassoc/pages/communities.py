"""The page of ``coassoc communities``."""

from pathlib import Path
from typing import Any

import pandas as pd
import scipy.sparse as sp

from coassoc.graphs import Communities, GraphConsensus, adjacency
from coassoc.io.display import cluster_numbers
from coassoc.pages.rendering import write_lines
from coassoc.pages.report import Section, file_name, write_report
from coassoc.pages.resolutions import RESOLUTIONS, TESTED, plot_stability

_COMMUNITIES = (
    "“certainty” is the mean certainty of the nodes: the fraction of runs that join a node with a "
    "neighbour in its community, among those that join it with any neighbour. “inside” is the "
    "fraction of the weight of its edges that is inside the community. A node is unassigned if its "
    "certainty is not above 0.5."
)


def files_of_communities(stem: str | Path) -> list[Path]:
    """The page, the nodes, and the resolutions."""
    return [Path(f"{stem}{end}") for end in (".html", ".csv", "_resolutions.csv")]


def write_communities(stem: str | Path, graph: Any, found: Communities, about: str) -> list[Path]:
    """Write :func:`files_of_communities`; `about` describes the graph, for the title."""
    page, nodes, resolutions = paths = files_of_communities(stem)
    table = found.resolutions.table
    names = range(len(found.labels)) if found.nodes is None else found.nodes
    lines: dict[str, Any] = {"node": names, **_columns(found.labels, found.certainty)}
    sections = [
        Section(
            f"{about}.\n{found.verdict}",
            table.reset_index(),
            {"Agreement of the runs at each resolution": plot_stability(table)},
            caption=f"{RESOLUTIONS} {TESTED if found.resolutions.tested else ''}",
        )
    ]
    for value, level in found.levels.items():
        sections.append(
            Section(
                table=_communities(graph, level),
                heading=f"Communities at resolution {value:g}",
                caption=_COMMUNITIES,
            )
        )
    for value, level in [*found.levels.items()][1:]:
        lines |= _columns(level.labels, level.certainty, f" at {value:g}")
    write_lines(nodes, pd.DataFrame(lines))
    write_lines(resolutions, table, index=True)
    write_report(page, f"Communities: {file_name(about)}", sections)
    return paths


def _columns(labels: Any, certainty: Any, end: str = "") -> dict[str, Any]:
    """Columns of the communities, empty if unassigned, and of the certainty."""
    community = pd.array(cluster_numbers(labels), dtype="Int64")
    community[labels < 0] = pd.NA
    return {f"community{end}": community, f"certainty{end}": certainty}


def _communities(graph: Any, level: GraphConsensus) -> pd.DataFrame:
    """A row for each community."""
    nodes = pd.DataFrame({"community": level.labels, "certainty": level.certainty})
    table = nodes.groupby("community")["certainty"].agg(nodes="size", certainty="mean")
    edges = sp.coo_array(adjacency(graph))
    one, other = (level.labels[end] for end in edges.coords)
    weights = pd.DataFrame({"inside": edges.data * (one == other), "all": edges.data})
    weights = weights.groupby(one).sum()
    table["inside"] = weights["inside"] / weights["all"]
    table = table.drop(-1, errors="ignore")
    return table.set_index(cluster_numbers(table.index)).rename_axis("community").reset_index()
