"""Results in notebooks: their text, and a figure if there is one."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def html_of(result: Any) -> Markup:
    """HTML with the text of a result and its figure; only the text without Matplotlib."""
    text = Markup("<pre>{}</pre>").format(repr(result))
    try:
        from coassoc.pages import n_clusters, pictures, resolutions, subtypes, tree
        from coassoc.pages.report import embedded_figure
    except ModuleNotFoundError:
        return text
    draw: Callable[[Any], Figure] | None = {
        "Consensus": lambda consensus: pictures.plot_consensus_matrix(
            consensus.ensemble, consensus.labels, consensus.confidence
        ),
        "Selection": n_clusters.plot_selection,
        "ConsensusTree": tree.plot_tree,
        "Resolutions": lambda found: resolutions.plot_stability(found.table),
        "Subtypes": subtypes.plot_subtype_criteria,
    }.get(type(result).__name__)
    image = Markup('<img alt="" {}>')
    return text if draw is None else text + image.format(embedded_figure(draw(result)))
