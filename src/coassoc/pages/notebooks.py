"""Results in notebooks: their text, and a picture where there is one."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def html_of(result: Any) -> Markup:
    """The text of a result, and the picture of its class; the text alone without Matplotlib."""
    text = Markup("<pre>{}</pre>").format(repr(result))
    draw = _PICTURES.get(type(result).__name__)
    try:
        from coassoc.pages.report import embedded_figure

        return text if draw is None else text + _IMAGE.format(embedded_figure(draw(result)))
    except ModuleNotFoundError:
        return text


_IMAGE = Markup('<img alt="" {}>')


def _matrix(result: Any) -> Figure:
    from coassoc.pages.pictures import plot_consensus_matrix

    return plot_consensus_matrix(result.ensemble, result.labels, result.confidence)


def _criteria_of_numbers(result: Any) -> Figure:
    from coassoc.pages.n_clusters import plot_selection

    return plot_selection(result)


def _tree(result: Any) -> Figure:
    from coassoc.pages.tree import plot_tree

    return plot_tree(result)


def _stability(result: Any) -> Figure:
    from coassoc.pages.resolutions import plot_stability

    return plot_stability(result.table)


def _criteria_of_subtypes(result: Any) -> Figure:
    from coassoc.pages.subtypes import plot_subtype_criteria

    return plot_subtype_criteria(result)


#: Name of the class of a result → function that draws it.
_PICTURES: dict[str, Callable[[Any], Figure]] = {
    "Consensus": _matrix,
    "Selection": _criteria_of_numbers,
    "ConsensusTree": _tree,
    "Resolutions": _stability,
    "Subtypes": _criteria_of_subtypes,
}
